"""Small scripts that act as compilers, for faults that a real one cannot be made to show.

Each is called as `script … input.mlir` and fails if the input contains `x.bad`.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.stand_ins import path_without
from tests.support.warm import fits, run_warm

_PREFACE = """#!/bin/sh
for input; do :; done
has() { grep -q "$1" "$input"; }
"""
FAIL = """if has x.bad; then
  echo "$input:1:1: error: failed to legalize operation 'x.bad'" >&2
  exit 1
fi
"""


def flake(percent: int, folder: Path, seed: int = 0) -> str:
    """Shell lines that make a script succeed in all but about `percent` of a hundred runs.

    The n-th run in `folder` is the same for the same seed.
    """
    return f"""echo >> '{folder}/runs'
chance=$(echo "{seed} $(wc -l < '{folder}/runs')" | cksum | cut -d' ' -f1)
[ $((chance / 7 % 100)) -lt {percent} ] || exit 0
"""


def program(lines: int = 30) -> str:
    """A program whose one interesting op is in the middle; `x.guard` holds faults back."""
    ops = [f'  "x.op{number}"() : () -> ()\n' for number in range(lines)]
    ops[lines // 2 : lines // 2] = ['  "x.bad"() : () -> ()\n']
    ops[lines // 4 : lines // 4] = ['  "x.guard"() : () -> ()\n']
    return "module {\n" + "".join(ops) + "}\n"


def write_script(path: Path, body: str) -> Path:
    """An executable shell script that has `$input` and `has TEXT`."""
    path.write_text(_PREFACE + body)
    path.chmod(0o755)
    return path


def signalling(name: str) -> str:
    """Shell lines that send a signal to the program that runs the script, past what starts it."""
    return f"""to=$PPID
while grep -q orphan_reaper /proc/$to/cmdline; do to=$(cut -d' ' -f4 /proc/$to/stat); done
kill -{name} $to
"""


def waiting_for(file: Path) -> str:
    """A line of a script that waits until a file exists, for a minute at most."""
    return f"for n in $(seq 6000); do [ -e {file} ] && break; sleep 0.01; done\n"


class Reducer:
    """Runs the real program in a process of its own, as a user would.

    It works in the folder `home` and finds no installed compiler unless given a `cache`.
    """

    def __init__(self, home: Path, cache: Path | None = None) -> None:
        self.home = home
        self.temporary = home / "tmp"
        self.temporary.mkdir()
        self.environment = {
            **os.environ,
            "TMPDIR": str(self.temporary),
            "MLIR_REDUCER_CACHE": str(cache or home / "cache"),
            "PATH": path_without(),
            "PYTHONPATH": str(Path(__file__).parents[2]),
        }

    def __call__(self, *words: object, timeout: float = 120) -> "subprocess.CompletedProcess[str]":
        """Run it to completion."""
        if fits(self.environment):
            told = [str(word) for word in words]
            return run_warm(told, cwd=self.home, environment=self.environment, seconds=timeout)
        with self.start(*words) as process:
            try:
                out, err = process.communicate(timeout=timeout)
            finally:
                process.kill()
        return subprocess.CompletedProcess(self.argv(*words), process.returncode, out, err)

    @contextmanager
    def start(self, *words: object) -> Iterator["subprocess.Popen[str]"]:
        """Start it, and kill it at the end."""
        with subprocess.Popen(
            self.argv(*words),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.home,
            env=self.environment,
            start_new_session=True,
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    def argv(self, *words: object) -> list[str]:
        """The words that start it."""
        return [sys.executable, "-m", "reducer", *map(str, words)]

    def strays(self) -> list[str]:
        """Command lines of living processes whose temporary folder is ours."""
        entry = f"TMPDIR={self.temporary}".encode()
        found = []
        for process in Path("/proc").iterdir():
            try:
                if process.name.isdigit() and entry in (process / "environ").read_bytes():
                    found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
            except OSError:
                continue
        return found

    def leftovers(self) -> list[Path]:
        """The contents of the temporary folder, which may be vanishing."""
        found = os.walk(self.temporary)
        return [Path(folder, name) for folder, below, files in found for name in below + files]

    def assert_clean(self) -> None:
        """Check that no process and no file is left; cleaning up after a kill may take a moment."""
        wait_until(lambda: not self.strays() and not self.leftovers())
        left = [*self.strays(), *map(str, self.leftovers())]
        assert left == [], left  # said even where pytest does not
        assert list(self.home.glob(".*.tmp")) == []


def wait_until(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    """Wait for a condition; return whether it became true."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.02)
    return condition()
