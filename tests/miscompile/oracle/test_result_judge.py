"""Who is believed, with an evaluator and compilers that do as the module says."""

import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from oracles import Kind, Limits
from reducer.miscompile.oracle import Comparison, Implementation, ValuesOracle
from reducer.miscompile.values import inputs
from reducer.miscompile.values.programs import read_results
from tests.support.comparing import HEAD, Lab, Meaning

pytestmark = pytest.mark.usefixtures("few_inputs")

ALL_STYLES = inputs.STYLES
C, R = "candidate: 2xi32=1 2\n", "reference: 2xi32=1 3\n"
MEANS = "meaning: 2xi32=1 3\n"
INPUT = HEAD + C + R + MEANS


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def comparison(
    lab: Lab,
    *,
    named: bool = False,
    releases: tuple[str, ...] = (),
    siblings: tuple[str, ...] = (),
    outside: tuple[str, ...] = (),
    **more: object,
) -> Comparison:
    return Comparison(
        lab.side("candidate"),
        lab.side("reference"),
        releases=tuple(map(lab.side, releases)),
        siblings=tuple(map(lab.side, siblings)),
        outside=tuple(map(lab.side, outside)),
        named=named,
        **{"evaluator": Meaning(), **more},  # type: ignore[arg-type]
    )


def oracle(lab: Lab, text: str, **more: object) -> ValuesOracle:
    return ValuesOracle(comparison(lab, **more), text)  # type: ignore[arg-type]


# ---- the input -------------------------------------------------------------------------------


def test_a_compiler_that_sides_with_the_evaluator_confirms_it(lab: Lab) -> None:
    outcome = oracle(lab, INPUT).run(INPUT)
    assert outcome.kind is Kind.MISCOMPILE
    assert outcome.stderr.startswith("result 0, element 1: 2, expected 3 (wrong values), in @")
    assert "expected values: the evaluator and reference" in outcome.stderr


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({}, "no other compiler can run it (tried: reference)"),
        (
            {"untried": "iree 9"},
            "reference cannot run it; not tried: iree 9",
        ),
    ],
)
def test_who_was_tried_is_told_where_no_compiler_confirms(
    lab: Lab, more: dict[str, object], told: str
) -> None:
    text = INPUT.replace(R, "")
    outcome = oracle(lab, text, **more).run(text)
    assert f"expected values: the evaluator; {told}" in outcome.stderr


def test_what_the_evaluator_agrees_with_is_right(lab: Lab) -> None:
    text = INPUT.replace("meaning: 2xi32=1 3", "meaning: 2xi32=1 2")
    outcome = oracle(lab, text).run(text)
    assert (outcome.kind, outcome.stderr) == (Kind.SUCCESS, "")


def test_what_is_undefined_is_neither_right_nor_wrong(lab: Lab) -> None:
    text = INPUT.replace(MEANS, "meaning: undefined division by zero\n")
    outcome = oracle(lab, text).run(text)
    assert outcome.kind is Kind.UNDECIDED
    assert outcome.stderr.count("the program is undefined: division by zero") == 1


def test_a_candidate_without_meaning_is_not_compiled(lab: Lab) -> None:
    judge, declared = oracle(lab, INPUT), "func.func @f(%a: tensor<2xi32>) -> tensor<2xi32>\n"
    judge.run(INPUT)
    outcome = judge.run(declared + "meaning: undefined division by zero\n")
    assert outcome.kind is Kind.UNDECIDED
    assert "the program is undefined: division by zero" in outcome.stderr
    outcome = judge.run("func.func @f(%a: tensor<2xi32>)\nmeaning: 2xi32=1 2\n")
    assert outcome.stderr == "@f cannot be judged: it has no results"


def test_a_reference_is_asked_once_about_a_program(lab: Lab) -> None:
    judge = oracle(lab, INPUT)
    judge.run(INPUT)
    lab.side("reference").run_module.write_text("#!/bin/sh\nexit 1\n")
    assert judge.run("// the same\n" + INPUT).kind is Kind.MISCOMPILE
    assert judge.run(INPUT + "more").kind is Kind.UNDECIDED


def test_what_the_front_end_makes_may_be_undefined_where_the_program_is_not(lab: Lab) -> None:
    text = INPUT.replace(MEANS, "meaning: undefined a slice out of bounds\n")
    outcome = oracle(lab, text, evaluator=Meaning(is_lowered=True)).run(text)
    assert "what the front end makes of the program is undefined: a slice" in outcome.stderr


