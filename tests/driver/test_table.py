"""The stages of a reduction, with oracles that diverge in a controlled way."""

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from oracles import Command, CompilerOracle, Kind, Limits, Oracle, Outcome, Signature
from oracles.base import Capabilities
from oracles.signature.outcome import pass_stage
from reducer.asking import Budget, Stopped
from reducer.conversions import CompilerPasses, Conversions, OptPrinter
from reducer.driver.best import Best
from reducer.driver.settings import Settings
from reducer.driver.stages import finishing, locating, shrinking
from reducer.driver.state import Context
from reducer.identity.program import InputLevel, Judging, Program
from reducer.identity.short_limits import Hang, ShortLimits
from reducer.ir import Document, Module
from reducer.locate.dispatches import Dispatch
from reducer.search.candidate import Candidate
from reducer.search.conditions import ConditionName, Refused
from reducer.search.judge import Judge
from reducer.search.state import SearchState
from reducer.storage.journal import Journal
from reducer.transformations import (
    BodyOps,
    BoundaryTypes,
    control_flow_transformations,
    last_transformations,
    standard_transformations,
    standard_tunings,
    text_transformations,
)
from tests.support.predicate import PredicateOracle
from tests.support.sides import function
from tests.support.stages import search

TENSOR = "tensor<4xf32>"


class ShortenedOracle(PredicateOracle):
    """An oracle with a shortened form that fails on more programs than it does itself."""

    def __init__(self, name: str, *, shortened_name: str) -> None:
        super().__init__(lambda text: name in text)
        self.short = PredicateOracle(lambda text: shortened_name in text)
        self.short.key = "shortened"

    def shortened(self) -> list[PredicateOracle]:
        return [self.short]


class ConfirmedOracle(ShortenedOracle):
    """The same for an oracle of results, which takes the word of one judge."""

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(results=self)  # type: ignore[arg-type]

    @property
    def unconfirmed(self) -> PredicateOracle:
        return self.short

    def wrong_result(self) -> None:
        return None

    def shortened(self) -> list[PredicateOracle]:
        return []


class HangingOracle(PredicateOracle):
    """Hangs with one op and takes three seconds with any of the others; simulated, without waiting.

    Slow candidates must not be taken for hangs once the limit is below three seconds.
    """

    limits = Limits(seconds=2.0)

    def __init__(self, endless: str, slow: str) -> None:
        super().__init__(lambda text: endless in text)
        self.slow = slow

    def run(
        self,
        text: str | bytes,
        *,
        cancel: threading.Event | None = None,
        limits: Limits | None = None,
    ) -> Outcome:
        assert isinstance(text, str) and limits is not None and limits.seconds is not None
        self.texts.append(text)
        takes = 1e9 if self.fails(text) else 3.0 if self.slow in text else 0.0
        kind = Kind.TIMEOUT if takes > limits.seconds else Kind.SUCCESS
        return Outcome(kind, Signature(kind, "", "", "", ()), None, takes, takes, 0, (), "")


class HangingCommandOracle(HangingOracle):
    """Hangs on an op if the command has the flag `--hang`; takes three seconds without it."""

    def __init__(self, name: str, command: Command) -> None:
        super().__init__(name if "--hang" in command.argv else "nothing", slow=name)
        self._name, self._command = name, command
        self.key = " ".join(command.argv)

    @property
    def command(self) -> Command:
        return self._command

    def with_command(self, command: Command) -> "HangingCommandOracle":
        return HangingCommandOracle(self._name, command)


class RepeatingSlowly(PredicateOracle):
    """The second run of a text waits until another text is run, which is recorded."""

    def __init__(self) -> None:
        super().__init__(lambda text: '"t.op7"' in text)
        self.went_on = False
        self._other = threading.Event()

    def run(
        self,
        text: str | bytes,
        *,
        cancel: threading.Event | None = None,
        limits: Limits | None = None,
    ) -> Outcome:
        assert isinstance(text, str)
        if text in self.texts:
            self.went_on = self._other.wait(10) or self.went_on
        elif self.texts:
            self._other.set()
        return super().run(text, cancel=cancel, limits=limits)


