"""A browser for the page tests."""

import os
from collections.abc import Iterator

import pytest

from tests.support.browser import Browser, find_browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless browser; without one, tests are skipped, or fail if it is required."""
    program = find_browser()
    if program is None:
        if os.environ.get("MLIR_REDUCER_BROWSER") == "required":
            pytest.fail("there is no browser")
        pytest.skip("there is no browser; `make browser` installs one")
    with Browser(program) as running:
        yield running
