"""The examples in docstrings work."""

import doctest
import importlib
import pkgutil
from collections.abc import Iterator

import pytest

import oracles
import reducer


def modules() -> Iterator[str]:
    for package in (oracles, reducer):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if found.name.rpartition(".")[2] not in ("__main__", "guardian", "python_child"):
                yield found.name


@pytest.mark.parametrize("name", sorted(modules()))
def test_examples_work(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
