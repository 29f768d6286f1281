"""The test of a fix, run by lit with FileCheck: red while the failure occurs, green afterwards."""

from collections.abc import Callable
from pathlib import Path

import pytest

from oracles import Command, CompilerOracle
from oracles.evidence import RunCheck
from reducer.printed_results import VALUES
from reducer.report.facts import Healthy, ReproCheck
from reducer.report.gathering import gather, healthy_output
from reducer.report.lit import checks, regression_test
from reducer.report.patterns import Pattern
from reducer.toolchain import Toolchain
from tests.support.corpus import CORPUS, load_case
from tests.support.lit import PROGRAM, Run, check_lit

WORDS = ("iree-compile", "repro.mlir")
ERROR = ReproCheck(("iree-compile", "--x", "repro.mlir"), 1, Pattern.of("failed to legalize 'x.y'"))
SAYS = "echo \"repro.mlir:1:1: error: failed to legalize 'x.y'\" >&2; exit 1"
CALL = ("iree-run-module", "--module=a.vmfb", "--function=f")
EXPECTED = (*CALL, "--expected_output=2xi8=1 2")
COMPILE = ("iree-compile", "repro.mlir", "-o", "a.vmfb")
COMPILES = 'cp "$1" "$3"'
INTEGERS = "result[0]: i8=7\nresult[1]: i8=8\n"
PRINTED = """module {
  func.func @f(%arg0: i32) -> i32 {
    %c = arith.constant 1 : i32
    %0 = "x.good"(%c) : (i32) -> i32
    return %0 : i32
  }
  func.func private @g()
}
"""


DIRECTIVES = [
    "// RUN: touch %S/owned",
    '"x.y"() {s = "RUN: touch %S/owned"} : () -> ()',
    "// XFAIL: *",
    "// UNSUPPORTED: true",
    "// REQUIRES: no-such-thing",
    "// CHECK: what nobody prints",
    "// CHECK-NOT: failed",
    "// END.",
]
COMMAND_WORDS = ["%s", "%t/x", "a b", "$(touch owned)", "'q'", '"', "a;b", "%%"]
FILES = "for one in $(echo \"$1\" | tr =, '  '); do file=$one; done\n"
FILES += '[ -f "$file" ]'


def test_nothing_in_the_program_or_the_command_is_read_otherwise(tmp_path: Path) -> None:
    """Not by lit, FileCheck or a shell; and files of the report are found from anywhere."""

    def fixed(word: str) -> str | None:
        return regression_test(ReproCheck(("iree-compile", word, "repro.mlir"), 1), PROGRAM)

    runs = {
        line: Run(regression_test(ERROR, f"{line}\n{PROGRAM}"), "exit 0", True)
        for line in DIRECTIVES
    }
    for word in COMMAND_WORDS:
        body = f"printf '%s' \"$1\" > {tmp_path}/{COMMAND_WORDS.index(word)}"
        runs[word] = Run(fixed(f"--x={word}"), body, True)
    for word in ("files/a.mlir", "--x=y=files/a.mlir,files/a.mlir"):
        runs[word] = Run(fixed(word), FILES, True, files=("files/a.mlir",))
    check_lit(tmp_path, runs)
    told = [(tmp_path / str(number)).read_text() for number in range(len(COMMAND_WORDS))]
    assert told == [f"--x={word}" for word in COMMAND_WORDS]


