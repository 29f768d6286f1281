"""What whoever watches a reduction is told."""

from oracles import Kind, Outcome, Signature
from reducer.driver.narrator import Narrator
from reducer.driver.settings import Progress, Size, Tried
from reducer.ir import PlainText
from reducer.search.candidate import Candidate, Verdict
from reducer.search.conditions import ConditionName, Judgment, Refusal, Refused
from tests.support.silent import Silent

INPUT = Size.of(PlainText('"a.b"() : () -> ()\n'))
OTHER = Outcome(Kind.CRASH, Signature(Kind.CRASH, "SIGSEGV"))


class Script(Silent):
    """A listener that writes down all that it is told."""

    def __init__(self) -> None:
        self.phases: list[str] = []
        self.messages: list[str] = []
        self.told: list[Progress] = []

    def phase(self, name: str) -> None:
        self.phases.append(name)

    def progress(self, event: Progress) -> None:
        self.told.append(event)

    def message(self, text: str) -> None:
        self.messages.append(text)


def narrator(script: Script) -> Narrator:
    return Narrator(script, INPUT, lambda: 1.5, lambda failure: None, [])


def test_a_stage_is_told_once() -> None:
    script = Script()
    telling = narrator(script)
    for phase in ("halve", "halve", "polish"):
        telling.show(phase)
    assert script.phases == ["halve", "polish"]
    assert [(one.phase, one.best) for one in script.told] == [("halve", INPUT), ("polish", INPUT)]


def test_a_remark_is_told_and_kept_until_the_reduction_begins_again() -> None:
    script = Script()
    telling = narrator(script)
    telling.note("the failure varies")
    assert script.messages == telling.notes == ["the failure varies"]
    telling.forget()
    assert telling.notes == [] and script.messages


def test_it_tells_what_was_tried_and_what_refused_it() -> None:
    script = Script()
    observers = narrator(script).observers
    candidate = Candidate(PlainText("a\nb\n"), "delete lines")
    refusal = Refusal(ConditionName.SAME_FAILURE, "crash: SIGSEGV")
    observers.on_refused(Refused("delete lines", refusal, 2))
    for verdict in (Verdict.OTHER_FAILURE, Verdict.SAME, Verdict.CANCELLED):
        observers.on_judged(candidate, Judgment(verdict, OTHER))
    tried = [one.tried for one in script.told if one.tried]
    assert tried == [Tried("delete lines", 2, refusal), Tried("delete lines", 2)]


def test_the_costs_are_those_of_the_runs() -> None:
    script = Script()
    telling = narrator(script)
    telling.costs.add_run(Verdict.SAME, 3.0, ops=7)
    telling.show("polish")
    (told,) = script.told
    assert told.calls == telling.spent.calls == 1
    assert told.cpu_seconds == telling.spent.compiler_seconds == 1.5
