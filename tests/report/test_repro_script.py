"""`repro.sh`, run by real shells with compilers that end in every possible way."""

import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from oracles import Level
from oracles.signature.comparison import Landmarks
from reducer.report.facts import ReproCheck
from reducer.report.patterns import CrashTrace, Pattern, crash_trace_of
from reducer.report.repro_script import repro_script, shell_word, variable_of
from tests.support.recorded import RECORDED, recordings

SHELLS = list(
    {
        Path(path).resolve().name: shell
        for shell in ("busybox", "bash", "dash", "sh")
        if (path := shutil.which(shell))
    }.values()
)[::-1]
"""The user's own and all others: a name for each program."""


def in_shells(*rows: tuple[object, ...], every: int) -> list[tuple[object, ...]]:
    """All rows in the first shell, and every so many in each of the others."""
    first, *others = SHELLS
    more = [(shell, *row) for shell in others for row in rows[::every]]
    return [(first, *row) for row in rows] + more


def compiler(folder: Path, body: str, name: str = "iree-compile") -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def run(
    folder: Path, check: ReproCheck, body: str, shell: str = "sh", *arguments: str, **more: str
) -> "subprocess.CompletedProcess[str]":
    """Run the script in a folder that contains only the program."""
    place = folder / "a report with 'quotes'"
    place.mkdir(exist_ok=True)
    (place / "repro.mlir").write_text("func.func @f()\n")
    (place / "repro.sh").write_text(repro_script(check, "kind: message"))
    environment = {"PATH": os.environ["PATH"], "TMPDIR": str(folder), **more}
    if body:
        environment["IREE_COMPILE"] = str(compiler(folder, body))
    words = [shell, "sh"] if shell == "busybox" else [shell]
    return subprocess.run(
        [*words, str(place / "repro.sh"), *arguments],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )


ERROR = ReproCheck(("iree-compile", "--x", "repro.mlir"), 1, Pattern.of("failed to legalize 'a.b'"))
SEGV = ReproCheck(("iree-compile", "repro.mlir"), -11)


@pytest.mark.parametrize(
    ("shell", "check", "body", "status"),
    in_shells(
        (ERROR, "echo \"x.mlir:1:1: error: failed to legalize 'a.b'\" >&2; exit 1", 0),
        (ERROR, "echo \"x.mlir:1:1: error: failed to legalize 'a.c'\" >&2; exit 1", 2),
        (ERROR, "echo \"error: failed to legalize 'a.b'\" >&2; exit 3", 2),
        (ERROR, "exit 0", 1),
        (ERROR, "kill -SEGV $$", 2),
        (SEGV, "kill -SEGV $$", 0),
        (SEGV, "exit 245", 0),
        (SEGV, "exit 139", 0),
        (SEGV, "exit 1", 2),
        (SEGV, "exit 0", 1),
        every=3,
    ),
)
def test_it_distinguishes_same_fixed_and_different(
    shell: str, check: ReproCheck, body: str, status: int, tmp_path: Path
) -> None:
    done = run(tmp_path, check, body, shell)
    assert done.returncode == status, done.stdout + done.stderr
    assert not list(tmp_path.glob("repro.*")), "its folder is gone"


@pytest.mark.parametrize(
    ("shell", "body", "status"),
    in_shells(
        ("echo \"x.mlir:1:1: error: failed to legalize 'a.b'\" >&2; exit 1", 1),
        ("exit 0", 0),
        ("exit 3", 125),
        every=1,
    ),
)
def test_git_bisect_can_run_it(shell: str, body: str, status: int, tmp_path: Path) -> None:
    done = run(tmp_path, ERROR, body, shell, "--bisect")
    assert done.returncode == status, done.stdout + done.stderr


