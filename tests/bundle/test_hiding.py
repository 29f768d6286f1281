"""Nothing of this machine's folders stays in a text."""

import tempfile
from pathlib import Path

import pytest

from reducer.bundle.hiding import hide_folders


def test_folders_of_a_run_go() -> None:
    folder = f"{tempfile.gettempdir()}/mlir-reducer-0f/oracle-ab12cd34"
    assert hide_folders(f"{folder}/repro.mlir:3:1: error: x") == "repro.mlir:3:1: error: x"
    assert hide_folders("/var/tmp/z/oracle-ab12cd34/input.mlir") == "input.mlir"


def test_the_folder_of_a_compiler_goes() -> None:
    text = "/root/.cache/mlir-reducer/toolchains/x-3.13.0/iree/compiler/_mlir_libs/iree-compile"
    assert hide_folders(f"Program arguments: {text} a.mlir") == (
        "Program arguments: iree-compile a.mlir"
    )
    assert hide_folders("/opt/llvm/bin/mlir-opt", [Path("/opt/llvm/bin")]) == "mlir-opt"


def test_the_home_of_the_user_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/jane.doe")
    assert hide_folders("in /home/jane.doe/models/x.mlir") == "in ~/models/x.mlir"
    assert hide_folders("HOME=/home/jane.doe") == "HOME=~"
    assert hide_folders("/home/jane.doering/x") == "/home/jane.doering/x"


def test_a_home_of_nobody_hides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/")
    assert hide_folders("/usr/include/a.h") == "/usr/include/a.h"
