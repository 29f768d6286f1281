"""Draw def-use graphs: of a small program, and of the surroundings of some ops in a large one."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from reducer.ir import NONE, Module
from reducer.ir.dialects import MODULE_OPS
from reducer.ir.flow import distances
from reducer.ir.functions import is_function
from reducer.report.page.layout import layered
from reducer.units import cut

MAX_FINAL_NODES = 150  # ops of the final program
MAX_CONTEXT_NODES = 44  # for the kept ops and their surroundings
_MAX_ARGUMENTS = 24  # drawn around the kept ops
_MAX_STEPS = 3  # distance from the kept ops
_MAX_NEIGHBORS = 6  # added per op; a constant may have thousands of users
_LABEL = 34  # characters per line in a box
_MAX_TYPES = 3  # lines of types in a box
_TITLE = 400  # characters of an op in a tooltip
_CHARACTER, _LINE, _PADDING = 6.65, 15.0, 9.0  # in px, for an 11 px monospace font


class GraphNode(NamedTuple):
    """What is drawn as a box: an op, or an argument of a block of that op.

    Sorted, arguments come after their op and before the ops of its body.
    """

    op: int
    argument: int = NONE


@dataclass(frozen=True)
class Box:
    """A node as drawn: rectangle, text lines, and its role: `kept`, `new`, `around`, `argument`."""

    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]
    title: str
    role: str
    failing: bool


@dataclass(frozen=True)
class Edge:
    """A curve. `inside`: it leads to an op in the body of another, rather than to a user.

    `kept`: both of its ends were kept.
    """

    path: str
    inside: bool
    kept: bool


@dataclass(frozen=True)
class Drawing:
    """A graph as drawn; `hidden` counts the nodes left out.

    `shape` is what is drawn without types and positions: the kinds of the nodes, and the edges.
    """

    width: float
    height: float
    boxes: list[Box]
    edges: list[Edge]
    hidden: int = 0
    shape: tuple[object, ...] = field(default=(), repr=False)

    @property
    def label(self) -> str:
        return f"Def-use graph of {len(self.boxes)} ops"


def draw_final(
    module: Module,
    origins: Mapping[int, int],
    failing: Collection[int] = (),
    names: Mapping[int, str] | None = None,
) -> Drawing:
    """The graph of a whole program, or of the part around the ops that fail if it is large.

    Args:
        origins: maps the ops that were kept to those of the input.
        names: what values are called, if not as in the module.
    """
    ops = _nearest(_drawable(module), failing, module, MAX_FINAL_NODES)
    roles = {GraphNode(op): "kept" if op in origins else "new" for op in ops}
    roles |= dict.fromkeys(_arguments(module, ops, unused=True), "argument")
    hidden = len(_drawable(module)) - len(ops)
    return _draw(module, roles, failing, names or {}, hidden)


def draw_around(module: Module, kept: Collection[int], failing: Collection[int] = ()) -> Drawing:
    """The graph of the kept ops of a program and their nearest neighbors."""
    drawable = set(_drawable(module))
    core = _nearest(sorted(drawable.intersection(kept)), failing, module, MAX_CONTEXT_NODES)
    chosen, level = dict.fromkeys(core), core
    hidden: set[int] = set()
    for _ in range(_MAX_STEPS):
        following: list[int] = []
        for op in level:
            near = sorted(
                (n for n in _neighbours(module, op) if n in drawable and n not in chosen),
                key=lambda n, op=op: (abs(n - op), n),  # type: ignore[misc]
            )
            room = min(_MAX_NEIGHBORS, MAX_CONTEXT_NODES - len(chosen))
            following += near[:room]
            chosen |= dict.fromkeys(near[:room])
            hidden.update(near[room:])
        level = following
    hidden.update(n for op in level for n in _neighbours(module, op) if n in drawable)
    roles = {GraphNode(op): "kept" if op in kept else "around" for op in chosen}
    arguments = list(_arguments(module, core, unused=False))
    roles |= dict.fromkeys(arguments[:_MAX_ARGUMENTS], "argument")
    left = len(hidden - chosen.keys()) + len(arguments[_MAX_ARGUMENTS:])
    return _draw(module, roles, failing, {}, left)


def _nearest(ops: list[int], failing: Collection[int], module: Module, most: int) -> list[int]:
    """At most this many of the ops: those nearest to the failing ones, or else the first."""
    if len(ops) <= most or not failing:
        return ops[:most]
    distance = distances(module, failing)
    return sorted(sorted(ops, key=lambda op: (distance.get(op, len(module)), op))[:most])


def _drawable(module: Module) -> list[int]:
    """Ops worth drawing: no modules, no functions, nothing that the pretty form hides."""
    return [
        op
        for op, name in enumerate(module.t.name)
        if name not in MODULE_OPS and not module.hidden[op] and not is_function(module, op)
    ]


def _arguments(module: Module, ops: Sequence[int], *, unused: bool) -> Iterator[GraphNode]:
    """The block arguments that ops use, with all of a function's if `unused` is set, once each."""
    t, chosen, used = module.t, set(ops), set[int]()
    for op in ops:
        used.update(v for v in t.operands[op] if v != NONE and t.def_op[v] == NONE)
    blocks = {t.def_block[value] for value in used} | {t.block[op] for op in chosen}
    for block in sorted(blocks - {NONE}):
        owner = t.region_op[t.block_region[block]]
        everything = unused and is_function(module, owner)
        for value in module.block_args(block):
            if everything or value in used:
                yield GraphNode(owner, value)


