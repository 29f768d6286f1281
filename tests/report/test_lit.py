"""The lit test, run by lit with FileCheck: it passes as long as the failure occurs."""

from pathlib import Path

import pytest

from reducer.miscompile.evidence import RunCheck
from reducer.miscompile.values.compare import MismatchKind
from reducer.report.facts import ReproCheck
from reducer.report.lit import lit_test
from reducer.report.patterns import Pattern
from tests.support.lit import PROGRAM, Run, check_lit

WORDS = ("iree-compile", "repro.mlir")
ERROR = ReproCheck(("iree-compile", "--x", "repro.mlir"), 1, Pattern.of("failed to legalize 'x.y'"))
SAYS = "echo \"repro.mlir:1:1: error: failed to legalize 'x.y'\" >&2; exit 1"
COMPILES = 'cp "$1" "$3"'
CALL = ("iree-run-module", "--module=a.vmfb", "--function=f", "--expected_output=2xi8=1 2")
COMPILE = ("iree-compile", "repro.mlir", "-o", "a.vmfb")
SEEN = RunCheck(CALL, CALL[:-1], MismatchKind.VALUES, is_seen=True)


def test_it_passes_as_long_as_the_failure_occurs(tmp_path: Path) -> None:
    error = lit_test(ERROR, PROGRAM, "legalization: failed")
    silent = lit_test(ReproCheck(WORDS, 1, silent=True), PROGRAM, "silent")
    crash = lit_test(ReproCheck(WORDS, -11), PROGRAM, "crash")
    hang = lit_test(ReproCheck(WORDS, seconds=1), PROGRAM, "timeout")
    wrong = lit_test(ReproCheck(COMPILE, run=SEEN), PROGRAM, "wrong")
    reported = RunCheck(CALL, CALL, status=1, messages=("ABO", "4 is bad"))
    fails = lit_test(ReproCheck(COMPILE, run=reported), PROGRAM, "fails")
    is_wrong = 'grep -q x.y "${1#--module=}" && echo "[FAILED] result[0]"; exit 1'
    says = "echo 'x.c:4: ABORTED; 5 is bad' >&2; exit 1"
    assert error is not None and PROGRAM in error
    check_lit(
        tmp_path,
        {
            "error": Run(error, SAYS, True),
            "error fixed": Run(error, "exit 0", False),
            "another error": Run(error, "echo error: other >&2; exit 1", False),
            "silent": Run(silent, "exit 1", True),
            "no longer silent": Run(silent, SAYS, False),
            "crash": Run(crash, "kill -SEGV $$", True),
            "crash became an error": Run(crash, "exit 1", False),
            "crash fixed": Run(crash, "exit 0", False),
            "hang": Run(hang, "sleep 30", True),
            "hang fixed": Run(hang, "exit 0", False),
            "wrong results": Run(wrong, COMPILES, True, is_wrong),
            "right results": Run(wrong, COMPILES, False, "echo '[SUCCESS]'; exit 0"),
            "no results": Run(wrong, COMPILES, False, "echo 'ABORTED'; exit 1"),
            "nothing to run": Run(wrong, "exit 1", False, is_wrong),
            "program fails": Run(fails, COMPILES, True, says),
            "fails otherwise": Run(fails, COMPILES, False, says.replace("bad", "good")),
            "fails no longer": Run(fails, COMPILES, False, "exit 0"),
        },
    )


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
FILES += '[ -f "$file" ] && echo error: said >&2; exit 1'


def test_nothing_in_the_program_or_the_command_is_read_otherwise(tmp_path: Path) -> None:
    """Not by lit, FileCheck or a shell; and files of the report are found from anywhere."""

    def said(word: str) -> str | None:
        check = ReproCheck(("iree-compile", word, "repro.mlir"), 1, Pattern.of("said"))
        return lit_test(check, PROGRAM, "x")

    runs = {
        line: Run(lit_test(ERROR, f"{line}\n{PROGRAM}", f"failed {line}"), SAYS, True)
        for line in DIRECTIVES
    }
    for word in COMMAND_WORDS:  # lit's internal shell runs `not`
        body = f"printf '%s' \"$1\" > {tmp_path}/{COMMAND_WORDS.index(word)}; echo said >&2; exit 1"
        runs[word] = Run(said(f"--x={word}"), body, True)
    for word in ("files/a.mlir", "--x=y=files/a.mlir,files/a.mlir"):
        runs[word] = Run(said(word), FILES, True, files=("files/a.mlir",))
    check_lit(tmp_path, runs)
    told = [(tmp_path / str(number)).read_text() for number in range(len(COMMAND_WORDS))]
    assert told == [f"--x={word}" for word in COMMAND_WORDS]


@pytest.mark.parametrize(
    "check",
    [
        ReproCheck(("mlir-reducer", "repro.mlir"), self_checking=True),
        ReproCheck(("a", "--x=a\nb", "repro.mlir"), 1),
        ReproCheck(("a", "repro.mlir"), memory=1),
        ReproCheck(COMPILE, run=RunCheck(CALL, CALL[:-1], MismatchKind.VALUES, is_seen=False)),
    ],
)
def test_what_lit_cannot_express(check: ReproCheck) -> None:
    assert lit_test(check, PROGRAM, "x") is None