RAW = """\
0  libX.so   0x00007f69{page}5a0ab
1  libX.so   0x00007f69{page}571fe x::y() + 238
2  libX.so   0x00007f69{page}5ac10
3  libc.so.6 0x00007f695ce5a050
4  libX.so   0x00007f69{page}042b8
5  libX.so   0x00007f69{page}6f34b
6  libX.so   0x00007f69{page}98{last}
"""
ELSEWHERE = RAW.format(page="11", last="a80").replace("4b\n", "4b a::h() + 1\n")
ELSEWHERE = ELSEWHERE.replace("2b8\n", "2b8 a::e() + 2\n")
NAMED = (
    " #0 0x00007f6962d5a0ab x::handler() lib/x.cpp:1\n"
    " #1 0x00007f6962d5a0ac a::e() x.cpp:1\n"
    " #2 0x00007f6962d5a0ac {name}(int) x.cpp:2\n"
)
LOGGED = "    @     0x7f6962d5a0ac  a::e()\n    @     0x7f6962d5a0ad       128  {name}()\n"
THREAD_SANITIZER = "    #0 a::e() x.cpp:1 (x+0x1)\n    #1 {name}() x.cpp:2 (x+0x2)\n"
DEBUGGER = "#0  0x0000000000401136 in a::e () at x.cpp:1\n#1  {name} (i=1) at x.cpp:2\n"
GLIBC = "/b/X.so(_ZN1a1eEv+0x1c)[0x7f6962d5a0ac]\n/b/X.so({name}+0x2)[0x7f6962d5b0ac]\n"
JULIA = (
    "signal (11): Segmentation fault\nin expression starting at /a/b.jl:53\n"
    "_ZN1a1eEv at /b/libX.so (unknown line)\n{name} at /b/libX.so (unknown line)\n"
)
WINDOWS = (
    "0x6AA7DDC8, C:\\b\\X.dll(0x000000006A930000) + 0x14DDC8 byte(s), a::e() + 0x8 byte(s)\n"
    "0x6AA7DDC9, C:\\b\\X.dll(0x000000006A930000) + 0x14DDC9 byte(s), {name}() + 0x8 byte(s)\n"
)
LLDB = (
    "  * frame #0: 0x000000010000401b libX.dylib`a::e() + 12\n"
    "    frame #1: 0x000000010000402b libX.dylib`{name}(int) + 12 at x.cpp:2:1 [opt]\n"
)
RUST = "   0: a::e::h0123456789abcdef\n             at /x.rs:1:2\n   1: {name}\n"
VALGRIND = "==1==    at 0x401136: a::e() (x.cpp:1)\n==1==    by 0x401139: {name}(int) (x.cpp:2)\n"
TRAIL = replace(
    SEGV,
    crash_trace=CrashTrace(
        Landmarks("a::h", ("a::f::g", "a::e")),
        tuple(f"libX.so:{digits}" for digits in ("0ab", "1fe", "c10", "2b8", "34b", "a79")),
    ),
)


@pytest.mark.parametrize(
    ("shell", "stack", "status"),
    in_shells(
        (RAW.format(page="11", last="a79"), 0),
        (RAW.format(page="22", last="a79"), 0),  # loaded elsewhere
        (RAW.format(page="11", last="a80"), 2),  # crashes elsewhere
        (RAW.format(page="11", last="a80").replace("1fe", "1ff"), 2),  # another build: who knows
        (ELSEWHERE, 2),  # although the names would do
        (NAMED.format(name="a::h"), 0),
        (NAMED.format(name="a::(anonymous namespace)::h<char>"), 0),
        (NAMED.format(name="a::other"), 2),
        (NAMED.format(name="a::h").replace("a::e", "b::e"), 2),  # nothing else in common
        (NAMED.format(name="x::call<a::h(int)::$_0>"), 0),  # the lambda is inlined
        (NAMED.format(name="mlir::detail::OpToOpPassAdaptor::run()\n #3 0x01 a::h"), 2),
        (LOGGED.format(name="a::h"), 0),
        (LOGGED.format(name="a::other"), 2),
        (THREAD_SANITIZER.format(name="a::h"), 0),
        (THREAD_SANITIZER.format(name="a::other"), 2),
        (DEBUGGER.format(name="a::h"), 0),
        (DEBUGGER.format(name="a::other"), 2),
        (GLIBC.format(name="_ZN1a1hEi"), 0),
        (GLIBC.format(name="_ZN1a12_GLOBAL__N_11hIcEEvi"), 0),
        (GLIBC.format(name="_ZN1a5otherEi"), 2),
        (GLIBC.format(name="_ZN2aa1hEi"), 2),
        (GLIBC.format(name="_ZN1a2hhEi"), 2),
        (JULIA.format(name="_ZN1a1hEi"), 0),
        (JULIA.format(name="a::h(int)"), 0),
        (JULIA.format(name="_ZN1a5otherEi"), 2),
        (WINDOWS.format(name="a::h"), 0),
        (WINDOWS.format(name="a::other"), 2),
        (LLDB.format(name="a::h"), 0),
        (LLDB.format(name="a::other"), 2),
        (RUST.format(name="a::h"), 0),
        (RUST.format(name="a::other"), 2),
        (VALGRIND.format(name="a::h"), 0),
        (VALGRIND.format(name="a::other"), 2),
        ("no stack at all", 2),
        every=5,
    ),
)
def test_a_crash_is_recognized_by_its_stack(
    shell: str, stack: str, status: int, tmp_path: Path
) -> None:
    (tmp_path / "stack").write_text(stack)
    body = f"cat '{tmp_path}/stack' >&2; kill -SEGV $$"
    assert run(tmp_path, TRAIL, body, shell).returncode == status


