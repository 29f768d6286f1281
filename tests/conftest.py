"""Fixtures that any test may use."""

from collections.abc import Callable
from pathlib import Path

import pytest

from reducer.toolchain import Toolchain, install
from tests.support.corpus import Case, load_case

NEWEST_TESTED = "3.13.0"
"""The compiler version that tests use unless they say otherwise, so that they do not drift."""


@pytest.fixture(scope="session")
def iree_toolchain() -> Callable[..., Toolchain]:
    """A function from a version (3.13.0 by default) to its toolchain, installed if missing."""

    def toolchain(version: str = NEWEST_TESTED) -> Toolchain:
        return install(version)

    return toolchain


@pytest.fixture(scope="session")
def iree_compile(iree_toolchain: Callable[..., Toolchain]) -> Path:
    """The `iree-compile` of the version that tests use by default."""
    return iree_toolchain().compile


@pytest.fixture(scope="session")
def corpus() -> Callable[[str], Case]:
    """A function from a case's name to the case."""
    return load_case