@pytest.mark.parametrize(("ops", "told"), [((), "the program"), (("a.b", "c.d"), "a.b and of c.d")])
def test_what_the_front_end_makes_of_is_not_judged(
    lab: Lab, ops: tuple[str, ...], told: str
) -> None:
    text = INPUT.replace("meaning: 2xi32=1 3", "meaning: 2xi32=1 2")
    outcome = oracle(lab, text, evaluator=Meaning(is_lowered=True, lowered_ops=ops)).run(text)
    assert outcome.kind is Kind.SUCCESS
    assert f"only what the front end makes of {told} was judged" in outcome.stderr


def test_a_program_with_a_hazard_may_fail_but_not_be_wrong(lab: Lab) -> None:
    text = INPUT.replace(MEANS, "meaning: hazard an index out of bounds\n")
    assert oracle(lab, text).run(text).kind is Kind.MISCOMPILE
    failing = text.replace(C, "candidate: fails\n")
    outcome = oracle(lab, failing).run(failing)
    assert outcome.kind is Kind.UNDECIDED
    assert "the program may fail: an index out of bounds" in outcome.stderr


def test_a_conflict_is_reported(lab: Lab) -> None:
    text = INPUT.replace(R, "reference: 2xi32=1 2\n")
    outcome = oracle(lab, text).run(text)
    assert outcome.kind is Kind.MISCOMPILE
    assert "the evaluator alone; conflict: the same from reference" in outcome.stderr


def test_a_witness_that_fails_is_said_to_fail(lab: Lab) -> None:
    """It gives no results, so it does not give other ones: it may be what checks bounds."""
    text = INPUT.replace(R, "reference: fails\n")
    told = oracle(lab, text).run(text).stderr
    assert "the evaluator alone; conflict: a failure of reference (" in told
    assert "other results" not in told


def test_a_release_can_settle_a_conflict(lab: Lab) -> None:
    text = INPUT.replace(R, "reference: 2xi32=1 2\n") + "old: 2xi32=1 3\n"
    outcome = oracle(lab, text, releases=("old",)).run(text)
    assert "expected values: the evaluator and old" in outcome.stderr


@pytest.mark.parametrize(
    ("third", "kind", "said"),
    [
        ("1 3", Kind.MISCOMPILE, "the evaluator, and third computes the same; conflict: the same"),
        ("1 2", Kind.UNDECIDED, "the evaluator is alone; the same from reference, third"),
        ("7 7", Kind.MISCOMPILE, "the evaluator alone; conflict: the same from reference; other"),
    ],
)
def test_somebody_from_outside_settles_a_conflict(
    lab: Lab, third: str, kind: Kind, said: str
) -> None:
    text = INPUT.replace(R, "reference: 2xi32=1 2\n") + f"third: 2xi32={third}\n"
    outcome = oracle(lab, text, outside=("third",)).run(text)
    assert outcome.kind is kind
    assert said in outcome.stderr


def test_somebody_from_outside_is_asked_about_the_result_and_no_candidate(lab: Lab) -> None:
    text = INPUT + "third: 2xi32=1 3\n"
    judge = oracle(lab, text, outside=("third",))
    assert judge.run(text).kind is Kind.MISCOMPILE
    fewer = text.replace("third: 2xi32=1 3\n", "third: 2xi32=1 2\n")
    assert judge.run(fewer).kind is Kind.MISCOMPILE
    said = [judge.confirm(one, "x.mlir", limits=Limits(10)).stderr for one in (text, fewer)]
    assert "independently confirmed by third" in said[0]
    assert "not independently confirmed: third gives the same" in said[1]


def test_a_witness_who_objects_is_told_beside_one_who_confirms(lab: Lab) -> None:
    text = INPUT + "third: 2xi32=1 2\nold: 2xi32=1 3\n"
    judge = oracle(lab, text, outside=("third",), releases=("old",))
    told = judge.confirm(text, "x.mlir", limits=Limits(10)).stderr
    assert "independently confirmed by old; but third gives the same" in told


@pytest.mark.parametrize(
    ("third", "kind"), [("1 2", Kind.SUCCESS), ("2 3", Kind.MISCOMPILE), ("3 3", Kind.UNDECIDED)]
)
def test_without_the_evaluator_somebody_from_outside_counts_like_a_release(
    lab: Lab, third: str, kind: Kind
) -> None:
    text = HEAD + C + C.replace("candidate", "reference") + "meaning: unknown a.b\n"
    text += f"old: 2xi32=2 3\nthird: 2xi32={third}\n"
    assert oracle(lab, text, releases=("old",), outside=("third",)).run(text).kind is kind