def test_it_passes_once_the_failure_is_gone(tmp_path: Path) -> None:
    error, crash = (regression_test(one, PROGRAM) for one in (ERROR, ReproCheck(ERROR.words, -11)))
    hang = regression_test(ReproCheck(WORDS, seconds=1), PROGRAM)
    printed = regression_test(ReproCheck(WORDS, pattern=Pattern.of("demoting f64")), PROGRAM)
    directive = regression_test(ERROR, f"// RUN: touch %S/owned\n{PROGRAM}")
    seen = RunCheck(EXPECTED, CALL, VALUES, is_seen=True)
    wrong = regression_test(ReproCheck(COMPILE, run=seen), PROGRAM)
    unseen = RunCheck(CALL, CALL, VALUES, expected=INTEGERS)
    integers = regression_test(ReproCheck(COMPILE, run=unseen), PROGRAM)
    aborts = RunCheck(CALL, CALL, status=1, messages=("ABORTED",))
    fails = regression_test(ReproCheck(COMPILE, run=aborts), PROGRAM)
    stops = ReproCheck(("iree-compile", "repro.mlir", "-o", "/dev/null"), 1)
    healthy = regression_test(stops, PROGRAM, Healthy("3.8.0", PRINTED))
    assert error is not None and PROGRAM in error
    assert integers is not None and "// CHECK: i8=7\n// CHECK: i8=8\n" in integers
    assert healthy is not None and "// RUN: iree-compile %s | FileCheck %s\n" in healthy
    (tmp_path / "printed").write_text(PRINTED.replace("%c", "%other"), encoding="utf-8")
    (tmp_path / "wrong").write_text(PRINTED.replace("x.good", "x.bad"), encoding="utf-8")
    check_lit(
        tmp_path,
        {
            "error": Run(error, SAYS, False),
            "error became a crash": Run(error, "kill -SEGV $$", False),
            "error fixed": Run(error, "exit 0", True),
            "crash": Run(crash, "kill -SEGV $$", False),
            "crash became an error": Run(crash, SAYS, False),
            "crash fixed": Run(crash, "exit 0", True),
            "hang": Run(hang, "sleep 30", False),
            "hang fixed": Run(hang, "exit 0", True),
            "warning": Run(printed, "echo 'warning: demoting f64' >&2", False),
            "no warning": Run(printed, "exit 0", True),
            "directives in the program": Run(directive, "exit 0", True),
            "wrong results": Run(wrong, COMPILES, False, "echo '[FAILED] result[0]'; exit 1"),
            "right results": Run(wrong, COMPILES, True, "echo '[SUCCESS]'"),
            "wrong integers": Run(integers, COMPILES, False, "echo i8=7; echo i8=9"),
            "right integers": Run(integers, COMPILES, True, "echo i8=7; echo i8=8"),
            "program fails": Run(fails, COMPILES, False, "echo ABORTED >&2; exit 1"),
            "program no longer fails": Run(fails, COMPILES, True, "exit 0"),
            "printed like a healthy release": Run(healthy, f"cat {tmp_path}/printed", True),
            "printed otherwise": Run(healthy, f"cat {tmp_path}/wrong", False),
            "printed, and failed": Run(healthy, f"cat {tmp_path}/printed; exit 1", False),
        },
    )


def test_checks_of_printed_ir() -> None:
    assert list(checks(PRINTED)) == [
        "CHECK-LABEL: func.func{{.*}}@f",
        "CHECK: x.good",
        "CHECK-LABEL: func.func{{.*}}@g",
    ]
    assert not list(checks("no functions\n")), "nothing to go by"
    assert not list(checks(PRINTED + '    "x.op"() : () -> ()\n' * 100)), "too much to go by"


@pytest.mark.parametrize(
    "check",
    [
        ReproCheck(("mlir-reducer", "repro.mlir"), self_checking=True),
        ReproCheck(("a", "--x=a\nb", "repro.mlir"), 1),
        ReproCheck(("a", "repro.mlir"), memory=1),
        ReproCheck(("a", "repro.mlir"), 0),
        ReproCheck(COMPILE, run=RunCheck(CALL, CALL, VALUES, expected="r: f32=1\n")),
    ],
)
def test_what_lit_cannot_express(check: ReproCheck) -> None:
    assert regression_test(check, PROGRAM) is None


def oracle(tool: Path, *flags: str) -> CompilerOracle:
    return CompilerOracle(Command.parse([tool.name, *flags]), tool)


@pytest.mark.iree
def test_a_pass_that_crashes_in_one_release(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    """With real compilers, it is green once the pass is fixed."""
    text = (CORPUS / "opt" / "iree-203813.mlir").read_text(encoding="utf-8")
    flag = "--linalg-fold-unit-extent-dims"
    broken, works = iree_toolchain("3.13.0").opt, iree_toolchain("3.8.0").opt
    facts = gather(text, oracle(broken, flag))
    healthy = healthy_output("3.8.0", oracle(works, flag), facts)
    assert healthy is not None and healthy_output("3.13.0", oracle(broken, flag), facts) is None
    fixed = regression_test(facts.check, facts.text, healthy)
    assert fixed is not None and "// CHECK-LABEL: func.func" in fixed
    runs = {
        f"{tool} {passes}": Run(test, f'exec {tool} "$@"', passes, compiler="iree-opt")
        for test, tool, passes in (
            (fixed, broken, False),
            (fixed, works, True),
        )
    }
    check_lit(tmp_path, runs)


@pytest.mark.slow
@pytest.mark.iree
def test_a_model_that_one_release_does_not_compile(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    text = load_case("complex-dot2-hip-segv").input_text()
    flags = "--iree-hal-target-device=hip", "--iree-hip-target=gfx942"  # known to both releases
    broken, works = iree_toolchain("3.13.0").compile, iree_toolchain("3.8.0").compile
    facts = gather(text, oracle(broken, *flags))
    assert healthy_output("3.8.0", oracle(works, *flags), facts) is None, "not text"
    fixed = regression_test(facts.check, facts.text)
    fails, passes = (f'exec {tool} "$@"' for tool in (broken, works))
    check_lit(tmp_path, {"3.13.0": Run(fixed, fails, False), "3.8.0": Run(fixed, passes, True)})
