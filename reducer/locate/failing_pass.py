"""Find the failing pass, the IR that it fails on, and an `…-opt` command that shows the failure.

The dumps are those of `--mlir-print-ir-before-all` and `--mlir-print-ir-after-failure`, in module
scope and generic form; their banners vary slightly between releases.

The compiler itself writes what is needed. Its local crash reproducer contains the IR before the
pass that failed or crashed, with a pipeline. A pass in a dynamic pipeline may depend on settings
that no pipeline text can express; then the enclosing passes are tried, from the inside out. Every
proposal is run, and the first one that has the same failure wins.
"""

import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from oracles import Command, CompilerOracle, Level, ProcessResult, Signature
from oracles.compilers.flag_spelling import not_given, run_with
from oracles.signature.stage import INPUT
from oracles.stored import fields_of, parsed
from reducer.ir import NONE, GenericSyntaxError, Module
from reducer.ir.lexer import INSIDE_STRING, unescaped
from reducer.locate.opt_tool import OptTool
from reducer.locate.pipeline import (
    PipelineStep,
    anchored,
    flag_name,
    nested,
    parse_pipeline,
    parse_steps,
)

_BANNER = re.compile(
    r"^// -----// IR Dump (?P<when>Before|After) (?P<name>.+?)(?P<failed> Failed)?"
    r"(?:: (?P<argument>[^ ].*?)| \((?P<old>[\w-]+)\))?"
    r"(?: \('(?P<op>[^']+)' operation(?:: (?P<symbol>@.*?))?\))? //-+ //$",
    re.M,
)
_END = re.compile(r"^\}\)[^\n]*\n(?:\n*\{-#$.*?^#-\}\n)?", re.M | re.S)


@dataclass(frozen=True)
class Dump:
    """One IR dump.

    `step` is the pass as a pipeline names it, None if unknown; `op` is the name of the op it ran on
    and `symbol` that op's symbol name without `@`; both may be ''.
    """

    failed: bool
    step: PipelineStep | None
    op: str
    symbol: str
    text: str


def read_dumps(stderr: str) -> Iterator[Dump]:
    """All dumps before a pass and after a failed one, in order."""
    banners = list(_BANNER.finditer(stderr))
    ends = [match.start() for match in banners[1:]] + [len(stderr)]
    for match, end in zip(banners, ends, strict=False):
        failed = bool(match["failed"])
        if failed != (match["when"] == "After"):
            continue
        symbol = (match["symbol"] or "").removeprefix("@").strip('"')
        step = _step(match["argument"] or match["old"] or "")
        text = _first_op(stderr[match.end() + 1 : end])
        yield Dump(failed, step, match["op"] or "", symbol, text)


def _step(text: str) -> PipelineStep | None:
    try:
        return parse_pipeline(text)
    except ValueError:
        return None


def _first_op(text: str) -> str:
    """The printed module with its resources, without diagnostics that may follow."""
    end = _END.search(text)
    return text[: end.end()] if end else ""


_GENERIC = (
    "--mlir-disable-threading",
    "--mlir-print-ir-module-scope",
    "--mlir-print-op-generic",
)
_REPRODUCER = "reproducer.mlir"
_REPRODUCE = (
    "--mlir-print-ir-after-failure",
    f"--mlir-pass-pipeline-crash-reproducer={_REPRODUCER}",
    "--mlir-pass-pipeline-local-reproducer",
)
_MAX_OUTPUT = 64 << 20
_VERIFYING = "verify-each"
_SECTION = re.compile(r"^    mlir_reproducer: \{\n.*?^    \},?\n", re.M | re.S)
_EMPTY_SECTION = re.compile(r"\n*\{-#\s*(?:external_resources: \{\s*\}\s*)?#-\}\s*\Z")
_PIPELINE = re.compile(rf'^ *pipeline: "({INSIDE_STRING})"', re.M)
CONFIGURATION = re.compile(r"^// configuration: [^\n]*?-pass-pipeline='([^'\n]*)'[^\n]*\n", re.M)
"""The first line of a crash reproducer up to LLVM 14."""


