"""The second reproducer of a wrong result: the module before the wrong pass, and that pass alone.

Several passes may be needed for a wrong result although only one is wrong: the others make what it
mistakes. So the first reproducer's passes before it are run, and what they write is a program of
its own, compared in the same way, for a command that runs one pass.
"""

import json
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from oracles import Command, CompilerOracle, Outcome, Signature
from oracles.signature.comparison import same_failure
from oracles.stored import fields_of, parsed
from reducer.asking import Stopped
from reducer.driver.stages.pass_level import following
from reducer.driver.stages.rewrite_level import RewriteJudge, blaming
from reducer.driver.stages.second_program import (
    First,
    Making,
    PassReport,
    Second,
    SecondProgram,
    shown_command,
)
from reducer.errors import ReducerError
from reducer.locate.blamed import BlamedRewrite
from reducer.locate.opt_tool import OptTool
from reducer.locate.rewrite import Fails, RewriteSearch
from reducer.miscompile.locate.small_widths import prove
from reducer.miscompile.locate.wrong_pass import first_wrong_pass, result_judge, sole_pass_of
from reducer.miscompile.oracle import ValuesOracle, values_of
from reducer.units import plural


@dataclass(frozen=True)
class _WrongPass:
    """The pass, the commands that run what is before it ('' if it is first) and it alone."""

    name: str
    before: str
    alone: tuple[str, ...]
    pipeline: str
    text: str


def _tool(first: First) -> Path | None:
    """The compiler under test, if it transforms modules."""
    oracle = values_of(first.oracle)
    return oracle.comparison.candidate.executable if oracle and oracle.command else None


def _before_wrong_pass(making: Making) -> PassReport | None:
    """The module that the wrong pass receives, with the same class of wrong result.

    That is by the same comparison and a fresh run, when that pass runs alone; its kind may be
    disagreement, as fewer can tell what is right there. None if nobody can tell which pass it is,
    or if the pass alone shows no such result on that module. A command of one pass is at this level
    already: the report says so.
    """
    asking, oracle = making.asking, values_of(making.first.oracle)
    assert oracle is not None and oracle.command is not None
    command, limits = oracle.command, making.tool.limits
    # What it says about itself takes nothing of the budget.
    names = OptTool(making.tool.opt, limits=limits, cancel=asking.cancel, calls=1, seconds=60)
    if (name := sole_pass_of(command, names.knows_pass)) is not None:
        return making.same_program(name)
    with suppress(Stopped):
        wrong = making.remembered(
            "wrong pass",
            lambda: _ask(making, oracle, command, names.knows_pass),
            lambda text: fields_of(parsed(text), _WrongPass) if text else None,
        )
        if wrong is not None:
            only = replace(command, argv=wrong.alone)
            alone = asking.ask(oracle.on_program(wrong.text, only), wrong.text)
            if (target := _target(making.first.target, alone)) is not None:
                return _second(making, oracle, wrong, only, target)
            making.say(_seen(wrong.name, alone))
            return None
    if (calls := asking.cost.calls) and not asking.cancel.is_set():
        making.say(f"{plural(calls, 'comparison')} did not tell which pass is wrong")
    return None


WRONG_PASS = SecondProgram(
    makes="pass-level reproducer",
    phase="find the wrong pass",
    section="wrong pass",
    calls=60,  # each is a run of the passes and a few of the program
    seconds=120.0,
    tool=_tool,
    make=_before_wrong_pass,
    shown="pass level",
)
WRONG_PASS_LEVEL = following(WRONG_PASS)
"""The stage to append for a `ValuesOracle`."""


def _by_result(level: PassReport, tool: OptTool) -> Fails | None:
    """The judge of a tool that makes another program."""
    values = values_of(level.oracle)
    return None if values is None else result_judge(values, level.text, tool)


def _proved(level: PassReport, search: RewriteSearch, found: BlamedRewrite) -> str:
    """What `prove` says, beginning with the inputs for which the program is known to be wrong."""
    values = values_of(level.oracle)
    return prove(search, found, values.call[1] if values and values.call else ())


BY_RESULT = RewriteJudge(_by_result, _proved)
BLAME_WRONG_REWRITE = blaming(BY_RESULT)
"""The stage to append after it."""


def _ask(
    making: Making, oracle: ValuesOracle, command: Command, is_pass: Callable[[str], bool]
) -> str:
    """The wrong pass and the module before it, as JSON; '' if that cannot be told."""
    first, asking = making.first, making.asking

    def is_wrong(shorter: Command) -> bool | None:
        kind = asking.ask(oracle.with_command(shorter), first.text).kind
        return None if kind.traits.undecided else kind.traits.wrong_results

    verdict = first_wrong_pass(command, is_pass, is_wrong)
    text = ""
    if verdict is not None:
        text = first.text if verdict.before is None else _after(making, verdict.before)
    if verdict is None or not text:
        return ""
    before = shown_command(verdict.before, first.source.name) if verdict.before else ""
    return json.dumps(
        vars(_WrongPass(verdict.name, before, verdict.alone.argv, verdict.pipeline, text))
    )


def _after(making: Making, command: Command) -> str:
    """What the passes of a command make of the reproducer; '' if that cannot be told."""
    with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
        target = Path(folder) / "before.mlir"
        oracle = CompilerOracle(command, making.tool.opt, output=str(target))
        outcome = making.asking.ask(oracle, making.first.text)
        if not outcome.succeeded or not target.is_file():
            return ""
        return target.read_text(encoding="utf-8", errors="surrogateescape")


def _target(target: Signature, outcome: Outcome) -> Signature | None:
    """What the module shows in place of the result's failure; None if that is another failure.

    On the module that a pass receives, others can tell what is right than on the result, so that it
    may be a disagreement.
    """
    seen = outcome.signature
    if not outcome.kind.traits.wrong_results:
        return None
    return seen if same_failure(target, replace(seen, kind=target.kind)) else None


def _second(
    making: Making, oracle: ValuesOracle, found: _WrongPass, alone: Command, target: Signature
) -> PassReport | None:
    """The second program, reduced if that is possible."""

    def judge(text: str) -> ValuesOracle:
        return oracle.on_program(text, alone)

    text = found.text
    if not making.asking.is_spent:
        with suppress(ReducerError, Stopped):
            text = making.reduced(text, judge(text))
    level = f"cut from the input-level reproducer: {found.name} is its first pass"
    if found.before:
        by = f"reached from the input-level reproducer by: {found.before}"
        level = f"cut from the IR before {found.name}, {by}"
    if target.kind is not making.first.target.kind:
        level = f"a {target.kind}, {level}"
    return making.finish(
        Second(found.name, text, target, level, found.pipeline, alone, judge, tells=True)
    )


def _seen(name: str, alone: Outcome) -> str:
    """What was seen of a pass alone on the module that it receives, if not the same failure."""
    where = f"with {name} alone, on the module that it receives,"
    if alone.succeeded:
        return f"{where} no difference was seen"
    if alone.kind.traits.undecided:
        return ": ".join((f"{where} nothing can tell whether it is wrong", *alone.remarks[:1]))
    return f"{where} there is another failure: {alone.signature.text}"
