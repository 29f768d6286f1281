"""A kind is a row of one table: the rest of the program uses only its traits."""

import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from oracles import Kind, Outcome, Signature
from oracles.plugin import Case, Plugin, PluginOracle
from oracles.signature.kind import Conclusion, NamedBy, Resource, Traits
from reducer.driver.also_found import AlsoFoundStore
from reducer.driver.comments import message_of
from reducer.ir import PlainText
from reducer.report.title import title
from reducer.report.wording import expected, happened
from reducer.search.candidate import Verdict
from reducer.search.judge import Judge
from reducer.search.query import OtherFailure
from reducer.storage.journal import Journal
from reducer.triage.buckets import all_buckets
from reducer.triage.merging import RecordedEvidence
from reducer.triage.run_matrix import RunMatrix
from reducer.triage.store import Caps, bucket_of
from tests.report.facts import facts
from tests.support.predicate import FAILURE, Memory, PredicateOracle
from tests.support.triages import Records, release

ROOT = Path(__file__).parents[2]
VALUES = {
    *("verifier", "legalization", "bufferization", "assertion", "crash", "fatal-error", "timeout"),
    *(
        "memory",
        "miscompile",
        "disagreement",
        "other-error",
        "success",
        "invalid-input",
        "script",
        "plugin",
    ),
    *("match", "exit-code", "cancelled", "run-failure", "cannot-judge"),
}
NAME = "made-up"  # the documentation's own example is a name that people may add

BUG = Traits()
SLOW = Traits(exhausts=Resource.TIME)
GREEDY = Traits(exhausts=Resource.MEMORY)
REJECTED = Traits(conclusion=Conclusion.REJECTED)
FINE = Traits(conclusion=Conclusion.SUCCESS)
UNDECIDED = Traits(conclusion=Conclusion.UNDECIDED)

MakeKind = Callable[[Traits], Kind]


@pytest.fixture
def new_kind(monkeypatch: pytest.MonkeyPatch) -> MakeKind:
    """Add a kind with these traits to the table for one test; no other file knows it."""

    def add(traits: Traits) -> Kind:
        kind: Kind = Kind._new_member_(Kind, NAME, traits)  # type: ignore[attr-defined]
        kind._name_ = NAME.upper().replace("-", "_")
        monkeypatch.setitem(Kind._value2member_map_, NAME, kind)
        monkeypatch.setattr(Kind, "_member_names_", [*Kind._member_names_, kind._name_])
        monkeypatch.setitem(Kind._member_map_, kind._name_, kind)
        return kind

    return add


# ---- the table -----------------------------------------------------------------------------


def test_what_is_on_disk_stays_readable() -> None:
    assert set(Kind) >= VALUES


def test_a_kind_without_traits_is_refused() -> None:
    with pytest.raises(TypeError, match=f"'{NAME}' has no traits"):
        Kind._new_member_(Kind, NAME)  # type: ignore[attr-defined]


def test_an_unknown_text_is_no_kind() -> None:
    with pytest.raises(ValueError, match=NAME):
        Kind(NAME)


@pytest.mark.parametrize("kind", Kind)
def test_a_kind_is_its_text(kind: Kind) -> None:
    assert Kind(str(kind)) is kind
    assert json.dumps({"kind": kind}) == json.dumps({"kind": str(kind)})
    assert pickle.loads(pickle.dumps(kind)) is kind


@pytest.mark.parametrize("kind", Kind)
def test_every_kind_can_be_told_in_a_report(kind: Kind) -> None:
    failure = facts(signature=Signature(kind), exit_code=-11)
    assert "`repro.mlir`" in happened(failure, "`repro.mlir`")
    for line in (happened(failure, "x"), expected(failure), title(failure)):
        assert line.strip()
        assert not re.search(r"[{}]", line), "a field that nobody fills in"


@pytest.mark.parametrize("kind", Kind)
def test_what_is_no_bug_has_none_of_its_traits(kind: Kind) -> None:
    if not kind.traits.is_bug:
        assert kind.traits == Traits(conclusion=kind.traits.conclusion)


