import pytest

from reducer.triage.same_program import fingerprint

PROGRAM = """
func.func @main(%arg0: tensor<?xf32>) -> i64 {
  %a = "x.y"(%arg0) {sym = @g, text = "@main %a"} : (tensor<?xf32>) -> i64 // why
  return %a : i64
}
"""


@pytest.mark.parametrize(
    "other",
    [
        PROGRAM.replace("%arg0", "%input"),
        PROGRAM.replace("@main(", "@f("),
        PROGRAM.replace("@g", "@other"),
        PROGRAM.replace(" // why", ""),
        "// iree-compile --flag\n" + PROGRAM.replace("\n  ", "\n      "),
    ],
)
def test_names_comments_and_blanks_do_not_count(other: str) -> None:
    assert fingerprint(other) == fingerprint(PROGRAM)


@pytest.mark.parametrize(
    "other",
    [
        PROGRAM.replace("?", "4"),
        PROGRAM.replace("x.y", "x.z"),
        PROGRAM.replace('"@main %a"', '"@f %b"'),
        PROGRAM.replace("@g", "@main"),
    ],
)
def test_everything_else_does(other: str) -> None:
    assert fingerprint(other) != fingerprint(PROGRAM)
