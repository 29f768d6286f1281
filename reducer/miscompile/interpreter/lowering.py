"""Let the compiler's passes lower the ops that the evaluator does not know, each by itself.

The front end could lower the whole program, but then nobody would judge what it makes of the ops
that are known. So each unknown op becomes a function of its own, the front end lowers these, and
the program calls them. All that an op uses is an argument of its function, so nothing around it can
be folded into it. What is constant, or of a type that the evaluator does not have (a tuple, a list
of numbers), is made inside of the function, by the ops that make it in the program.

Named structured ops are written out as `linalg.generic` in the same way. The pass is not run on the
program, since it also folds whatever it can, and a fold may be what is wrong or may remove
undefined behavior.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from oracles.signature.printed_ir import carried_name
from reducer.ir import NONE, GenericSyntaxError, Module
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


_EVALUATED = frozenset(
    f"linalg.{name}"
    for name in ("generic", "index", "yield", "fill", "transpose", "broadcast", "softmax")
)
"""Ops that the evaluator knows as they are."""

Convert = Callable[[str], str | None]
"""Runs the pass on a module; None if it fails."""

_FUNCTION = "k"
"""What the names of functions start with."""


def generalized(text: str, convert: Convert) -> str:
    """The module with its named ops written out, as far as the pass can."""
    if not _might_have_named_ops(text):
        return text
    module = Module.parse(text)
    names = module.t.name
    found = [outlined(module, op) for op in range(len(module)) if _is_named(names[op])]
    different = list({named.key: named for named in reversed(found)}.values())
    if not different:
        return text
    converted = convert(in_functions(module, different, _FUNCTION))
    if converted is None:
        return text
    bodies = _bodies(Module.parse(converted), len(different))
    generic = {named.key: body for named, body in zip(different, bodies, strict=True)}
    written = {named.op: _in_place(named, generic[named.key]) for named in found}
    return spliced(module, {op: body for op, body in written.items() if body is not None})


def _is_named(name: str) -> bool:
    return name.startswith("linalg.") and name not in _EVALUATED


def _might_have_named_ops(text: str) -> bool:
    return '"linalg.' in text


def _bodies(module: Module, count: int) -> list[str | None]:
    """For each function its single op in terms of `%a0`, `%a1`…; None if it has another form."""
    found: dict[str, str | None] = {}
    for op in module.children(module.roots[0]):
        found[module.symbol_name(op) or ""] = _body(module, op)
    return [found.get(f"{_FUNCTION}{number}") for number in range(count)]


def _body(module: Module, function: int) -> str | None:
    inner = list(module.children(function))
    if len(inner) != 2 or module.t.name[inner[0]] != "linalg.generic":
        return None
    op, last = inner
    if module.t.operands[last] != tuple(module.results(op)) or NONE in module.t.operands[op]:
        return None
    block = next(module.blocks_of(function))
    new = {module.tokens[v]: f"%a{n}" for n, v in enumerate(module.block_args(block))}
    return written_out(module, renamed(body_of(module, op), new))


def _in_place(named: Outlined, body: str | None) -> str | None:
    """The op in terms of the values of its module."""
    old = {f"%a{number}": token for number, token in enumerate(named.uses)}
    return None if body is None else renamed(body, old)


_NUMBERS = re.compile(
    r"(?:tensor<(?:(?:\d+|\?)x)*)?(?:complex<f\d+>|(?:[su]?i|bf|f)\d+\w*|index)>?"
    r"|!torch\.vtensor<\[[\d?,]*\],\w+>"
)
_CONSTANT = re.compile(r"\.(?:[cC]onstant|literal)$|\.constant\.")
_PREFIX = "front_end_"


@dataclass(frozen=True)
class Mixed:
    """A module in which some ops are calls of what the front end has made of them."""

    text: str
    ops: tuple[str, ...]


def with_lowered_ops(
    text: str, is_unknown: Callable[[str], bool], lower: Callable[[str], str | None]
) -> Mixed | None:
    """The module with a call in place of each unknown op; None if some have to stay.

    An op that stands for another one is asked about by both names. `lower` is the front end, from
    generic form to generic form; None if it fails.
    """
    module = Module.parse(text)
    unknown = module.outermost(
        _with_results(module, op)
        for op in range(len(module))
        if any(map(is_unknown, _names(module, op)))
    )
    try:
        calls = [_outlined(module, op) for op in unknown if _has_numbers(module, op)]
    except _CannotStandAlone:
        return None
    removed = set(unknown) - {one.op for one in calls}
    if not calls or not all(_can_go(module, op, unknown) for op in removed):
        return None
    different = list({one.key: one for one in reversed(calls)}.values())
    prefix = _free_prefix(text)
    lowered = lower(in_functions(module, different, prefix))
    functions = None if lowered is None else _functions(lowered, text, prefix, len(different))
    if functions is None:
        return None
    numbers = {one.key: number for number, one in enumerate(different)}
    new = dict.fromkeys(removed, "")
    new.update({one.op: _call(one, f"{prefix}{numbers[one.key]}") for one in calls})
    first = module.t.start[next(module.children(module.roots[0]))]
    written = spliced(module, new)
    told = {carried_name(*_own(module, op)) or module.t.name[op] for op in unknown}
    return Mixed(f"{written[:first]}{functions}{written[first:]}", tuple(sorted(told)))


def _names(module: Module, op: int) -> set[str]:
    return {module.t.name[op], carried_name(*_own(module, op))} - {""}


def _own(module: Module, op: int) -> tuple[str, str]:
    return module.t.name[op], module.own_text(op)


def _with_results(module: Module, op: int) -> int:
    """The op itself, or the one around it that gets what it has, as from a terminator."""
    while not module.results(op) and module.t.parent[op] != NONE:
        op = module.t.parent[op]
    return op


class _CannotStandAlone(Exception):
    """An op uses a value that cannot be passed to a function."""


def _outlined(module: Module, op: int) -> Outlined:
    return outlined(module, op, sorted(_along(module, op)))


def _along(module: Module, op: int) -> set[int]:
    """The ops that come along with an op.

    Raises:
        _CannotStandAlone: one of them has regions, or there is none that makes a value.
    """
    found: set[int] = set()
    for value in module.captured(op):
        maker = module.t.def_op[value]
        is_number = _is_number(module.type_of(value))
        if maker != NONE and maker not in module.t.regions:
            if not is_number or any(map(_CONSTANT.search, _names(module, maker))):
                found |= {maker, *_along(module, maker)}
        elif not is_number:
            raise _CannotStandAlone
    return found


def _is_number(kind: str) -> bool:
    return _NUMBERS.fullmatch(kind) is not None


def _has_numbers(module: Module, op: int) -> bool:
    """Whether an op has results, all of them numbers."""
    results = module.results(op)
    return bool(results) and all(_is_number(module.type_of(value)) for value in results)


def _can_go(module: Module, op: int, unknown: list[int]) -> bool:
    """Whether an op makes only what the functions of other ops make again."""
    used = [user for value in module.results(op) for user, _ in module.uses[value]]
    return bool(module.results(op)) and all(
        any(module.is_inside(user, one) for one in unknown) for user in used
    )


def _free_prefix(text: str) -> str:
    """The start of names that no symbol has."""
    prefix = _PREFIX
    while prefix in text:
        prefix += "_"
    return prefix


def _functions(lowered: str, text: str, prefix: str, count: int) -> str | None:
    """The functions of a module as they can be put into another one; None if they cannot."""
    try:
        module = Module.parse(lowered)
    except GenericSyntaxError:
        return None
    children = list(_children(module))
    names = [module.symbol_name(op) or "" for op in children]
    wanted = {f"{prefix}{number}" for number in range(count)}
    if not wanted <= set(names) or any(f'"{name}"' in text for name in names):
        return None
    parts = (module.text[module.t.start[op] : module.t.end[op]] for op in children)
    functions = "".join(f"{written_out(module, part).rstrip()}\n" for part in parts)
    return functions if named_resources(functions) <= named_resources(text) else None


def _children(module: Module) -> Iterator[int]:
    for root in module.roots:
        yield from module.children(root) if module.t.name[root] == "builtin.module" else (root,)


def _call(one: Outlined, name: str) -> str:
    return (
        f'"func.call"({", ".join(one.uses)}) <{{callee = @{name}}}> : '
        f"({', '.join(one.types)}) -> ({', '.join(one.results)})"
    )
