"""The second reproducer: small IR just before the failing pass, and a one-pass command.

Starts from the input-level reproducer. The IR that enters the failing pass is extracted from its
enclosing ops, the pipeline is reduced to what the failure needs, and the same engine reduces the
IR.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from oracles import CompilerOracle
from oracles.base import capabilities_of
from oracles.signature.stage import INPUT
from reducer.driver.records.record import Report
from reducer.driver.stages.following import Ended, Following
from reducer.driver.stages.second_program import (
    First,
    Making,
    PassReport,
    Second,
    SecondProgram,
    shown_command,
)
from reducer.ir import GenericSyntaxError, Module
from reducer.locate.failing_pass import FailingPass, FailingPassSearch
from reducer.locate.pipeline import PipelineStep, anchored, extracted, pipeline_in
from reducer.search.judge import Stopped

_ROUNDS = 3  # of extracting and reducing; reduction may make an op extractable


def following(kind: SecondProgram[PassReport]) -> Following:
    """The stage that adds a second reproducer, within the rest of the user's budget.

    There is none if that is not wanted, if the first is not verified, or if there is no file to put
    it next to.
    """

    def run(ended: Ended) -> Report:
        report, settings = ended.report, ended.settings
        if not settings.pass_level or not ended.is_worth_more or not settings.output.is_file():
            return report
        pass_file = settings.folder.before_pass
        if pass_file.exists() and settings.input.exists() and pass_file.samefile(settings.input):
            return report
        found = kind.of(First.of(ended))
        return report if found is None else replace(report, pass_level=found)

    return Following(kind.makes, run)


def _tool(first: First) -> Path | None:
    """The tool, if the failure is a compiler's, and not what a script or a pattern looks for."""
    return None if capabilities_of(first.oracle).failures is None else first.opt


def _before_pass(making: Making) -> PassReport | None:
    """The program of the failing pass; None if no `…-opt` command shows the same failure.

    If the first reproducer runs one pass of that tool and nothing else, there is nothing to find:
    the report has the name of the pass, and no file is written, unless the pass fails on an op
    taken out of those around it.
    """
    compiler = capabilities_of(making.first.oracle).failures
    assert compiler is not None
    alone = _sole_pass(making, compiler)
    if alone is not None and not _is_nested(making, compiler):
        return making.same_program(alone)
    command, text, target = compiler.command, making.first.text, making.first.target

    def find() -> str:
        failing_pass = FailingPassSearch(compiler, text, target, making.tool).run()
        return failing_pass.to_json() if failing_pass else ""

    what = "failing pass and what it receives"
    failing = making.remembered(what, find, FailingPass.from_json)
    if failing is None:
        return None
    found_by = failing.name if failing.broken_by else ""
    try:
        failing = failing.at_fault(making.tool) or failing
        for number in range(_ROUNDS):
            smaller = _shortened(making, _extracted(making, failing))
            if number and smaller == failing:
                break
            failing = smaller
            failing = replace(
                failing, text=making.reduced(failing.text, failing.oracle(making.tool))
            )
    except Stopped:
        making.one_minimal = False
    oracle = failing.oracle(making.tool)
    return making.finish(
        Second(
            failing.name,
            failing.text,
            failing.signature,
            _level(failing, shown_command(command, making.first.source.name)),
            failing.step.text if failing.step else None,
            oracle.command,
            lambda text: oracle,
            found_by=found_by,
        )
    )


PASS_LEVEL = SecondProgram(
    makes="pass-level reproducer",
    phase="find the failing pass",
    section="pass level",
    calls=400,
    seconds=300.0,
    tool=_tool,
    make=_before_pass,
    shown="pass level",
)
PASS_LEVEL_STAGE = following(PASS_LEVEL)


def _sole_pass(making: Making, compiler: CompilerOracle) -> str | None:
    """The name of the failing pass if the command runs that and nothing else.

    '' if the command runs no pass, because the input is invalid as it is; None otherwise. A name in
    a command may stand for a pipeline, so the compiler says what it has run.
    """
    own, target = making.tool.passes_of(compiler), making.first.target
    if own is None or len(own) > 1:
        return None
    if not own:
        return "" if target.stage == INPUT else None

    def passes() -> str:
        search = FailingPassSearch(compiler, making.first.text, target, making.tool)
        proposal = search.ir_before()
        if proposal is None:
            return ""
        if proposal.step is None:  # the verifier rejects what that pass has made
            return proposal.name
        return " ".join(inner.name for inner in proposal.step.passes)

    return own[0] if making.remembered("passes that run", passes, str) == own[0] else None


def _is_nested(making: Making, compiler: CompilerOracle) -> bool:
    """Whether the pass fails without the ops that its pipeline names around the innermost."""
    words = compiler.command.flags
    nests = [(word, steps) for word in words if (steps := pipeline_in(word))]
    if len(nests) != 1:
        return False
    ((pipeline, steps),) = nests
    flags = tuple(word for word in words if word != pipeline)
    found = FailingPass("", anchored(steps), flags, making.first.text, making.first.target)
    with suppress(Stopped):
        return _extracted(making, found) is not found
    return False


def _extracted(making: Making, failing_pass: FailingPass) -> FailingPass:
    """The failing op alone, if it fails alone."""
    generic = making.printer.generic(failing_pass.text)
    if generic is None:
        return failing_pass
    try:
        module = Module.parse(generic)
    except GenericSyntaxError:
        return failing_pass
    for text, step in extracted(module, failing_pass.step):
        smaller = replace(failing_pass, text=text, step=step)
        if len(text) < len(generic) and _fails(making, smaller):
            return smaller
    return failing_pass


def _shortened(making: Making, failing_pass: FailingPass) -> FailingPass:
    """The failing pass with fewer options, passes and flags."""
    while True:
        shorter = (
            replace(failing_pass, step=step, flags=flags) for step, flags in _shorter(failing_pass)
        )
        smaller = next((one for one in shorter if _fails(making, one)), None)
        if smaller is None:
            return failing_pass
        failing_pass = smaller


def _fails(making: Making, found: FailingPass) -> bool:
    like = making.tool.fails_like(found.signature, found.text, found.step, found.flags)
    return like is not None


def _shorter(found: FailingPass) -> Iterator[tuple[PipelineStep | None, tuple[str, ...]]]:
    """Smaller variants: first with less of the pipeline, then with fewer flags."""
    step, flags = found.step, found.flags
    if step is not None:
        if step.bare() != step:
            yield step.bare(), flags
        for less in step.smaller():
            yield less, flags
    for number in range(len(flags)):
        yield step, (*flags[:number], *flags[number + 1 :])


def _level(found: FailingPass, by: str) -> str:
    if found.step is None:
        return f"invalid before any pass, found by: {by}"
    name = found.step.passes[-1].name
    inside = f" (in which {found.name} fails)" if name != found.name else ""
    before = f"cut from the IR before {name}{inside}"
    return f"{before}, reached from the input-level reproducer by: {by}"
