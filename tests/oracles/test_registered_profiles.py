"""The profile in docs/extending.md, installed as a package."""

import os
import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs" / "extending.md"
ASKS = """
from oracles.stacks.dispatching import ends_stack
from oracles.profiles import opt_tools, profile_of
print(profile_of("/opt/bin/toy-opt-22").name, "toy-opt" in opt_tools())
print(ends_stack("toy::PipelineAdaptor::run"), profile_of("iree-opt").name)
"""


def block(language: str, containing: str) -> str:
    """The block of code of that language which contains a text."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```", DOCS.read_text(), re.M | re.S)
    return next(each for each in blocks if containing in each)


def install(folder: Path, module: str) -> None:
    """What pip would write: the module, and metadata with the entry point."""
    project = block("toml", "mlir_reducer.profiles")
    (folder / "toy_profile.py").write_text(module)
    metadata = folder / "toy_profile-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Name: toy-profile\nVersion: 1.0\n")
    points = project.partition("[project.entry-points.")[2]
    group = points.split('"')[1]
    (metadata / "entry_points.txt").write_text(
        f"[{group}]\n{points.partition(chr(10))[2]}".replace('"', "")
    )


def ask(folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(
        [sys.executable, "-c", ASKS], env=environment, capture_output=True, text=True, check=True
    )


def test_a_package_registers_a_profile(tmp_path: Path) -> None:
    install(tmp_path, block("python", "TOY = "))
    assert ask(tmp_path).stdout == "Toy True\nTrue IREE\n"


def test_a_broken_package_is_left_out_with_a_warning(tmp_path: Path) -> None:
    install(tmp_path, "TOY = 1 / 0\n")
    done = ask(tmp_path)
    assert done.stdout == "MLIR False\nFalse IREE\n"
    assert "cannot load the profile toy" in done.stderr
