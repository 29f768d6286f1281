"""One reduction from the failing input to the verified reproducer."""

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from hashlib import sha256

from oracles import Kind, Limits, Oracle, Outcome
from reducer import __version__
from reducer.ir import D, Document, GenericSyntaxError, Module, PlainText
from reducer.locate import ops_of_diagnostics, read_locations
from reducer.search.candidate import Candidate, Verdict
from reducer.search.evaluator import Budget, Evaluator, Stopped
from reducer.search.fixpoint import reduce_to_fixpoint
from reducer.search.sampling import sample
from reducer.search.state import State
from reducer.search.windows import grow_around, halve
from reducer.session.compiler_passes import CompilerPasses
from reducer.session.errors import NoEnd
from reducer.session.events import Listener, Progress, Size
from reducer.session.files import write_atomic
from reducer.session.journal import Journal
from reducer.session.normalise import Normaliser, unwrap
from reducer.session.report import Report
from reducer.session.sanity import Sanity
from reducer.session.settings import Settings
from reducer.transformations import Abi, standard_transformations, text_transformations

_FIRST_RUN = 3600.0  # seconds that the input may take where the user set no limit
_SLOWER = 4  # a candidate may take so many times as long as the input did…
_AT_LEAST = 30.0  # …and at least so many seconds


