"""Whatever a child does, it ends in time and leaves nothing behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from oracles.run import orphan_reaper, reaper_client, supervisor
from oracles.run.confinement import Confinement
from oracles.run.limits import LAYOUTS, Cancel
from oracles.run.run_clock import BUSIEST
from oracles.run.run_process import End, Limits, ProcessResult, run_process
from oracles.signature.classify import classify

LONG = 60.0


def python(
    code: str,
    folder: Path,
    limits: Limits | None = None,
    *,
    cancel: threading.Event | None = None,
) -> ProcessResult:
    argv = [sys.executable, "-c", code]
    return run_process(argv, cwd=folder, limits=limits or Limits(LONG), cancel=cancel)


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def pid_in(path: Path) -> int:
    """The process id that a child writes to a file; waits for it."""
    until = time.monotonic() + LONG
    while time.monotonic() < until:
        if path.exists() and (text := path.read_text()).endswith("\n"):
            return int(text)
        time.sleep(0.01)
    raise AssertionError("the child wrote no process id")


def gone(pid: int) -> bool:
    until = time.monotonic() + LONG
    while alive(pid) and time.monotonic() < until:
        time.sleep(0.01)
    return not alive(pid)


def test_output_exit_code_and_costs(tmp_path: Path) -> None:
    result = python("import sys; print('a'); print('b', file=sys.stderr); sys.exit(3)", tmp_path)
    assert (result.end, result.exit_code, result.stdout, result.stderr) == (
        End.EXITED, 3, "a\n", "b\n",
    )  # fmt: skip
    assert result.cpu_seconds > 0
    assert result.seconds > 0
    assert result.peak_memory > 1 << 20


def test_signal_is_a_negative_exit_code(tmp_path: Path) -> None:
    assert python("import os; os.kill(os.getpid(), 11)", tmp_path).exit_code == -11


def test_missing_program(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        run_process([str(tmp_path / "none")], cwd=tmp_path, limits=Limits())


def test_no_input_to_wait_for(tmp_path: Path) -> None:
    assert python("import sys; print(repr(sys.stdin.read()))", tmp_path).stdout == "''\n"


def test_hang_that_ignores_sigterm(tmp_path: Path) -> None:
    words = ["sh", "-c", "trap '' TERM; sleep 600"]
    assert run_process(words, cwd=tmp_path, limits=Limits(0.1)).end is End.TIMEOUT


@pytest.mark.parametrize("action", ["''", "-"])
def test_processor_time_is_bounded_however_long_it_may_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    """Whether or not the program ignores the signal, and if it is a shell's child."""
    monkeypatch.setattr("oracles.run.supervisor._GRACE", 1)
    words = ["sh", "-c", f"trap {action} XCPU; sh -c 'while :; do :; done'; exit $?"]
    result = run_process(words, cwd=tmp_path, limits=Limits(LONG, cpu=0.5))
    assert result.end is End.TIMEOUT
    assert result.cpu_seconds < 20
    if action == "-":
        assert result.exit_code == 128 + signal.SIGXCPU


_WAIT_FOR_LIMITS = """
import resource, time
until = time.monotonic() + 20
while resource.getrlimit(resource.RLIMIT_CPU)[0] < 0 and time.monotonic() < until: time.sleep(0.01)
"""


def test_a_child_that_is_forgotten_runs_out_of_processor_time(tmp_path: Path) -> None:
    code = f"{_WAIT_FOR_LIMITS}print(*resource.getrlimit(resource.RLIMIT_CPU))"
    soft, hard = map(int, python(code, tmp_path, Limits(LONG)).stdout.split())
    longest = LONG * BUSIEST * (os.cpu_count() or 1)  # while we still watch it
    assert longest < soft <= hard  # no limit would be -1


_PLACE = "import ctypes; print(ctypes.cast(ctypes.CDLL(None).puts, ctypes.c_void_p).value)"


@pytest.mark.parametrize("confinement", [None, Confinement()])
def test_addresses_are_the_same_each_time_unless_asked_otherwise(
    tmp_path: Path, confinement: Confinement | None
) -> None:
    if not reaper_client.addresses_can_be_fixed():
        pytest.skip("the system does not allow that")

    def places(limits: Limits) -> set[str]:
        words = [sys.executable, "-c", _PLACE]
        runs = (
            run_process(words, cwd=tmp_path, limits=limits, confinement=confinement)
            for _ in range(3)
        )
        return {run.stdout for run in runs}

    assert len(places(Limits(LONG))) == 1
    assert len(places(Limits(LONG, layout=None))) > 1


_STACK = (
    "import ctypes; print(ctypes.addressof(ctypes.c_char.in_dll(ctypes.CDLL(None), 'environ')))"
)


