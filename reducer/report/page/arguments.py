"""What the arguments of functions are called in a text in pretty form."""

from collections.abc import Iterator

from reducer.ir import Module
from reducer.ir.functions import entry_block, is_function
from reducer.ir.lexer import TokenKind, tokens


def argument_names(text: str, module: Module) -> dict[int, str]:
    """The names in `text` of the arguments of the functions in `module`, by value.

    Names differ between the two, but their order does not. Empty if the two do not match.
    """
    functions = [op for op in range(len(module)) if is_function(module, op)]
    blocks = [block for op in functions if (block := entry_block(module, op)) is not None]
    values = [list(module.block_args(block)) for block in blocks]
    names = [found for found in _parameters(text) if found]
    values = [found for found in values if found]
    if [len(found) for found in values] != [len(found) for found in names]:
        return {}
    return {
        value: name
        for some, others in zip(values, names, strict=True)
        for value, name in zip(some, others, strict=True)
    }


def _parameters(text: str) -> Iterator[list[str]]:
    """The values between the parentheses after each symbol that a function defines."""
    before, is_definition, depth, names = "", False, 0, list[str]()
    for token in tokens(text):
        if token.kind in (TokenKind.BLANK, TokenKind.COMMENT):
            continue
        if token.kind is TokenKind.WORD and token.text.rpartition(".")[2] == "func":
            is_definition, depth, names = True, 0, []
        elif is_definition and token.text in "([{<":
            depth += 1
        elif is_definition and token.text in ")]}>":
            depth -= 1
            if depth == 0 and token.text == ")":
                yield names
                is_definition = False
        elif is_definition and depth == 1 and token.text == ":" and before.startswith("%"):
            names.append(before)
        before = token.text
    return
