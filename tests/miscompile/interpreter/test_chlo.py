"""CHLO is evaluated as it is, like StableHLO."""

import pytest

from reducer.miscompile.interpreter.dialects.names import CHLO_OPS, needs_front_end
from reducer.miscompile.interpreter.registry import known_ops

pytestmark = pytest.mark.iree


def test_what_is_listed_is_known() -> None:
    assert {name for name in known_ops() if name.startswith("chlo.")} == CHLO_OPS
    assert not any(map(needs_front_end, CHLO_OPS))
