"""The verdicts, with a compiler and a runtime that do as the module says."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from oracles import Kind, Limits, Signature
from reducer.miscompile.oracle import Comparison, CompilerConfig, Poisoned, ValuesOracle
from tests.support.comparing import HEAD, WRONG, Lab

pytestmark = pytest.mark.usefixtures("few_inputs")


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def test_wrong_results(lab: Lab) -> None:
    outcome = lab.oracle(WRONG).run(WRONG)
    assert outcome.kind is Kind.DISAGREEMENT
    assert outcome.signature.text == "disagreement: wrong values"
    assert "element 1: 2, reference gives 3" in outcome.stderr
    assert outcome.cpu_seconds >= 0 and outcome.seconds > 0


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("reference: 2xi32=1 GARBAGE", "from run to run"),
        ("reference: fails", "reference fails: exit code 1 (on"),
        ("nobody: 2xi32=1 3", "reference does not compile it"),
        (
            "candidate: 2xi32=1 GARBAGE\nreference: 2xi32=1 170\nwitness: 2xi32=1 170",
            "only in some runs",
        ),
    ],
)
def test_nothing_can_be_judged(lab: Lab, line: str, told: str) -> None:
    replaced = {one.partition(":")[0].replace("nobody", "reference") for one in line.splitlines()}
    kept = [one for one in WRONG.splitlines() if one.partition(":")[0] not in replaced]
    text = "\n".join([*kept, line, ""])
    oracle = lab.oracle(text)
    outcome = oracle.run(text)
    assert outcome.kind is Kind.UNDECIDED and not oracle.wants(outcome)
    assert outcome.stderr.count(told) == 1


def test_the_oracle_tells_which_result_is_wrong(lab: Lab) -> None:
    fails = WRONG.replace("candidate: 2xi32=1 2", "candidate: fails")
    right = WRONG.replace("candidate: 2xi32=1 2", "candidate: 2xi32=1 3")
    told = [lab.oracle(text).wrong_result() for text in (WRONG, fails, right)]
    assert told == [("f", 0), None, None]


def test_right_results(lab: Lab) -> None:
    text = WRONG.replace("candidate: 2xi32=1 2", "candidate: 2xi32=1 3")
    outcome = lab.oracle(text).run(text)
    assert outcome.kind is Kind.SUCCESS
    assert outcome.remarks == (
        "only compared with reference: a defect that both share would not be seen",
    )


def test_a_program_that_fails_to_run(lab: Lab) -> None:
    text = WRONG.replace("candidate: 2xi32=1 2", "candidate: fails")
    oracle = lab.oracle(text)
    outcome = oracle.run(text)
    assert outcome.signature == Signature(Kind.RUN_FAILURE, "exit code 1")
    assert oracle.wants(outcome) and outcome.exit_code == 1
    also = text.replace("reference: 2xi32=1 3", "reference: fails")
    assert oracle.run(also).kind is Kind.UNDECIDED, "nobody says that it should run"


def test_a_program_that_does_not_end(lab: Lab) -> None:
    oracle = lab.oracle(WRONG)
    oracle.comparison.candidate.run_module.write_text("#!/bin/sh\nexec sleep 30\n")
    impatient = ValuesOracle(oracle.comparison, WRONG, limits=Limits(1))
    outcome = impatient.run(WRONG)
    assert outcome.signature == Signature(Kind.RUN_FAILURE, "the program does not end")
    assert "within 1 s" in outcome.stderr
    slow = ValuesOracle(oracle.comparison, WRONG).run(WRONG, limits=Limits(1))
    assert slow.kind is Kind.TIMEOUT, "it may only be slow"


def test_a_program_for_a_device_that_is_not_here_is_not_wrong(lab: Lab) -> None:
    oracle = lab.oracle(WRONG)
    oracle.comparison.candidate.run_module.write_text(
        "#!/bin/sh\necho 'driver_registry.c:200: UNAVAILABLE; no such driver' >&2\nexit 1\n"
    )
    outcome = oracle.run(WRONG)
    assert outcome.kind is Kind.UNDECIDED
    assert "cannot run on --device=local-sync on this machine (UNAVAILABLE)" in outcome.stderr


def test_a_compiler_that_fails_is_another_failure(lab: Lab) -> None:
    text = WRONG.replace("candidate:", "nobody:")
    oracle = lab.oracle(WRONG)
    assert oracle.run(WRONG).kind is Kind.DISAGREEMENT
    outcome = oracle.run(text)
    assert outcome.kind is Kind.OTHER_ERROR and not oracle.wants(outcome)


def test_a_witness_that_agreed_on_the_input_must_go_on_agreeing(lab: Lab) -> None:
    undefined = WRONG.replace("witness: 2xi32=1 3", "witness: 2xi32=1 4")
    silent = WRONG.replace("witness:", "nobody:")
    oracle = lab.oracle(WRONG)
    assert oracle.run(undefined).kind is Kind.UNDECIDED
    assert "witness gives different results" in oracle.run(undefined).stderr
    assert oracle.run(silent).kind is Kind.UNDECIDED
    assert lab.oracle(undefined).run(undefined).kind is Kind.DISAGREEMENT  # it never agreed


def test_references_that_do_not_agree_settle_nothing(lab: Lab) -> None:
    text = WRONG.replace("witness: 2xi32=1 3", "witness: 2xi32=1 4")
    outcome = lab.oracle(text, required=True).run(text)
    assert outcome.kind is Kind.UNDECIDED
    assert "the references disagree" in outcome.stderr


def test_uninitialised_memory_is_no_defect(lab: Lab) -> None:
    """The module with filled tensors gives another result, since its text differs."""
    text = WRONG + '  %0 = "tensor.empty"() : () -> tensor<2xi32>\n'
    side = lab.side("reference")
    side.run_module.write_text(
        "#!/bin/sh\nprogram=${1#--module=}\necho 'result[0]: hal.buffer_view'\n"
        'grep -q linalg.fill "$program" && echo 2xi32=5 5 || echo 2xi32=1 3\n'
    )
    comparison = Comparison(lab.side("candidate"), side, witnesses=(Poisoned(side),))
    outcome = ValuesOracle(comparison, text).run(text)
    assert outcome.kind is Kind.UNDECIDED
    assert "uninitialized" in outcome.stderr


def test_only_the_named_function_is_called(lab: Lab) -> None:
    comparison = replace(lab.oracle(WRONG).comparison, function="g")
    outcome = ValuesOracle(comparison, WRONG).run(WRONG)
    assert outcome.kind is Kind.UNDECIDED
    assert "no such function: g" in outcome.stderr


def test_what_is_settled_on_the_input_does_not_depend_on_what_runs_first(lab: Lab) -> None:
    other = WRONG.replace("witness: 2xi32=1 3", "witness: 2xi32=1 4")
    oracle = lab.oracle(WRONG)
    assert oracle.run(other).kind is Kind.UNDECIDED
    assert oracle.run(WRONG).kind is Kind.DISAGREEMENT


def test_confirm_knows_nothing_beforehand(lab: Lab) -> None:
    oracle = lab.oracle(HEAD)
    assert oracle.run(WRONG).kind is Kind.UNDECIDED  # the input showed nothing to look for
    assert oracle.confirm(WRONG, "x.mlir", limits=oracle.limits).kind is Kind.DISAGREEMENT


def test_a_module_that_is_only_right_for_one_size_is_not_wrong(lab: Lab) -> None:
    """The witness disagrees for a size of 1; on the input it agreed."""
    text = WRONG.replace("%input0: tensor<2xi32>", "%input0: tensor<?xi32>")
    oracle = lab.oracle(text)
    assert oracle.run(text).kind is Kind.DISAGREEMENT
    witness = oracle.comparison.witnesses[1]
    assert isinstance(witness, CompilerConfig)
    witness.run_module.write_text(
        "#!/bin/sh\nfor last; do :; done\n"
        'grep -q input=1xi32 "${last#--flagfile=}" && exit 1\n'
        "echo 'result[0]: hal.buffer_view'\necho 2xi32=1 3\n"
    )
    assert oracle.run(text + "more").kind is Kind.UNDECIDED


def test_a_module_with_sizes_that_do_not_agree_is_not_wrong(lab: Lab) -> None:
    """Unless they already disagreed on the input, or the audit cannot tell."""
    odd = WRONG + "// odd\n"

    def audit(text: str, function: str, inputs: Sequence[str]) -> str:
        assert (function, len(inputs)) == ("f", 1)
        return "sizes differ" if "odd" in text else ""

    def oracle(text: str) -> ValuesOracle:
        plain = lab.oracle(text)
        return ValuesOracle(replace(plain.comparison, audit=audit), text)

    assert oracle(WRONG).run(WRONG).kind is Kind.DISAGREEMENT
    outcome = oracle(WRONG).run(odd)
    assert outcome.kind is Kind.UNDECIDED and "sizes differ" in outcome.stderr
    assert oracle(odd).run(odd).kind is Kind.DISAGREEMENT
    assert oracle(odd).key != lab.oracle(odd).key
