"""The test of a fix, run by lit with FileCheck: red while the failure occurs, green afterwards."""

from collections.abc import Callable
from pathlib import Path

import pytest

from oracles import Command, CompilerOracle
from oracles.values.compare import MismatchKind
from reducer.bundle.facts import Healthy, ReproCheck
from reducer.bundle.gathering import gather, healthy_output
from reducer.bundle.lit import lit_test
from reducer.bundle.patterns import Pattern
from reducer.bundle.regression import checks, regression_test
from reducer.bundle.run_check import RunCheck
from reducer.toolchain import Toolchain
from tests.support.corpus import CORPUS, load_case
from tests.support.lit import PROGRAM, lit

ERROR = ReproCheck(("iree-compile", "--x", "repro.mlir"), 1, Pattern.of("failed to legalize 'x.y'"))
SAYS = "echo \"repro.mlir:1:1: error: failed to legalize 'x.y'\" >&2; exit 1"


def test_it_passes_once_the_command_succeeds(tmp_path: Path) -> None:
    for check in (ERROR, ReproCheck(ERROR.words, -11)):
        test = regression_test(check, PROGRAM)
        assert test is not None and PROGRAM in test
        assert lit(tmp_path, test, SAYS).returncode == 1
        assert lit(tmp_path, test, "kill -SEGV $$").returncode == 1
        done = lit(tmp_path, test, "exit 0")
        assert done.returncode == 0, done.stdout


def test_a_hang(tmp_path: Path) -> None:
    test = regression_test(ReproCheck(("iree-compile", "repro.mlir"), seconds=1), PROGRAM)
    assert lit(tmp_path, test, "sleep 30").returncode == 1
    assert lit(tmp_path, test, "exit 0").returncode == 0


def test_what_should_not_be_printed(tmp_path: Path) -> None:
    check = ReproCheck(("iree-compile", "repro.mlir"), pattern=Pattern.of("demoting f64"))
    test = regression_test(check, PROGRAM)
    assert lit(tmp_path, test, "echo 'warning: demoting f64' >&2").returncode == 1
    assert lit(tmp_path, test, "exit 0").returncode == 0


def test_directives_in_the_program_are_not_read(tmp_path: Path) -> None:
    test = regression_test(ERROR, f"// RUN: touch %S/owned\n{PROGRAM}")
    assert lit(tmp_path, test, "exit 0").returncode == 0
    assert not list(tmp_path.rglob("owned"))


CALL = ("iree-run-module", "--module=a.vmfb", "--function=f")
EXPECTED = (*CALL, "--expected_output=2xi8=1 2")
COMPILE = ("iree-compile", "repro.mlir", "-o", "a.vmfb")
COMPILES = 'cp "$1" "$3"'


def test_wrong_results(tmp_path: Path) -> None:
    run = RunCheck(EXPECTED, CALL, MismatchKind.VALUES, is_seen=True)
    test = regression_test(ReproCheck(COMPILE, run=run), PROGRAM)
    assert lit(tmp_path, test, COMPILES, "echo '[FAILED] result[0]'; exit 1").returncode == 1
    assert lit(tmp_path, test, COMPILES, "echo '[SUCCESS]'").returncode == 0


def test_wrong_integers_that_the_tool_does_not_see(tmp_path: Path) -> None:
    run = RunCheck(CALL, CALL, MismatchKind.VALUES, expected="result[0]: i8=7\nresult[1]: i8=8\n")
    test = regression_test(ReproCheck(COMPILE, run=run), PROGRAM)
    assert test is not None and "// CHECK: i8=7\n// CHECK: i8=8\n" in test
    assert lit(tmp_path, test, COMPILES, "echo i8=7; echo i8=9").returncode == 1
    assert lit(tmp_path, test, COMPILES, "echo i8=7; echo i8=8").returncode == 0


def test_a_program_that_fails(tmp_path: Path) -> None:
    run = RunCheck(CALL, CALL, status=1, patterns=(Pattern.of("ABORTED"),))
    test = regression_test(ReproCheck(COMPILE, run=run), PROGRAM)
    assert lit(tmp_path, test, COMPILES, "echo ABORTED >&2; exit 1").returncode == 1
    assert lit(tmp_path, test, COMPILES, "exit 0").returncode == 0


PRINTED = """module {
  func.func @f(%arg0: i32) -> i32 {
    %c = arith.constant 1 : i32
    %0 = "x.good"(%c) : (i32) -> i32
    return %0 : i32
  }
  func.func private @g()
}
"""


def test_what_a_healthy_release_prints(tmp_path: Path) -> None:
    check = ReproCheck(("iree-compile", "repro.mlir", "-o", "/dev/null"), 1)
    test = regression_test(check, PROGRAM, Healthy("3.8.0", PRINTED))
    assert test is not None and "// RUN: iree-compile %s | FileCheck %s\n" in test
    (tmp_path / "printed").write_text(PRINTED.replace("%c", "%other"))
    (tmp_path / "wrong").write_text(PRINTED.replace("x.good", "x.bad"))
    printed, wrong = (f"cat {tmp_path / name}" for name in ("printed", "wrong"))
    done = lit(tmp_path, test, printed)
    assert done.returncode == 0, done.stdout
    assert lit(tmp_path, test, wrong).returncode == 1
    assert lit(tmp_path, test, f"{printed}; exit 1").returncode == 1


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
        ReproCheck(COMPILE, run=RunCheck(CALL, CALL, MismatchKind.VALUES, expected="r: f32=1\n")),
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
    """Both tests with real compilers: one is green before the fix, the other one afterwards."""
    text = (CORPUS / "opt" / "iree-203813.mlir").read_text()
    flag = "--linalg-fold-unit-extent-dims"
    broken, works = iree_toolchain("3.13.0").opt, iree_toolchain("3.8.0").opt
    facts = gather(text, oracle(broken, flag))
    healthy = healthy_output("3.8.0", oracle(works, flag), facts)
    assert healthy is not None and healthy_output("3.13.0", oracle(broken, flag), facts) is None
    living = lit_test(facts.check, facts.text, facts.signature.text)
    fixed = regression_test(facts.check, facts.text, healthy)
    assert fixed is not None and "// CHECK-LABEL: func.func" in fixed
    for test, tool, status in (
        (living, broken, 0),
        (living, works, 1),
        (fixed, broken, 1),
        (fixed, works, 0),
    ):
        done = lit(tmp_path, test, f'exec {tool} "$@"', compiler="iree-opt")
        assert done.returncode == status, done.stdout


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
    for tool, status in ((broken, 1), (works, 0)):
        done = lit(tmp_path, fixed, f'exec {tool} "$@"')
        assert done.returncode == status, done.stdout
