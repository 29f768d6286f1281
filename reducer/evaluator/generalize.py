"""Writes named structured ops out as `linalg.generic`, as the compiler's own pass does it.

The pass is not run on the program, since it also folds whatever it can, and a fold may be what is
wrong or may remove undefined behavior. Each different named op is put into a function of its own,
where all that it uses is an argument; the pass runs on those, and its results replace the ops.
"""

from collections.abc import Callable
from dataclasses import dataclass

from reducer.ir import NONE, Module
from reducer.ir.lexer import ALIAS, VALUE, Outside

_EVALUATED = frozenset(
    f"linalg.{name}"
    for name in ("generic", "index", "yield", "fill", "transpose", "broadcast", "softmax")
)
"""Ops that the evaluator knows as they are."""

_USE = Outside(rf"{VALUE}(?:#\d+)?")
_ALIAS = Outside(rf"{ALIAS}(?![<.])")

Convert = Callable[[str], str | None]
"""Runs the pass on a module; None if it fails."""


@dataclass(frozen=True)
class _Named:
    """A named op of a module: its text in terms of `%a0`, `%a1`…, and what these stand for."""

    op: int
    text: str
    types: tuple[str, ...]
    results: tuple[str, ...]
    uses: tuple[str, ...]

    @property
    def key(self) -> tuple[str, tuple[str, ...]]:
        return self.text, self.types


def generalized(text: str, convert: Convert) -> str:
    """The module with its named ops written out, as far as the pass can."""
    if not _might_have_named_ops(text):
        return text
    module = Module.parse(text)
    names = module.t.name
    found = [_named(module, op) for op in range(len(module)) if _is_named(names[op])]
    different = list(dict.fromkeys(named.key for named in found))
    if not different:
        return text
    one_of = {named.key: named for named in reversed(found)}
    converted = convert(_functions(module, [one_of[key] for key in different]))
    if converted is None:
        return text
    generic = dict(zip(different, _bodies(Module.parse(converted), len(different)), strict=True))
    return _spliced(module, found, generic)


def _is_named(name: str) -> bool:
    return name.startswith("linalg.") and name not in _EVALUATED


def _might_have_named_ops(text: str) -> bool:
    return '"linalg.' in text


def _named(module: Module, op: int) -> _Named:
    captured = module.captured(op)
    tokens = [module.tokens[value] for value in captured]
    new = {token: f"%a{number}" for number, token in enumerate(tokens)}
    source = module.text[module.t.start[op] : module.t.end[op]].strip()
    body = source[source.index('"') :]
    renamed = _USE.sub(lambda match: new.get(match[0], match[0]), body)
    return _Named(
        op,
        renamed,
        tuple(module.type_of(value) for value in captured),
        tuple(module.type_of(value) for value in module.results(op)),
        tuple(tokens),
    )


def _functions(module: Module, ops: list[_Named]) -> str:
    aliases = "".join(module.text[alias.start : alias.end] for alias in module.t.aliases)
    functions = []
    for number, named in enumerate(ops):
        arguments = ", ".join(f"%a{n}: {kind}" for n, kind in enumerate(named.types))
        results = ", ".join(named.results)
        count = len(named.results)
        tokens = [f"%r#{n}" for n in range(count)] if count > 1 else ["%r"][:count]
        assign = f"%r:{count} = " if count > 1 else "%r = " if count else ""
        functions.append(
            f'"func.func"() <{{function_type = ({", ".join(named.types)}) -> ({results}), '
            f'sym_name = "k{number}"}}> ({{\n^bb0({arguments}):\n{assign}{named.text}\n'
            f'"func.return"({", ".join(tokens)}) : ({results}) -> ()\n}}) : () -> ()\n'
        )
    return f'{aliases}"builtin.module"() ({{\n{"".join(functions)}}}) : () -> ()\n'


def _bodies(module: Module, count: int) -> list[str | None]:
    """For each function its single op in terms of `%a0`, `%a1`…; None if it has another form."""
    definitions = {
        alias.name: module.text[alias.start : alias.end].partition(" = ")[2].strip()
        for alias in module.t.aliases
    }
    found: dict[str, str | None] = {}
    for op in module.children(module.roots[0]):
        found[module.symbol_name(op) or ""] = _body(module, op, definitions)
    return [found.get(f"k{number}") for number in range(count)]


def _body(module: Module, function: int, definitions: dict[str, str]) -> str | None:
    inner = list(module.children(function))
    if len(inner) != 2 or module.t.name[inner[0]] != "linalg.generic":
        return None
    op, last = inner
    if module.t.operands[last] != tuple(module.results(op)) or NONE in module.t.operands[op]:
        return None
    block = next(module.blocks_of(function))
    new = {module.tokens[v]: f"%a{n}" for n, v in enumerate(module.block_args(block))}
    source = module.text[module.t.start[op] : module.t.end[op]].strip()
    body = source[source.index('"') :]
    renamed = _USE.sub(lambda match: new.get(match[0], match[0]), body)
    return _ALIAS.sub(lambda match: definitions.get(match[0], match[0]), renamed)


def _spliced(
    module: Module, found: list[_Named], generic: dict[tuple[str, tuple[str, ...]], str | None]
) -> str:
    pieces, position = [], 0
    for named in found:
        body = generic[named.key]
        if body is None:
            continue
        start, end = module.t.start[named.op], module.t.end[named.op]
        source = module.text[start:end]
        old = {f"%a{number}": token for number, token in enumerate(named.uses)}
        written = _USE.sub(lambda match, old=old: old.get(match[0], match[0]), body)  # type: ignore[misc]
        pieces += [module.text[position:start], source[: source.index('"')], written, "\n"]
        position = end
    return "".join([*pieces, module.text[position:]])