def _into_bodies(
    module: Module, ops: Iterable[int], arguments: Collection[int] = ()
) -> list[tuple[int, int]]:
    """Edges from ops with bodies to those ops inside that use no other value of the body.

    Args:
        arguments: the arguments of bodies that are drawn, too.
    """
    t = module.t
    return [
        (t.parent[op], op)
        for op in ops
        if t.parent[op] != NONE
        and t.name[t.parent[op]] not in MODULE_OPS
        and not is_function(module, t.parent[op])
        and not any(
            (v in arguments or t.def_op[v] != NONE) and module.def_parent(v) == t.parent[op]
            for v in t.operands[op]
            if v != NONE
        )
    ]


def _neighbours(module: Module, op: int) -> set[int]:
    """The ops next to an op in the graph: producers, users, and ops at the beginning of bodies.

    Without a graph of the whole module, which may be large.
    """
    t = module.t
    found = {t.def_op[value] for value in t.operands[op] if value != NONE}
    found.update(user for value in module.results(op) for user, _ in module.uses[value])
    found.update(*_into_bodies(module, (op, *module.children(op))))
    return found - {op, NONE}


def _draw(
    module: Module,
    roles: Mapping[GraphNode, str],
    failing: Collection[int],
    names: Mapping[int, str],
    hidden: int,
) -> Drawing:
    nodes = sorted(roles)
    place = {node: number for number, node in enumerate(nodes)}
    inside = {(a, b) for a, b in _inside_edges(module, nodes) if a in place}
    pairs = sorted({(a, b) for a, b in _uses(module, nodes) if a in place} | inside)
    lines = [_lines(module, node, names) for node in nodes]
    sizes = [
        (max(map(len, text)) * _CHARACTER + 2 * _PADDING, len(text) * _LINE + _PADDING)
        for text in lines
    ]
    layout = layered(sizes, [(place[a], place[b]) for a, b in pairs])
    boxes = [
        Box(
            x=round(x - width / 2, 1),
            y=round(y - height / 2, 1),
            width=round(width, 1),
            height=round(height, 1),
            lines=text,
            title=_title(module, node, text),
            role=roles[node],
            failing=node.argument == NONE and node.op in failing,
        )
        for node, text, (width, height), (x, y) in zip(
            nodes, lines, sizes, layout.centres, strict=True
        )
    ]
    edges = [
        Edge(
            _curve(route),
            inside=pair in inside,
            kept=all(roles[node] in ("kept", "argument") for node in pair),
        )
        for pair, route in zip(pairs, layout.routes, strict=True)
    ]
    kinds = tuple(module.t.name[op] if value == NONE else "" for op, value in nodes)
    shape = (kinds, tuple((place[a], place[b], (a, b) in inside) for a, b in pairs))
    return Drawing(round(layout.width, 1), round(layout.height, 1), boxes, edges, hidden, shape)


def _uses(module: Module, nodes: Iterable[GraphNode]) -> Iterator[tuple[GraphNode, GraphNode]]:
    """Edges from what defines a value to the ops that use it."""
    t = module.t
    for node in nodes:
        values = t.operands[node.op] if node.argument == NONE else ()
        for value in values:
            if value == NONE:
                continue
            if t.def_op[value] != NONE:
                yield GraphNode(t.def_op[value]), node
            else:
                yield GraphNode(module.def_parent(value), value), node


def _inside_edges(
    module: Module, nodes: Sequence[GraphNode]
) -> Iterator[tuple[GraphNode, GraphNode]]:
    """Edges from ops to the arguments of their bodies, and to ops there that nothing else feeds."""
    arguments = {node.argument for node in nodes if node.argument != NONE}
    yield from ((GraphNode(node.op), node) for node in nodes if node.argument != NONE)
    ops = [node.op for node in nodes if node.argument == NONE]
    yield from ((GraphNode(a), GraphNode(b)) for a, b in _into_bodies(module, ops, arguments))


def _curve(points: Sequence[tuple[float, float]]) -> str:
    """An SVG path through the points that is vertical at each of them."""
    (x, y), *rest = points
    out = [f"M{x:.1f} {y:.1f}"]
    for to_x, to_y in rest:
        middle = (y + to_y) / 2
        out.append(f"C{x:.1f} {middle:.1f} {to_x:.1f} {middle:.1f} {to_x:.1f} {to_y:.1f}")
        x, y = to_x, to_y
    return "".join(out)


def _title(module: Module, node: GraphNode, lines: Sequence[str]) -> str:
    if node.argument == NONE:
        return " ".join(module.header(node.op).split())[:_TITLE]
    owner = module.symbol_name(node.op) if is_function(module, node.op) else None
    where = f"@{owner}" if owner else module.t.name[node.op]
    return f"{lines[0]}, an argument of {where}: {module.type_of(node.argument)}"[:_TITLE]


def _lines(module: Module, node: GraphNode, names: Mapping[int, str]) -> tuple[str, ...]:
    """The op's name with the value of a constant, or followed by its result types."""
    if node.argument != NONE:
        token = module.tokens[node.argument]
        name = names.get(node.argument, token)
        return (cut(name, _LABEL), cut(module.type_of(node.argument), _LABEL))
    name = module.t.name[node.op]
    syntax = module.syntax(node.op)
    value = next((e.value for e in syntax.entries if e.name == "value"), None)
    if value is not None and not module.t.operands[node.op]:
        return (cut(f"{name} {value.partition(' : ')[0]}", _LABEL),)
    return (cut(name, _LABEL), *_type_lines(syntax.result_types))


def _type_lines(types: Sequence[str]) -> list[str]:
    """All types in one line, or each in its own."""
    joined = ", ".join(types)
    if len(joined) <= _LABEL or len(types) < 2:
        return [cut(joined, _LABEL)] if joined else []
    more = len(types) - _MAX_TYPES
    shown = [cut(one, _LABEL) for one in types[:_MAX_TYPES]]
    return [*shown, f"and {more} more"] if more > 0 else shown
