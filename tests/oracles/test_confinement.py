"""A program that runs because of a file reaches its own folder, its libraries, and nothing else."""

import os
import shutil
import socket
import sys
import threading
from pathlib import Path

import pytest

from oracles.run.confinement import (
    Confinement,
    confine,
    confinement_ends,
    current_confinement,
    landlock,
)
from oracles.run.limits import End, Limits, ProcessResult
from oracles.run.run_process import run_process
from reducer.cluster.job import job_of, run_job

pytestmark = pytest.mark.live
HOLDS = pytest.mark.skipif(not landlock(), reason="the kernel has no Landlock")

ATTACKS = {
    "overwrite": "open(theirs, 'w').write('evil')",
    "append": "open(theirs, 'a').write('evil')",
    "truncate": "os.truncate(theirs, 0)",
    "delete": "os.remove(theirs)",
    "rename away": "os.rename(theirs, theirs + '.gone')",
    "rename over": "open('own', 'w').close(); os.rename('own', theirs)",
    "link over": "os.remove(theirs); os.symlink('own', theirs)",
    "create": "open(place + '/new', 'w').close()",
    "make a folder": "os.mkdir(place + '/new')",
    "read a file": "print(open(theirs).read())",
    "list a folder": "print(os.listdir(place) and 'mine')",
    "read through a link": "os.symlink(theirs, 'link'); print(open('link').read())",
    "run a shell": "os.execv('/bin/sh', ['sh', '-c', 'echo mine'])",
    "run by system": "assert os.system('echo mine') == 0",
    "run what it wrote": (
        "open('own', 'w').write('#!/bin/sh\\necho mine'); os.chmod('own', 0o755); "
        "os.execv('./own', ['own'])"
    ),
    "connect": "socket.create_connection(('127.0.0.1', port)); print('mine')",
    "connect to a file": (
        "s = socket.socket(socket.AF_UNIX); s.connect(place + '/../bus'); print('mine')"
    ),
    "send a datagram": (
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'', ('127.0.0.1', port)); "
        "print('mine')"
    ),
    "send from a pair": "socket.socketpair(); print('mine')",
    "ask a ring": (
        "import ctypes; assert ctypes.CDLL(None).syscall(425, 1, bytes(200)) >= 0; print('mine')"
    ),
    "read the environment": "print(os.environ['SECRET_TOKEN'])",
    "read what begins like that of a tool": "print(os.environ['LDAP_PASSWORD'])",
    "read another one": "print(os.environ['PYTHON_TOKEN'])",
    "read that of its parent": ("print(open(f'/proc/{os.getppid()}/environ').read() and 'mine')"),
    "signal its parent": "os.kill(os.getppid(), 0); print('mine')",
}


def run(
    words: list[str], folder: Path, how: Confinement | None = None, **limits: float
) -> ProcessResult:
    return run_process(words, cwd=folder, limits=Limits(60.0, **limits), confinement=how)  # type: ignore[arg-type]


@pytest.fixture
def port() -> "pytest.FixtureRequest":
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]  # type: ignore[misc]


@HOLDS
@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_works_free_and_not_confined(
    attack: str, port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SECRET_TOKEN", "LDAP_PASSWORD", "PYTHON_TOKEN"):
        monkeypatch.setenv(name, "mine")
    begin = f"import os, socket; port = {port}; place = '{tmp_path}/theirs'; theirs = place + '/a'"
    for how in (Confinement(), None):
        shutil.rmtree(tmp_path, ignore_errors=True)
        theirs, own = tmp_path / "theirs", tmp_path / "own"
        theirs.mkdir(parents=True)
        own.mkdir()
        (theirs / "a").write_text("mine")
        with socket.socket(socket.AF_UNIX) as bus:
            bus.bind(f"{tmp_path}/bus")
            bus.listen()
            result = run([sys.executable, "-c", f"{begin}; {ATTACKS[attack]}"], own, how)
        left = {path.name: path.is_file() and path.read_text() for path in theirs.iterdir()}
        worked = "mine" in result.stdout or left != {"a": "mine"}
        assert worked == (how is None), (result, left)
        assert (result.exit_code == 0) == (how is None), result


@HOLDS
def test_what_a_run_needs_is_there(tmp_path: Path) -> None:
    (tmp_path / "script.sh").write_text(
        "set -e; own=$(mktemp); printf 'b\\na\\n' > $own; sort < $own | head -n 1; rm $own; "
        f"sed -n 1p given; echo lost > /dev/null; {sys.executable} -c 'print(1)'"
    )
    (tmp_path / "given").write_text("c\n")
    result = run(["sh", "script.sh"], tmp_path, Confinement((sys.executable,)))
    assert (result.stdout, result.exit_code) == ("a\nc\n1\n", 0), result.stderr
    interpreter = [sys.executable, "-m", "reducer.miscompile.interpreter", "--help"]
    assert run(interpreter, tmp_path, Confinement()).exit_code == 0
    fixed = run(["setarch", "-R", sys.executable, "-c", ""], tmp_path, Confinement())
    assert fixed.exit_code == 0, fixed.stderr


@HOLDS
def test_a_script_starts_what_was_agreed_to_only(tmp_path: Path) -> None:
    for name in ("tool", "other"):
        shutil.copy(shutil.which("true") or "", tmp_path / name)
    folder = tmp_path / "run"
    folder.mkdir()
    how = Confinement((str(tmp_path / "tool"),))
    assert run(["sh", "-c", f"{tmp_path}/tool && echo ran"], folder, how).stdout == "ran\n"
    assert run(["sh", "-c", f"{tmp_path}/other && echo ran"], folder, how).stdout == ""


@HOLDS
@pytest.mark.parametrize("place", ["", "tools", "bin", ".local/bin"])
def test_what_is_near_a_tool_is_no_library(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / ".netrc"))
    tool, own = tmp_path / place / "tool", tmp_path / "own"
    secrets = [tmp_path / name for name in (".netrc", ".ssh/id", "tools/a", ".local/share/a")]
    for path in (tool, own / "a", *secrets):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("secret")
    shutil.copy(shutil.which("cat") or "", tool)
    assert run([str(tool), "a"], own, Confinement()).stdout == "secret"
    for secret in secrets[1:]:
        assert run([str(tool), str(secret)], own, Confinement()).stdout == "", secret
        assert run([str(tool), str(secret)], own).stdout == "secret"
    hidden = f"--x={tmp_path}/own/../.ssh/id"
    how = Confinement(place=str(tmp_path))
    assert run([str(tool), hidden, str(secrets[1])], own, how).stdout == ""


