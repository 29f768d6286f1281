"""Whatever is specific to one compiler is in its profile, and nowhere else."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROFILES = ROOT / "oracles" / "profiles"

SPECIFIC = re.compile(
    r"iree|\bhal\.|_mlir_libs|vmfb|vmvx|llvm-cpu|local-(?:sync|task)"  # projects, dialects, devices
    r"|\bflow\.|\bstream\.|\butil\.|--?compile-(?:to|from|mode)\b|--?dump-compilation"
    r"|\bexecutable-\w|source executable|ExecutableTarget|\brocm\b|\bhip\b",
    re.I,
)
OWN_OPTIONS = re.compile(r"--iree\b(?!-)")
"""`--iree VERSION` is an option of this program."""

ALLOWED = {
    # Dialects: a module does not tell which compiler printed it.
    "reducer/ir/dialects.py": {"flow.dispatch.region"},
    "reducer/miscompile/oracle/size_audit.py": {
        "util.optimization_barrier",
        "iree_tensor_ext.dispatch.workload.ordinal",
    },
    # Names a resource that workers of different versions of this program share.
    "reducer/cluster/cluster.py": {"iree-"},
    # Prints results as `iree-run-module` does, in an interpreter without the package `oracles`.
    "reducer/miscompile/oracle/python_child.py": {"hal.buffer_view\n"},
}
RECORDED = ROOT / "tests" / "oracles" / "recorded"
SAMPLES = {f"{path.parent.name}/{path.stem}" for path in RECORDED.glob("*/*.txt")}
HELP = "reducer/cli/"
"""Help texts and examples here may mention a compiler. What is run or looked up may not: flags and
programs, which are string literals of one word."""

A_WORD = re.compile(r"--?[\w-]+(?:=\S*)?|[\w-]+|\S+\.\S+")
OPTION_NAMES = {"iree", "iree:"}
"""For `--iree VERSION`, and for `--reference iree:VERSION`."""


def strings(path: Path) -> Iterator[str]:
    """The string literals of a file, without docstrings; none if no line of it matters."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source if SPECIFIC.search(source) else "")
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value


def specific_strings(path: Path) -> set[str]:
    """The string literals of a file that are specific to one compiler, but for names of samples."""
    name = path.relative_to(ROOT).as_posix()
    found = {text for text in strings(path) if SPECIFIC.search(OWN_OPTIONS.sub("", text))}
    found -= SAMPLES
    if name.startswith(HELP):
        found = {text for text in found - OPTION_NAMES if A_WORD.fullmatch(text)}
    return found


# What ops mean does not depend on the compiler either, and whole files here say it.
MEANINGS = ROOT / "reducer" / "miscompile" / "interpreter" / "dialects"


def sources() -> list[str]:
    files = (path for name in ("oracles", "reducer") for path in (ROOT / name).rglob("*.py"))
    others = (path for path in files if not {PROFILES, MEANINGS} & set(path.parents))
    return sorted(path.relative_to(ROOT).as_posix() for path in others)


def test_nothing_else_names_a_compilers_flags_passes_or_messages() -> None:
    found = {name: specific_strings(ROOT / name) for name in sources()}
    assert {name: texts for name, texts in found.items() if texts} == ALLOWED


def test_it_would_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    path = tmp_path / "some.py"
    path.write_text('"""For iree-compile."""\nFLAG = "--compile-to=flow"\nOWN = "--iree"\n')
    assert specific_strings(path) == {"--compile-to=flow"}
