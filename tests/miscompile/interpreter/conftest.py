"""The programs that a file of tests holds in `TEXT`, read once."""

from collections.abc import Callable

import pytest

from reducer.toolchain import Toolchain
from tests.support.evaluating import Answers, Functions, answers, functions


@pytest.fixture(scope="module")
def module(request: pytest.FixtureRequest, iree_toolchain: Callable[..., Toolchain]) -> Functions:
    """The functions of the programs."""
    return functions(iree_toolchain(), request.module.TEXT)


@pytest.fixture(scope="module")
def values(request: pytest.FixtureRequest, iree_toolchain: Callable[..., Toolchain]) -> Answers:
    """The same; the results say how far they may be off."""
    return answers(iree_toolchain(), request.module.TEXT)
