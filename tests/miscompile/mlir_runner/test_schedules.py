"""Schedules say how to compile a program, not what it means."""

from reducer.miscompile.mlir_runner.reference import has_schedules, without_schedules

PROGRAM = """\
"builtin.module"() ({
  "func.func"() <{function_type = () -> (), sym_name = "f"}> ({
    "func.return"() : () -> ()
  }) : () -> ()
}) {transform.with_named_sequence} : () -> ()
"""
SCHEDULE = """\
  "transform.named_sequence"() <{sym_name = "main", function_type = (!transform.any_op) -> ()}> ({
  ^bb0(%a: !transform.any_op):
    "transform.foreach"(%a) ({
    ^bb0(%b: !transform.any_op):
      "transform.yield"() : () -> ()
    }) : (!transform.any_op) -> ()
    "transform.yield"() : () -> ()
  }) : () -> ()
"""


def test_schedules_are_taken_out() -> None:
    text = PROGRAM.replace("})  {", "}) {").replace("}) {transform", f"{SCHEDULE}}}) {{transform")
    assert has_schedules(text)
    assert without_schedules(text) == PROGRAM


def test_a_program_may_have_none() -> None:
    assert not has_schedules(PROGRAM)