def test_a_function_without_a_name_is_recognized_by_its_address(tmp_path: Path) -> None:
    """With a symbolizer; the function that calls what ends the program often has no name."""
    places = ["0ab h()", "1fe h()", "c10 h()", "2b8 (libc.so+0x1)", "2b8 (libX.so+0x1)", "34b x()"]
    places += ["{last} (libX.so+0x2)", "aaa main"]
    stack = "".join(f" #{index} 0x00007f6911{at}\n" for index, at in enumerate(places))
    for last, status in (("a79", 0), ("a80", 2)):
        (tmp_path / "stack").write_text(stack.format(last=last))
        body = f"cat '{tmp_path}/stack' >&2; kill -SEGV $$"
        assert run(tmp_path, TRAIL, body, SHELLS[0]).returncode == status


def test_a_crash_in_drivers_alone_is_recognized_with_a_symbolizer_too(tmp_path: Path) -> None:
    """It may have been reported where there was none, and no name in the stack says anything."""
    places = ["0ab h()", "1fe h()", "c10 h()", "2b8 (libc.so+0x1)", "2b8 m::PassManager::a() P.cpp"]
    places += ["34b m::PassManager::b() P.cpp", "{last} m::Adaptor::run() P.cpp", "aaa main"]
    stack = "".join(f" #{index} 0x00007f6911{at}\n" for index, at in enumerate(places))
    check = replace(TRAIL, crash_trace=CrashTrace(digits=TRAIL.crash_trace.digits))
    for last, status in (("a79", 0), ("a80", 2)):
        (tmp_path / "stack").write_text(stack.format(last=last))
        body = f"cat '{tmp_path}/stack' >&2; kill -SEGV $$"
        assert run(tmp_path, check, body, SHELLS[0]).returncode == status


VARYING = replace(TRAIL.crash_trace, counting=(4, 5))
DEEPER = "4  libX.so   0x00007f6911042b8\n"


@pytest.mark.parametrize(
    ("stack", "status"),
    [
        (RAW.format(page="11", last="a79"), 0),
        (RAW.format(page="11", last="a79").replace("042b8", "043c9"), 0),
        (RAW.format(page="11", last="a79").replace(DEEPER, f"{DEEPER}{DEEPER}"), 0),
        (RAW.format(page="11", last="a79").replace("6f34b", "6f34c"), 2),
        (RAW.format(page="11", last="a80"), 2),
    ],
)
def test_what_crashes_inside_the_functions_at_fault_may_vary(
    stack: str, status: int, tmp_path: Path
) -> None:
    (tmp_path / "stack").write_text(stack)
    body = f"cat '{tmp_path}/stack' >&2; kill -SEGV $$"
    check = replace(TRAIL, crash_trace=VARYING)
    assert run(tmp_path, check, body, SHELLS[0]).returncode == status


