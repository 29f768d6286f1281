"""Text to generic form and back, by the compiler under test itself.

Only the compiler that fails can read its own version of every dialect. Its `…-opt` tool runs as a
child process with the verifier off, so that invalid IR, which may be the point, passes through.
"""

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from oracles import Limits, ProcessResult, run_process

_NO_VERIFIER = "--mlir-very-unsafe-disable-verifier-on-parsing"
_LENIENT = ("--verify-each=false", "--allow-unregistered-dialect")
_UNKNOWN_FLAG = f"Unknown command line argument '{_NO_VERIFIER}'"
_DUMP_PRETTY = (
    "--pass-pipeline=builtin.module(strip-debuginfo)",
    "--mlir-print-ir-before-all",
    "--mlir-print-assume-verified",
)
_DUMP = re.compile(r"^// -----// IR Dump Before .*\n", re.MULTILINE)
_WRAPPER = re.compile(r"^module \{\n(.*)^\}\n*\Z", re.MULTILINE | re.DOTALL)
_MEGABYTE = 1 << 20


class Normaliser:
    """Runs one `…-opt` tool. `seconds` adds up the CPU time that it took."""

    def __init__(self, opt: Path, limits: Limits) -> None:
        self.opt = opt
        self.limits = limits
        self.seconds = 0.0
        self._lenient: tuple[str, ...] = (_NO_VERIFIER, *_LENIENT)

    def text_of(self, bytecode: bytes) -> str | None:
        """MLIR bytecode as text; None if the tool cannot read it."""
        return self._convert(bytecode, "--mlir-print-assume-verified")

    def generic(self, text: str) -> str | None:
        """The text in generic form; None if the tool cannot parse it."""
        return self._convert(text, "--mlir-print-op-generic")

    def generic_with_locations(self, text: str) -> str | None:
        """The same with a location on each op."""
        return self._convert(text, "--mlir-print-op-generic", "--mlir-print-debuginfo")

    def after_passes(self, pipeline: str, text: str) -> str | None:
        """The text in generic form after a pass pipeline; None if the tool does not manage it."""
        return self._convert(text, "--mlir-print-op-generic", f"--pass-pipeline={pipeline}")

    def pretty(self, text: str) -> str | None:
        """The text as people write it; None if the tool has no pretty form for it.

        Invalid IR falls back to generic form in the printer of newer releases; a dump before a
        harmless pass still shows the pretty one.
        """
        printed = self._convert(text, "--mlir-print-assume-verified")
        if printed is not None and '"builtin.module"(' in printed:
            printed = self._dumped(text)
        return f"{printed.strip()}\n" if printed else None

    def _convert(self, text: str | bytes, *flags: str) -> str | None:
        data = text.encode(errors="surrogateescape") if isinstance(text, str) else text
        with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
            (Path(folder) / "input.mlir").write_bytes(data)
            result = self._run(Path(folder), self.limits, flags)
            out = Path(folder) / "out.mlir"
            if result.exit_code != 0 or not out.exists():
                return None
            return out.read_text(encoding="utf-8", errors="surrogateescape") or None

    def _run(self, folder: Path, limits: Limits, flags: Sequence[str]) -> ProcessResult:
        """Releases before 2025 cannot leave the verifier out when they parse, and say so."""
        argv = [str(self.opt), "input.mlir", *self._lenient, *flags, "-o", "out.mlir"]
        result = run_process(argv, cwd=folder, limits=limits)
        self.seconds += result.cpu_seconds
        if _NO_VERIFIER in self._lenient and _UNKNOWN_FLAG in result.stderr:
            self._lenient = _LENIENT
            return self._run(folder, limits, flags)
        return result

    def _dumped(self, text: str) -> str | None:
        with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
            (Path(folder) / "input.mlir").write_text(
                text, encoding="utf-8", errors="surrogateescape"
            )
            limits = Limits(self.limits.seconds, self.limits.memory, 64 * _MEGABYTE)
            result = self._run(Path(folder), limits, _DUMP_PRETTY)
        parts = _DUMP.split(result.stderr)
        return parts[1] if len(parts) > 1 else None


def unwrap(pretty: str) -> str | None:
    """Pretty text without its plain `module { }`; None if it has no such wrapper."""
    head, _, _ = pretty.partition("module {")
    match = _WRAPPER.match(pretty[len(head) :])
    if match is None or any(not line.startswith(("#", "!")) for line in head.split("\n") if line):
        return None
    body = match.group(1)
    lines = body.rstrip().split("\n")
    dedented = [line[2:] if line.startswith("  ") else line for line in lines]
    return head + "\n".join(dedented) + "\n"
