"""What the compiler under test says of itself."""

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from oracles import End, Limits, run_process

_PATIENCE = 20.0  # seconds
_RELEASE = re.compile(r"version (\d+(?:\.\d+)+\S*)(?: @ ([0-9a-f]{7,40}))?")
_PACKAGE = re.compile(r"/iree-base-compiler-([\w.]+)/")


@dataclass(frozen=True)
class Compiler:
    """`name` is the program's. `lines` are what it prints for `--version`, none if it does not.

    `assertions` is None where it does not tell.
    """

    name: str
    lines: tuple[str, ...] = ()
    version: str = ""
    commit: str = ""
    assertions: bool | None = None
    package: str = ""

    @classmethod
    def ask(cls, executable: Path) -> "Compiler":
        """Runs `--version`; a compiler that does not answer has only a name."""
        with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
            try:
                words = [str(executable.absolute()), "--version"]
                result = run_process(words, cwd=Path(folder), limits=Limits(_PATIENCE))
            except OSError:
                return cls(executable.name)
        told = result.end is End.EXITED and result.exit_code == 0
        return cls.read(executable, result.stdout if told else "")

    @classmethod
    def read(cls, executable: Path, answer: str) -> "Compiler":
        """From what it printed."""
        lines = tuple(line.strip() for line in answer.splitlines() if line.strip())[:8]
        release = _RELEASE.search(answer)
        package = _PACKAGE.search(str(executable.resolve()))
        return cls(
            executable.name,
            lines,
            release[1] if release else "",
            (release[2] or "") if release else "",
            _assertions(answer),
            package[1] if package else "",
        )


def _assertions(answer: str) -> bool | None:
    """LLVM says `Optimized build with assertions.`, or `DEBUG build`, or leaves it out."""
    if re.search(r"with assertions|\+assert", answer, re.I):
        return True
    return False if re.search(r"\bbuild\b", answer) else None
