"""`mlir-reducer locate` as a user sees it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from reducer.cli import main
from reducer.toolchain import Toolchain
from tests.support.corpus import Case


@pytest.mark.iree
def test_text_and_json(
    corpus: Callable[[str], Case], iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    case = corpus("cat-zero-width")
    path = case.write_input(tmp_path / "my model.mlir")
    command = [str(iree_toolchain().compile), *case.runs[0].flags]
    words = ["locate", str(path), "--json", str(tmp_path / "out.json"), "--", *command]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    assert "phase      input" in done.stdout
    assert "  my model.mlir:4:9: torch.aten.cat" in done.stdout
    found = json.loads((tmp_path / "out.json").read_text())
    assert found["kind"] == "verifier"
    assert found["culprits"][0]["name"] == "torch.aten.cat"
