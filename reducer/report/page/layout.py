"""Layered layout of directed graphs, after Sugiyama, Tagawa and Toda (1981).

Nodes are given in text order, which is topological for SSA. Each node gets a layer (its longest
path from a source), and long edges get bends in the layers they cross. Layers are then ordered by
barycenters as long as that reduces crossings. Finally, each node is placed as close to the mean of
its neighbors as the order allows (isotonic regression by pooling adjacent violators). The result is
deterministic.
"""

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

_ORDERING_SWEEPS = 12
_PLACING_SWEEPS = 16
_BEND = 10.0  # width of a bend in its layer
_GAP, _LAYER_GAP = 18.0, 34.0  # at least between neighbors, and between layers
_STRAIGHT = 6.0  # weight of a bend relative to a node, which keeps long edges straight


@dataclass(frozen=True)
class Layout:
    """Centers of the nodes, and for each edge the points on its route."""

    width: float
    height: float
    centres: list[tuple[float, float]]
    routes: list[list[tuple[float, float]]]


def layered(sizes: Sequence[tuple[float, float]], edges: Sequence[tuple[int, int]]) -> Layout:
    """Lay out nodes with these widths and heights, given in topological order.

    An edge against that order is laid out like its reverse and drawn in its own direction.
    """
    if not sizes:
        return Layout(0.0, 0.0, [], [])
    layers_of = _layers(
        [(min(edge), max(edge)) for edge in edges if edge[0] != edge[1]], len(sizes)
    )
    chains = _Chains(sizes, edges, layers_of)
    order = _ordered(chains)
    return _drawn(chains, order, _placed(chains, order), sizes, edges)


def _layers(edges: Sequence[tuple[int, int]], count: int) -> list[int]:
    """The longest path from a source; sources themselves are placed just above their first user."""
    layers = [0] * count
    for before, after in sorted(edges, key=lambda edge: edge[1]):
        layers[after] = max(layers[after], layers[before] + 1)
    users: dict[int, list[int]] = {}
    targets = {after for _, after in edges}
    for before, after in edges:
        users.setdefault(before, []).append(after)
    for node, following in users.items():
        if node not in targets:
            layers[node] = min(layers[user] for user in following) - 1
    return layers


class _Chains:
    """Nodes and bends, with edges between adjacent layers only."""

    def __init__(
        self,
        sizes: Sequence[tuple[float, float]],
        edges: Sequence[tuple[int, int]],
        layers: list[int],
    ) -> None:
        self.nodes = len(sizes)
        self.layer = list(layers)
        self.width = [width for width, _ in sizes]
        self.up: list[list[int]] = [[] for _ in sizes]
        self.down: list[list[int]] = [[] for _ in sizes]
        self.paths = [self._path(min(edge), max(edge)) for edge in edges]

    def _path(self, start: int, end: int) -> list[int]:
        """The nodes and bends of an edge, from top to bottom."""
        path = [start]
        for layer in range(self.layer[start] + 1, self.layer[end]):
            path.append(len(self.layer))
            self.layer.append(layer)
            self.width.append(_BEND)
            self.up.append([])
            self.down.append([])
        path.append(end)
        for above, below in pairwise(path):
            if above != below:
                self.down[above].append(below)
                self.up[below].append(above)
        return path


def _ordered(chains: _Chains) -> list[list[int]]:
    """The nodes and bends of each layer from left to right."""
    order: list[list[int]] = [[] for _ in range(max(chains.layer) + 1)]
    for item, layer in enumerate(chains.layer):
        order[layer].append(item)
    best, fewest = [list(layer) for layer in order], _crossings(chains, order)
    for sweep in range(_ORDERING_SWEEPS):
        downwards = sweep % 2 == 0
        neighbours = chains.up if downwards else chains.down
        for index in range(len(order)) if downwards else range(len(order) - 1, -1, -1):
            place = {item: at for layer in order for at, item in enumerate(layer)}
            means = {
                item: _mean([float(place[n]) for n in neighbours[item]], float(place[item]))
                for item in order[index]
            }
            order[index].sort(key=lambda item: (means[item], place[item]))
        crossings = _crossings(chains, order)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in order], crossings
    return best


def _crossings(chains: _Chains, order: list[list[int]]) -> int:
    place = {item: at for layer in order for at, item in enumerate(layer)}
    count = 0
    for layer in order:
        seen: list[int] = []
        for item in layer:
            ends = sorted(place[below] for below in chains.down[item])
            count += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return count


def _placed(chains: _Chains, order: list[list[int]]) -> list[float]:
    """The horizontal center of each node and bend."""
    xs = [0.0] * len(chains.layer)
    for layer in order:
        _place(chains, layer, [0.0] * len(layer), xs)
    for sweep in range(_PLACING_SWEEPS):
        downwards = sweep % 2 == 0
        for layer in order if downwards else reversed(order):
            wanted = []
            for item in layer:
                neighbours = chains.up[item] if downwards else chains.down[item]
                if sweep >= _PLACING_SWEEPS - 2:
                    neighbours = chains.up[item] + chains.down[item]
                wanted.append(_mean([xs[n] for n in neighbours], xs[item]))
            _place(chains, layer, wanted, xs)
    left = min(x - width / 2 for x, width in zip(xs, chains.width, strict=True))
    return [x - left for x in xs]


def _place(chains: _Chains, layer: list[int], wanted: list[float], xs: list[float]) -> None:
    """Place the items of a layer as close to the wanted positions as distances allow."""
    offsets = [0.0]
    for left, right in pairwise(layer):
        offsets.append(offsets[-1] + (chains.width[left] + chains.width[right]) / 2 + _GAP)
    blocks: list[tuple[float, float, int]] = []  # mean, weight, items
    for item, want, offset in zip(layer, wanted, offsets, strict=True):
        weight = 1.0 if item < chains.nodes else _STRAIGHT
        block = (want - offset, weight, 1)
        while blocks and blocks[-1][0] > block[0]:
            mean, before, count = blocks.pop()
            total = before + block[1]
            block = ((mean * before + block[0] * block[1]) / total, total, count + block[2])
        blocks.append(block)
    index = 0
    for mean, _, count in blocks:
        for _ in range(count):
            xs[layer[index]] = mean + offsets[index]
            index += 1


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _drawn(
    chains: _Chains,
    order: list[list[int]],
    xs: list[float],
    sizes: Sequence[tuple[float, float]],
    edges: Sequence[tuple[int, int]],
) -> Layout:
    heights = [
        max((sizes[i][1] for i in layer if i < chains.nodes), default=0.0) for layer in order
    ]
    tops, top = [], 0.0
    for height in heights:
        tops.append(top)
        top += height + _LAYER_GAP
    middles = [top + height / 2 for top, height in zip(tops, heights, strict=True)]
    routes = []
    for path in chains.paths:
        points = []
        for number, item in enumerate(path):
            x, y = xs[item], middles[chains.layer[item]]
            if item < chains.nodes:
                half = sizes[item][1] / 2
                points.append((x, y + half if number == 0 else y - half))
            else:  # go straight past the nodes of the layer
                half = heights[chains.layer[item]] / 2
                points += [(x, y - half), (x, y + half)]
        routes.append(points)
    turned = [
        route if edge[0] <= edge[1] else list(reversed(route))
        for route, edge in zip(routes, edges, strict=True)
    ]
    width = max(x + w / 2 for x, w in zip(xs, chains.width, strict=True))
    centres = [(xs[node], middles[chains.layer[node]]) for node in range(chains.nodes)]
    return Layout(width, top - _LAYER_GAP, centres, turned)