def chain(length: int) -> str:
    ops = [f'%{i + 1} = "t.op{i}"(%{i}) : ({TENSOR}) -> {TENSOR}' for i in range(length)]
    body = "\n".join(ops).replace("(%0)", "(%arg0)")
    body += f'\n"func.return"(%{length}) : ({TENSOR}) -> ()'
    return function(body, arguments=f"%arg0: {TENSOR}", results=TENSOR)


def reduce(oracle: PredicateOracle, folder: Path, length: int = 40) -> tuple[Best, list[str]]:
    context, notes = context_of(oracle, folder, length)
    search(context)
    context.judging.full.close()
    return context.best, notes


def context_of(
    oracle: Oracle,
    folder: Path,
    length: int = 40,
    header: str = "",
    text: str = "",
    opt: Path | None = None,
    jobs: int = 1,
) -> tuple[Context, list[str]]:
    """The initial context of the stages, and the list of notes that they will add.

    `header` is in the text as given, but not in its generic form. Instead of a chain of ops, it may
    be any `text` that `opt` can print.
    """
    text = text or header + chain(length)
    settings = Settings(
        input=folder / "in.mlir",
        text=text,
        output=folder / "out.mlir",
        journal=folder / "journal",
        keep_flags=True,
    )
    notes: list[str] = []
    journal = Journal.open(settings.journal, identity={})
    printer = OptPrinter(opt, Limits(60.0)) if opt else None
    conversions = Conversions(printer, journal, notes.append)
    module = conversions.module(text) if opt else Module.parse(chain(length))
    assert module is not None
    first = oracle.run(text, limits=oracle.limits)
    program = Program(module, text)
    context = Context(
        settings=settings,
        program=program,
        judging=Judging(first, Judge(oracle, journal, jobs=jobs, target=first.signature)),
        best=Best(settings.output, journal, program),
        conversions=conversions,
        journal=journal,
        show=lambda phase: None,
        note=notes.append,
    )
    return context, notes


@pytest.fixture
def few_are_worth_stopping_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shrinking, "_WORTH_STOPPING_EARLY", 12)