def test_the_program_is_known_by_any_name_of_its_file(tmp_path: Path) -> None:
    """With a symbolizer, the stack names the file itself and not the link that was called."""
    stack = RAW.format(page="11", last="a79").replace("libX.so", "the-file")
    (tmp_path / "stack").write_text(stack)
    body = f"cat '{tmp_path}/stack' >&2; kill -SEGV $$"
    file = compiler(tmp_path, body).rename(tmp_path / "the-file")
    (tmp_path / "a-link").symlink_to(file)
    digits = tuple(place.replace("libX.so", "program") for place in TRAIL.crash_trace.digits)
    for last, status in (("program:a79", 0), ("program:a80", 2)):
        trace = CrashTrace(digits=(*digits[:5], last), unnamed=True)
        check = replace(TRAIL, crash_trace=trace)
        program = str(tmp_path / "a-link")
        assert run(tmp_path, check, "", IREE_COMPILE=program).returncode == status


RENAMED = CrashTrace(Landmarks("b::foldIndexVecsOf", ("a::e", "a::f")))


@pytest.mark.parametrize(
    ("shell", "inner", "outermost", "status"),
    in_shells(
        ("a::f", "b::foldIndexVecsOf", 0),
        ("a::other", "b::foldIndexVecsOf", 0),
        ("a::f", "b::foldGatherIndexVecsOf", 0),
        ("a::f", "b::foldIndexVecsOf_v2", 0),
        ("a::f", "b::foldVecsOf", 0),
        ("a::other", "b::foldVecsOf", 2),
        ("a::f", "b::unfoldIndexVecsOf", 2),
        ("a::f", "b::folderIndexVecsOf", 2),
        ("a::f", "b::tryFoldIndexVecsOf", 2),
        ("a::f", "b::foldVecs", 2),
        ("a::f", "c::foldVecsOf", 2),
        every=4,
    ),
)
def test_the_outermost_function_may_be_renamed(
    shell: str, inner: str, outermost: str, status: int, tmp_path: Path
) -> None:
    (tmp_path / "stack").write_text(
        NAMED.format(name=inner) + f" #3 0x00007f6962d5a0ac {outermost}(int) x.cpp:3\n"
    )
    body = f"cat '{tmp_path}/stack' >&2; kill -SEGV $$"
    assert run(tmp_path, replace(SEGV, crash_trace=RENAMED), body, shell).returncode == status
    landmarks = RENAMED.landmarks
    assert landmarks is not None
    assert landmarks.met(["a::e", inner, outermost]) == (status == 0)


@pytest.mark.parametrize(
    ("target", "found", "status"),
    [
        ("b::Translator::run", "b::TranslatorImpl::run", 0),
        ("b::TranslatorImpl::run", "b::Translator::run", 0),
        ("b::C::run", "b::C::runImpl", 0),
        ("b::C::runImpl", "b::C::run", 0),
        ("b::CImpl::foldIndexVecsOf", "b::C::foldIndexVecsOf", 0),
        ("b::CImpl::run", "b::C::walk", 2),
        ("b::CImpl::run", "c::C::run", 2),
    ],
)
def test_an_implementation_may_come_or_go(
    target: str, found: str, status: int, tmp_path: Path
) -> None:
    landmarks = Landmarks(target, ("a::e", "a::f"))
    (tmp_path / "stack").write_text(
        NAMED.format(name="a::f") + f" #3 0x00007f6962d5a0ac {found}(int) x.cpp:3\n"
    )
    body = f"cat '{tmp_path}/stack' >&2; kill -SEGV $$"
    check = replace(SEGV, crash_trace=CrashTrace(landmarks))
    assert run(tmp_path, check, body).returncode == status
    assert landmarks.met(["a::e", "a::f", found]) == (status == 0)


