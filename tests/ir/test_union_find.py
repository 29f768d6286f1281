import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st
from networkx.utils import UnionFind as Known

from reducer.ir.union_find import UnionFind

NUMBERS = st.integers(0, 12)


@given(st.lists(st.tuples(NUMBERS, NUMBERS)), NUMBERS)
def test_it_partitions_as_networkx_does(pairs: list[tuple[int, int]], alone: int) -> None:
    ours: UnionFind[int] = UnionFind()
    known: Known[int] = Known()
    for one, other in pairs:
        ours.union(one, other)
        known.union(one, other)
    _ = ours[alone], known[alone]  # to look one up is to add it
    assert list(ours) == list(known)
    for one in ours:
        assert [ours[one] == ours[other] for other in ours] == [
            known[one] == known[other] for other in known
        ]


def test_a_reduction_starts_without_networkx() -> None:
    """Importing it would add a fifth to the start-up time of `reduce`."""
    code = "import sys, reducer.driver; sys.exit('networkx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
