"""Draw def-use graphs: of a small program, and of the surroundings of some ops in a large one."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reducer.ir import NONE, Module
from reducer.ir.flow import def_use_graph
from reducer.ir.functions import is_function
from reducer.page.layout import layered

if TYPE_CHECKING:
    import networkx as nx

MAX_FINAL_NODES = 150  # for the final program
MAX_CONTEXT_NODES = 44  # for the kept ops and their surroundings
_MAX_STEPS = 3  # distance from the kept ops
_MAX_NEIGHBORS = 6  # added per op; a constant may have thousands of users
_LABEL = 34  # characters per line in a box
_TITLE = 400  # characters of an op in a tooltip
_CHARACTER, _LINE, _PADDING = 6.65, 15.0, 9.0  # in px, for an 11 px monospace font


@dataclass(frozen=True)
class Box:
    """A node as drawn: rectangle, text lines, and its role: `kept`, `new` or `around`."""

    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]
    title: str
    role: str
    named: bool


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
    """A graph as drawn; `hidden` counts the neighbors left out."""

    width: float
    height: float
    boxes: list[Box]
    edges: list[Edge]
    hidden: int = 0

    @property
    def label(self) -> str:
        return f"Def-use graph of {len(self.boxes)} ops"


def draw_final(module: Module, origins: Mapping[int, int], named: str) -> Drawing:
    """The graph of a whole program. `named` is the op named in the failure, '' if none."""
    ops = _drawable(module)
    roles = {op: "kept" if op in origins else "new" for op in ops}
    return _draw(module, ops[:MAX_FINAL_NODES], roles, named, max(0, len(ops) - MAX_FINAL_NODES))


def draw_around(module: Module, kept: Collection[int], named: str) -> Drawing:
    """The graph of the kept ops of a program and their nearest neighbors."""
    graph = _with_bodies(module)
    drawable = set(_drawable(module))
    core = sorted(drawable.intersection(kept))[:MAX_CONTEXT_NODES]
    chosen, level = dict.fromkeys(core), core
    hidden: set[int] = set()
    for _ in range(_MAX_STEPS):
        following: list[int] = []
        for op in level:
            near = sorted(
                (n for n in _neighbours(graph, op) if n in drawable and n not in chosen),
                key=lambda n, op=op: (abs(n - op), n),  # type: ignore[misc]
            )
            room = min(_MAX_NEIGHBORS, MAX_CONTEXT_NODES - len(chosen))
            following += near[:room]
            chosen |= dict.fromkeys(near[:room])
            hidden.update(near[room:])
        level = following
    hidden.update(n for op in level for n in _neighbours(graph, op) if n in drawable)
    roles = {op: "kept" if op in kept else "around" for op in chosen}
    return _draw(module, sorted(chosen), roles, named, len(hidden - chosen.keys()))


def _drawable(module: Module) -> list[int]:
    """Ops worth drawing: no modules, no functions, nothing that the pretty form hides."""
    return [
        op
        for op, name in enumerate(module.t.name)
        if name != "builtin.module" and not module.hidden[op] and not is_function(module, op)
    ]


def _with_bodies(module: Module) -> "nx.DiGraph[int]":
    graph = def_use_graph(module)
    graph.add_edges_from(_into_bodies(module, range(len(module))), inside=True)
    return graph


def _into_bodies(module: Module, ops: Iterable[int]) -> list[tuple[int, int]]:
    """Edges from ops with bodies to those ops inside that use no other value of the body."""
    t = module.t
    return [
        (t.parent[op], op)
        for op in ops
        if t.parent[op] != NONE
        and t.name[t.parent[op]] != "builtin.module"
        and not is_function(module, t.parent[op])
        and not any(
            v != NONE and t.def_op[v] != NONE and t.parent[t.def_op[v]] == t.parent[op]
            for v in t.operands[op]
        )
    ]


def _neighbours(graph: "nx.DiGraph[int]", op: int) -> list[int]:
    return [*graph.predecessors(op), *graph.successors(op)]


def _draw(
    module: Module, ops: Sequence[int], roles: Mapping[int, str], named: str, hidden: int
) -> Drawing:
    place = {op: number for number, op in enumerate(ops)}
    inside = set(_into_bodies(module, ops))
    uses = {(p, op) for p, op in def_use_graph(module).edges if p in place and op in place}
    pairs = sorted(uses | {(p, op) for p, op in inside if p in place})
    lines = [_lines(module, op) for op in ops]
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
            title=" ".join(module.header(op).split())[:_TITLE],
            role=roles[op],
            named=bool(named) and module.t.name[op] == named,
        )
        for op, text, (width, height), (x, y) in zip(ops, lines, sizes, layout.centres, strict=True)
    ]
    edges = [
        Edge(
            _curve(route),
            inside=pair in inside and pair not in uses,
            kept=all(roles[op] == "kept" for op in pair),
        )
        for pair, route in zip(pairs, layout.routes, strict=True)
    ]
    return Drawing(round(layout.width, 1), round(layout.height, 1), boxes, edges, hidden)


def _curve(points: Sequence[tuple[float, float]]) -> str:
    """An SVG path through the points that is vertical at each of them."""
    (x, y), *rest = points
    out = [f"M{x:.1f} {y:.1f}"]
    for to_x, to_y in rest:
        middle = (y + to_y) / 2
        out.append(f"C{x:.1f} {middle:.1f} {to_x:.1f} {middle:.1f} {to_x:.1f} {to_y:.1f}")
        x, y = to_x, to_y
    return "".join(out)


def _lines(module: Module, op: int) -> tuple[str, ...]:
    """The op's name with the value of a constant, or followed by its result types."""
    name = module.t.name[op]
    syntax = module.syntax(op)
    value = next((e.value for e in syntax.entries if e.name == "value"), None)
    if value is not None and not module.t.operands[op]:
        return (_cut(f"{name} {value.partition(' : ')[0]}"),)
    types = ", ".join(syntax.result_types)
    return (_cut(name), _cut(types)) if types else (_cut(name),)


def _cut(text: str) -> str:
    return text if len(text) <= _LABEL else f"{text[: _LABEL - 1]}…"
