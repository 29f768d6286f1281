"""Functions made of single ops, for a pass or a compiler to convert apart from all others.

All that an op uses is an argument of its function, so nothing around it can be folded into it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reducer.ir import NONE, Module
from reducer.ir.lexer import ALIAS, VALUE, Outside

_USE = Outside(rf"{VALUE}(?:#\d+)?")
_ALIAS = Outside(rf"{ALIAS}(?![<.])")
_RESOURCE = re.compile(r"\bdense_resource<([^>]*)>")
_NOTES = "torch.onnx_meta."


@dataclass(frozen=True)
class Outlined:
    """An op of a module: its text in terms of `%a0`, `%a1`…, and what these stand for.

    `before` are the lines of the ops that come along with it, `attributes` those of the function
    around it that say what its ops mean.
    """

    op: int
    text: str
    types: tuple[str, ...]
    results: tuple[str, ...]
    uses: tuple[str, ...]
    before: str = ""
    attributes: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        """The same for ops that do the same."""
        return self.attributes, self.before, self.text, *self.types


def outlined(module: Module, op: int, along: Sequence[int] = ()) -> Outlined:
    """The function of an op; it also contains the ops `along`, whose values it uses."""
    made = {value for one in along for value in module.results(one)}
    captured = list(
        dict.fromkeys(v for one in (*along, op) for v in module.captured(one) if v not in made)
    )
    tokens = [module.tokens[value] for value in captured]
    new = {token: f"%a{number}" for number, token in enumerate(tokens)}
    lines = []
    for number, one in enumerate(along):
        results = [module.tokens[value] for value in module.results(one)]
        names, assigned = _results(f"%c{number}", len(results))
        lines.append(f"{assigned}{renamed(body_of(module, one), new)}\n")
        new.update(zip(results, names, strict=True))
    return Outlined(
        op,
        renamed(body_of(module, op), new),
        tuple(module.type_of(value) for value in captured),
        tuple(module.type_of(value) for value in module.results(op)),
        tuple(tokens),
        "".join(lines),
        _attributes(module, op),
    )


def _attributes(module: Module, op: int) -> str:
    """The attributes in which an importer has noted the version of the operators."""
    around = module.t.parent[op]
    while around != NONE and module.t.name[around] != "func.func":
        around = module.t.parent[around]
    entries = [] if around == NONE else module.syntax(around).entries
    noted = [f"{one.name} = {one.value}" for one in entries if one.name.startswith(_NOTES)]
    return f" {{{', '.join(noted)}}}" if noted else ""


def body_of(module: Module, op: int) -> str:
    """The text of an op from its name on."""
    source = module.text[module.t.start[op] : module.t.end[op]].strip()
    return source[source.index('"') :]


def renamed(text: str, new: dict[str, str]) -> str:
    """The text with other names for some values."""
    return _USE.sub(lambda match: new.get(match[0], match[0]), text)


def in_functions(module: Module, ops: Sequence[Outlined], prefix: str) -> str:
    """A module with a function for each op, whose name is the prefix and the op's place."""
    aliases = "".join(module.text[alias.start : alias.end] for alias in module.t.aliases)
    functions = []
    for number, one in enumerate(ops):
        arguments = ", ".join(f"%a{n}: {kind}" for n, kind in enumerate(one.types))
        results = ", ".join(one.results)
        names, assigned = _results("%r", len(one.results))
        functions.append(
            f'"func.func"() <{{function_type = ({", ".join(one.types)}) -> ({results}), '
            f'sym_name = "{prefix}{number}"}}> ({{\n^bb0({arguments}):\n{one.before}{assigned}'
            f'{one.text}\n"func.return"({", ".join(names)}) : ({results}) -> ()\n'
            f"}}){one.attributes} : () -> ()\n"
        )
    bodies = "".join(functions)
    resources = ""
    if module.t.resources is not None and _RESOURCE.search(bodies):
        resources = module.text[slice(*module.t.resources)]
    return f'{aliases}"builtin.module"() ({{\n{bodies}}}) : () -> ()\n{resources}'


def named_resources(text: str) -> set[str]:
    """The names of resources that a text mentions."""
    return set(_RESOURCE.findall(text))


def _results(name: str, count: int) -> tuple[list[str], str]:
    """The names of an op's results, and what stands before the op."""
    if count > 1:
        return [f"{name}#{n}" for n in range(count)], f"{name}:{count} = "
    return ([name], f"{name} = ") if count else ([], "")


def written_out(module: Module, text: str) -> str:
    """A text of a module without aliases."""
    definitions = {
        alias.name: module.text[alias.start : alias.end].partition(" = ")[2].strip()
        for alias in module.t.aliases
    }
    return _ALIAS.sub(lambda match: definitions.get(match[0], match[0]), text)


def spliced(module: Module, new: dict[int, str]) -> str:
    """The module's text with other bodies for some ops; an empty one removes the op."""
    pieces, position = [], 0
    for op in sorted(new):
        start, end = module.t.start[op], module.t.end[op]
        source = module.text[start:end]
        pieces.append(module.text[position:start])
        if new[op]:
            pieces += [source[: source.index('"')], new[op], "\n"]
        position = end
    return "".join([*pieces, module.text[position:]])
