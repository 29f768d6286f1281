"""Run a compiler on a text at a place, once: what ran before is looked up by content."""

import contextlib
import hashlib
import json
import math
import os
import resource
import subprocess
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from packaging.version import Version

from benchmarks.slippage_ends import End, Failure, read_end
from benchmarks.slippage_places import Place

LONGEST = 20.0
"""CPU seconds of a run, unless a timeout is the failure that is looked for. Triggers take one."""
LARGEST = 6000
"""MiB of a run, unless the use of memory is the failure that is looked for."""

_PACKAGE = "iree-base-compiler-"
_PARSE_ONLY = ("--mlir-very-unsafe-disable-verifier-on-parsing",)
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_POLL_SECONDS = 0.02
_READ_BYTES = 8 << 20


def default_toolchains() -> Path:
    """Where installed compilers are."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mlir-reducer"
    return Path(os.environ.get("MLIR_REDUCER_CACHE") or cache) / "toolchains"


def installed(toolchains: Path) -> list[str]:
    """The installed releases, oldest first."""
    found = [path.name.removeprefix(_PACKAGE) for path in toolchains.glob(f"{_PACKAGE}*")]
    return sorted(found, key=Version)


@dataclass
class Runner:
    """Runs compilers and keeps their ends in a file.

    `spent` counts the CPU seconds of runs that were not in the file. Runs that exceeded the usual
    limits are kept, too: delete the file after raising them.
    """

    toolchains: Path
    cache: Path | None = None
    longest: float = LONGEST
    spent: float = 0.0
    runs: int = 0
    _known: dict[str, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.cache is not None and self.cache.is_file():
            for line in self.cache.read_text(encoding="utf-8").splitlines():
                with contextlib.suppress(ValueError):  # a line that was being written
                    entry = json.loads(line)
                    self._known[entry.pop("key")] = entry

    def end(self, text: str, place: Place, failure: Failure) -> End:
        """How the compiler ends on the text at a place."""
        text = without_comments(text)
        end = self._run(text, place.release, place.program, place.flags, failure)
        if end.kind == "error" and not self._parses(text, place.release):
            return End("unparsed", end.detail, cpu_seconds=end.cpu_seconds)
        return end

    def _parses(self, text: str, release: str) -> bool:
        return self._run(text, release, "iree-opt", _PARSE_ONLY, Failure()).kind == "compiled"

    def _run(
        self, text: str, release: str, program: str, flags: tuple[str, ...], failure: Failure
    ) -> End:
        asked = [text, release, program, flags, asdict(failure)]
        key = hashlib.sha256(json.dumps(asked).encode()).hexdigest()
        if key not in self._known:
            words = [str(self._program(release, program)), *flags]
            end = run(words, text, failure, self.longest)
            self.spent += end.cpu_seconds
            self.runs += 1
            self._known[key] = asdict(end)
            self._store(key, asdict(end))
        known = self._known[key]
        return End(**known | {"frames": tuple(known["frames"])})

    def _program(self, release: str, program: str) -> Path:
        libraries = Path("iree") / "compiler" / "_mlir_libs"
        return self.toolchains / f"{_PACKAGE}{release}" / libraries / program

    def _store(self, key: str, end: dict[str, Any]) -> None:
        if self.cache is not None:
            self.cache.parent.mkdir(parents=True, exist_ok=True)
            with self.cache.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, **end}) + "\n")


def without_comments(text: str) -> str:
    """The text without lines that are comments: a result has its command and message in some."""
    lines = text.splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith("//")).strip() + "\n"


def run(words: list[str], text: str, failure: Failure, longest: float = LONGEST) -> End:
    """Run a compiler on a text within the limits."""
    with tempfile.TemporaryDirectory(prefix="slippage-") as folder:
        source = Path(folder) / "input.mlir"
        source.write_text(text, encoding="utf-8")
        with (Path(folder) / "stderr").open("w+b") as stderr:
            process = subprocess.Popen(
                [*words, str(source), "-o", os.devnull],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                cwd=folder,
            )
            try:
                limit, status, seconds = _watch(process, failure, longest)
            finally:
                if process.returncode is None:
                    process.kill()
            if limit:
                return End(limit, cpu_seconds=seconds)
            stderr.seek(0)
            printed = stderr.read(_READ_BYTES).decode(errors="replace")
        return read_end(status, printed, failure, seconds)


def _watch(
    process: subprocess.Popen[bytes], failure: Failure, longest: float
) -> tuple[str, int, float]:
    """Wait for the end; the limit that was exceeded if any, the exit status, and CPU seconds."""
    longest = failure.timeout or longest
    largest = (failure.memory or LARGEST) << 20
    with contextlib.suppress(ProcessLookupError):  # limits it should this process die first
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (2 * math.ceil(longest),) * 2)
    limit = ""
    started = time.monotonic()
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return limit, process.returncode, usage.ru_utime + usage.ru_stime
        seconds, size = _use(process.pid)
        late = seconds > longest or time.monotonic() - started > 10 * longest
        if not limit and (late or size > largest):
            limit = "timeout" if late else "memory"
            process.kill()
        time.sleep(_POLL_SECONDS)


def _use(pid: int) -> tuple[float, int]:
    """CPU seconds and resident bytes of a process, as /proc has them."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS, int(fields[21]) * _PAGE