@dataclass(frozen=True)
class FailingPass:
    """A failing pass with the IR and the options that reproduce its failure.

    Attributes:
        name: the innermost pass that failed, as a pipeline names it; '' if unknown.
        step: what to run on `text`; None if that is the input and invalid as it is.
        flags: options of the compiler's command that the pass needs.
        text: the IR before the pass.
        signature: the signature under the `…-opt` tool.
        broken_by: the pass that breaks the IR on which this one fails, if that is an earlier one;
            `step` begins with it, and without it, `text` does not fail alike.
    """

    name: str
    step: PipelineStep | None
    flags: tuple[str, ...]
    text: str
    signature: Signature
    broken_by: str = ""

    def oracle(self, tool: OptTool) -> CompilerOracle:
        """An oracle for this failure, as strict as the one that found it."""
        return tool.oracle(self.step, self.flags, Level(self.signature.level))

    def at_fault(self, tool: OptTool) -> "FailingPass | None":
        """The same, or the pass that breaks the IR, as the verifier sees it; None if it is none."""
        if self.step is None or not self.broken_by:
            return self if self.step else None
        step = replace(self.step, inner=self.step.inner[:1])
        flags = tuple(word for word in self.flags if flag_name(word) != _VERIFYING)
        signature = tool.rejection(self.text, flags, step)
        if signature is None:
            return None
        return FailingPass(self.broken_by, step, flags, self.text, signature)

    def to_json(self) -> str:
        """Text that `from_json` reads back."""
        step = self.step.text if self.step else None
        return json.dumps({**vars(self), "step": step, "signature": self.signature.to_json()})

    @classmethod
    def from_json(cls, text: str) -> Self | None:
        """The inverse; None if there is no text."""
        if not text:
            return None
        fields = parsed(text)
        step = parse_pipeline(fields["step"]) if fields["step"] else None
        return replace(fields_of({**fields, "step": None}, cls), step=step)


@dataclass(frozen=True)
class PassCandidate:
    """IR that may reproduce a failure alone, and what to run on it, as in `FailingPass`."""

    step: PipelineStep | None
    text: str
    name: str
    broken_by: str = ""


def find_failing_pass(
    command: Command, executable: Path, text: str, target: Signature, tool: OptTool
) -> FailingPass | None:
    """The failing pass of a small program; None if no proposal shows the target failure.

    Args:
        command: the failing command, run with `executable`.
        text: the program on which it fails.
        wanted: the signature of its failure.
        tool: the `…-opt` tool of the same installation.

    Raises:
        Stopped: the tool's limits are reached.
    """
    proposals: list[PassCandidate] = []
    invalid: FailingPass | None = None
    for proposal in _proposals(command, executable, text, target, tool):
        invalid = _validated(proposal, target, tool, ())
        if invalid and (invalid.signature.stage != INPUT or invalid.step is None):
            return invalid
        proposals.append(proposal)
    flags = tuple(word for word in command.flags if tool.knows_flag(word))
    for proposal in proposals if flags and not invalid else ():
        if failing_pass := _validated(proposal, target, tool, flags):
            return failing_pass
    for proposal in _from_valid_ir(command, executable, text, target, tool, flags):
        if failing_pass := _validated(proposal, target, tool, flags):
            return failing_pass
    return invalid


def _from_valid_ir(
    command: Command,
    executable: Path,
    text: str,
    target: Signature,
    tool: OptTool,
    flags: tuple[str, ...],
) -> Iterator[PassCandidate]:
    """What follows the last IR that breaks no rule: without the pass that breaks it, and with it.

    None if the failing pass gets valid IR. A verifier that runs after each pass would have said so,
    unless what it says is the failure: a pass on a function may break what only the module shows.
    One run prints the IR before each pass, and each bisected one takes another.
    """
    unverified = any(flag_name(word) == _VERIFYING for word in command.flags)
    if not unverified and not target.kind.traits.illegal_ir:
        return
    result, _ = _run(command, executable, text, ("--mlir-print-ir-before-all",), tool)
    dumps = [dump for dump in read_dumps(result.stderr) if not dump.failed]

    def is_broken(number: int) -> bool:
        if unverified:
            return tool.rejection(dumps[number].text, flags) is not None
        return tool.fails_like(target, dumps[number].text, None, flags) is not None

    low, high = 0, len(dumps) - 1
    if high < 1 or not is_broken(high) or is_broken(low):
        return
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_broken(middle) else (middle, high)
    nestings = (next(_nestings(dump, ""), None) for dump in dumps[low:])
    steps = tuple(inner for found in nestings if found and found.step for inner in found.step.inner)
    steps = tuple(step for step, last in zip(steps, (None, *steps), strict=False) if step != last)
    if len(steps) < 2:
        return
    name, breaking = steps[-1].passes[-1].name, steps[0].passes[-1].name
    yield PassCandidate(anchored(steps[1:]), dumps[low].text, name)
    yield PassCandidate(anchored(steps), dumps[low].text, name, breaking)


def ir_before_failure(
    command: Command, executable: Path, text: str, target: Signature, tool: OptTool
) -> PassCandidate | None:
    """The IR right before a program's failure, as the compiler shows it; takes one or two runs.

    Unlike that of `find_failing_pass`, it need not fail outside of the pipeline. If the verifier
    rejects what a pass has made of an op, it is that.

    Raises:
        Stopped: the tool's limits are reached.
    """
    return next(_proposals(command, executable, text, target, tool, rejected=True), None)


def _validated(
    proposal: PassCandidate, target: Signature, tool: OptTool, flags: tuple[str, ...]
) -> FailingPass | None:
    step, text = proposal.step, proposal.text
    signature = tool.fails_like(target, text, step, flags)
    if signature is None and step and (other := _accepted(step, tool, flags)) not in (None, step):
        step, signature = other, tool.fails_like(target, text, other, flags)
    if signature is None:
        return None
    return FailingPass(proposal.name, step, flags, proposal.text, signature, proposal.broken_by)