def test_where_the_stack_begins_depends_on_the_layout_alone(tmp_path: Path) -> None:
    """Not on the words, the variables, or on who else fixes the addresses."""
    if not reaper_client.addresses_can_be_fixed():
        pytest.skip("the system does not allow that")

    def stack(*words: str, layout: int = 0, variables: int = 0, fixed_by: str = "") -> int:
        code = "print(open('/proc/self/stat').read().split()[27])"
        env = {**os.environ, **{f"VARIABLE{n}": "x" * n for n in range(variables)}}
        argv = [*fixed_by.split(), sys.executable, "-c", code, *words]
        limits = Limits(LONG, layout=layout)
        return int(run_process(argv, cwd=tmp_path, limits=limits, env=env).stdout)

    first = stack()
    words = [], ["a"], ["a", "bcd"], ["x" * 1000]
    assert {stack(*some, variables=n) for some in words for n in range(3)} == {first}
    assert stack(fixed_by="setarch -R") == first
    assert (first - stack("x" * 100_000)) % 4096 == 0
    assert [first - stack(layout=layout) for layout in range(LAYOUTS)] == [0, 16, 32, 48]


@pytest.mark.parametrize(("answer", "can"), [(0, True), (-1, False)])
def test_where_the_system_refuses_fixed_addresses_nothing_is_claimed(
    monkeypatch: pytest.MonkeyPatch, answer: int, can: bool
) -> None:
    asked = []

    class Libc:
        def personality(self, flags: int) -> int:
            asked.append(flags)
            return answer

    reaper_client.addresses_can_be_fixed.cache_clear()
    monkeypatch.setattr(orphan_reaper.ctypes, "CDLL", lambda name: Libc())
    assert reaper_client.addresses_can_be_fixed() is can
    reaper_client.addresses_can_be_fixed.cache_clear()
    assert asked == [0xFFFFFFFF, 0x0040000, 0]


def test_a_stricter_limit_of_the_user_stays_and_the_others_apply(tmp_path: Path) -> None:
    child = (
        f"{_WAIT_FOR_LIMITS}print(*resource.getrlimit(resource.RLIMIT_FSIZE),"
        "*resource.getrlimit(resource.RLIMIT_CPU), resource.getrlimit(resource.RLIMIT_CORE)[1])"
    )
    code = f"""
import resource, sys
from pathlib import Path
from oracles.run.run_process import Limits, run_process
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
argv = [sys.executable, "-c", {child!r}]
print(run_process(argv, cwd=Path(), limits=Limits({LONG}, disk=8 << 20)).stdout)
"""
    words = [sys.executable, "-c", code]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, timeout=LONG, check=True)
    *files, soft, hard, core = map(int, done.stdout.split())
    assert files == [1 << 20, 1 << 20]
    assert 0 < soft <= hard
    assert core == 0


def test_flood_on_both_streams_is_bounded(tmp_path: Path) -> None:
    code = (
        "import os\n"
        "os.write(1, b'start')\n"
        "for _ in range(64): os.write(1, b'x' * 65536); os.write(2, b'y' * 65536)\n"
        "os.write(1, b'end')"
    )
    result = python(code, tmp_path, Limits(LONG, output=1000))
    assert result.end is End.EXITED
    assert len(result.stdout) < 1100 > len(result.stderr)
    assert result.stdout.startswith("start") and result.stdout.endswith("end")
    assert "bytes left out" in result.stdout


def test_endless_flood_meets_the_time_limit(tmp_path: Path) -> None:
    result = python("import os\nwhile True: os.write(2, b'y' * 65536)", tmp_path, Limits(0.2))
    assert result.end is End.TIMEOUT


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_memory_eater(tmp_path: Path) -> None:
    code = "import time\nkept = []\nwhile True: kept.append(bytearray(1 << 22)); time.sleep(0.002)"
    result = python(code, tmp_path, Limits(LONG, memory=128 << 20))
    assert result.end is End.MEMORY
    assert result.peak_memory > 64 << 20


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_memory_of_descendants_counts(tmp_path: Path) -> None:
    eater = "import time; kept = bytearray(200 << 20); time.sleep(600)"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {eater!r}])"
    assert python(code, tmp_path, Limits(LONG, memory=128 << 20)).end is End.MEMORY


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs /proc")
def test_memory_that_processes_share_counts_once(tmp_path: Path) -> None:
    code = (
        "import os, time\nkept = bytearray(80 << 20)\n"
        "children = [os.fork() for _ in range(3)]\ntime.sleep(0.5)"
    )
    assert python(code, tmp_path, Limits(LONG, memory=200 << 20)).end is End.EXITED
    code = code.replace("time.sleep(0.5)", "kept[:] = b'x' * len(kept); time.sleep(60)")
    assert python(code, tmp_path, Limits(LONG, memory=200 << 20)).end is End.MEMORY