def test_the_script_decides_like_the_comparison_of_two_builds(tmp_path: Path) -> None:
    """Every recorded crash whose stack has names, against one of its bug and one of another."""
    crashes = [
        (each, each.signature(Level.NORMAL))
        for each in recordings()
        if each.exit_code < 0 and " #0 0x" in each.stderr
    ]
    known = [(each, signature) for each, signature in crashes if signature.names_functions]
    checked = 0
    for number, (one, target) in enumerate(known):
        check = replace(SEGV, crash_trace=crash_trace_of(one.stderr, target.frames))
        alike = [pair for pair in known if pair[0].group == one.group and pair[0] is not one]
        for other, found in [known[number - 1], *alike[:1]]:
            landmarks = Landmarks.of(target.frames)
            assert landmarks is not None
            expected = 0 if landmarks.met(found.frames) else 2
            body = f"cat '{RECORDED / other.file}' >&2; kill -SEGV $$"
            assert run(tmp_path, check, body).returncode == expected, (one.file, other.file)
            checked += 1
    assert checked > 20


def test_function_names_are_never_executed(tmp_path: Path) -> None:
    crash_trace = CrashTrace(
        Landmarks("a'; touch owned; '", ("$(touch owned)",)), ("`touch owned`/.*:0",) * 6
    )
    (tmp_path / "stack").write_text(NAMED.format(name="a::h"))
    body = f"cat '{tmp_path}/stack' >&2; kill -SEGV $$"
    assert run(tmp_path, replace(SEGV, crash_trace=crash_trace), body).returncode == 2
    assert not list(tmp_path.rglob("owned"))


def test_a_silent_failure(tmp_path: Path) -> None:
    check = ReproCheck(("iree-compile", "repro.mlir"), 1, silent=True)
    assert run(tmp_path, check, "exit 1").returncode == 0
    assert run(tmp_path, check, "echo 'a.mlir:1:1: error: x' >&2; exit 1").returncode == 2
    assert run(tmp_path, check, "exit 0").returncode == 1


def test_a_signal_and_a_message() -> None:
    check = ReproCheck(("iree-compile", "repro.mlir"), -6, Pattern.of("LLVM ERROR: no"))
    assert "134" in repro_script(check, "x") and "250" in repro_script(check, "x")


def test_a_hang(tmp_path: Path) -> None:
    check = ReproCheck(("iree-compile", "repro.mlir"), seconds=1)
    assert run(tmp_path, check, "exec sleep 50").returncode == 0
    assert run(tmp_path, check, "exit 0").returncode == 1
    assert run(tmp_path, check, "exit 1").returncode == 2


def test_memory_that_runs_out(tmp_path: Path) -> None:
    check = ReproCheck(("iree-compile", "repro.mlir"), memory=1 << 10)
    assert run(tmp_path, check, "exec sleep 50").returncode == 0
    assert run(tmp_path, check, "exit 0").returncode == 1


def test_a_self_checking_command(tmp_path: Path) -> None:
    check = ReproCheck(("iree-compile", "repro.mlir"), self_checking=True)
    assert [run(tmp_path, check, f"exit {n}").returncode for n in (0, 1, 4)] == [0, 1, 2]


@pytest.mark.parametrize(
    ("told", "code", "status"),
    [
        ("kind       miscompile\nbucket     c637b0f196f2", 0, 0),
        ("kind       miscompile\nbucket     198b7a46fc1f", 0, 2),
        ("kind       success", 1, 1),
        ("kind       crash\nsignature  crash: SIGSEGV", 1, 2),
        ("", 2, 2),
    ],
)
def test_the_result_of_mlir_reducer_check(
    told: str, code: int, status: int, tmp_path: Path
) -> None:
    """Other wrong results, or a crash of the compiler, are another failure and not a fix."""
    words = ("mlir-reducer", "check", "repro.mlir", "--", "iree-compile")
    check = ReproCheck(words, self_checking=True, bucket="c637b0f196f2")
    ours = compiler(tmp_path, f"echo '{told}'; exit {code}", "mlir-reducer")
    assert run(tmp_path, check, "", MLIR_REDUCER=str(ours)).returncode == status