@pytest.mark.usefixtures("few_are_worth_stopping_early")
@pytest.mark.parametrize("kind", [ShortenedOracle, ConfirmedOracle])
@pytest.mark.parametrize("shortened", ['"t.op7"', '"t.op'])
def test_what_is_accepted_in_haste_is_confirmed(
    tmp_path: Path, kind: type[ShortenedOracle], shortened: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused: list[ConditionName] = []

    def refuse(_: Judge, one: Refused) -> None:
        refused.append(one.refusal.condition)

    monkeypatch.setattr(Judge, "refuse", refuse)
    oracle = kind('"t.op7"', shortened_name=shortened)
    best, notes = reduce(oracle, tmp_path)
    left = best.program.confirmed
    assert isinstance(left, Module)
    assert not best.program.is_provisional
    names = [
        best.program.confirmed.t.name[body_op] for body_op in BodyOps.of(best.program.confirmed).ops
    ]
    assert names == ["t.op7"]
    drifted = shortened != '"t.op7"'
    assert bool(notes) == drifted == (ConditionName.FULL_COMMAND in refused)
    if not drifted:
        assert len(oracle.texts) < len(oracle.short.texts), "most runs should be short ones"


def test_what_is_slow_is_not_taken_for_what_hangs(tmp_path: Path) -> None:
    """Halving converges on the ops in the middle, of which all but one are only slow."""
    best, notes = reduce(HangingOracle('"t.op37"', '"t.op'), tmp_path)
    left = best.program.confirmed
    assert isinstance(left, Module)
    names = [
        best.program.confirmed.t.name[body_op] for body_op in BodyOps.of(best.program.confirmed).ops
    ]
    assert names == ["t.op37"]
    assert notes == ["slow runs were mistaken for hangs; time limit raised 4 times"]


def test_a_plain_hang_costs_no_second_search(tmp_path: Path) -> None:
    best, notes = reduce(HangingOracle('"t.op37"', "nothing"), tmp_path)
    assert '"t.op37"' in best.program.confirmed.text
    assert notes == []


def test_text_that_is_only_slow_is_not_a_hang(tmp_path: Path) -> None:
    """It takes two lines to hang; either alone is slow at most."""
    oracle = HangingOracle("", slow="!alias")
    oracle.fails = lambda text: "!alias" in text and "t.op7" in text
    context, _ = context_of(oracle, tmp_path, header="!alias = i32\n")
    search(context)
    context.judging.full.close()
    left = context.program.confirmed.text
    assert oracle.fails(left) and "t.op6" not in left


def test_halves_that_are_only_slow_do_not_hang(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shrinking, "_TOO_LARGE_TO_REPEAT", 350)  # so the full command halves
    oracle = HangingOracle("", slow='"t.op')
    oracle.fails = lambda text: all(f'"t.op{n}"' in text for n in (1, 398))
    best, _ = reduce(oracle, tmp_path, 400)
    assert oracle.fails(best.program.confirmed.text)


def test_a_flag_without_which_the_command_is_only_slow_stays(tmp_path: Path) -> None:
    command = Command.parse(["tool", "--idle", "--hang", "{}"])
    context, _ = context_of(HangingCommandOracle('"t.op7"', command), tmp_path)
    assert shrinking.drop_flags(context)
    assert context.judging.oracle.command == Command.parse(["tool", "--hang", "{}"])
    assert context.judging.full.query.patience == 1, (
        "later runs of hanging candidates should stay short"
    )
    context.judging.full.close()


@pytest.mark.parametrize(
    ("flags", "printed", "is_early"),
    [
        (["--iree-hal-target-backends=llvm-cpu"], "error: no such op", True),
        (["--iree-hal-target-backends=llvm-cpu"], "failed to serialize executables", False),
        (["--a", "--b"], "failed to serialize executables", True),
    ],
)
def test_a_lone_flag_is_tried_early_unless_a_dispatch_fails(
    tmp_path: Path, flags: list[str], printed: str, is_early: bool
) -> None:
    context, _ = context_of(PredicateOracle(lambda text: True), tmp_path)
    tool = CompilerOracle(Command.parse(["iree-compile", *flags, "{}"]), Path("iree-compile"))
    context.judging.full = context.judging.full.with_(oracle=tool)
    context.judging.first = replace(context.judging.first, stderr=printed)
    assert shrinking.is_cheap(context) is is_early
    context.judging.full.close()


def test_a_hang_is_cut_before_a_shorter_command_is_confirmed(tmp_path: Path) -> None:
    asked: list[tuple[float | None, int]] = []

    class Recording(HangingCommandOracle):
        def run(
            self,
            text: str | bytes,
            *,
            cancel: threading.Event | None = None,
            limits: Limits | None = None,
        ) -> Outcome:
            if "--idle" not in self.command.argv and limits is not None:
                asked.append((limits.seconds, str(text).count("t.op")))
            return super().run(text, cancel=cancel, limits=limits)

        def with_command(self, command: Command) -> "Recording":
            return Recording('"t.op7"', command)

    command = Command.parse(["tool", "--idle", "--hang", "{}"])
    context, _ = context_of(Recording('"t.op7"', command), tmp_path)
    context.settings = replace(context.settings, keep_flags=False)
    hang = Hang(replace(context.judging.first.signature, stage=pass_stage("p")), 0.1)
    context.judging.short = ShortLimits.of(hang, context.judging.full.limits)
    search(context)
    context.judging.full.close()
    confirmed = [ops for seconds, ops in asked if seconds == HangingOracle.limits.seconds]
    assert confirmed and set(confirmed) == {1}


@pytest.mark.parametrize("endless", ['"t.op7"', '"t.op9"'])
def test_a_result_that_is_only_slow_is_not_verified(tmp_path: Path, endless: str) -> None:
    context, notes = context_of(HangingOracle('"t.op9"', slow='"t.op'), tmp_path)
    context.found.printed.readable = chain(40).replace('"t.op9"', endless)
    finishing.verify(context)
    context.judging.full.close()
    assert context.found.printed.is_verified == (endless == '"t.op9"')
    assert any("the result does not fail on every run" in note for note in notes) == (
        endless == '"t.op7"'
    )


def test_what_two_commands_have_seen_is_run_again_once(tmp_path: Path) -> None:
    oracle = ShortenedOracle('"t.op7"', shortened_name='"t.op7"')
    context, _ = context_of(oracle, tmp_path)
    context.program.original = Module.parse(chain(100))  # what is left is less than half of it
    context.judging.provisional = context.judging.full.with_(oracle=oracle.short)
    context.accept(Candidate(Module.parse(chain(20)), "half"))
    context.confirm()
    runs = len(oracle.texts)
    shrinking.run_again(context)
    context.judging.full.close()
    assert len(oracle.texts) == runs + 1


def test_idle_workers_polish_while_a_program_is_run_again(tmp_path: Path) -> None:
    oracle = RepeatingSlowly()
    context, _ = context_of(oracle, tmp_path, jobs=4)
    context.program.original = Module.parse(chain(100))  # what is left is less than half of it
    shrinking.run_again(context)
    context.judging.full.close()
    assert oracle.went_on


def test_no_other_failure_is_given_more_time(tmp_path: Path) -> None:
    context, _ = context_of(PredicateOracle(lambda text: '"t.op7"' in text), tmp_path)
    assert context.judging.results is context.judging.full
    assert context.search().judge is context.judging.full
    context.judging.full.close()


def test_the_file_on_disk_fails_at_every_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    oracle = ShortenedOracle('"t.op7"', shortened_name='"t.op')
    saved: list[str] = []
    monkeypatch.setattr(Best, "_save", lambda self, text: saved.append(text))
    reduce(oracle, tmp_path)
    assert len(saved) > 1
    assert all(oracle.fails(text) for text in saved)


def test_halves_that_are_healthy_are_not_run_again_by_the_shortened_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shrinking, "_TOO_LARGE_TO_REPEAT", 350)  # so the full command halves
    oracle = ShortenedOracle('"t.op1"', shortened_name='"t.op1"')
    oracle.fails = oracle.short.fails = lambda text: all(f'"t.op{n}"' in text for n in (1, 398))
    reduce(oracle, tmp_path, 400)
    healthy = {text for text in oracle.texts if not oracle.fails(text)}
    assert len(healthy) >= 3
    assert healthy.isdisjoint(oracle.short.texts)


