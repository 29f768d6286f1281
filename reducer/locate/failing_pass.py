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
from itertools import chain, groupby
from pathlib import Path
from typing import Self

from oracles import CompilerOracle, Level, ProcessResult, Signature
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
class FailingPassSearch:
    """Looks for the pass in which a small program fails.

    What it yields is a `FailingPass` with the signature of the target until it was run. All methods
    raise `Stopped` if the limits of the tool are reached.

    Attributes:
        compiler: runs the command that fails.
        text: the program on which it fails.
        target: the signature of its failure.
        tool: the `…-opt` tool of the same installation.
    """

    compiler: CompilerOracle
    text: str
    target: Signature
    tool: OptTool

    def run(self) -> FailingPass | None:
        """The failing pass; None if no proposal shows the target failure."""
        proposals: list[FailingPass] = []
        invalid: FailingPass | None = None
        for proposal in self._proposals():
            failing = self._validated(proposal)
            if failing and (failing.signature.stage != INPUT or failing.step is None):
                return failing
            invalid = invalid or failing
            proposals.append(proposal)
        flags = self._flags
        again = (replace(proposal, flags=flags) for proposal in proposals if flags and not invalid)
        validated = (self._validated(proposal) for proposal in chain(again, self._from_valid_ir()))
        return next(filter(None, validated), invalid)

    def ir_before(self) -> FailingPass | None:
        """The IR right before the failure, as the compiler shows it; takes one or two runs.

        Unlike that of `run`, it need not fail outside of the pipeline. If the verifier rejects what
        a pass has made of an op, it is that.
        """
        return next(self._proposals(rejected=True), None)

    @property
    def _flags(self) -> tuple[str, ...]:
        """The options of the command that the tool has, too."""
        return tuple(word for word in self.compiler.command.flags if self.tool.knows_flag(word))

    def _proposal(self, step: PipelineStep | None, text: str, name: str) -> FailingPass:
        return FailingPass(name, step, (), text, self.target)

    def _from_valid_ir(self) -> Iterator[FailingPass]:
        """What follows the last valid IR: without the pass that breaks it, and with it.

        None if the failing pass gets valid IR. A verifier that runs after each pass would have said
        so, unless what it says is the failure: a pass on a function may break what only the module
        shows. One run prints the IR before each pass, and each bisected one takes another.
        """
        flags = self._flags
        unverified = any(flag_name(word) == _VERIFYING for word in flags)
        if not unverified and not self.target.kind.traits.illegal_ir:
            return
        result, _ = self._run("--mlir-print-ir-before-all")
        dumps = [dump for dump in read_dumps(result.stderr) if not dump.failed]

        def is_broken(number: int) -> bool:
            return self.tool.rejection(dumps[number].text, flags) is not None

        low, high = 0, len(dumps) - 1
        if high < 1 or not is_broken(high) or is_broken(low):
            return
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if is_broken(middle) else (middle, high)
        nestings = (next(self._nestings(dump, ""), None) for dump in dumps[low:])
        inner = chain.from_iterable(each.step.inner for each in nestings if each and each.step)
        steps = [step for step, _ in groupby(inner)]  # a pass on several functions is one
        if len(steps) < 2:
            return
        name, breaking = steps[-1].passes[-1].name, steps[0].passes[-1].name
        for pipeline, broken_by in ((steps[1:], ""), (steps, breaking)):
            proposal = self._proposal(anchored(pipeline), dumps[low].text, name)
            yield replace(proposal, flags=flags, broken_by=broken_by)

    def _validated(self, proposal: FailingPass) -> FailingPass | None:
        tool, target, text = self.tool, self.target, proposal.text
        step, flags = proposal.step, proposal.flags
        signature = tool.fails_like(target, text, step, flags)
        if signature is None and step is not None:
            other = self._accepted(step, flags)
            if other is not None and other != step:
                step, signature = other, tool.fails_like(target, text, other, flags)
        return None if signature is None else replace(proposal, step=step, signature=signature)

    def _accepted(self, step: PipelineStep, flags: Sequence[str]) -> PipelineStep | None:
        """The step in a form that the tool accepts: not every printed option can be parsed back."""
        variants = (step, *step.smaller(), step.bare())
        return next((variant for variant in variants if self.tool.accepts(variant, flags)), None)

    # ---- proposals, most specific first --------------------------------------------------------

    def _proposals(self, *, rejected: bool = False) -> Iterator[FailingPass]:
        """What passes receive; if `rejected`, first what a pass made that the verifier rejects."""
        if self.target.stage == "input":
            yield self._proposal(None, self.text, "")
            return
        result, reproducer = self._run(*_REPRODUCE)
        failed = [dump for dump in read_dumps(result.stderr) if dump.failed]
        local = read_reproducer(reproducer)
        name = _innermost(failed, local)
        is_illegal = rejected and self.target.kind.traits.illegal_ir and self.target.is_about_an_op
        if is_illegal and failed and failed[0].text:
            yield self._proposal(None, failed[0].text, name)
        if local is not None:
            yield self._proposal(*local, name)
        around = [
            dump.step.name for dump in failed if dump.step and self.tool.knows_pass(dump.step.name)
        ]
        if around:
            before = f"--mlir-print-ir-before={','.join(dict.fromkeys(around))}"
            result, _ = self._run("--mlir-print-ir-after-failure", before)
            yield from self._before_failed(list(read_dumps(result.stderr)), name)
        elif local is None:
            result, _ = self._run("--mlir-print-ir-before-all")
            for dump in list(read_dumps(result.stderr))[-1:]:
                yield from self._nestings(dump, dump.step.name if dump.step else "")

    def _run(self, *extra: str) -> tuple[ProcessResult, str]:
        """Run once with more flags; return the result and the reproducer it wrote, or ''."""
        executable = self.compiler.executable
        with tempfile.TemporaryDirectory(prefix="mlir-reducer-") as folder:
            place = Path(folder)
            (place / "input.mlir").write_text(self.text, encoding="utf-8", errors="surrogateescape")
            words = self.compiler.command.expand("input.mlir", "output.bin")
            argv = self.compiler.command.run_with(executable.absolute(), words)
            flags = not_given((*_GENERIC, *extra), words)

            def run(spelled: Sequence[str]) -> ProcessResult:
                return self.tool.process([*argv, *spelled], place, _MAX_OUTPUT)

            result = run_with(executable, flags, run)
            reproducer = place / _REPRODUCER
            if not reproducer.is_file():
                return result, ""
            return result, reproducer.read_text(encoding="utf-8", errors="replace")

    def _before_failed(self, dumps: Sequence[Dump], name: str) -> Iterator[FailingPass]:
        """For each failed pass, from the inside out, the last IR that it started with."""
        for number, failed in enumerate(dumps):
            if not failed.failed or failed.step is None:
                continue
            for dump in reversed(dumps[:number]):
                key = (dump.step, dump.op, dump.symbol)
                if not dump.failed and key == (failed.step, failed.op, failed.symbol):
                    yield from self._nestings(dump, name)
                    break

    def _nestings(self, dump: Dump, name: str) -> Iterator[FailingPass]:
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
            yield self._proposal(nested(anchors, dump.step), dump.text, name)


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


def _ancestry(module: Module, op: int) -> Iterator[str]:
    while op != NONE:
        yield module.t.name[op]
        op = module.t.parent[op]
