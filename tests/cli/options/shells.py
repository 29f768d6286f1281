"""Tab completions in a real zsh and a real fish.

`make shells` installs both on Debian and Ubuntu.
"""

import os
import pty
import shutil
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from select import select

import pytest

_PROMPT = b"ready> "
_SECONDS = 60.0
_ZSHRC = f"""
autoload -Uz compinit && compinit -u -d "$ZDOTDIR/dump"
source "$ZDOTDIR/script"
compadd() {{  # writes down what is added, and adds it
    local -a found
    builtin compadd -A found "$@"
    print -rl -- $found >> "$ZDOTDIR/offered"
    builtin compadd "$@"
}}
finish() {{ BUFFER=exit; zle accept-line }}
zle -N finish
bindkey '^G' finish
unsetopt beep
LISTMAX=1000
PS1='{_PROMPT.decode()}'
"""


def find_shell(name: str) -> str:
    """The program; if missing, the test is skipped, or fails if the shell is required."""
    program = shutil.which(name)
    if program is None:
        if os.environ.get("MLIR_REDUCER_SHELLS") == "required":
            pytest.fail(f"there is no {name}")
        pytest.skip(f"there is no {name}; `make shells` installs it")
    return program


def offered_by_fish(
    script: str, line: str, home: Path, environment: Mapping[str, str]
) -> list[str]:
    """What fish offers at the end of a line after running a script, sorted."""
    done = subprocess.run(
        [find_shell("fish"), "--no-config", "-c", f'{script}\ncomplete --do-complete "$LINE"'],
        env={**environment, "LINE": line, "HOME": str(home)},
        cwd=home,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=True,
    )
    assert done.stderr == ""
    return sorted(found.partition("\t")[0] for found in done.stdout.splitlines())


def offered_by_zsh(script: str, line: str, home: Path, environment: Mapping[str, str]) -> list[str]:
    """The same in zsh, whose line editor needs a terminal."""
    folder = home / ".zsh"
    folder.mkdir(exist_ok=True)
    (folder / ".zshrc").write_text(_ZSHRC)
    (folder / "script").write_text(script)
    (folder / "offered").write_text("")
    controller, terminal = pty.openpty()
    with os.fdopen(controller, "r+b", buffering=0) as keyboard:
        process = subprocess.Popen(
            [find_shell("zsh"), "-d", "-i"],
            env={**environment, "ZDOTDIR": str(folder), "TERM": "dumb"},
            cwd=home,
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            start_new_session=True,
        )
        os.close(terminal)
        try:
            _read_until(keyboard.fileno(), _PROMPT)
            keyboard.write(f"{line}\t\x07".encode())
            _read_until(keyboard.fileno(), None)
            process.wait(_SECONDS)
        finally:
            process.kill()
            process.wait()
    return sorted(set((folder / "offered").read_text().split()))


def _read_until(terminal: int, wanted: bytes | None) -> None:
    """Read the output until it contains these bytes, or to the end."""
    shown = b""
    deadline = time.monotonic() + _SECONDS
    while wanted is None or wanted not in shown:
        left = deadline - time.monotonic()
        assert left > 0, shown
        if select([terminal], [], [], left)[0]:
            try:
                shown += os.read(terminal, 4096)
            except OSError:  # the shell has closed its end
                return
