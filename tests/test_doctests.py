"""The examples in docstrings work."""

import doctest
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import oracles
import reducer


def modules() -> Iterator[str]:
    for package in (oracles, reducer):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if found.name.rpartition(".")[2] not in ("__main__", "orphan_reaper", "python_child"):
                yield found.name


def test_examples_work() -> None:
    found = map(importlib.import_module, modules())
    with_examples = [one for one in found if ">>>" in Path(str(one.__file__)).read_text("utf-8")]
    results = {one.__name__: doctest.testmod(one) for one in with_examples}
    assert [name for name, result in results.items() if result.failed] == []
    assert all(result.attempted for result in results.values())
    assert len(results) > 20
