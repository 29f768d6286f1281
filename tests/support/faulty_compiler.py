"""A compiler that breaks in seeded, repeatable ways. A script for a bare interpreter.

It fails on each text that holds all of `needs`, and what it does besides is its faults:

- *mess* leaves the answer as it is: floods, litter, orphans, daemons, small fork bombs…
- *wrong* strikes texts on which nothing fails: hangs, signals, exit codes, other errors…
- *hidden* strikes texts that should fail: an answer that comes one time and not the next.

Mess and wrong depend on the text alone, so that they cannot change the result of a reduction.
"""

import hashlib
import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

VARIABLE = "FAULTY_COMPILER"
"""Environment variable with the settings, as JSON:

`needs`: what an interesting text holds; `log`: a folder for what was run (`runs`) and for each
fault (`faults`); `seed`; `mess`, `wrong`, `hidden`: how likely each kind of fault is; `good_runs`:
from then on it crashes whatever it is given (0: never).
"""

_LONG = 1000.0  # seconds; longer than any reduction
_BOMB = 4  # generations: 16 processes


def digest_of(text: str) -> str:
    """The hash of a text without comments, as used in `runs`."""
    lines = (line for line in text.splitlines(True) if not line.startswith("//"))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def is_interesting(text: str, needs: list[str]) -> bool:
    """Whether a sound compiler fails on it."""
    return all(f'"{need}"' in text for need in needs)


def main() -> None:
    """Compile the file named last, possibly with a fault."""
    settings = json.loads(os.environ[VARIABLE])
    path = Path(sys.argv[-1])
    text = path.read_text()
    fails = is_interesting(text, settings["needs"])
    log = Path(settings["log"])
    runs = _note(log / "runs", f"{digest_of(text)} {int(fails)}")
    rng = random.Random(f"{settings['seed']} {text}")
    if settings["good_runs"] and runs > settings["good_runs"]:
        _note(log / "faults", "crash after n runs")
        os.kill(os.getpid(), signal.SIGSEGV)
    if rng.random() < settings["mess"]:
        _strike(MESS, rng, log, path)
    if fails:
        transient = random.Random(f"{settings['seed']} {text} {runs}")
        if transient.random() < settings["hidden"]:
            _strike(HIDDEN, transient, log, path)
        print(f"{path}:1:1: error: failed to legalize operation 'x.bad'", file=sys.stderr)
    elif rng.random() < settings["wrong"]:
        _strike(WRONG, rng, log, path)
    sys.stderr.flush()
    os._exit(int(fails))


Fault = Callable[[random.Random, Path], None]


def _strike(faults: list[Fault], rng: random.Random, log: Path, path: Path) -> None:
    fault = rng.choice(faults)
    _note(log / "faults", fault.__name__)
    fault(rng, path)


def _note(log: Path, line: str) -> int:
    """Append a line; return the new number of lines."""
    with log.open("a+") as file:
        file.write(f"{line}\n")
        file.flush()
        file.seek(0)
        return file.read().count("\n")


# ---- mess: beside the right answer -------------------------------------------------------------


def flood(rng: random.Random, path: Path) -> None:
    """Write more to standard error than can be kept, all before the message."""
    for _ in range(rng.randrange(1, 200)):
        os.write(2, b"\xff\0\x1b[31m flood" * 4096)
    os.write(2, b"\n")


def litter(rng: random.Random, path: Path) -> None:
    """Files with odd names, a link to somewhere else, a folder that nobody may enter."""
    temporary = Path(os.environ["TMPDIR"])
    for place in (Path(), temporary):
        for name in ("-o", "a b'c\"", "new\nline", os.fsdecode(b"\xff\xfe")):
            (place / f"{name}{rng.random()}").touch()
    Path("link").symlink_to("/")
    Path("closed").mkdir(mode=0o000)


def huge_file(rng: random.Random, path: Path) -> None:
    """Write many megabytes to the output file."""
    with Path("output.bin").open("wb") as file:
        file.write(b"x" * (rng.randrange(1, 32) << 20))


def vandalism(rng: random.Random, path: Path) -> None:
    """Delete or replace the input."""
    path.unlink()
    if rng.random() < 0.5:
        path.mkdir()


def orphan(rng: random.Random, path: Path) -> None:
    """Leave a child running."""
    _child()


def daemon(rng: random.Random, path: Path) -> None:
    """Leave a child in its own session that only SIGKILL ends."""
    _child(os.setsid, _deaf)


def bomb(rng: random.Random, path: Path) -> None:
    """Start processes that each start another, in sessions of their own."""
    if os.fork() == 0:
        for _ in range(_BOMB):
            if os.fork() == 0:
                os.setsid()
        _silent()
        time.sleep(_LONG)
        os._exit(0)


# ---- wrong: instead of success -----------------------------------------------------------------


def hang(rng: random.Random, path: Path) -> None:
    """Sleep forever."""
    time.sleep(_LONG)


def deaf_hang(rng: random.Random, path: Path) -> None:
    """Ignore SIGTERM, with a child elsewhere that does, too."""
    _deaf()
    _child(os.setsid, _deaf)
    time.sleep(_LONG)


def loop(rng: random.Random, path: Path) -> None:
    """Spin forever."""
    while True:
        pass


def endless_flood(rng: random.Random, path: Path) -> None:
    """Write forever."""
    while True:
        os.write(rng.choice((1, 2)), b"y" * 65536)


def eat(rng: random.Random, path: Path) -> None:
    """Use more memory than allowed."""
    kept = []
    while True:
        kept.append(bytearray(16 << 20))
        time.sleep(0.005)


def die(rng: random.Random, path: Path) -> None:
    """Die by a signal, possibly one that an operator might send."""
    signals = (signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL, signal.SIGTERM, signal.SIGBUS)
    os.kill(os.getpid(), rng.choice(signals))


def odd_exit(rng: random.Random, path: Path) -> None:
    """Exit with an unusual code and no output."""
    os._exit(rng.choice((1, 2, 3, 101, 126, 127, 134, 139, 255)))


def other_error(rng: random.Random, path: Path) -> None:
    """Fail in a way other than the target failure."""
    print(f"{path}:1:1: error: no such thing as 'x{rng.random()}'", file=sys.stderr)
    sys.stderr.flush()
    os._exit(1)


def success(rng: random.Random, path: Path) -> None:
    """Succeed this time."""
    os._exit(0)


MESS: list[Fault] = [flood, litter, huge_file, vandalism, orphan, daemon, bomb]
WRONG: list[Fault] = [
    hang, deaf_hang, loop, endless_flood, eat, *[die, odd_exit, other_error] * 5,
]  # fmt: skip
HIDDEN: list[Fault] = [hang, die, odd_exit, other_error, success]


def _child(*doing: Callable[[], object]) -> None:
    if os.fork() == 0:
        for do in doing:
            do()
        _silent()
        time.sleep(_LONG)
        os._exit(0)


def _deaf() -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)


def _silent() -> None:
    os.closerange(0, 3)


if __name__ == "__main__":
    main()