def stages_shown(context: Context) -> list[str]:
    """The stages that a search reports, without the transformations reported by polishing."""
    shown: list[str] = []
    context.show = shown.append
    search(context)
    context.judging.full.close()
    polishing = {
        transformation.name
        for transformation in (
            *standard_transformations(
                context.program.boundary or BoundaryTypes.of(Module.parse(chain(1)))
            ),
            *control_flow_transformations(),
            *last_transformations(),
            *standard_tunings(),
            *text_transformations(),
        )
    }
    return [name for name in shown if name not in polishing | {CompilerPasses.name}]


LOCATE = ["follow the diagnostics", "sample each kind of op", "sample parts of it"]


@pytest.mark.usefixtures("few_are_worth_stopping_early")
def test_each_stage_is_shown_where_it_applies(tmp_path: Path) -> None:
    oracle = ShortenedOracle('"t.op7"', shortened_name='"t.op7"')
    context, _ = context_of(oracle, tmp_path)
    assert stages_shown(context) == [
        *LOCATE,
        "run the input in generic form",
        "halve",
        "run it again",
        "find the failing phase",
        "polish",
    ]


def test_a_large_input_is_halved_before_what_takes_many_runs(tmp_path: Path) -> None:
    oracle = PredicateOracle(lambda text: '"t.op1"' in text and '"t.op398"' in text)
    context, _ = context_of(oracle, tmp_path, 400)
    assert stages_shown(context) == [
        *LOCATE,
        "run the input in generic form",
        "find the failing phase",
        "halve",
        "run it again",
        "go down a level",
        "find the failing phase",
        "polish",
        "run it again",
    ]


