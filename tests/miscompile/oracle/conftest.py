"""Programs are evaluated without a process of their own."""

import pytest

from reducer.miscompile.values import inputs
from tests.support.evaluator import quick_evaluator as quick_evaluator


@pytest.fixture
def few_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try one style of tame inputs and one of others, where any would do."""
    monkeypatch.setattr(inputs, "STYLES", (inputs.STYLES[0], inputs.STYLES[2]))
