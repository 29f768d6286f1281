"""Reading back the IR that a compiler prints around its passes."""

from reducer.locate.dumps import read_dumps

MODULE = '"builtin.module"() ({\n  "func.func"() ({\n  }) : () -> ()\n}) : () -> ()\n'


def test_both_styles_of_banner() -> None:
    new = (
        "// -----// IR Dump Before CSEPass: cse ('func.func' operation: @f) //----- //\n"
        f"{MODULE}in.mlir:3:1: error: bad\n"
        "// -----// IR Dump After CSEPass Failed: cse{deep=true} ('func.func' operation: @f)"
        f" //----- //\n{MODULE}\n\n"
    )
    old = (
        "// -----// IR Dump After CSE Failed (cse) ('builtin.module' operation) //----- //\n"
        f"{MODULE}"
    )
    before, failed, without_name = read_dumps(new + old)
    assert (before.failed, before.op, before.symbol) == (False, "func.func", "f")
    assert before.text == failed.text == without_name.text == MODULE
    assert before.step
    assert failed.step
    assert failed.failed
    assert (before.step.text, failed.step.text) == ("cse", "cse{deep=true}")
    assert (without_name.op, without_name.symbol) == ("builtin.module", "")


def test_a_dump_after_a_pass_that_did_not_fail_says_nothing() -> None:
    banner = "// -----// IR Dump After CSEPass: cse ('func.func' operation: @f) //----- //\n"
    assert not list(read_dumps(banner + MODULE))
    assert not list(read_dumps("no dump at all\n"))


def test_resources_belong_to_the_module_and_diagnostics_do_not() -> None:
    banner = "// -----// IR Dump Before CSEPass: cse ('builtin.module' operation) //----- //\n"
    section = '\n{-#\n  dialect_resources: {\n    builtin: {\n      a: "0x00"\n    }\n  }\n#-}\n'
    (dump,) = read_dumps(f"{banner}{MODULE}{section}\nin.mlir:1:1: error: bad\n")
    assert dump.text == MODULE + section