def test_nothing_but_an_oracle_names_a_kind() -> None:
    """A list of kinds elsewhere would be another place to update for a new kind."""
    named = {
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in (ROOT / "reducer").rglob("*.py")
        if (ROOT / "reducer" / "miscompile" / "oracle") not in path.parents
        for match in re.finditer(r"\bKind\.[A-Z_]+\b", path.read_text())
    }
    makers = {
        "reducer/bisect/runner.py: Kind.SUCCESS",
        "reducer/search/runs.py: Kind.CANCELLED",
    }
    assert named <= makers, "these make an outcome"


# ---- a new kind ----------------------------------------------------------------------------


def test_a_report_says_what_the_row_does(new_kind: MakeKind) -> None:
    kind = new_kind(
        Traits(
            happened="blocks{signal} on {input}",
            expected="It goes on.",
            title="{subject} deadlocks",
        )
    )
    blocked = facts(signature=Signature(kind, frames=("a::lock",)), text="x", exit_code=-6)
    assert happened(blocked, "`x`") == "blocks with SIGABRT on `x`"
    assert expected(blocked) == "It goes on."
    assert title(blocked) == "`iree-compile` deadlocks in `a::lock` for hip"


def test_the_row_in_the_documentation(new_kind: MakeKind) -> None:
    page = (ROOT / "docs" / "extending.md").read_text()
    (row,) = re.findall(r"```text\n(DEADLOCK = .*?)```", page, re.DOTALL)
    names: dict[str, Any] = {}
    exec(row, {"Traits": Traits}, names)
    text, traits = names["DEADLOCK"]
    assert (text, traits.aborts, traits.costly) == ("deadlock", True, False)
    blocked = facts(signature=Signature(new_kind(traits)), text="x")
    assert happened(blocked, "`x`") == "blocks on `x`"
    assert title(blocked) == "`iree-compile` deadlocks for hip"


def test_a_title_takes_the_message_where_there_is_one(new_kind: MakeKind) -> None:
    kind = new_kind(Traits(title_without_message="{subject} deadlocks"))
    without, said = (
        facts(signature=Signature(kind, template), text="x", messages=messages)
        for template, messages in (("", ()), ("two locks", ("error: two locks",)))
    )
    assert (title(without), title(said)) == (
        "`iree-compile` deadlocks for hip",
        "Two locks (hip)",
    )


@pytest.mark.parametrize(
    ("named_by", "lines"),
    [
        (NamedBy.OUTPUT, ["the last line"]),
        (NamedBy.DIAGNOSTIC, [f"{NAME}: two locks in a::lock"]),
        (NamedBy.SIGNATURE, [f"{NAME}: two locks in a::lock"]),
        (NamedBy.STACK, ["two locks", "  in a::lock"]),
        (NamedBy.DURATION, ["does not finish within 7 s"]),
    ],
)
def test_what_names_the_failure(new_kind: MakeKind, named_by: NamedBy, lines: list[str]) -> None:
    signature = Signature(new_kind(Traits(named_by=named_by)), "two locks", frames=("a::lock",))
    outcome = Outcome(signature.kind, signature, seconds=7, stderr="some text\nthe last line\n")
    assert message_of(outcome) == lines


def test_it_is_kept_in_a_journal(new_kind: MakeKind) -> None:
    kind = new_kind(BUG)
    outcome = Outcome(kind, Signature(kind, "two locks"))
    assert Outcome.from_json(json.loads(json.dumps(outcome.to_json()))) == outcome


@pytest.mark.parametrize(
    ("traits", "verdict"),
    [
        (BUG, Verdict.OTHER_FAILURE),
        (SLOW, Verdict.TIMEOUT),
        (GREEDY, Verdict.OTHER_FAILURE),
        (REJECTED, Verdict.INVALID),
        (FINE, Verdict.NOT_INTERESTING),
        (UNDECIDED, Verdict.NOT_INTERESTING),
        (Traits(conclusion=Conclusion.NONE), Verdict.CANCELLED),
    ],
)
def test_the_verdict_on_a_candidate(new_kind: MakeKind, traits: Traits, verdict: Verdict) -> None:
    kind = new_kind(traits)
    judge = Judge(PredicateOracle(lambda text: True), Memory(), target=FAILURE)
    assert judge.verdict_of(Outcome(kind, Signature(kind))) is verdict
    judge.close()


