"""What a program may reach that runs because a file says so, as the kernel enforces it (Landlock).

A command found in an issue, a log or somebody else's result compiles a program that nobody has
read. What the filter of `reducer.intake.allowed` lets pass is started behind this second wall,
which does not depend on what flags, passes or functions mean: it writes only in the folder of its
run, reads only itself, its libraries and that folder, starts only what `_STARTED` lists or a tool
that is a script names, makes no sockets (seccomp), and signals nobody but its own processes.

See https://docs.kernel.org/userspace-api/landlock.html; what stays open is in docs/crash-logs.md.
"""

import ctypes
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import NamedTuple

_EXECUTE, _WRITE, _READ, _READ_FOLDER = 1, 1 << 1, 1 << 2, 1 << 3
_CHANGE_FOLDER = 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 12 | 1 << 13  # remove, make, link
_TRUNCATE, _IOCTL = 1 << 14, 1 << 15
_ALL = _IOCTL - 1
_OF_FILES = _EXECUTE | _WRITE | _READ | _TRUNCATE | _IOCTL
_SEE = _READ | _READ_FOLDER
_OWN = _SEE | _WRITE | _TRUNCATE | _CHANGE_FOLDER
_TCP = 0b11  # bind, connect
_SCOPED = 0b11  # abstract sockets, signals

_LEAST_ABI = 3  # before, any file that can be named can be truncated
_IOCTL_ABI, _TCP_ABI, _SCOPED_ABI = 5, 4, 6

_LIBRARIES = "lib", "lib32", "lib64", "libexec"
"""Folders beside that of a program in which its libraries are."""
_READABLE = (
    *(f"{place}/{name}" for place in ("", "/usr", "/usr/local") for name in _LIBRARIES),
    "/usr/share", "/usr/local/share", "/nix/store", "/gnu/store", "/etc/ld.so.cache",
    "/etc/localtime", "/etc/alternatives", "/dev/urandom", "/dev/random", "/dev/zero",
    "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/sys/vm", "/proc/sys/kernel",
    "/sys/devices/system",
)  # fmt: skip
_OURS = Path(__file__).parents[2]
_LIBRARY_PATHS = "LD_LIBRARY_PATH", "PYTHONPATH"
_STARTED = {
    "": ("*lld", "llvm-symbolizer"),
    "-compile": ("sh", "ld"),
    "sh": (
        "awk", "basename", "bash", "cat", "chmod", "cmp", "cp", "cut", "dash", "diff", "dirname",
        "env", "expr", "grep", "head", "ls", "mkdir", "mktemp", "mv", "od", "printf", "python3",
        "readlink", "rm", "sed", "setarch", "sh", "sleep", "sort", "tail", "tee", "test", "timeout",
        "tr", "uname", "uniq", "wc",
    ),
}  # fmt: skip
"""What programs may start, by the end of their name: any program, a compiler, and a script."""
_LAUNCHERS = "env", "setarch"
"""Programs that start another one, which their words name."""
_READ_OF_SCRIPT = 1 << 16
_LOADERS = "lib/ld-*.so*", "lib64/ld-*.so*", "lib/*/ld-*.so*", "lib/ld-musl-*"
_KEPT = re.compile(
    r"PATH|HOME|LANG|LC_\w+|TERM|TZ|TMPDIR|PYTHON[A-Z]+|(?:LD|LLVM|MLIR|ASAN|UBSAN|MALLOC|OMP)_\w+"
)
"""Environment variables that a program keeps: others may be secrets."""


@dataclass(frozen=True)
class Confinement:
    """How programs are confined that run because a file says so.

    Attributes:
        programs: those that the user has agreed to, which a script of ours may start, too.
        files: what they read, besides the folder of a run.
        place: a folder of ours, in which a run also uses the folders that its words name.
    """

    programs: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    place: str = ""


class Reach(NamedTuple):
    """What a run may reach, as plain data: the handled rights, and the allowed ones by path."""

    handled: tuple[int, int, int]
    allowed: tuple[tuple[str, int], ...]


_confinements: list[Confinement] = []


def confine(how: Confinement) -> None:
    """From now on, confine all that this process starts, until `confinement_ends`.

    It holds for the process, not for a thread or an oracle: nobody who starts a program may forget.
    So only a command does this, never `reducer.reduce`.
    """
    _confinements.append(how)


@contextmanager
def confinement_ends() -> Iterator[None]:
    """At the end of the body, end the confinements that began in it."""
    count = len(_confinements)
    try:
        yield
    finally:
        del _confinements[count:]


def current_confinement() -> Confinement | None:
    """How programs are confined now; None if they run free."""
    if not _confinements:
        return None
    programs = (program for how in _confinements for program in how.programs)
    files = (file for how in _confinements for file in how.files)
    place = next((how.place for how in reversed(_confinements) if how.place), "")
    return Confinement(tuple(dict.fromkeys(programs)), tuple(dict.fromkeys(files)), place)


@cache
def landlock() -> int:
    """The version of Landlock that the kernel has; 0 if it has none that holds."""
    try:
        version = ctypes.CDLL(None).syscall(444, None, 0, 1)
    except (OSError, AttributeError):
        return 0
    return version if version >= _LEAST_ABI else 0