def test_flags_go_before_the_first_program_that_is_small_is_minimized(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With all of its flags, it would be minimized twice."""

    def cut(search: SearchState[Module], conversions: Conversions) -> bool:
        search.accept(Candidate(Module.parse(chain(20)), "cut"))
        return True

    monkeypatch.setattr(shrinking, "cut_before_pass", cut)
    needed, others = ('"t.op1"', '"t.op18"'), ('"t.op398"', '"t.op200"')
    oracle = PredicateOracle(
        lambda text: (
            all(name in text for name in needed)
            and ('"t.op20"' not in text or all(name in text for name in others))
        )
    )
    context, _ = context_of(oracle, tmp_path, 400)
    context.settings = replace(context.settings, keep_flags=False)
    shown = stages_shown(context)
    below = shown.index("go down a level")
    assert shown[below + 1] == "drop flags"
    assert shown.index("drop flags") < shown.index("polish")
    assert "drop flags" not in shown[:below]


def test_parts_return_nothing_if_only_that_fails(tmp_path: Path) -> None:
    ops = "".join(f'%{n} = "t.op{n}"(%{n - 1}) : ({TENSOR}) -> {TENSOR}\n' for n in range(1, 600))
    text = function(f'{ops}"func.return"() : () -> ()', arguments=f"%0: {TENSOR}")
    oracle = PredicateOracle(lambda text: '"t.op444"' in text and '"func.return"()' in text)
    context, _ = context_of(oracle, tmp_path, text=text)
    program, module = context.program, Module.parse(text)
    program.document = program.confirmed = program.original = module
    search(context)
    context.judging.full.close()
    assert [name for name in program.module.t.name if name.startswith("t.")] == ["t.op444"]
    assert len(oracle.texts) < 60


def test_nothing_large_is_run_again_to_see_whether_it_always_fails(tmp_path: Path) -> None:
    oracle = PredicateOracle(lambda text: '"t.op180"' in text and '"t.op220"' in text)
    reduce(oracle, tmp_path, 400)
    sizes = [text.count('"t.op') for text, runs in Counter(oracle.texts).items() if runs > 2]
    assert sizes, "what is left is run again"
    assert max(sizes) <= 200


@pytest.mark.parametrize("says_so", [True, False])
def test_a_failure_in_a_dispatch_is_looked_for_there_before_larger_parts_are_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says_so: bool
) -> None:
    monkeypatch.setattr(locating, "fails_in_dispatch", lambda context: says_so)
    oracle = PredicateOracle(lambda text: '"t.op1"' in text and '"t.op598"' in text)
    context, _ = context_of(oracle, tmp_path, 600)
    shown = stages_shown(context)
    kinds = "sample each kind of op"
    dispatch, parts = "find the failing dispatch", "sample parts of it"
    located = [stage for stage in shown if stage in (kinds, dispatch, parts)]
    soon, late = [dispatch, kinds, parts], [kinds, parts, dispatch]
    assert located == (soon if says_so else late)


@pytest.mark.parametrize("shortened", ['"t.op98"', '"t.'])
def test_a_phase_that_the_input_noted_is_the_last_that_samples_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shortened: str
) -> None:
    monkeypatch.setattr(locating, "fails_before_dispatches", lambda context: True)
    oracle = ShortenedOracle('"t.op98"', shortened_name=shortened)
    context, notes = context_of(oracle, tmp_path, 600)
    context.judging.noted_phase = 0
    asked = len(oracle.texts)
    search(context)
    context.judging.full.close()
    left = context.program.confirmed
    assert isinstance(left, Module) and '"t.op98"' in left.text and left.op_count < 10
    drifted = shortened != '"t.op98"'
    assert bool(notes) == drifted
    if not drifted:
        sizes = [text.count('"t.') for text in oracle.texts[asked:]]
        assert max(sizes) < 150, "the full command should only confirm"


def test_a_dispatch_that_is_much_smaller_than_its_ops_is_tried_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    oracle = PredicateOracle(lambda text: text.count('"t.op39') > 9)
    context, _ = context_of(oracle, tmp_path, 600)
    ops, asked = [context.program.module.t.name.index("t.op398")], len(oracle.texts)
    most: list[int | None] = []

    def go_down(
        context: Context, dispatch: Dispatch, seeds: Sequence[int], ops: int | None = None
    ) -> bool:
        most.append(ops)
        context.program.input_level = InputLevel(context.milestone(), "it", tuple(seeds))
        return True

    monkeypatch.setattr(locating, "failing_dispatch", lambda *args: Dispatch("d", "", ()))
    monkeypatch.setattr(locating, "ops_at", lambda *args: ops)
    monkeypatch.setattr(locating, "go_down_to_dispatch", go_down)
    assert locating.follow_dispatch(context)
    assert most == [1], "the smallest set has one op"
    assert len(oracle.texts) == asked + 1, "its op should only be run apart"
    context.judging.full.close()


def test_what_our_print_does_not_show_is_cut_as_text(tmp_path: Path) -> None:
    oracle = PredicateOracle(lambda text: "t.op7" in text and "!alias" in text)
    context, notes = context_of(oracle, tmp_path, header="!alias = i32\n")
    assert stages_shown(context) == [
        *LOCATE,
        "run the input in generic form",
        "fall back to text",
        "run it again",
        "cut as text",
    ]
    assert notes == ["the failure disappears in generic form; reducing by lines and brackets"]
    left = context.program.confirmed.text
    assert left.startswith("!alias") and "t.op7" in left and "t.op6" not in left


@pytest.mark.usefixtures("few_are_worth_stopping_early")
@pytest.mark.parametrize("shortened", ['"t.op7"', '"t.'])
def test_what_the_shortened_command_found_outlives_an_interrupt(
    tmp_path: Path, shortened: str
) -> None:
    oracle = ShortenedOracle('"t.op7"', shortened_name=shortened)
    context, notes = context_of(oracle, tmp_path)
    is_right = shortened == '"t.op7"'

    def accepted(document: Document, *_: object) -> None:
        if context.program.is_provisional and oracle.fails(document.text) == is_right:
            context.judging.full.stop.set()

    context.best.on_accept = accepted
    with pytest.raises(Stopped, match="interrupted"):
        search(context)
    context.judging.full.close()
    if is_right:
        assert not context.program.is_provisional
        assert context.settings.output.read_text() == context.program.confirmed.text
        assert oracle.fails(context.program.confirmed.text)
    else:
        assert context.program.is_provisional and "fails differently" in notes[-1]


@pytest.mark.parametrize("calls", [6, 9, 15])
def test_what_the_shortened_command_found_outlives_a_spent_budget(
    tmp_path: Path, calls: int
) -> None:
    oracle = ShortenedOracle('"t.op7"', shortened_name='"t.op7"')
    context, _ = context_of(oracle, tmp_path)
    context.judging.full = context.judging.full.with_(budget=Budget(calls=calls))
    with pytest.raises(Stopped, match="budget"):
        search(context)
    assert context.judging.full.costs.calls in (calls, calls + 1), "one more, to confirm"
    assert not context.program.is_provisional
    assert oracle.fails(context.program.confirmed.text)
    assert context.program.confirmed.op_count < Module.parse(chain(40)).op_count
    context.judging.full.close()
