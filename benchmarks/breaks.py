"""Break lines of the program, one at a time, and print which test notices each (expected: one).

    python -m benchmarks.breaks --seed 1a2b3c --list                      what would be broken
    python -m benchmarks.breaks --seed 1a2b3c --json build/breaks.json    resumes where it stopped

`benchmarks/broken_lines.py` says what a break is. Breaks are drawn evenly over folders, then over
the files of a folder, then over the lines of a file that can be broken.

Each is made in a copy of the last commit, where the tests of `make test` run until one fails: first
the module's own, then those of its folder that mention it, the others of its folder, others that
mention it, and all others; each kind for all breaks before the next kind. That finds the same as
running them in any other order, only sooner. A test that fails without the break, too, has noticed
nothing and is left out from then on. A run that takes too long has noticed.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import click
import pytest

from benchmarks.broken_lines import Break, draw

GROUPS = 5
"""Kinds of tests, by how near they are to a break."""

_TEST = r"tests/\S+?\.py(?:::[^\[\n]*?(?:\[.*\])?)?"
_FAILED = re.compile(rf"^(?:FAILED|ERROR) ({_TEST})(?: - |$)|^(tests/\w+ started .* times),", re.M)


@click.command()
@click.option("--seed", required=True, help="What to draw by, such as the hash of a commit.")
@click.option("-n", "--number", default=40, show_default=True, help="How many to draw.")
@click.option("--list", "only_list", is_flag=True, help="Print what is drawn, and run nothing.")
@click.option("--json", "path", type=click.Path(path_type=Path), help="Keep the results here.")
@click.option("--workers", default="3", show_default=True, help="Passed to pytest as -n.")
@click.option("--timeout", default=1200.0, show_default=True, help="Seconds for a run of tests.")
def main(
    seed: str, number: int, only_list: bool, path: Path | None, workers: str, timeout: float
) -> None:
    """Make the breaks one by one and print a table."""
    drawn = draw(Path(), seed, number)
    kept = json.loads(path.read_text(encoding="utf-8")) if path and path.exists() else []
    noticed = {Break(*where): test for where, test in kept}
    if not only_list:
        with copied() as copy:
            suite = Suite(copy, workers, timeout)
            for nearness, each in product(range(GROUPS), drawn):
                if each not in noticed and (found := suite.noticing(each, nearness)):
                    noticed[each] = found
                    click.echo(f"{each.file}:{each.line}: {found}", err=True)
                    if path:
                        path.write_text(json.dumps([*noticed.items()], indent=1), encoding="utf-8")
    click.echo("| file | line | before | after | noticed by |\n|---|--:|---|---|---|")
    for each in drawn:
        cells = (
            each.file,
            each.line,
            f"`{each.before}`",
            f"`{each.after}`",
            noticed.get(each, "-" if only_list else "unnoticed"),
        )
        click.echo(f"| {' | '.join(str(cell).replace('|', '&#124;') for cell in cells)} |")
    if not only_list:
        click.echo(f"\n{sum(each in noticed for each in drawn)} of {len(drawn)} noticed")


class Suite:
    """Runs the tests of a copy of the project."""

    def __init__(self, copy: Path, workers: str, timeout: float) -> None:
        self._copy = copy
        self._timeout = timeout
        self._left_out: list[str] = []
        self._command = [
            str(copy / ".venv/bin/python"), "-m", "pytest", "-qx", "-p", "no:cacheprovider",
            "-m", "not slow", "-n", workers, "--dist", "loadfile", "--no-loadscope-reorder",
        ]  # fmt: skip

    def noticing(self, each: Break, nearness: int) -> str:
        """What notices a break among tests of this nearness to it; '' if nothing does.

        That is a test, a limit of `tests/starts.toml`, a timeout, or pytest.
        """
        file = self._copy / each.file
        source, times = file.read_bytes(), (file.stat().st_atime, file.stat().st_mtime)
        lines = source.decode().splitlines(keepends=True)
        lines[each.line - 1] = lines[each.line - 1].replace(each.before, each.after)
        tests = self.groups(Path(each.file))[nearness]
        while tests:
            file.write_text("".join(lines), encoding="utf-8")
            failed = self._failing(tests)
            file.write_bytes(source)
            os.utime(file, times)  # by which Python recognizes what it compiled
            is_test = re.fullmatch(_TEST, failed) is not None
            if not failed or not self._failing([failed] if is_test else tests):
                return failed
            click.echo(f"without the break, too: {failed}", err=True)
            self._left_out += ["--deselect", failed] if is_test else []
            if not is_test:
                break
        return ""

    def groups(self, module: Path) -> list[list[str]]:
        """All files of tests, by how likely they are to notice a break of a module."""
        tests = self._copy / "tests"
        folder = tests.joinpath(*module.parent.parts[module.parts[0] == "reducer" :])
        while not folder.is_dir():
            folder = folder.parent
        word = module.parent.name if module.stem == "__init__" else module.stem
        groups: list[list[str]] = [[] for _ in range(GROUPS)]
        for file in sorted(tests.rglob("test_*.py")):
            near = file.parent == folder or (folder != tests and folder in file.parents)
            named = re.search(rf"\b{word}\b", file.read_text(encoding="utf-8")) is not None
            is_own = near and file.stem == f"test_{word}"
            groups[0 if is_own else 1 + 2 * (not near) + (not named)].append(str(file))
        return groups

    def _failing(self, tests: list[str]) -> str:
        """The first test that fails, or what else says that they do not pass; '' if they do."""
        command = [*self._command, *self._left_out, *tests]
        with subprocess.Popen(
            command, cwd=self._copy, stdout=subprocess.PIPE, text=True, start_new_session=True
        ) as process:
            try:
                output, _ = process.communicate(timeout=self._timeout)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return "timeout"
        if process.returncode in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            return ""
        failed = _FAILED.search(output)
        return failed[1] or failed[2] if failed else f"exit code {process.returncode}"


@contextmanager
def copied() -> Iterator[Path]:
    """A folder with the last commit and an interpreter that imports it from there."""
    with tempfile.TemporaryDirectory(prefix="breaks-") as folder:
        copy = Path(folder, "copy")
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", copy], check=True)
        try:
            venv.create(copy / ".venv", symlinks=True)
            paths = [str(copy), *(path for path in sys.path if path.endswith("site-packages"))]
            packages = next((copy / ".venv/lib").glob("python*/site-packages"))
            (packages / "copy.pth").write_text("\n".join(paths), encoding="utf-8")
            (copy / ".venv/bin/lit").symlink_to(Path(sys.executable).with_name("lit"))
            yield copy
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", copy], check=True)


if __name__ == "__main__":
    main()