@pytest.mark.parametrize(
    ("traits", "is_kept"),
    [
        (BUG, True),
        (GREEDY, True),
        (SLOW, False),
        (REJECTED, False),
        (FINE, False),
        (UNDECIDED, False),
    ],
)
def test_another_failure_met_on_the_way(
    tmp_path: Path, new_kind: MakeKind, traits: Traits, is_kept: bool
) -> None:
    kind = new_kind(traits)
    with Journal.open(tmp_path / "journal", identity={}, fresh=True) as journal:
        store = AlsoFoundStore(tmp_path / "also-found", journal, print)
        outcome = Outcome(kind, Signature(kind, "two locks"), 1)
        store.add(OtherFailure(PlainText("x"), outcome, PredicateOracle(lambda text: True)))
        assert [one.signature.kind for one in store.found] == [kind] * is_kept


@pytest.mark.parametrize(
    ("traits", "buckets"),
    [(BUG, 1), (SLOW, 2), (GREEDY, 2), (REJECTED, 0), (FINE, 0), (UNDECIDED, 0)],
)
def test_two_inputs_that_end_alike_in_triage(
    tmp_path: Path, new_kind: MakeKind, traits: Traits, buckets: int
) -> None:
    """Inputs that only hit the same limit are not the same bug."""
    records = Records(tmp_path)
    signature = Signature(new_kind(traits), "two locks")
    for digest in ("a", "b"):
        records.result(digest, "3.13.0", signature)
    found = all_buckets(records.database)
    assert set(found) == {bucket_of(signature, digest) for digest in "ab"} - {None}
    assert len(found) == buckets
    assert {one.signature for one in found.values()} <= {signature}


@pytest.mark.parametrize(
    ("traits", "higher"),
    [(SLOW, Caps(20.0, 100)), (GREEDY, Caps(10.0, 200)), (BUG, None)],
)
def test_a_higher_limit_asks_again_for_what_it_decides(
    tmp_path: Path, new_kind: MakeKind, traits: Traits, higher: Caps | None
) -> None:
    records = Records(tmp_path)
    kind = new_kind(traits)
    number = records.result("a", "3.13.0", Signature(kind))
    records.store.put("a", number, Outcome(kind, Signature(kind)), Caps(10.0, 100))
    settled = {
        caps
        for caps in (Caps(10.0, 100), Caps(20.0, 100), Caps(10.0, 200))
        if records.store.settled("a", number, caps) is not None
    }
    assert settled == {Caps(10.0, 100), Caps(20.0, 100), Caps(10.0, 200)} - {higher}


@pytest.mark.parametrize(
    ("traits", "speaks"),
    [
        *((BUG, True), (FINE, True), (SLOW, False), (GREEDY, False), (REJECTED, False)),
        (UNDECIDED, False),
    ],
)
def test_what_speaks_against_a_merge(
    tmp_path: Path, new_kind: MakeKind, traits: Traits, speaks: bool
) -> None:
    """A bucket of one compiler whose input has this outcome on another."""
    records = Records(tmp_path)
    bug = Signature(Kind.VERIFIER, "bad")
    records.result("a", "3.12.0", bug)
    records.result("a", "3.13.0", Signature(new_kind(traits), "two locks"))
    matrix = RunMatrix((release("3.12.0"), release("3.13.0")), (), (), "/")
    evidence = RecordedEvidence(records.store, matrix)
    newer = records.store.compiler(release("3.13.0"))
    assert evidence.contradicts(bug.bucket, newer, {bug.bucket}) is speaks


@pytest.mark.parametrize(
    ("traits", "is_wanted"),
    [(BUG, True), (SLOW, False), (GREEDY, False), (REJECTED, False), (FINE, False)],
)
def test_an_oracle_of_the_users_own_gives_it(
    new_kind: MakeKind, traits: Traits, is_wanted: bool
) -> None:
    signature = Signature(new_kind(traits), "two locks")

    class Locks:
        def judge(self, case: Case) -> Signature:
            return signature

    plugin = Plugin("locks", "locks", Locks())
    oracle = PluginOracle(plugin, None, None, shown=lambda name: ["mlir-reducer", "check", name])
    outcome = oracle.run("module {}")
    assert outcome.signature == signature
    assert oracle.wants(outcome) is is_wanted