def test_a_pause_of_this_process_is_no_timeout(tmp_path: Path) -> None:
    """As by Ctrl-Z, while the program goes on, and while it hangs."""
    user = (
        "import os, sys\nfrom pathlib import Path\nfrom oracles import Limits, run_process\n"
        "script = f'kill -STOP {os.getpid()}; sleep 1.5; touch late; {sys.argv[1]}'\n"
        "run = run_process(['sh', '-c', script], cwd=Path(), limits=Limits(0.7))\n"
        "print(run.end, run.exit_code, run.seconds < 1.5)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    for then, said in (("exit 3", "exited 3 True\n"), ("sleep 60", "timeout -9 True\n")):
        words = [sys.executable, "-c", user, then]
        with subprocess.Popen(
            words, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True
        ) as process:
            until = time.monotonic() + LONG
            while not (tmp_path / "late").exists() and time.monotonic() < until:
                time.sleep(0.01)
            time.sleep(0.1)
            process.send_signal(signal.SIGCONT)
            assert process.communicate(timeout=LONG)[0] == said
        (tmp_path / "late").unlink()


@pytest.mark.parametrize("late", [0.0, 0.3], ids=["", "confined late"])
def test_file_on_disk_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, late: float
) -> None:
    confine = supervisor._Watch.confine

    def confine_late(watch: supervisor._Watch) -> None:  # as on a busy machine
        time.sleep(late)
        confine(watch)

    monkeypatch.setattr(supervisor._Watch, "confine", confine_late)
    code = "import os\nwith open('big', 'wb') as f:\n  while True: f.write(b'x' * 65536); f.flush()"
    result = python(code, tmp_path, Limits(LONG, disk=1 << 20))
    assert result.exit_code != 0
    assert (tmp_path / "big").stat().st_size <= 1 << 20


def test_grandchild_in_the_group_dies_with_a_normal_end(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys\n"
        "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "open('pid', 'w').write(f'{p.pid}\\n')"
    )
    assert python(code, tmp_path).end is End.EXITED
    assert gone(pid_in(tmp_path / "pid"))


HIDES = {
    "in a session of its own": "os.setsid()",
    "without an environment": "os.setsid(); clear = True",
    "as a daemon": "os.setsid(); os._exit(0) if os.fork() else None; os.setsid(); clear = True",
    "after its parent": "os.setpgid(0, 0); os._exit(0) if os.fork() else None",
}


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
@pytest.mark.parametrize(
    ("hides", "ends"),
    [
        *((how, "time.sleep(600)") for how in HIDES),
        ("as a daemon", "os._exit(3)"),
        ("without an environment", "os.kill(os.getppid(), 9)"),
    ],
)
def test_no_stray_survives(tmp_path: Path, hides: str, ends: str) -> None:
    """Whatever it does to hide, and however the run ends, if it kills its parent."""
    code = f"""
import os, sys, time
clear = False
if os.fork() == 0:
    {HIDES[hides]}
    words = ["sh", "-c", "echo $$ > pid.new; mv pid.new pid; exec sleep 600 > /dev/null 2>&1"]
    os.execvpe("sh", words, {{"PATH": "/bin"}} if clear else os.environ)
while not os.path.exists("pid"): time.sleep(0.01)
{ends}
"""
    cancel = threading.Event()
    thread = threading.Thread(target=lambda: python(code, tmp_path, cancel=cancel))
    thread.start()
    pid = pid_in(tmp_path / "pid")
    cancel.set()
    thread.join(LONG)
    assert gone(pid)


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
def test_children_of_an_oracle_inside_die_too(tmp_path: Path) -> None:
    """A script may run a reducer itself, whose compilers are in sessions of their own."""
    inner = "import os, time; open('pid', 'w').write(f'{os.getpid()}\\n'); time.sleep(600)"
    code = (
        "import sys\nfrom pathlib import Path\n"
        f"sys.path.insert(0, {str(Path(__file__).parents[2])!r})\n"
        "from oracles import Limits, run_process\n"
        f"run_process([sys.executable, '-c', {inner!r}], cwd=Path('.'), limits=Limits())"
    )
    cancel = threading.Event()
    thread = threading.Thread(target=lambda: python(code, tmp_path, cancel=cancel))
    thread.start()
    pid = pid_in(tmp_path / "pid")
    cancel.set()
    thread.join(LONG)
    assert gone(pid)


def test_fork_bomb(tmp_path: Path) -> None:
    """Every process of the bomb starts two more, to a depth that keeps the machine usable."""
    (tmp_path / "bomb").write_text(
        "touch pid-$$; [ $1 = 0 ] || for n in 1 2; do sh bomb $(($1 - 1)) & done; sleep 600\n"
    )
    words = ["sh", "bomb", "3"]
    assert run_process(words, cwd=tmp_path, limits=Limits(0.5)).end is End.TIMEOUT
    pids = [int(path.name.removeprefix("pid-")) for path in tmp_path.glob("pid-*")]
    assert len(pids) > 1
    assert all(gone(pid) for pid in pids)


