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


ROLES = {"old": "releases", "older": "releases", "sibling": "siblings", "third": "outside"}


def asked(lab: Lab, lines: str) -> tuple[ValuesOracle, str]:
    """The oracle for the input with other lines, and that input.

    `NAME: 1 2; …` is what who has that name gives, or nothing if that cannot compile it.
    """
    words = {"candidate": "1 2", "reference": "1 3", "meaning": "1 3"}
    words |= (line.split(":") for line in lines.split("; ") if line)
    text = HEAD
    for name, said in ((name, said.strip()) for name, said in words.items()):
        text += said and f"{name}: {'2xi32=' if said[0].isdigit() else ''}{said}\n"
    sides: dict[str, tuple[str, ...]] = {}
    for name in filter(ROLES.get, words):
        sides[ROLES[name]] = (*sides.get(ROLES[name], ()), name)
    return oracle(lab, text, **sides), text


# ---- the input -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "kind", "said"),
    [
        ("", Kind.MISCOMPILE, "result 0, element 1: 2, expected 3 (wrong values), in @"),
        ("", Kind.MISCOMPILE, "expected values: the evaluator and reference"),
        ("meaning: 1 2", Kind.SUCCESS, ""),
        ("meaning: undefined division", Kind.UNDECIDED, "the program is undefined: division"),
        ("meaning: hazard out of bounds", Kind.MISCOMPILE, ""),
        ("meaning: hazard out of bounds; candidate: fails", Kind.UNDECIDED, "may fail: out of"),
        # what settles a conflict
        ("reference: 1 2", Kind.MISCOMPILE, "the evaluator alone; conflict: the same from ref"),
        ("reference: fails", Kind.MISCOMPILE, "alone; conflict: a failure of reference ("),
        ("reference: 1 2; old: 1 3", Kind.MISCOMPILE, "the evaluator and old"),
        ("reference: 1 2; third: 1 3", Kind.MISCOMPILE, "and third computes the same; conflict:"),
        ("reference: 1 2; third: 1 2", Kind.UNDECIDED, "is alone; the same from reference, third"),
        ("reference: 1 2; third: 7 7", Kind.MISCOMPILE, "conflict: the same from reference; other"),
        ("reference: 1 2; sibling: 1 3", Kind.MISCOMPILE, "the evaluator and sibling"),
        ("reference: 1 2; sibling: 1 2", Kind.MISCOMPILE, "conflict: the same from reference\n"),
        # without the evaluator, a compiled reference judges, but not against others
        ("meaning: unknown a; third: 1 2; old: 1 3", Kind.UNDECIDED, "and third agree, but ref"),
        ("meaning: unknown a; third: 4 4; old: 1 2", Kind.UNDECIDED, "and old agree, but ref"),
        ("meaning: unknown a; third: 1 3; old: 1 2", Kind.MISCOMPILE, "reference and third"),
        ("meaning: unknown a; third: 4 4; old: 1 3", Kind.DISAGREEMENT, "nothing else tells"),
        ("meaning: unknown a; sibling: 1 3", Kind.MISCOMPILE, "reference and sibling"),
        ("meaning: unknown a; sibling: 1 2", Kind.DISAGREEMENT, "nothing else tells"),
        ("meaning: unknown a; sibling: 4 4", Kind.DISAGREEMENT, "nothing else tells"),
        # releases may know of what all backends share, or share a defect that is mended
        ("meaning: unknown a; reference: 1 2; old: 2 3; older: 2 3", Kind.UNDECIDED, ""),
        ("meaning: unknown a; reference: 1 2; old: 2 3; older: 1 2", Kind.UNDECIDED, ""),
        ("meaning: unknown a; reference: 1 2; old: 2 3; older: 3 3", Kind.UNDECIDED, ""),
        ("meaning: unknown a; reference: 1 2; old: 1 2; older: 2 3", Kind.SUCCESS, ""),
        ("meaning: unknown a; reference: 1 2; old: 2 3; third: 1 2", Kind.SUCCESS, ""),
        ("meaning: unknown a; reference: 1 2; old: 2 3; third: 2 3", Kind.MISCOMPILE, ""),
        ("meaning: unknown a; reference: 1 2; old: 2 3; third: 3 3", Kind.UNDECIDED, ""),
    ],
)
def test_who_is_believed(lab: Lab, lines: str, kind: Kind, said: str) -> None:
    judge, text = asked(lab, lines)
    outcome = judge.run(text)
    assert outcome.kind is kind
    assert not said or f"{outcome.stderr}\n".count(said) == 1


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