def test_without_the_evaluator_a_compiled_reference_judges(lab: Lab) -> None:
    text = INPUT.replace(MEANS, "meaning: unknown a.b\n")
    judge = oracle(lab, text)
    outcome = judge.run(text)
    assert outcome.kind is Kind.DISAGREEMENT, "one of them is wrong, but which?"
    assert "result 0, element 1: 2, reference gives 3 (wrong values)" in outcome.stderr
    assert "compared with: reference; nothing else tells whether" in outcome.stderr
    fewer = text.replace("2xi32=1 2", "2xi32=1 4")
    assert judge.run(fewer).signature == outcome.signature
    told = judge.confirm(fewer, "x.mlir", limits=Limits(10)).stderr
    assert "compared with: reference; nothing else tells" in told
    assert "; the evaluator does not know a.b" in outcome.stderr


@pytest.mark.parametrize(
    ("third", "old", "kind", "told"),
    [
        ("1 2", "1 3", Kind.UNDECIDED, "the program and third agree, but reference gives"),
        ("4 4", "1 2", Kind.UNDECIDED, "the program and old agree, but reference gives"),
        ("1 3", "1 2", Kind.MISCOMPILE, "expected values: reference and third"),
        ("4 4", "1 3", Kind.DISAGREEMENT, "nothing else tells"),
    ],
)
def test_a_compiled_reference_does_not_judge_against_others(
    lab: Lab, third: str, old: str, kind: Kind, told: str
) -> None:
    text = INPUT.replace(MEANS, "meaning: unknown a.b\n")
    text += f"third: 2xi32={third}\nold: 2xi32={old}\n"
    outcome = oracle(lab, text, releases=("old",), outside=("third",)).run(text)
    assert outcome.kind is kind
    assert told in outcome.stderr


@pytest.mark.parametrize(
    ("sibling", "kind", "told"),
    [
        ("1 3", Kind.MISCOMPILE, "expected values: reference and sibling"),
        ("1 2", Kind.DISAGREEMENT, "nothing else tells"),  # it may share the defect
        ("4 4", Kind.DISAGREEMENT, "nothing else tells"),
    ],
)
def test_the_same_command_with_another_release_tells_which_backend_is_wrong(
    lab: Lab, sibling: str, kind: Kind, told: str
) -> None:
    text = INPUT.replace(MEANS, "meaning: unknown a.b\n") + f"sibling: 2xi32={sibling}\n"
    outcome = oracle(lab, text, siblings=("sibling",)).run(text)
    assert outcome.kind is kind
    assert told in outcome.stderr


@pytest.mark.parametrize(
    ("sibling", "told"),
    [
        ("1 3", "expected values: the evaluator and sibling"),
        ("1 2", "the evaluator alone; conflict: the same from reference\n"),
    ],
)
def test_the_same_command_with_another_release_settles_a_conflict(
    lab: Lab, sibling: str, told: str
) -> None:
    text = INPUT.replace(R, "reference: 2xi32=1 2\n") + f"sibling: 2xi32={sibling}\n"
    outcome = oracle(lab, text, siblings=("sibling",)).run(text)
    assert outcome.kind is Kind.MISCOMPILE
    assert told in f"{outcome.stderr}\n"


def test_the_same_command_with_another_release_confirms_a_result(lab: Lab) -> None:
    text = INPUT + "sibling: 2xi32=1 3\n"
    judge = oracle(lab, text, siblings=("sibling",))
    told = judge.confirm(text, "x.mlir", limits=Limits(10)).stderr
    assert "independently confirmed by sibling" in told


@pytest.mark.parametrize(
    ("style", "kind"), [(0, Kind.DISAGREEMENT), (2, Kind.UNDECIDED), (3, Kind.UNDECIDED)]
)
def test_a_compiled_reference_judges_only_tame_values(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, style: int, kind: Kind
) -> None:
    """Compilers differ about shifts by more than the width, and neither is wrong."""
    monkeypatch.setattr(inputs, "STYLES", ALL_STYLES[style : style + 1])
    text = INPUT.replace(MEANS, "meaning: unknown a.b\n")
    outcome = oracle(lab, text).run(text)
    assert outcome.kind is kind
    assert ("no compiler can tell" in outcome.stderr) == (kind is Kind.UNDECIDED)