class Reduction:
    """A reduction with its journal, its best result on disk and its costs.

    Set `stop` to end it early; `run` then returns with the best result so far.
    """

    def __init__(self, settings: Settings, oracle: Oracle, listener: Listener) -> None:
        self.settings = settings
        self.oracle = oracle
        self.listener = listener
        self.stop = threading.Event()
        self.notes: list[str] = []
        self._started = time.monotonic()
        self._phase = ""
        self._accepted = 0
        self._best: Document = PlainText(settings.text)
        self._best_size = Size.of(self._best)

    # ---- the whole -------------------------------------------------------------------------

    def run(self) -> Report:
        """Reduces, verifies and reports.

        Raises:
            ReducerError: the input is not interesting, the oracle is flaky, a file cannot be
                written… each with its exit code.
        """
        self.journal = Journal.open(
            self.settings.journal,
            identity=self._identity(),
            resume=self.settings.resume,
            say=self.listener.message,
        )
        self.evaluator = Evaluator(
            self.oracle,
            self.journal,
            jobs=self.settings.jobs,
            budget=Budget(self.settings.max_calls, self.settings.max_seconds),
            stop=self.stop,
            on_verdict=self._on_verdict,
        )
        try:
            return self._run()
        finally:
            self.evaluator.close()
            self.journal.close()

    def _run(self) -> Report:
        status, one_minimal = "reduced", False
        self._show("normalise")
        self.normaliser = self._make_normaliser()
        module = self._normalised(self.settings.text)
        self.input_size = Size(
            self._best_size.lines,
            module.op_count if module else self._best.op_count,
            self._best_size.bytes,
        )
        self._best_size = self.input_size
        sanity = Sanity(self.evaluator, self.settings.text, self.input_size.ops)
        self._show("run the input")
        first = self._first_run(sanity)
        self._limit_candidates(first)
        self._save(self.settings.text)
        self.listener.message(f"to keep: {first.signature.text}")
        try:
            sanity.refuse_empty_module()
            sanity.repeat_if_cheap(first)
            one_minimal = self._search(module, first, sanity)
        except Stopped as stopped:
            status = stopped.reason
        return self._finish(status, one_minimal, first)

    def _identity(self) -> dict[str, str]:
        text = self.settings.text.encode(errors="surrogateescape")
        return {
            "input": sha256(text).hexdigest(),
            "oracle": self.oracle.key,
            "version": __version__,
        }

    # ---- before the search -----------------------------------------------------------------

    def _make_normaliser(self) -> Normaliser | None:
        if self.settings.opt is None:
            return None
        return Normaliser(self.settings.opt, Limits(600.0, self.oracle.limits.memory))

    def _normalised(self, text: str) -> Module | None:
        """The module in generic form; None if it cannot be had."""
        if self.normaliser is None:
            return None
        generic = self._remembered("generic", text)
        try:
            return Module.parse(generic) if generic else None
        except GenericSyntaxError as error:
            self._note(f"the compiler's generic print is not understood ({error})")
            return None

    def _remembered(self, form: str, text: str) -> str | None:
        """A conversion or pass pipeline of the compiler, from the journal if it ran before."""
        assert self.normaliser is not None
        digest = sha256(f"{form}\0{text}".encode(errors="surrogateescape")).hexdigest()
        known = self.journal.get_text(digest)
        if known is None:
            conversions = {
                "generic": self.normaliser.generic,
                "locations": self.normaliser.generic_with_locations,
                "pretty": self.normaliser.pretty,
            }
            convert = conversions.get(form) or partial(self.normaliser.after_passes, form)
            known = convert(text) or ""
            self.journal.put_text(digest, known)
        return known or None

    def _first_run(self, sanity: Sanity) -> Outcome:
        """Runs the input. A run that does not end is a failure to keep only if a limit was set.

        Raises:
            NoEnd: it took longer than a compiler should, and nobody said how long it may take.
        """
        limits = self.oracle.limits
        unlimited = limits.seconds is None
        seconds = _FIRST_RUN if limits.seconds is None else limits.seconds
        self.evaluator.limits = replace(limits, seconds=seconds)
        first = sanity.run_input()
        if unlimited and first.kind is Kind.TIMEOUT:
            raise NoEnd(
                f"the command did not end within {_FIRST_RUN:.0f} s; if that is the failure, say "
                "from when on a run counts as hanging: --timeout SECONDS"
            )
        return first

    def _limit_candidates(self, first: Outcome) -> None:
        """Derives the time limit from the first run, once: a resumed run must use the same."""
        limits = self.oracle.limits
        known = self.journal.get_meta("seconds_limit")
        if first.kind is Kind.TIMEOUT:
            seconds = limits.seconds
        elif known is not None:
            seconds = float(known)
        else:
            seconds = max(_AT_LEAST, _SLOWER * first.seconds)
            if limits.seconds is not None:
                seconds = min(seconds, limits.seconds)
            self.journal.set_meta("seconds_limit", repr(seconds))
        self.evaluator.limits = replace(limits, seconds=seconds)

    # ---- the search ------------------------------------------------------------------------

    def _search(self, module: Module | None, first: Outcome, sanity: Sanity) -> bool:
        """Reduces as far as possible; whether the result is 1-minimal."""
        if module is None:
            self._note("the input cannot be normalised; cutting it by lines and brackets instead")
            return self._search_text()
        state = State(module, Module.parse, self.evaluator, self._accept)
        abi = Abi.of(module)
        if self._jump(state, abi, first):
            sanity.repeat(state.document)
        else:
            self._show("run our print of the input")
            if not sanity.survives_printing(module):
                self._note("the failure is gone in generic form; cutting by lines and brackets")
                return self._search_text()
            self._accept(Candidate(module, "print in generic form"))
        self._show("halve")
        halve(state, abi)
        helper = CompilerPasses(self._remembered)
        reduce_to_fixpoint(state, [*standard_transformations(abi), helper], self._show)
        return True

    def _jump(self, state: State[Module], abi: Abi, first: Outcome) -> bool:
        """Tries to get at the failure without another run of anything large."""
        self._show("follow the diagnostics")
        seeds = self._seeds(state.document, first)
        if seeds and grow_around(state, abi, seeds):
            return True
        self._show("sample each kind of neighbourhood")
        return sample(state, abi)

    def _search_text(self) -> bool:
        text = PlainText(self.settings.text)
        state = State(text, PlainText, self.evaluator, self._accept)
        reduce_to_fixpoint(state, text_transformations(), self._show)
        return True

    def _seeds(self, module: Module, first: Outcome) -> list[int]:
        if not any(d.severity == "error" and d.line for d in first.diagnostics):
            return []
        located = self._remembered("locations", self.settings.text)
        if located is None:
            return []
        return ops_of_diagnostics(first.diagnostics, read_locations(located, module), module)

    # ---- the best so far -------------------------------------------------------------------

    def _accept(self, candidate: Candidate[D]) -> None:
        self._accepted += 1
        self._best = candidate.document
        self._best_size = Size.of(candidate.document)
        self._save(candidate.text)
        self.journal.record_step(
            self._accepted,
            sha256(candidate.text.encode(errors="surrogateescape")).hexdigest(),
            self._best_size.ops,
            self._best_size.bytes,
            candidate.origin,
            self.evaluator.costs.calls,
        )
        self._tell()

    def _save(self, text: str) -> None:
        write_atomic(self.settings.output, text)

    # ---- the end ---------------------------------------------------------------------------

    def _finish(self, status: str, one_minimal: bool, first: Outcome) -> Report:
        self._show("print")
        text = self._best.text
        if not self.settings.keep_generic and self._accepted and not self.stop.is_set():
            text = self._pretty()
        self._save(text)
        self._show("verify")
        verified = self._verify(text, first)
        costs = self.evaluator.costs
        size = Size.of(self._best)
        final = Size.of(PlainText(text))
        helper = self.normaliser.seconds if self.normaliser else 0.0
        return Report(
            status=status,
            verified=verified,
            signature=first.signature,
            input=self.input_size,
            output=Size(final.lines, size.ops, final.bytes),
            output_path=self.settings.output,
            calls=costs.calls,
            cached=costs.cached,
            by_verdict=dict(sorted(costs.by_verdict.items())),
            compiler_seconds=costs.compiler_seconds + helper,
            full_run_equivalents=costs.candidate_ops / max(1, self.input_size.ops),
            wall_seconds=time.monotonic() - self._started,
            command=self.oracle.display(self.settings.output.name),
            one_minimal=one_minimal,
            notes=self.notes,
        )

    def _pretty(self) -> str:
        """The best result as people write it, if the failure survives that."""
        generic = self._best.text
        for form in self._forms(generic):
            candidate = Candidate(PlainText(form), "print")
            self.evaluator.budget = Budget()
            outcome = self.evaluator.run(candidate.text, self._best.op_count)
            if self.evaluator.judge(outcome) is Verdict.SAME:
                return form
        if isinstance(self._best, Module):
            self._note("the pretty form does not fail in the same way; the result is generic")
        return generic

    def _forms(self, generic: str) -> Iterator[str]:
        if self.normaliser is None or not isinstance(self._best, Module):
            return
        pretty = self._remembered("pretty", generic)
        if pretty is None:
            return
        bare = unwrap(pretty)
        if bare is not None:
            yield bare
        yield pretty

    def _verify(self, text: str, first: Outcome) -> bool:
        """Runs the printed command once more, past every cache, in a folder of its own."""
        outcome = self.oracle.confirm(text, self.settings.output.name, limits=self.evaluator.limits)
        verdict = self.evaluator.judge(outcome)
        self.evaluator.costs.add(verdict, outcome.cpu_seconds, self._best.op_count)
        return verdict is Verdict.SAME and outcome.signature == first.signature

    # ---- telling ---------------------------------------------------------------------------

    def _show(self, phase: str) -> None:
        if phase != self._phase:
            self._phase = phase
            self.listener.phase(phase)
            if hasattr(self, "evaluator"):
                self._tell()

    def _on_verdict(self, verdict: Verdict, outcome: Outcome) -> None:
        self._tell()

    def _tell(self) -> None:
        costs = self.evaluator.costs
        self.listener.progress(
            Progress(
                self._phase,
                self._best_size,
                costs.calls,
                costs.cached,
                costs.compiler_seconds,
                time.monotonic() - self._started,
            )
        )

    def _note(self, text: str) -> None:
        self.notes.append(text)
        self.listener.message(text)