@pytest.mark.parametrize("event", [threading.Event, Cancel])
def test_cancel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, event: type[threading.Event]
) -> None:
    """It takes no look at the memory to notice that."""
    look = "oracles.run.supervisor._until_next_look"
    monkeypatch.setattr(look, lambda used, limit, age: 10 * LONG)
    cancel = event()
    words = ["sh", "-c", "echo $$ > pid; sleep 600"]
    results: list[ProcessResult] = []

    def run() -> None:
        results.append(run_process(words, cwd=tmp_path, limits=Limits(LONG), cancel=cancel))

    thread = threading.Thread(target=run)
    thread.start()
    pid = pid_in(tmp_path / "pid")
    cancel.set()
    thread.join(LONG)
    assert results[0].end is End.CANCELLED
    assert gone(pid)


@pytest.mark.parametrize("event", [threading.Event, Cancel])
def test_cancelled_before_it_starts(tmp_path: Path, event: type[threading.Event]) -> None:
    cancel = event()
    cancel.set()
    assert python("import time; time.sleep(600)", tmp_path, cancel=cancel).end is End.CANCELLED


def test_many_at_once(tmp_path: Path) -> None:
    codes = list(range(4))
    results: dict[int, int] = {}

    def one(code: int) -> None:
        words = ["sh", "-c", f"exit {code}"]
        results[code] = run_process(words, cwd=tmp_path, limits=Limits(LONG)).exit_code

    threads = [threading.Thread(target=one, args=(code,)) for code in codes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG)
    assert results == {code: code for code in codes}


def test_idle_keepers_that_were_killed_are_missed_by_nobody(tmp_path: Path) -> None:
    test_many_at_once(tmp_path)
    for keeper in reaper_client._idle:
        os.kill(keeper.pid, signal.SIGKILL)
    assert python("import sys; sys.exit(7)", tmp_path).exit_code == 7


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_descriptors_do_not_leak(tmp_path: Path) -> None:
    before = sorted(Path("/proc/self/fd").iterdir())
    for _ in range(3):
        run_process(["true"], cwd=tmp_path, limits=Limits(LONG))
    assert sorted(Path("/proc/self/fd").iterdir()) == before


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
@pytest.mark.parametrize("session", [False, True])
def test_no_child_outlives_a_killed_process(tmp_path: Path, session: bool) -> None:
    """A user of the library cannot clean up after SIGKILL; grandchildren count too."""
    sleeper = "import os, time; open('pid', 'w').write(f'{os.getpid()}\\n'); time.sleep(600)"
    starter = (
        "import subprocess, sys\n"
        f"subprocess.run([sys.executable, '-c', {sleeper!r}], start_new_session={session})"
    )
    user = (
        "import sys\nfrom pathlib import Path\nfrom oracles import Limits, run_process\n"
        f"run_process([sys.executable, '-c', {starter!r}], cwd=Path('.'), limits=Limits())"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen([sys.executable, "-c", user], cwd=tmp_path, env=environment) as process:
        pid = pid_in(tmp_path / "pid")
        process.kill()
    assert gone(pid)


def test_colors_and_line_ends_are_not_part_of_the_text(tmp_path: Path) -> None:
    """Otherwise every colored error is the last escape code."""
    text = (
        r"\x1b[1ma.mlir:1:1: \x1b[0;31merror: \x1b[0mno\r\n\x1b]8;;http://x\x07link\x1b]8;;\x07\n"
    )
    result = python(f"import sys; sys.stderr.buffer.write(b'{text}')", tmp_path)
    assert result.stderr == "a.mlir:1:1: error: no\nlink\n"


def test_a_signal_in_python_shows_where(tmp_path: Path) -> None:
    """A crash in a library that a tool in Python uses has no other name."""
    (tmp_path / "toy.py").write_text("import ctypes\ndef lower(): ctypes.string_at(0)\nlower()\n")
    result = run_process([sys.executable, "toy.py"], cwd=tmp_path, limits=Limits(LONG))
    assert result.exit_code == -signal.SIGSEGV
    assert classify(result).frames[-1] == "toy.lower"


@pytest.mark.skipif(not Path("/proc/self/oom_score_adj").exists(), reason="needs /proc")
def test_the_kernel_is_told_to_end_the_child_first(tmp_path: Path) -> None:
    code = (
        "import time\nwhile (score := open('/proc/self/oom_score_adj').read()) != '1000\\n':\n"
        "    time.sleep(0.01)\nprint(score)"
    )
    assert python(code, tmp_path).stdout.strip() == "1000"
