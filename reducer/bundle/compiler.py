"""What the compiler under test says of itself."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

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
        try:
            answer = subprocess.run(
                [executable, "--version"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_PATIENCE,
                check=True,
            ).stdout
        except (OSError, subprocess.SubprocessError):
            answer = ""
        return cls.read(executable, answer)

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
