"""What is typed, and what comes: a paragraph of `transcripts/*.txt` is a session in a new folder.

The folder has a program, `in.mlir`, and a compiler that fails on it, `./fake`.

    # what is shown
    + ./NAME: a shell script, as tests/support/fake_compilers.py has them
    + NAME: the text of a file; \\n is a new line in both, and \\0 a zero
    | another line of that file
    @path here: programs of this folder are on PATH; `tools` are recorded ones
    @ VERSION ... --FLAG ...: what releases with these flags do; `bad` is to fail on `x.bad`
    @opt VERSION: what its other tool does; no release is there but these
    $ COMMAND of mlir-reducer that ends with 0
    2$ COMMAND that ends with 2, and reads a file < NAME; all is done with `check|reduce` in turn
      a part of a line on standard output, in which blanks do not count
    ! a part of a line on standard error
    - what is printed nowhere; nothing at all
    = NAME of what there is then, or NAME: a part of its text
    == NAME: all of its text
    =! NAME: what is not in it
    =- NAME of what there is not

A mistake is told in the last line, and leaves no file.
"""

import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from reducer.cli import main
from tests.support.fake_compilers import FAIL, program, write_script
from tests.support.fake_releases import BAD, Release, Releases
from tests.support.stand_ins import path_without

FOLDER = Path(__file__).parent / "transcripts"
_TOLD = {"--iree-more": "Does more."}
"""What flags do, if it is not the same as what others do."""
MISTAKES = {2, 65, 66, 69, 73, 127}


def sessions() -> Iterator[object]:
    for path in sorted(FOLDER.glob("*.txt")):
        for paragraph in path.read_text(encoding="utf-8").strip().split("\n\n"):
            choice = re.search(r"(?<=\$ )[a-z]+(\|[a-z]+)+", paragraph)
            for command in choice[0].split("|") if choice else ("",):
                title, *lines = paragraph.replace(
                    choice[0] if choice else "\0", command
                ).splitlines()
                yield pytest.param(lines, id=f"{path.stem}: {title.removeprefix('# ')}: {command}")


def _files() -> list[Path]:
    """What is there, but for what holds others back, and what is known of earlier runs."""
    return sorted(path for path in Path().rglob("*") if path.suffix not in (".lock", ".journal"))


def flat(text: str) -> str:
    return "\n".join(" ".join(line.split()) for line in text.splitlines())


class Session:
    def __init__(self) -> None:
        self.done: Result | None = None
        self.releases: dict[str, Release] = {}

    def release(self, tool: str, words: str, body: str) -> None:
        body = re.sub("^bad$", BAD, body.replace("\\n", "\n"), flags=re.M) + "\n"
        flags = [(word, _TOLD.get(word, "The target.")) for word in words.split() if "--" in word]
        for version in [word for word in words.split() if "--" not in word]:
            if tool:
                self.releases[version] = replace(self.releases[version], opt=body)
            else:
                self.releases[version] = Release(body, flags=flags or Release().flags)

    def publish(self, patch: pytest.MonkeyPatch) -> None:
        """Make the releases of the paragraph the only ones that there are."""
        made, self.releases = Releases(Path.cwd(), self.releases), {}
        for name, value in made.environment.items():
            patch.setenv(name, value)
        made.list_without_pip(patch)

    def write(self, name: str, text: str) -> None:
        text = text.replace("\\n", "\n").replace("\\0", "\0")
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        if name.startswith("./"):
            write_script(Path(name), f"{text}\n")
        else:
            Path(name).write_text(text, encoding="utf-8")

    def run(self, code: int, line: str) -> None:
        typed, _, given = line.partition(" < ")
        before = _files()
        words = [os.path.expandvars(word) for word in shlex.split(typed)]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sys.argv", ["mlir-reducer", *words])
            self.done = CliRunner().invoke(
                main, words, prog_name="mlir-reducer", input=given and Path(given).read_bytes()
            )
        said = self.done.output
        assert self.done.exit_code == code, f"{line}\n{said}"
        assert "Traceback" not in said
        if code in MISTAKES and not self.done.stdout:
            assert self.done.stderr.splitlines()[-1].startswith("error: "), said
            assert _files() == before, said

    def check(self, line: str) -> None:
        kind, text = line[:2].strip(), os.path.expandvars(flat(line[2:]))
        name, _, part = f"{text} ".partition(": ")
        name, part = name.strip(), part.strip()
        if kind == "=":
            assert Path(name).exists() and part in flat(Path(name).read_text()), line
        elif kind == "==":
            assert flat(Path(name).read_text()) == part, line
        elif kind == "=!":
            assert part not in flat(Path(name).read_text()), line
        elif kind == "=-":
            assert not Path(text).exists(), line
        else:
            assert self.done is not None
            out, err = flat(self.done.stdout), flat(self.done.stderr)
            shown = {"": out, "!": err, "-": f"{out}\n{err}"}[kind]
            there = text in shown if text else bool(shown.strip())
            assert there == (kind != "-"), f"{line}\n{self.done.output}"


@pytest.mark.parametrize("lines", list(sessions()))
def test_what_comes_is_what_is_written(
    lines: list[str], nothing_installed: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERE", str(tmp_path))
    tools = os.environ["PATH"]
    monkeypatch.setenv("PATH", path_without())
    session = Session()
    session.write("in.mlir", program())
    session.write("./fake", FAIL)
    for number, line in enumerate(lines):
        if line.startswith("+ "):
            name, text = re.split(": ?", line[2:], maxsplit=1)
            more = takewhile(lambda one: one[:1] == "|", lines[number + 1 :])
            session.write(name, text + "".join(f"{one[2:]}\n" for one in more))
        elif line.startswith("@path "):
            monkeypatch.setenv("PATH", str(tmp_path) if line[6:] == "here" else tools, prepend=":")
        elif made := re.fullmatch(r"@(\w*) ([^:]*): ?(.*)", line):
            session.release(*made.groups())
        elif call := re.fullmatch(r"(\d*)\$ (.*)", line):
            if session.releases:
                session.publish(monkeypatch)
            session.run(int(call[1] or 0), call[2])
        elif not line.startswith("|"):
            session.check(line)