def test_somebody_from_outside_is_asked_about_the_result_and_no_candidate(lab: Lab) -> None:
    text = INPUT + "third: 2xi32=1 3\n"
    judge = oracle(lab, text, outside=("third",))
    assert judge.run(text).kind is Kind.MISCOMPILE
    fewer = text.replace("third: 2xi32=1 3\n", "third: 2xi32=1 2\n")
    assert judge.run(fewer).kind is Kind.MISCOMPILE
    said = [judge.confirm(one, "x.mlir", limits=Limits(10)).stderr for one in (text, fewer)]
    assert "independently confirmed by third" in said[0]
    assert "not independently confirmed: third gives the same" in said[1]


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
    ("lines", "told"),
    [
        ("old: 1 3", "independently confirmed by old"),
        ("old: 1 2", "not independently confirmed: old gives the same"),
        ("old: fails", "not independently confirmed: old fails with"),
        ("old:", "not independently confirmed: no other compiler can run it (tried: old)"),
        ("old: 1 2; older: 1 2", "not independently confirmed: old, older give the same"),
        ("third: 1 2; old: 1 3", "independently confirmed by old; but third gives the same"),
        ("sibling: 1 3", "independently confirmed by sibling"),
    ],
)
def test_somebody_who_took_no_part_confirms_the_result(lab: Lab, lines: str, told: str) -> None:
    judge, text = asked(lab, lines)
    assert told in judge.confirm(text, "x.mlir", limits=judge.limits).stderr


def test_nobody_is_asked_once_somebody_has_confirmed_the_result(lab: Lab) -> None:
    judge, text = asked(lab, "old: 1 3; older: 1 3")
    judge.confirm(text, "x.mlir", limits=judge.limits)
    assert not lab.compiled("older")
    assert lab.compiled("old") == 1


def test_who_refuses_a_program_quickly_is_not_asked_again_with_more_time(lab: Lab) -> None:
    (judge, text), counts = asked(lab, "old:"), []
    for seconds in (10, 20):
        judge.confirm(text, "x.mlir", limits=Limits(seconds))
        counts.append(lab.compiled("old"))
    assert counts[0] == counts[1] > 0


def test_how_far_the_meaning_may_be_off_is_asked_only_where_results_differ(lab: Lab) -> None:
    calls: list[str] = []
    for meaning, differs in (("1 2", False), ("1 3", True)):
        calls.clear()
        text = INPUT.replace("meaning: 2xi32=1 3", f"meaning: 2xi32={meaning}")
        oracle(lab, text, evaluator=Meaning(asked=calls)).run(text)
        assert ("whole" in calls) is differs


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


def test_confirmers_may_be_asked_later(lab: Lab) -> None:
    judge = oracle(lab, INPUT)
    alone = judge.unconfirmed
    assert alone is not None and alone.key != judge.key
    other, drift = INPUT + "more\n", INPUT.replace(R, "reference: 2xi32=1 4\n")
    for text, kind in ((other, Kind.MISCOMPILE), (drift, Kind.UNDECIDED)):
        confirmed = lab.compiled("reference")
        before = alone.run(text)
        assert before.kind is Kind.MISCOMPILE and lab.compiled("reference") == confirmed
        made = lab.compiled("candidate")
        outcome = judge.run(text)
        assert outcome.kind is kind and lab.compiled("candidate") == made
        assert lab.compiled("reference") == confirmed + 1
        assert outcome.cpu_seconds > before.cpu_seconds
    assert oracle(lab, INPUT.replace(R, "")).unconfirmed is None, "there is nobody to ask later"