@pytest.mark.parametrize(
    ("older", "kind"),
    [
        (("2 3", "2 3"), Kind.UNDECIDED),  # they may share a defect that is mended
        (("2 3", "1 2"), Kind.UNDECIDED),
        (("2 3", "3 3"), Kind.UNDECIDED),
        (("1 2", "2 3"), Kind.SUCCESS),
    ],
)
def test_releases_may_know_of_what_all_backends_share(
    lab: Lab, older: tuple[str, str], kind: Kind
) -> None:
    text = HEAD + C + C.replace("candidate", "reference") + "meaning: unknown a.b\n"
    text += f"old: 2xi32={older[0]}\nolder: 2xi32={older[1]}\n"
    assert oracle(lab, text, releases=("old", "older")).run(text).kind is kind


def test_a_named_reference_must_agree_with_the_evaluator(lab: Lab) -> None:
    text = INPUT.replace(MEANS, "meaning: 2xi32=1 2\n")
    outcome = oracle(lab, text, named=True).run(text)
    assert outcome.kind is Kind.UNDECIDED
    assert "the evaluator and reference disagree" in outcome.stderr


# ---- references that are right for the input only --------------------------------------------


def known(lab: Lab, values: str) -> dict[str, object]:
    return {"expected": tuple(read_results(f"result[0]: hal.buffer_view\n{values}"))}


def test_known_results_choose_the_judge(lab: Lab) -> None:
    """The evaluator does not give what is known, but a release does, so that is believed."""
    text = INPUT.replace(MEANS, "meaning: 2xi32=4 4\n") + "old: 2xi32=1 5\n"
    judge = oracle(lab, text, releases=("old",), **known(lab, "2xi32=1 5"))
    assert judge.run(text).kind is Kind.MISCOMPILE
    assert judge.objection() == ""
    right = text.replace("old: 2xi32=1 5", "old: 2xi32=1 2")
    assert judge.run(right).kind is Kind.SUCCESS, "the known results say nothing about it"


def test_an_evaluator_that_sees_nothing_wrong_does_not_judge(lab: Lab) -> None:
    """It contradicts nothing that is known, since the wrong element is undefined to it after the
    front end.
    """
    text = INPUT.replace(MEANS, "meaning: loose\n") + "old: 2xi32=1 5\n"
    expected = known(lab, "2xi32=1 5")
    judge = oracle(lab, text, releases=("old",), evaluator=Meaning(is_lowered=True), **expected)
    outcome = judge.run(text)
    assert outcome.kind is Kind.MISCOMPILE
    assert "judge: old" in outcome.stderr


@pytest.mark.parametrize(
    ("meaning", "said"),
    [
        ("loose", "the results differ only in elements that are undefined"),
        ("undefined division by zero", "the program is undefined: division by zero"),
    ],
)
def test_what_is_known_of_undefined_elements_does_not_count(
    lab: Lab, meaning: str, said: str
) -> None:
    """A function in Python gives some number for a shift by more than the width."""
    text = INPUT.replace(MEANS, f"meaning: {meaning}\n") + "old: 2xi32=1 5\n"
    judge = oracle(lab, text, releases=("old",), **known(lab, "2xi32=1 5"))
    outcome = judge.run(text)
    assert outcome.kind is Kind.UNDECIDED
    assert said in outcome.stderr


def test_known_results_that_nobody_computes_judge_nothing_else(lab: Lab) -> None:
    judge = oracle(lab, INPUT, **known(lab, "2xi32=1 5"))
    assert judge.run(INPUT).kind is Kind.MISCOMPILE
    assert "the evaluator computes other values" in judge.objection()
    assert "with other wrong results: reference" in judge.objection()
    assert judge.run(INPUT + "\n").kind is Kind.UNDECIDED


def test_what_agrees_with_known_results_is_right(lab: Lab) -> None:
    assert oracle(lab, INPUT, **known(lab, "2xi32=1 2")).run(INPUT).kind is Kind.SUCCESS


# ---- candidates ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (MEANS, "meaning: undefined index out of bounds\n"),
        (MEANS, "meaning: unknown a.b\n"),
        (R, "reference: 2xi32=1 2\n"),
        (R, ""),
    ],
)
def test_a_candidate_must_be_wrong_by_the_same_word(lab: Lab, old: str, new: str) -> None:
    judge = oracle(lab, INPUT)
    assert judge.run(INPUT).kind is Kind.MISCOMPILE
    assert judge.run(INPUT.replace(old, new)).kind is Kind.UNDECIDED


