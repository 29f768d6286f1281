"""Programs on PATH that stand in for MLIR's own tools, and do what is recorded of those.

The tests mean the releases that are recorded, and find no other compilers, so that they do the same
on all machines. A stand-in has the name, the place below `/usr` and the release of one; `replay`
answers for it, be it started by this process or by a script. What was never asked is passed on to
the tool of that release, if it is on PATH. Otherwise it is noted, and the test fails.

Slow tests get the tools themselves, or none.
"""

import hashlib
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

FOLDER = "MLIR_REDUCER_TEST_STAND_INS"
"""The environment variable that names their folder, which is like `/usr`."""

PATH = "MLIR_REDUCER_TEST_PATH"
"""The environment variable with the PATH that this run of the tests was given."""

UNRECORDED = "MLIR_REDUCER_TEST_UNRECORDED"
"""The environment variable that names a file with a line for each question without an answer."""

_ROOT = Path(__file__).parents[2]
_PROGRAM = f"""\
#!{sys.executable}
# Says what a tool says that is driven by MlirOptMain.
import sys
sys.path.insert(0, {str(_ROOT)!r})
from tests.support.replay import stand_in
stand_in()
"""
_RECORDED = re.compile(r"((?:mlir|circt)-[\w-]+?)-(llvm-(\d+)-[0-9a-f]{8})")
_ON_PATH = re.compile(r"(?:mlir|circt)-[\w-]+-\d+")
_LIBRARIES = [
    f"libmlir_{name}.so"
    for name in ("apfloat_wrappers", "c_runner_utils", "float16_utils", "runner_utils")
]
_LIBRARY = re.compile(r"(libmlir_\w+\.so)[.\d]*\d")
_TOOLS = "tools.json"

OFFERED = "19", "22"
"""The releases on PATH: those that `make tools` installs."""

OLD, OTHERS = "old", "others"
_A_TOOL = re.compile(r"(?:iree|mlir|circt)-|.*-opt(?:-\d+)?$")


@dataclass(frozen=True)
class Tool:
    """What a stand-in stands in for: a release, and the program itself, if it is here."""

    release: str
    program: str


def make(folder: Path, recorded: Sequence[str], *, records: bool) -> None:
    """Make a stand-in for each tool of these releases, or for those on PATH, to record them."""
    tools = dict(_tools(recorded, records))
    for name, tool in tools.items():
        below, number = name.rsplit("-", 1)
        place = Path("lib", f"llvm-{number}", "bin", below)
        file = folder / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_PROGRAM, encoding="utf-8")
        file.chmod(0o755)
        link = folder / ("bin" if number in OFFERED else OLD) / name
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(Path("..", place))
        if below == "mlir-runner":
            libraries = file.parent.with_name("lib")
            libraries.mkdir(exist_ok=True)
            here = Path("/usr", libraries.relative_to(folder)) if tool.program else libraries
            for library in [path.name for path in here.glob("libmlir_*")] or _LIBRARIES:
                (libraries / library).touch()
    places = {name: asdict(tool) for name, tool in tools.items()}
    (folder / _TOOLS).write_text(json.dumps(places), encoding="utf-8")
    os.environ[FOLDER], os.environ[PATH] = str(folder), os.environ["PATH"]
    _link_others(folder / OTHERS)


def _tools(recorded: Sequence[str], records: bool) -> Iterator[tuple[str, Tool]]:
    here = {name: Tool(release(Path(path)), path) for name, path in _on_path()}
    for name in recorded:
        if (match := _RECORDED.fullmatch(name)) is not None:
            program = f"{match[1]}-{match[3]}"
            tool = here.get(program)
            yield program, tool if tool and tool.release == name else Tool(name, "")
    if records:
        yield from here.items()


def _on_path() -> Iterator[tuple[str, str]]:
    for folder in os.get_exec_path():
        for path in sorted(Path(folder).glob("*-[0-9]*")):
            found = shutil.which(path.name)
            if _ON_PATH.fullmatch(path.name) and found and found.startswith("/usr/"):
                yield path.name, found


def _link_others(folder: Path) -> None:
    """Link the programs on PATH that are no tools, so that tests find no tool but stand-ins."""
    folder.mkdir()
    for path in reversed(os.get_exec_path()):
        for program in Path(path).glob("*"):
            if not _A_TOOL.match(program.name):
                (folder / program.name).unlink(missing_ok=True)
                (folder / program.name).symlink_to(program)


def release(program: Path) -> str:
    """The name of a tool with what tells its build from another."""
    program = program.resolve()
    library = sorted(program.parent.parent.glob("lib/libMLIR*.so*"))
    sizes = [file.stat().st_size for file in (program, *library)]
    build = hashlib.sha256(repr(sizes).encode()).hexdigest()[:8]
    return f"{program.name}-{program.parent.parent.name}-{build}"


def offer(wanted: bool) -> None:
    """Whether PATH has them from now on, in place of the tools on it."""
    if folder := os.environ.get(FOLDER):
        here = os.pathsep.join([f"{folder}/bin", f"{folder}/{OTHERS}"])
        os.environ["PATH"] = here if wanted else os.environ[PATH]


def path_without() -> str:
    """PATH without them and without the tools, for processes that replay nothing."""
    folder = os.environ.get(FOLDER)
    return f"{folder}/{OTHERS}" if folder else os.environ["PATH"]


def old(name: str) -> str | None:
    """What stands in for a tool of a release that is not on PATH."""
    return shutil.which(name, path=str(Path(os.environ.get(FOLDER, ""), OLD)))


@cache
def tool_of(program: Path) -> Tool | None:
    """What a program stands in for, which is no link; None if it is none of them."""
    if len(program.parents) < 4 or not (known := program.parents[3] / _TOOLS).is_file():
        return None
    number = program.parents[1].name.removeprefix("llvm-")
    tool = json.loads(known.read_text(encoding="utf-8")).get(f"{program.name}-{number}")
    return tool and Tool(**tool)


def absent() -> set[str]:
    """The releases for which only recordings answer."""
    file = Path(os.environ.get(FOLDER, ""), _TOOLS)
    known = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return {tool["release"] for tool in known.values() if not tool["program"]}


def real(text: str) -> str:
    """A text with the places of the tools in that of their stand-ins."""
    folder = os.environ.get(FOLDER)
    return text.replace(folder, "/usr") if folder else text


def general(text: str) -> str:
    """The same for all builds of a release, whose libraries have longer names."""
    return _LIBRARY.sub(r"\1", real(text))


def concrete(text: str) -> str:
    """The opposite of `real`."""
    folder = os.environ.get(FOLDER)
    return re.sub(r"/usr(?=/bin/(?:mlir|circt)-|/lib/llvm-)", folder, text) if folder else text


def note(asked: str) -> None:
    """Note that nothing is recorded of what the test has asked."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "").split(" ")[0]
    if path := os.environ.get(UNRECORDED):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(f"{test}\t{asked}\n")


def unrecorded(test: str) -> str:
    """What to say of a test that has asked what nobody answers; '' if it has not."""
    file = Path(os.environ.get(UNRECORDED, ""))
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    asked = [line.partition("\t")[2] for line in lines if line.startswith(f"{test}\t")]
    return "\n".join(f"{words}: {NOT_RECORDED}" for words in asked)


NOT_RECORDED = "nothing is recorded of it: run `make record` where the tool is installed"
