import pytest
from hypothesis import given
from hypothesis import strategies as st

from reducer.report.page.layout import Layout, layered


def boxes(
    layout: Layout, sizes: list[tuple[float, float]]
) -> list[tuple[float, float, float, float]]:
    return [
        (x - w / 2, y - h / 2, x + w / 2, y + h / 2)
        for (x, y), (w, h) in zip(layout.centres, sizes, strict=True)
    ]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[tuple[float, float]], list[tuple[int, int]]]:
    count = draw(st.integers(1, 14))
    sizes = draw(
        st.lists(st.sampled_from([(40.0, 20.0), (180.0, 39.0)]), min_size=count, max_size=count)
    )
    node = st.integers(0, count - 1)
    edges = draw(st.lists(st.tuples(node, node), max_size=24, unique=True))
    return sizes, edges


@given(graphs())
def test_nodes_never_overlap_and_everything_is_inside(
    graph: tuple[list[tuple[float, float]], list[tuple[int, int]]],
) -> None:
    sizes, edges = graph
    layout = layered(sizes, edges)
    placed = boxes(layout, sizes)
    for number, (left, top, right, bottom) in enumerate(placed):
        assert left >= -1e-6 and top >= -1e-6
        assert right <= layout.width + 1e-6 and bottom <= layout.height + 1e-6
        for other in placed[:number]:
            apart_x = right <= other[0] + 1e-6 or other[2] <= left + 1e-6
            apart_y = bottom <= other[1] + 1e-6 or other[3] <= top + 1e-6
            assert apart_x or apart_y
    assert len(layout.routes) == len(edges)
    assert layout == layered(sizes, edges)


@given(graphs())
def test_edges_go_down_from_the_earlier_node(
    graph: tuple[list[tuple[float, float]], list[tuple[int, int]]],
) -> None:
    sizes, edges = graph
    layout = layered(sizes, edges)
    for (start, end), route in zip(edges, layout.routes, strict=True):
        if start < end:
            assert layout.centres[start][1] < layout.centres[end][1]
            assert [y for _, y in route] == sorted(y for _, y in route)


def test_nothing_to_place() -> None:
    assert layered([], []) == Layout(0.0, 0.0, [], [])


def test_a_chain_is_straight_and_a_source_stands_above_its_user() -> None:
    size = (40.0, 20.0)
    layout = layered([size] * 4, [(0, 2), (2, 3), (1, 3)])
    assert layout.centres[0][0] == pytest.approx(layout.centres[2][0])
    assert layout.centres[1][1] == layout.centres[2][1]


def test_two_crossing_edges_are_untangled() -> None:
    size = (40.0, 20.0)
    layout = layered([size] * 4, [(0, 3), (1, 2)])
    left_first = layout.centres[0][0] < layout.centres[1][0]
    assert (layout.centres[3][0] < layout.centres[2][0]) == left_first
