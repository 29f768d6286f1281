"""Conversions by the compiler's own `…-opt` tool: generic form, pretty form, passes.

Only the failing compiler can read its own version of every dialect. Its `…-opt` tool runs as a
child process without the verifier, so that invalid IR, which may be what fails, is accepted.
"""

import math
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from oracles import End, Limits, ProcessResult
from oracles.compilers.flag_spelling import run_with
from oracles.run.scratch import private_folder
from reducer.asking import Asking, Cost
from reducer.ir import GenericSyntaxError, Module
from reducer.ir.debug_info import (
    has_locations,
    with_op_locations,
    without_op_locations,
    without_own_locations,
)
from reducer.ir.dialects import MODULE_OPS
from reducer.locate.anchoring import pipeline_flag
from reducer.locate.locations import Location, read_locations
from reducer.locate.opt_tool import OptTool
from reducer.storage.journal import Journal

if TYPE_CHECKING:
    from reducer.search.judge import Judge
    from reducer.transformations import Site

T = TypeVar("T")

_INPUT = "input.mlir"
"""The name under which the tool reads a text."""

_NO_VERIFIER = "--mlir-very-unsafe-disable-verifier-on-parsing"
_LENIENT = (_NO_VERIFIER, "--verify-each=false", "--allow-unregistered-dialect")
_DUMP_PRETTY = (
    "--strip-debuginfo",
    "--mlir-print-ir-before-all",
    "--mlir-print-assume-verified",
)
_DUMP = re.compile(r"^// -----// IR Dump Before .*\n", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*//.*\n|^[ \t]*\n", re.MULTILINE)
_PASS_SECONDS = 2.0  # of CPU time for a few upstream passes on a small module: 0.05 s usually…
_PASS_SECONDS_PER_LINE = 0.001  # …and on a large one, by size

_MEGABYTE = 1 << 20
_LONG = _MEGABYTE  # characters; several conversions of longer texts at once take too much memory
_START_OF_IR = re.compile(r'\s*(?:"[\w.]+"\(|module\b|[#!][\w.]+ = |[a-z]\w*\.[\w.]+[ (]|//)')
"""Begins with an op, an alias or a comment, and not as an explanation of options does."""
_DEEPEST = " " * 64
_DEEP = re.compile(rf"^{_DEEPEST} +", re.M)
"""So much indentation that that of all lines could grow with the square of the depth."""
_MOST_PRINTED = 1 << 30  # bytes of a module on standard output, so that none is cut
_MOST_AHEAD = 64  # conversions that wait to be asked for


class OptPrinter:
    """Runs one `…-opt` tool. `cost` is what that took.

    `cancel` ends whatever is running, and `exceeded` is whether the last run reached a limit.
    """

    def __init__(self, opt: Path, limits: Limits, cancel: threading.Event | None = None) -> None:
        self.opt = opt
        self.limits = limits
        self._asking = Asking(limits=limits, cancel=cancel or threading.Event())
        self.cost = self._asking.cost
        self.exceeded = False

    def another(self) -> "OptPrinter":
        """Another one, for another thread."""
        return OptPrinter(self.opt, self.limits, self._asking.cancel)

    @property
    def interrupted(self) -> bool:
        """Whether what was running was ended by the user, so that its result means nothing."""
        return self._asking.cancel.is_set()

    def go_on(self) -> None:
        """Run from now on although the user has ended the search."""
        self._asking = replace(self._asking, cancel=threading.Event())

    def text_of(self, bytecode: bytes) -> str | None:
        """MLIR bytecode as text; None if the tool cannot read it."""
        return self._convert(bytecode, "--mlir-print-assume-verified")

    def generic(self, text: str) -> str | None:
        """The text in generic form; None if the tool cannot parse it."""
        return _as_edited(self._convert(text, "--mlir-print-op-generic"))

    def generic_with_locations(self, text: str) -> str | None:
        """The text in generic form with a location on each op."""
        flags = ("--mlir-print-op-generic", "--mlir-print-debuginfo")
        return _in_todays_layout(self._convert(text, *flags))

    def after_passes(self, pipeline: str, text: str) -> str | None:
        """The text in generic form after a pass pipeline; None if the tool fails.

        A pass that takes long, perhaps because it is the one that hangs, is not waited for.
        """
        seconds = _PASS_SECONDS + _PASS_SECONDS_PER_LINE * text.count("\n")
        longest = min(10 * seconds, self.limits.seconds or math.inf)
        limits = replace(self.limits, seconds=longest, cpu=seconds)
        passes = pipeline_flag(pipeline, self.opt, self._probe)
        flags = ("--mlir-print-op-generic", passes, *_debug_flags(text))
        printed = self._convert(text, *flags, limits=limits)
        return _as_edited(printed, located=has_locations(text))

    def _probe(self, argv: Sequence[str]) -> ProcessResult:
        with private_folder() as folder:
            return self._asking.run(argv, folder, charged=False)

    def pretty(self, text: str) -> str | None:
        """The text in custom assembly form; None if the tool cannot print it.

        For invalid IR, the printer of newer releases falls back to generic form; a dump before a
        no-op pass still shows the pretty form.
        """
        printed = self._convert(text, "--mlir-print-assume-verified", *_debug_flags(text))
        if printed is not None and any(f'"{name}"(' in printed for name in MODULE_OPS):
            printed = self._dumped(text)
        return f"{without_own_locations(printed, _INPUT).strip()}\n" if printed else None

    def _convert(self, text: str | bytes, *flags: str, limits: Limits | None = None) -> str | None:
        data = text.encode(errors="surrogateescape") if isinstance(text, str) else text
        with private_folder() as folder:
            (folder / _INPUT).write_bytes(data)
            del data  # may be large, and the tool may take long
            result = self._run(folder, limits or self.limits, flags)
            out = folder / "out.mlir"
            if result.exit_code != 0:
                return None
            if out.exists():
                printed = out.read_text(encoding="utf-8", errors="surrogateescape")
                return _flat(printed) or None
            # A driver that is an -opt tool among other things may only print to standard output.
            whole = replace(limits or self.limits, output=_MOST_PRINTED)
            result = self._run(folder, whole, flags, output="-")
            is_done = result.exit_code == 0 and _START_OF_IR.match(result.stdout)
            return _flat(result.stdout) if is_done else None

    def _run(
        self, folder: Path, limits: Limits, flags: Sequence[str], output: str = "out.mlir"
    ) -> ProcessResult:
        """Run the tool; old releases do not have all of these flags."""

        def run(spelled: Sequence[str]) -> ProcessResult:
            argv = [str(self.opt), _INPUT, *spelled, "-o", output]
            return self._asking.run(argv, folder, limits=limits, charged=False)

        result = run_with(self.opt, (*_LENIENT, *flags), run)
        self.exceeded = result.end in (End.TIMEOUT, End.MEMORY)
        return result

    def _dumped(self, text: str) -> str | None:
        with private_folder() as folder:
            (folder / _INPUT).write_text(text, encoding="utf-8", errors="surrogateescape")
            limits = Limits(self.limits.seconds, self.limits.memory, 64 * _MEGABYTE)
            result = self._run(folder, limits, _DUMP_PRETTY)
        parts = _DUMP.split(result.stderr)
        return parts[1] if len(parts) > 1 else None


def _debug_flags(text: str) -> tuple[str, ...]:
    """What has the locations of a text printed, if it has any."""
    return ("--mlir-print-debuginfo",) if has_locations(text) else ()


def _flat(text: str) -> str:
    """The text with no deeper indentation than is of use to anyone."""
    return _DEEP.sub(_DEEPEST, text) if f"\n{_DEEPEST}" in text else text


def _as_edited(generic: str | None, *, located: bool = False) -> str | None:
    """Generic form as it is edited, with or without locations, which some tools always print."""
    generic = _in_todays_layout(generic)
    if generic is None:
        return None
    return with_op_locations(generic, _INPUT) if located else without_op_locations(generic)


def _in_todays_layout(generic: str | None) -> str | None:
    """Generic form as all releases since 2022 print it: regions begin with `({` and `}, {`."""
    if generic is None or "( {\n" not in generic:
        return generic
    return generic.replace("( {\n", "({\n").replace("},  {\n", "}, {\n")


GENERIC = "generic"
"""The form in which the search holds IR."""

LOCATED = "locations"
"""The generic form with a location on each op."""


_Convert = Callable[[OptPrinter], str | None]


class Conversions:
    """Cached conversions by the compiler's `…-opt` tool; all are None without a tool.

    With several `jobs`, idle threads make those that will probably be asked for.
    """

    def __init__(
        self,
        printer: OptPrinter | None,
        journal: Journal,
        log: Callable[[str], None],
        jobs: int = 1,
    ) -> None:
        self._printer = printer
        self._journal = journal
        self._log = log
        self._ahead: dict[str, Future[tuple[str | None, OptPrinter]]] = {}
        self._pool = ThreadPoolExecutor(jobs, thread_name_prefix="opt") if jobs > 1 else None

    def close(self) -> None:
        """Wait for the conversions that idle threads are still running."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

    @property
    def cost(self) -> Cost:
        """What the tool in this process took, for all conversions that were asked for."""
        return self._printer.cost if self._printer else Cost()

    def go_on(self) -> None:
        """Convert what is left to be printed, although the user has ended the search."""
        if self._printer is not None:
            self._printer.go_on()

    @property
    def opt(self) -> Path | None:
        """The path of the tool."""
        return self._printer.opt if self._printer else None

    def module(self, text: str) -> Module | None:
        """The text as a module; None if it cannot be converted to generic form.

        Without a tool that can convert it, it may be in that form already.
        """
        generic = self._cached(GENERIC, lambda n: n.generic(text), text)
        if not generic:
            return _as_it_is(text)
        try:
            return Module.parse(generic)
        except GenericSyntaxError as error:
            self._log(f"cannot parse the compiler's generic form ({error})")
            return None

    def located_module(self, text: str) -> Module | None:
        """The text as a module with a location after each op that has one in the text, or None."""
        located = self._cached(LOCATED, lambda n: n.generic_with_locations(text), text)
        edited = _as_edited(located, located=True)
        if edited is None or not has_locations(edited):
            return None
        try:
            return Module.parse(edited)
        except GenericSyntaxError:
            return None

    def locations(self, text: str, module: Module) -> dict[Location, list[int]]:
        """The location of each op of a module in the text that it was made from, if known."""
        located = self._cached(LOCATED, lambda n: n.generic_with_locations(text), text)
        return read_locations(located, module) if located else {}

    def after_passes(self, pipeline: str, text: str) -> str | None:
        """The text in generic form after a pass pipeline.

        A pipeline that reached a limit once, perhaps because it is the one that hangs, is not run
        again. The journal remembers that, so that a resumed reduction takes the same path.
        """
        exceeded = key_of("exceeded", pipeline)
        if self._journal.get_text(exceeded) is not None:
            return None
        convert: _Convert = partial(_after_passes, pipeline, text)
        made = self._cached(pipeline, convert, text)
        if made is None and self._printer is not None and self._printer.exceeded:
            self._journal.put_text(exceeded, "")
        return made

    def prepare(self, pipelines: Iterable[str], text: str) -> None:
        """Have idle threads run pipelines that `after_passes` will probably be asked about."""
        if self._pool is None or self._printer is None or len(text) > _LONG:
            return
        for pipeline in pipelines:
            digest = key_of(pipeline, text)
            if digest not in self._ahead and self._journal.get_text(digest) is None:
                convert: _Convert = partial(_after_passes, pipeline, text)
                self._ahead[digest] = self._pool.submit(_aside, convert, self._printer.another())
        for digest in list(self._ahead)[:-_MOST_AHEAD]:
            self._ahead.pop(digest).cancel()

    def pretty(self, generic: str) -> str | None:
        """The text in custom assembly form; None if it cannot be printed that way."""
        return self._cached("pretty", lambda n: n.pretty(generic), generic)

    def cached(self, form: str, text: str, make: Callable[[], str], read: Callable[[str], T]) -> T:
        """What `read` says of the result of `make` for a text, which is made once: it is costly."""
        digest = key_of(form, text)
        known = self._journal.read(digest, lambda made: (read(made),))
        if known is None:
            made = make()
            self._journal.put_text(digest, made)
            return read(made)
        return known[0]

    def number(self, form: str, text: str) -> int | None:
        """What `cached` has computed; None if nothing."""
        return self._journal.read(key_of(form, text), int)

    def _cached(self, form: str, convert: _Convert, text: str) -> str | None:
        printer = self._printer
        if printer is None:
            return None
        digest = key_of(form, text)
        stored = self._journal.get_text(digest)
        if stored is None:
            ahead = self._ahead.pop(digest, None)
            stored = (_as_made_now(ahead, printer) if ahead else convert(printer)) or ""
            if stored or not printer.interrupted:
                self._journal.put_text(digest, stored)
        return stored or None


def _as_made_now(ahead: "Future[tuple[str | None, OptPrinter]]", printer: OptPrinter) -> str | None:
    """What another thread has made; the printer is left as if it had been that."""
    made, aside = ahead.result()
    printer.cost.add(0, aside.cost.cpu_seconds)
    printer.exceeded = aside.exceeded
    return made


def _aside(convert: _Convert, printer: OptPrinter) -> tuple[str | None, OptPrinter]:
    """What a conversion makes, and the printer that knows what that took."""
    return convert(printer), printer


def _as_it_is(text: str) -> Module | None:
    """The text as a module if it is in generic form; comments are left out."""
    try:
        module = Module.parse(_COMMENT.sub("", text))
    except GenericSyntaxError:
        return None
    return module if module.op_count else None


def key_of(form: str, text: str) -> str:
    """The journal's key for a text in another form."""
    return sha256(f"{form}\0{text}".encode(errors="surrogateescape")).hexdigest()


def _after_passes(pipeline: str, text: str, printer: OptPrinter) -> str | None:
    return printer.after_passes(pipeline, text)


# Each pipeline with a text that a module must contain for it to have an effect, and how often. A
# pass that the tool does not know makes no candidate.
_PIPELINES = (
    ("inline,symbol-dce", "sym_name", 2),
    ("canonicalize,cse,symbol-dce", "", 0),
    ("linalg-inline-scalar-operands", '"linalg.generic"', 1),
    ("linalg-fuse-elementwise-ops,canonicalize,cse", '"linalg.generic"', 1),
    ("linalg-specialize-generic-ops", '"linalg.generic"', 1),  # turns a body into a named op
)


class CompilerPasses:
    """Runs one pipeline of upstream MLIR passes on the whole module.

    Args:
        run: applies a pipeline to a text and returns generic form, or None if the tool fails.
        prepare: is told which pipelines will probably be run on a text as well.
    """

    name = "run clean-up passes"
    all_at_once = False

    def __init__(
        self,
        run: Callable[[str, str], str | None],
        prepare: Callable[[Iterable[str], str], None] = lambda pipelines, text: None,
    ) -> None:
        self._run = run
        self._prepare = prepare

    def sites(self, module: Module) -> "list[Site]":
        from reducer.transformations import Site  # only a search needs all of them

        return [
            Site(0, number, passes)
            for number, (passes, needs, times) in enumerate(_PIPELINES)
            if module.text.count(needs) >= times
        ]

    def apply(self, module: Module, sites: "Sequence[Site]") -> str | None:
        text: str | None = module.text
        if len(sites) == 1:
            self._prepare(self._from(sites[0], module), module.text)
        for site in sites:
            text = self._run(_on_module(site), text) if text else None
        return text

    def _from(self, site: "Site", module: Module) -> Iterator[str]:
        """What a sweep runs from a site on, unless it accepts something."""
        for one in reversed(self.sites(module)):
            if one.number <= site.number:
                yield _on_module(one)


def _on_module(site: "Site") -> str:
    return f"builtin.module({site.name})"


_MAX_RUNS = 30  # maximum runs to find the pass
_MAX_SECONDS = 600.0  # maximum CPU time to find the pass
_RUN_TIMEOUT = 60.0  # seconds, if there is no other limit on a run


def tool_within(judge: "Judge", opt: Path) -> OptTool:
    """An `…-opt` tool within the limits of a search."""
    limits, budget = judge.limits, judge.query.budget
    return OptTool(
        opt,
        limits=replace(limits, seconds=limits.seconds or _RUN_TIMEOUT),
        cancel=judge.stop,
        calls=int(min(_MAX_RUNS, budget.calls_left(judge.costs))),
        seconds=_MAX_SECONDS,
        until=budget.until,
    )