@pytest.mark.parametrize(("gives", "devices"), [("2", "sync task"), ("SYNC", "task task")])
def test_candidates_run_on_one_thread_where_that_shows_the_same(
    lab: Lab, gives: str, devices: str
) -> None:
    text = INPUT.replace(C, f"candidate: 2xi32=1 {gives}\n")
    threaded = replace(lab.side("candidate"), device="local-task")
    judge = ValuesOracle(replace(comparison(lab), candidate=threaded), text)
    assert judge.run(text).kind is Kind.MISCOMPILE
    ran = []
    for again in (judge.run, partial(judge.confirm, input_name="x.mlir", limits=judge.limits)):
        (log := lab.folder / "candidate-run.log").unlink()
        assert again(f"{text}more").kind is Kind.MISCOMPILE
        ran += sorted(set(re.findall(r"local-(\w+)", log.read_text())))
    assert ran == devices.split()


# ---- who took no part ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("old: 2xi32=1 3\n", "independently confirmed by old"),
        ("old: 2xi32=1 2\n", "not independently confirmed: old gives the same"),
        ("old: fails\n", "not independently confirmed: old fails with"),
        ("", "not independently confirmed: no other compiler can run it (tried: old)"),
    ],
)
def test_somebody_who_took_no_part_confirms_the_result(lab: Lab, line: str, told: str) -> None:
    text = INPUT + line
    judge = oracle(lab, text, releases=("old",))
    assert judge.run(text).kind is Kind.MISCOMPILE
    assert told in judge.confirm(text, "x.mlir", limits=judge.limits).stderr


def test_nobody_is_asked_once_somebody_has_confirmed_the_result(lab: Lab) -> None:
    text = INPUT + "old: 2xi32=1 3\nolder: 2xi32=1 3\n"
    judge = oracle(lab, text, releases=("old", "older"))
    judge.confirm(text, "x.mlir", limits=judge.limits)
    assert not lab.compiled("older")
    assert lab.compiled("old") == 1


def test_who_refuses_a_program_quickly_is_not_asked_again_with_more_time(lab: Lab) -> None:
    judge = oracle(lab, INPUT, releases=("old",))
    counts = []
    for seconds in (10, 20):
        judge.confirm(INPUT, "x.mlir", limits=Limits(seconds))
        counts.append(lab.compiled("old"))
    assert counts[0] == counts[1] > 0


def test_how_far_the_meaning_may_be_off_is_asked_only_where_results_differ(lab: Lab) -> None:
    asked: list[str] = []
    for meaning, differs in (("1 2", False), ("1 3", True)):
        asked.clear()
        text = INPUT.replace("meaning: 2xi32=1 3", f"meaning: 2xi32={meaning}")
        oracle(lab, text, evaluator=Meaning(asked=asked)).run(text)
        assert ("whole" in asked) is differs


def test_what_several_say_is_told_once(lab: Lab) -> None:
    text = INPUT + "old: 2xi32=1 2\nolder: 2xi32=1 2\n"
    judge = oracle(lab, text, releases=("old", "older"))
    assert judge.run(text).kind is Kind.MISCOMPILE
    told = judge.confirm(text, "x.mlir", limits=judge.limits).stderr
    assert "not independently confirmed: old, older give the same" in told


def test_a_result_does_not_depend_on_what_is_not_asked(lab: Lab) -> None:
    plain, more = comparison(lab), comparison(lab, releases=("old",))
    assert ValuesOracle(plain, INPUT).key != ValuesOracle(more, INPUT).key
    sides: tuple[Implementation, ...] = replace(plain, named=True).sides
    assert [side.name for side in sides] == ["the evaluator", "reference"]


def test_a_program_need_not_run_on_extreme_values_for_which_it_is_undefined(lab: Lab) -> None:
    """It may loop for ever then, or fill the memory."""

    def runs(meaning: str) -> int:
        log = lab.folder / "log"
        log.unlink(missing_ok=True)
        text = INPUT.replace("candidate: 2xi32=1 2", "candidate: 2xi32=1 3").replace(MEANS, meaning)
        judge = oracle(lab, text)
        program = lab.folder / "candidate-run"
        program.write_text(program.read_text().replace("#!/bin/sh\n", f"#!/bin/sh\necho >>{log}\n"))
        judge.run(text)
        return log.read_text().count("\n")

    tame = sum(style.is_tame for style in inputs.STYLES) * inputs.SEEDS
    assert runs(MEANS) == len(inputs.STYLES) * inputs.SEEDS
    assert runs("meaning: undefined a division by zero\n") == tame
    assert runs("meaning: unknown some.op\n") == tame