def reach_of(
    words: Sequence[str], folder: Path, env: Mapping[str, str], how: Confinement
) -> Reach | None:
    """What a command may reach in a run; None where the kernel cannot confine it."""
    if not (abi := landlock()):
        return None
    handled = _ALL | (_IOCTL if abi >= _IOCTL_ABI else 0)
    tcp, scoped = (_TCP if abi >= _TCP_ABI else 0), (_SCOPED if abi >= _SCOPED_ABI else 0)
    launches = Path(words[0]).name in _LAUNCHERS
    programs = tuple(word for word in words[: 4 if launches else 1] if word[:1] != "-")
    libraries = ":".join(env.get(name, "") for name in _LIBRARY_PATHS)
    rules = dict(_programs(programs, how, env.get("PATH", os.defpath), libraries))
    named = rf"({re.escape(how.place)}/[^=,:{{}}\s]+)/"
    found = (one for word in words[1:] for one in re.findall(named, word) if how.place)
    places = (one for one in found if ".." not in one)
    rules |= dict.fromkeys(places, _OWN) | dict.fromkeys(how.files, _READ)
    rules[str(folder.absolute())] = _OWN
    return Reach((handled, tcp, scoped), tuple(rules.items()))


def bare_environment(env: Mapping[str, str], folder: Path, how: Confinement) -> dict[str, str]:
    """What a confined program knows of the environment: nothing that may be a secret."""
    kept = {k: v for k, v in env.items() if _KEPT.fullmatch(k) or v in how.programs}
    return {**kept, "TMPDIR": str(folder.absolute())}


@lru_cache
def _programs(
    programs: tuple[str, ...], how: Confinement, search: str, libraries: str
) -> dict[str, int]:
    """What it takes to run programs and what they start; what is not there is left out."""
    places = *_READABLE, str(_OURS / "oracles"), str(_OURS / "reducer"), *libraries.split(":")
    rules = dict.fromkeys(filter(os.path.isabs, places), _SEE)
    rules[str(_OURS)] = _READ_FOLDER  # as Python finds packages
    rules["/dev/null"] = _READ | _WRITE | _TRUNCATE | _IOCTL
    loaders = (one for pattern in _LOADERS for one in Path("/").glob(pattern))
    rules |= {str(one): _READ | _EXECUTE for one in loaders}
    for program in (*programs, *how.programs):
        rules |= _rules_of(program, search)
        real = Path(os.path.realpath(shutil.which(program, path=search) or program))
        shell = "".join(_interpreters(real)[-1:])
        ends = (end for end in _STARTED if program.endswith(end) or (end and shell.endswith(end)))
        for helper in (one for end in ends for one in _STARTED[end]):
            beside = [str(one) for one in real.parent.glob(helper)]
            for place in beside or [helper]:
                rules |= _rules_of(place, search)
    merged: dict[str, int] = {}
    for path, access in rules.items():
        real = Path(os.path.realpath(path))
        if real.exists():
            kept = access if real.is_dir() else access & _OF_FILES
            merged[str(real)] = merged.get(str(real), 0) | kept
    return merged


def _rules_of(program: str, search: str) -> dict[str, int]:
    """What it takes to run a program: the file, what it consists of, and their libraries."""
    rules: dict[str, int] = {}
    parts = [program]
    for part in parts:
        found = shutil.which(part, path=search)
        if found is None or found in rules:
            continue
        real = Path(os.path.realpath(found))
        rules |= {found: _READ | _EXECUTE, str(real): _READ | _EXECUTE}
        for place in {Path(found).parent, real.parent}:
            is_package = any(place.glob("*.so*")) and not Path.home().is_relative_to(place)
            rules |= {str(place): _SEE} if is_package else {}
            rules |= {str(place.parent / name): _SEE for name in (*_LIBRARIES, "pyvenv.cfg")}
        rules |= {"/proc": _READ} if _has_sanitizer(real) else {}
        parts += _interpreters(real)
        parts += _named_in(real) if part == program and len(parts) > 1 else ()
    return rules


@cache
def _has_sanitizer(program: Path) -> bool:
    """Whether a program is built with a sanitizer, which reads in /proc where its memory is."""
    with suppress(OSError, ValueError), program.open("rb") as file:
        return mmap(file.fileno(), 0, access=ACCESS_READ).find(b"san_init") >= 0
    return False


@cache
def _interpreters(script: Path) -> tuple[str, ...]:
    """The programs that run a script; none if this is none."""
    with suppress(OSError), script.open("rb") as file:
        first = file.readline(256)
        words = first[2:].decode(errors="replace").split() if first[:2] == b"#!" else []
        is_env = [Path(word).name for word in words[:1]] == ["env"]
        return tuple(word for word in words[: None if is_env else 1] if word[:1] != "-")
    return ()


def _named_in(script: Path) -> Iterator[str]:
    """What a tool that is a script may start: the programs that it names, wherever they are."""
    text = os.path.expandvars(
        script.read_text(encoding="utf-8", errors="replace")[:_READ_OF_SCRIPT]
    )
    for word in dict.fromkeys(re.findall(r"[\w./+-]*\w", text)):
        yield from (word, f"{script.parent}/{word}") if "/" in word else (word,)