def test_another_compiler_takes_the_place_of_the_release_that_is_asked_for(tmp_path: Path) -> None:
    words = ("mlir-reducer", "check", "repro.mlir", "--iree", "3.13.0", "--", "iree-compile", "--x")
    check = ReproCheck(words, self_checking=True, bucket="c637b0f196f2")
    asked = '"check repro.mlir -- /"*"/iree-compile --x"'
    said = f'case "$*" in {asked}) echo "bucket  c637b0f196f2"; esac'
    ours = compiler(tmp_path, said, "mlir-reducer")
    assert run(tmp_path, check, "exit 0", MLIR_REDUCER=str(ours)).returncode == 0


def test_a_wild_access_may_end_in_either_signal(tmp_path: Path) -> None:
    for signal in (11, 7):
        check = ReproCheck(("iree-compile", "repro.mlir"), -signal)
        found = [
            run(tmp_path, check, f"kill -{name} $$").returncode for name in ("SEGV", "BUS", "ABRT")
        ]
        assert found == [0, 0, 2]


def test_any_exit_status_will_do_if_only_the_output_counts(tmp_path: Path) -> None:
    check = ReproCheck(("iree-compile", "repro.mlir"), None, Pattern.of("bad ir"))
    assert run(tmp_path, check, "echo bad ir; exit 0").returncode == 0
    assert run(tmp_path, check, "echo good ir; exit 0").returncode == 1


def test_without_a_compiler_it_says_what_to_do(tmp_path: Path) -> None:
    done = run(tmp_path, ERROR, "")
    assert done.returncode == 2
    assert "IREE_COMPILE=" in done.stdout
    done = run(tmp_path, ERROR, "", IREE_COMPILE="/no/such")
    assert done.returncode == 2


def test_a_relative_compiler_is_found_from_another_folder(tmp_path: Path) -> None:
    compiler(tmp_path, "kill -SEGV $$")
    assert run(tmp_path, SEGV, "", IREE_COMPILE="./iree-compile").returncode == 0


@pytest.mark.parametrize(
    "word",
    ["$(touch owned)", "`touch owned`", "a b", "'; touch owned; '", '"', "a\nb", "*", "-n", "~"],
)
def test_no_word_of_the_command_is_run_or_changed(word: str, tmp_path: Path) -> None:
    check = ReproCheck(("iree-compile", f"--x={word}", "repro.mlir"), 7)
    body = 'printf "%s" "$1" > "$TMPDIR/word"; exit 7'
    assert run(tmp_path, check, body).returncode == 0
    assert (tmp_path / "word").read_text() == f"--x={word}"
    assert not list(tmp_path.rglob("owned"))


def test_the_signature_stays_in_its_comment(tmp_path: Path) -> None:
    script = repro_script(SEGV, "x\ntouch owned\r$(touch owned)")
    assert not [line for line in script.splitlines() if line.startswith("touch")]


def test_paths_in_the_home_folder_work_for_any_user(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", "/home/jane")
    assert shell_word("--dir=/home/jane/a b") == "--dir=\"$HOME\"/'a b'"
    assert shell_word("/home/janes/x") == "/home/janes/x"


def test_files_of_the_command_are_copied(tmp_path: Path) -> None:
    (tmp_path / "a report with 'quotes'" / "files").mkdir(parents=True)
    (tmp_path / "a report with 'quotes'" / "files" / "spec").write_text("hello")
    check = ReproCheck(("iree-compile", "--spec=files/spec", "repro.mlir"), 9)
    script = repro_script(check, "x")
    (tmp_path / "a report with 'quotes'" / "repro.sh").write_text(script)
    (tmp_path / "a report with 'quotes'" / "repro.mlir").write_text("x")
    tool = compiler(tmp_path, 'grep -q hello "${1#--spec=}" && exit 9')
    done = subprocess.run(
        ["sh", str(tmp_path / "a report with 'quotes'" / "repro.sh")],
        env={"PATH": os.environ["PATH"], "IREE_COMPILE": str(tool)},
        capture_output=True,
    )
    assert done.returncode == 0


def test_the_name_of_the_variable() -> None:
    assert variable_of("/opt/bin/mlir-opt-19") == "MLIR_OPT_19"
    assert variable_of("ünicode") == "_NICODE"