@HOLDS
@pytest.mark.parametrize(
    "script",
    [
        '#!/bin/sh\nexec HERE/build/bin/tool "$@"',
        '#!/usr/bin/env bash\nexec "$HOME/build/bin/tool" "$@"',
        '#!/bin/sh\nexec "$(dirname "$0")/../build/bin/tool" "$@"',
        '#!/bin/sh\nexec tool-on-path "$@"',
        "#!PYTHON\nimport os, sys\nos.execv('HERE/build/bin/tool', sys.argv)",
    ],
)
def test_a_tool_that_is_a_script_starts_what_it_names(
    script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{tmp_path}/build/bin:{os.environ['PATH']}")
    wrapper, own = tmp_path / "bin" / "wrapper", tmp_path / "own"
    for folder in (wrapper.parent, own, tmp_path / "build" / "bin"):
        folder.mkdir(parents=True)
    for name in ("tool", "tool-on-path", "other"):
        shutil.copy(shutil.which("echo") or "", tmp_path / "build" / "bin" / name)
    text = script.replace("HERE", str(tmp_path)).replace("PYTHON", sys.executable)
    wrapper.write_text(text + "\n")
    wrapper.chmod(0o755)
    result = run([str(wrapper), "ran"], own, Confinement())
    assert result.stdout == "ran\n", result
    wrapper.write_text(text.replace("tool", "$(echo oth)er") + "\n")
    assert "ran" not in run([str(wrapper), "ran"], own, Confinement()).stdout


@HOLDS
def test_a_program_with_a_sanitizer_sees_how_its_memory_is_laid_out(tmp_path: Path) -> None:
    plain, sanitized = tmp_path / "plain", tmp_path / "sanitized"
    shutil.copy(shutil.which("cat") or "", plain)
    sanitized.write_bytes(plain.read_bytes() + b"__asan_init")
    sanitized.chmod(0o755)
    read = [
        run([str(one), "/proc/self/maps"], tmp_path, Confinement()) for one in (plain, sanitized)
    ]
    assert [one.exit_code for one in read] == [1, 0]


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    for name in ("no-such-program", str(tmp_path / "none")):
        with pytest.raises(FileNotFoundError):
            run([name], tmp_path, Confinement())
    assert run(["true"], tmp_path, Confinement()).exit_code == 0  # the keeper goes on


@HOLDS
def test_what_it_leaves_behind_is_killed(tmp_path: Path) -> None:
    code = "import os, time; os.fork() or (os.setsid(), time.sleep(600)); print('x', flush=True)"
    result = run([sys.executable, "-c", code], tmp_path, Confinement())
    assert result.end is End.EXITED
    hanging = run_process(
        ["sleep", "600"], cwd=tmp_path, limits=Limits(0.2), confinement=Confinement()
    )
    assert hanging.end is End.TIMEOUT


@HOLDS
def test_a_confinement_holds_in_every_thread_until_it_ends(tmp_path: Path) -> None:
    def reads() -> bool:
        return run(["cat", "/etc/passwd"], tmp_path).exit_code == 0

    answers: list[bool] = []
    with confinement_ends():
        confine(Confinement())
        thread = threading.Thread(target=lambda: answers.append(reads()))
        thread.start()
        thread.join()
        with confinement_ends():
            confine(Confinement(files=("/etc/passwd",)))
            assert reads()
        assert not reads()
    assert answers == [False]
    assert current_confinement() is None and reads()


def test_a_job_of_a_cluster_is_confined_where_it_was_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with confinement_ends():
        confine(Confinement())
        job = job_of(["cat", "/etc/passwd"], tmp_path, Limits(60.0))
    assert not job_of(["true"], tmp_path, Limits(60.0)).is_confined
    if landlock():
        assert run_job(job, "a").exit_code != 0
    monkeypatch.setattr("reducer.cluster.job.landlock", lambda: 0)
    with pytest.raises(OSError, match="no Landlock"):
        run_job(job, "b")