def _accepted(step: PipelineStep, tool: OptTool, flags: Sequence[str]) -> PipelineStep | None:
    """The step in a form that the tool accepts: not every printed option can be parsed back."""
    variants = (step, *step.smaller(), step.bare())
    return next((variant for variant in variants if tool.accepts(variant, flags)), None)


# ---- proposals, most specific first ------------------------------------------------------------


def _proposals(
    command: Command,
    executable: Path,
    text: str,
    target: Signature,
    tool: OptTool,
    *,
    rejected: bool = False,
) -> Iterator[PassCandidate]:
    """What passes receive; with `rejected`, first what the verifier rejects, if a pass made it."""
    if target.stage == "input":
        yield PassCandidate(None, text, "")
        return
    result, reproducer = _run(command, executable, text, _REPRODUCE, tool)
    failed = [dump for dump in read_dumps(result.stderr) if dump.failed]
    local = read_reproducer(reproducer)
    name = _innermost(failed, local)
    is_illegal = rejected and target.kind.traits.illegal_ir and target.is_about_an_op
    if is_illegal and failed and failed[0].text:
        yield PassCandidate(None, failed[0].text, name)
    if local is not None:
        yield PassCandidate(*local, name)
    around = [dump.step.name for dump in failed if dump.step and tool.knows_pass(dump.step.name)]
    if around:
        before = f"--mlir-print-ir-before={','.join(dict.fromkeys(around))}"
        result, _ = _run(command, executable, text, ("--mlir-print-ir-after-failure", before), tool)
        yield from _before_failed(list(read_dumps(result.stderr)), name)
    elif local is None:
        result, _ = _run(command, executable, text, ("--mlir-print-ir-before-all",), tool)
        for dump in list(read_dumps(result.stderr))[-1:]:
            yield from _nestings(dump, dump.step.name if dump.step else "")


def _run(
    command: Command, executable: Path, text: str, extra: Sequence[str], tool: OptTool
) -> tuple[ProcessResult, str]:
    """Run once with more flags; return the result and the reproducer it wrote, or ''."""
    with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
        place = Path(folder)
        (place / "input.mlir").write_text(text, encoding="utf-8", errors="surrogateescape")
        words = command.expand("input.mlir", "output.bin")
        argv = command.run_with(executable.absolute(), words)
        flags = not_given((*_GENERIC, *extra), words)

        def run(spelled: Sequence[str]) -> ProcessResult:
            return tool.process([*argv, *spelled], place, _MAX_OUTPUT)

        result = run_with(executable, flags, run)
        reproducer = place / _REPRODUCER
        if not reproducer.is_file():
            return result, ""
        return result, reproducer.read_text(encoding="utf-8", errors="replace")


def read_reproducer(text: str) -> tuple[PipelineStep, str] | None:
    """The pipeline and the IR of a crash reproducer. The pipeline begins with a module."""
    printed = printed_pipeline(text)
    if printed is None:
        return None
    try:
        step = anchored(parse_steps(printed))
    except ValueError:
        return None
    return step, _EMPTY_SECTION.sub("\n", _SECTION.sub("", CONFIGURATION.sub("", text, count=1)))


def printed_pipeline(text: str) -> str | None:
    """The pipeline of a crash reproducer as the tool printed it."""
    if found := _PIPELINE.search(text, max(text.rfind("{-#"), 0)):
        return unescaped(found[1])
    found = CONFIGURATION.search(text)
    return found[1] if found else None


def _innermost(failed: Sequence[Dump], local: tuple[PipelineStep, str] | None) -> str:
    if failed and failed[0].step:
        return failed[0].step.name
    return local[0].passes[-1].name if local else ""


def _before_failed(dumps: Sequence[Dump], name: str) -> Iterator[PassCandidate]:
    """For each failed pass, from the inside out, the last IR that the same pass started with."""
    for number, failed in enumerate(dumps):
        if not failed.failed or failed.step is None:
            continue
        for dump in reversed(dumps[:number]):
            key = (dump.step, dump.op, dump.symbol)
            if not dump.failed and key == (failed.step, failed.op, failed.symbol):
                yield from _nestings(dump, name)
                break


def _nestings(dump: Dump, name: str) -> Iterator[PassCandidate]:
    """The pass on the op that it ran on, found by kind and name at any depth."""
    try:
        module = Module.parse(dump.text)
    except GenericSyntaxError:
        return
    if dump.step is None:
        return
    seen: dict[tuple[str, ...], None] = {}
    for op, kind in enumerate(module.t.name):
        if kind == dump.op and (not dump.symbol or module.symbol_name(op) == dump.symbol):
            seen.setdefault(tuple(reversed(list(_ancestry(module, op)))))
    for anchors in seen:
        yield PassCandidate(nested(anchors, dump.step), dump.text, name)


def _ancestry(module: Module, op: int) -> Iterator[str]:
    while op != NONE:
        yield module.t.name[op]
        op = module.t.parent[op]
