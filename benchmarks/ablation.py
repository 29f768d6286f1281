"""Switch off each special case in turn, and see what misses it: signatures, results, or nothing.

    python -m benchmarks.ablation patterns      message patterns, by recorded outputs of compilers
    python -m benchmarks.ablation searches      all else (see `_switches`), by replayed reductions

Patterns are all regular expressions of `oracles.signature` and `oracles.stacks`, and each of their
rows (`oracles.rows`): how many outputs a pattern matches, and how many are read differently without
it. `rows` says which of them need each row.

Searches are asked the pins of `benchmarks.pins` in which the switch `acts`, the fastest of them:
`asked` says how many. Those of them that are not named stay the same. Without a transformation that
is ever accepted, a search soon asks what was never recorded. It then "diverges", and all that is
known is that the transformation does something, unless `--follow` lets compilers answer.

That nothing differs is a reason to look whether anybody needs it, not yet to delete it. What is not
missed stays for this. Readers: tools that are not recorded, of which there are samples. Stages:
models, for which these pins are too small (sampling, dispatches, phases, the program below); other
kinds of input (text, other files, locations); what is asked for (levels, shapes); what only says or
keeps something; and guards against luck and other bugs (run again, frequency, a larger program: a
product of mixed f8 types is another bug with a size of 1). Transformations: calls, locations, data
that cannot be a splat, groups and lists in text, items of lists, values that only regions get, and
branches of loops, each of which makes a small program larger that needs it, or more runs.

`accepted` and `tried` count the failures, of 273 in 2,057 histories that lay in journals, for which
a transformation was accepted and tried.
"""

import gc
import importlib
import json
import os
import pkgutil
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import zstandard

from benchmarks import pins
from oracles.rows import TABLES
from oracles.run.limits import End, ProcessResult
from oracles.signature.actions import Culprit
from oracles.signature.classify import classify
from oracles.signature.derive import Level
from oracles.stacks.elf import UnwindTable
from reducer import cli, transformations
from reducer.driver import table as tables
from reducer.driver.stage import Stage
from reducer.ir import Module
from reducer.search.conditions import ConditionName
from reducer.transformations import (
    BoundaryTypes,
    Site,
    control_flow_transformations,
    standard_transformations,
)
from reducer.transformations.ties import DropTied
from tests.support import recorded, recordings, replay, samples

TABLE = Path(__file__).with_suffix(".jsonl")
_MOST_ALIKE = 3  # recorded outputs that are classified alike and are kept
_LONGEST = 1 << 17  # characters of an output
_SECONDS = 15  # of a replay
_FOLLOWED = 60  # of one in which compilers run

Pattern = re.Pattern[str]


@click.group()
@click.option("--folder", default="build/pins", show_default=True, type=click.Path(path_type=Path))
@click.pass_context
def main(context: click.Context, folder: Path) -> None:
    """Fill the table of what is missed."""
    context.obj = folder.absolute()


def _save(rows: Iterable[Mapping[str, Any]]) -> None:
    """Put rows into the table, in place of those about the same."""
    lines = TABLE.read_text(encoding="utf-8").splitlines() if TABLE.exists() else []
    known = {(row["what"], row["name"]): row for row in [*map(json.loads, lines), *rows]}
    texts = (json.dumps(known[key], ensure_ascii=False) for key in sorted(known))
    TABLE.write_text("\n".join(texts) + "\n", encoding="utf-8")


# ---- patterns ----------------------------------------------------------------------------------


@main.command()
@click.pass_obj
def patterns(folder: Path) -> None:
    """Ask recorded outputs and samples about each pattern, and about each row of it."""
    named = dict(patterns_by_name())
    groups = {one.file: one.group for one in recorded.recordings()}
    questions: dict[str, Callable[[], str]] = {
        one.file: partial(_bucket, one) for one in recorded.recordings()
    }
    questions |= {name: partial(_sampled, one) for name, one in samples.samples().items()}
    questions |= {str(number): partial(_read, one) for number, one in enumerate(_outputs(folder))}
    before: dict[str, str] = {}
    users: dict[Pattern, list[str]] = defaultdict(list)
    for name, ask in questions.items():
        matched: set[Pattern] = set()
        with samples.replaced({one: _Watched(one, matched) for one in named.values()}):
            before[name] = ask()
        for pattern in matched:
            users[pattern].append(name)

    def changed(pattern: Pattern, other: Pattern) -> list[str]:
        with samples.replaced({pattern: other}):
            return [one for one in users[pattern] if _asked(questions[one]) != before[one]]

    for name, pattern in sorted(named.items()):
        whole = changed(pattern, re.compile(f"(?!)(?:{pattern.pattern}\n)", pattern.flags))
        row = {"what": "pattern", "name": name, "matches": len(users[pattern])}
        bugs = sorted({groups[one] for one in whole if one in groups})[:5]
        table = TABLES.get(pattern)
        rows = {one: changed(pattern, table.without(one)) for one in table.rows} if table else {}
        needed = {text: names[:_MOST_ALIKE] for (text, _), names in rows.items()}
        _save([{**row, "changed": len(whole), "bugs": bugs, "rows": needed}])
        click.echo(f"{name}: without it, {len(whole)} of {len(users[pattern])} differ")


class _Watched:
    """A pattern that notes when it matches."""

    def __init__(self, pattern: Pattern, matched: set[Pattern]) -> None:
        self._pattern, self._matched = pattern, matched

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._pattern, name)
        return partial(self._noting, found) if callable(found) else found

    def _noting(self, method: Callable[..., Any], *words: Any, **named: Any) -> Any:
        if self._pattern.search(next(one for one in reversed(words) if isinstance(one, str))):
            self._matched.add(self._pattern)
        return method(*words, **named)


def patterns_by_name() -> Iterator[tuple[str, Pattern]]:
    """The patterns by the modules that define them."""
    for package in map(importlib.import_module, ("oracles.signature", "oracles.stacks")):
        for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            module = importlib.import_module(found.name)
            source = Path(str(module.__file__)).read_text(encoding="utf-8")
            for name, value in vars(module).items():
                if isinstance(value, re.Pattern) and f"\n{name} = " in source:
                    yield f"{found.name.removeprefix('oracles.')}.{name}", value


def _asked(question: Callable[[], str]) -> str:
    try:
        return question()
    except Exception as error:  # what is not expected to be missing is missed
        return repr(error)


def _bucket(text: recorded.Recording) -> str:
    return text.signature(Level.NORMAL).text


def _sampled(text: samples.Sample) -> str:
    return repr(text.read())


def _read(result: ProcessResult) -> str:
    """What is read of an output without further runs."""
    found = classify(result)
    return repr((found.kind, found.template, found.op, found.crash, found.pass_name, found.user,
                 found.passes, found.nameless, found.settled))  # fmt: skip


def _outputs(folder: Path) -> Iterator[ProcessResult]:
    """The recorded outputs of failures: a few of those that are read alike."""
    alike: Counter[str] = Counter()
    for place in (folder / "recordings", recordings.folder()):
        for file in sorted(place.glob("*.zst")):
            for line in zstandard.decompress(file.read_bytes()).decode().splitlines():
                answer = json.loads(line.partition("\t")[2])
                if answer.get("end") == End.EXITED and answer["exit_code"] != 0:
                    printed, code = answer["stderr"][:_LONGEST], answer["exit_code"]
                    result = ProcessResult(End.EXITED, code, 0, 0, 0, "", printed)
                    alike[read := _read(result)] += 1
                    if alike[read] <= _MOST_ALIKE:
                        yield result


# ---- searches ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Switch:
    """A function that can be switched off, by what it belongs to; then `idle` answers instead.

    `acts` is whether an answer of it, to these arguments, says that it does something.
    """

    what: str
    name: str
    owner: Any
    function: str
    idle: Callable[..., Any]
    acts: Callable[..., bool] = lambda answer, *_: bool(answer)

    def off(self) -> None:
        self._becomes(self.idle)

    def watch(self, file: Path) -> None:
        """Note in a file when it does something."""
        function = getattr(self.owner, self.function)

        def watched(*words: Any, **named: Any) -> Any:
            answer = function(*words, **named)
            if self.acts(answer, *words):
                with file.open("a", encoding="utf-8") as stream:
                    stream.write(f"{self.what} {self.name}\n")
            return answer

        self._becomes(watched)

    def _becomes(self, other: Callable[..., Any]) -> None:
        function = getattr(self.owner, self.function)
        for place in [self.owner, *sys.modules.values()]:
            if vars(place).get(self.function) is function:
                setattr(place, self.function, other)


@main.command()
@click.option("--sets", default="corpus,opt,planted,wrong", show_default=True)
@click.option("--most", default=8, show_default=True, help="Pins for each switch.")
@click.option("--slowest", default=15.0, show_default=True, help="Seconds of a pin to be asked.")
@click.option("--follow", default=0.0, help="Seconds in which compilers run for what diverges.")
@click.option("--only", default="", help="Only what has this in its kind and name.")
@click.pass_obj
def searches(folder: Path, sets: str, most: int, slowest: float, follow: float, only: str) -> None:
    """Replay reductions without each transformation, tuning, condition, stage and reader."""
    os.environ |= {recordings.FOLDER: str(folder / "recordings"), recordings.VARIABLE: "replay"}
    replay.install()
    replay.load()
    switches = [one for one in _switches() if only in f"{one.what} {one.name}"]
    before = list(_watched(folder, sets.split(","), slowest, switches))
    click.echo(f"{len(before)} pins: {', '.join(one.pin.name for one in before)}")
    for switch in switches:
        acting = [one for one in before if f"{switch.what} {switch.name}" in one.acted]
        found: dict[str, list[str]] = defaultdict(list)
        for one in acting[:most]:
            difference = _compared(one.seen, _replayed(one.pin, folder, [switch.off]))
            if difference == "diverges" and follow > 0:
                started = time.monotonic()
                live = _replayed(one.pin, folder, [switch.off], live=True)
                follow -= time.monotonic() - started
                difference = "diverges" if live is None else _compared(one.seen, live)
            found[difference].append(one.pin.name)
        found.pop("same", None)
        counts = {"acts": len(acting), "asked": len(acting[:most])}
        row = {"what": switch.what, "name": switch.name, **counts, **found}
        click.echo(json.dumps(row))
        _save([row])


@dataclass(frozen=True)
class _Before:
    """A pin as it is replayed with everything on, and the kinds and names of what acts in it."""

    pin: pins.Pin
    seen: pins.Seen
    acted: frozenset[str]


def _watched(
    folder: Path, sets: Sequence[str], slowest: float, switches: Sequence[Switch]
) -> Iterator[_Before]:
    """The pins that can be replayed, the fastest first."""
    acted = folder / "ablation" / "acted"
    acted.parent.mkdir(exist_ok=True)
    seconds = {}
    for pin in pins.pins(sets, None):
        old = pins.recorded(folder / pin.set / pin.name / "pin.json")
        if old is not None and old.seconds <= slowest:
            seconds[pin.set, pin.name] = old.seconds, pin
    for _, pin in sorted(seconds.values(), key=lambda pair: pair[0]):
        acted.write_text("", encoding="utf-8")
        seen = _replayed(pin, folder, [partial(one.watch, acted) for one in switches])
        if seen is not None and seen.exit_code != replay.UNKNOWN:
            yield _Before(pin, seen, frozenset(pins.lines_of(acted)))


def _compared(old: pins.Seen, new: pins.Seen | None) -> str:
    if new is None:
        return "too long"
    if new.exit_code == replay.UNKNOWN:
        return "diverges"
    if old.figures.get("bucket") != new.figures.get("bucket") or old.exit_code != new.exit_code:
        return "another bug"
    if old.figures.get("result") != new.figures.get("result"):
        return "larger" if new.figures["bytes"] > old.figures["bytes"] else "smaller"
    counts = [one.figures.get("runs", len(one.asked)) for one in (old, new)]
    if counts[0] != counts[1]:
        return "more runs" if counts[1] > counts[0] else "fewer runs"
    return "same" if old.figures == new.figures else "other words"


def _replayed(
    pin: pins.Pin, folder: Path, prepare: Sequence[Callable[[], None]], *, live: bool = False
) -> pins.Seen | None:
    """One reduction in a process of its own; None if it takes too long.

    Args:
        live: compilers answer what is not recorded.
    """
    work, asked = folder / "ablation" / pin.name, folder / "ablation" / "asked.jsonl"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for name, text in pins.inputs_of(pin, folder / pin.set / pin.name / "inputs").items():
        (work / name).write_text(text, encoding="utf-8")
    asked.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        os.setsid()
        os.chdir(work)
        with Path("printed").open("w", encoding="utf-8") as printed:
            os.dup2(printed.fileno(), 1)
            os.dup2(printed.fileno(), 2)
        os.environ[replay.ASKED] = str(asked)
        for one in prepare:
            one()
        if not live:
            replay.end_where_unknown()
        sys.argv = ["mlir-reducer", *pin.words]
        cli.main(prog_name="mlir-reducer")
    deadline = time.monotonic() + (_FOLLOWED if live else _SECONDS)
    while (ended := os.waitpid(child, os.WNOHANG))[0] == 0:
        time.sleep(0.01)
        if time.monotonic() > deadline:
            with suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return None
    code = os.waitstatus_to_exitcode(ended[1])
    said = (work / "printed").read_text(encoding="utf-8", errors="replace")
    done = subprocess.CompletedProcess(pin.words, code, said, "")
    return pins.Seen(code, pins.figures_of(work, done), pins.lines_of(asked))


def _switches() -> Iterator[Switch]:
    """Everything that can be switched off: readers of an output first, then parts of a search."""
    for module, name, idle in _READERS:
        yield Switch("reader", name, importlib.import_module(f"oracles.{module}"), name, idle)
    for name, one in sorted(vars(transformations).items()):
        if not isinstance(one, type) or getattr(one, "_is_protocol", False) or one is DropTied:
            continue
        if hasattr(one, "sites") and hasattr(one, "apply"):
            yield Switch("transformation", name, one, "sites", lambda *_: [])
        elif hasattr(one, "of") and isinstance(getattr(one, "name", None), str):
            nothing = SimpleNamespace(values={})
            yield Switch("tuning", name, one, "of", partial(_first, nothing), _has_values)
    boundary = BoundaryTypes(frozenset())
    for row in (*standard_transformations(boundary), *control_flow_transformations()):
        if isinstance(row, DropTied):
            yield _switch_of_ties(row.name)
    for one in gc.get_objects():
        if isinstance(one, type) and isinstance(getattr(one, "name", None), ConditionName):
            yield Switch("condition", one.__name__, one, "check", lambda *_: None)
    for name in dict.fromkeys(stage.name for stage in _stages(vars(tables).values())):
        yield _switch_of_stage(name)


_READERS: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    ("stacks.crash_stack", "recursion_on_stack", lambda *_: ()),
    ("stacks.crash_stack", "places_of_passes", lambda *_: {}),
    ("stacks.crash_stack", "at_its_function", lambda frames, *_, **__: list(frames)),
    ("stacks.elf", "load_address", lambda *_: None),
    ("stacks.elf", "read_unwind_table", lambda *_: UnwindTable()),
    ("stacks.frames", "functions_of_julia", lambda *_: iter(())),
    ("signature.abnormal", "fatal_report", lambda *_: None),
    ("signature.reasons", "with_reason", lambda words, *_: words),
    ("signature.reasons", "operation_before_crash", lambda *_: ""),
    ("signature.runtime_status", "reported_status", lambda *_: None),
    ("signature.python_traceback", "uncaught_exception", lambda *_: None),
    ("signature.python_traceback", "fatal_frames", lambda *_: ()),
    ("signature.unconverted_ops", "user_of_unconverted", lambda *_: ""),
    ("signature.printed_ir", "carried_name", lambda *_: ""),
    ("signature.abort_message", "words_of_runtime", lambda *_: ""),
    ("signature.abort_message", "broken_rule_about", lambda *_: ""),
    ("signature.actions", "culprit_of", lambda *_, **__: Culprit()),
    ("signature.on_stdout", "as_stderr", lambda result, *_: result),
)
"""Functions that read a part of an output, and what they answer if it is not there."""


def _first(answer: Any, *_: Any) -> Any:
    return answer


def _has_values(parameters: Any, *_: Any) -> bool:
    return bool(parameters.values)


def _switch_of_ties(name: str) -> Switch:
    sites = DropTied.sites

    def without(row: DropTied, module: Module) -> list[Site]:
        return [] if row.name == name else sites(row, module)

    def acts(answer: list[Site], row: DropTied, module: Module) -> bool:
        return row.name == name and bool(answer)

    return Switch("transformation", name, DropTied, "sites", without, acts)


def _switch_of_stage(name: str) -> Switch:
    carry_out = Stage.carry_out

    def without(stage: Stage, context: Any) -> bool:
        return stage.name != name and carry_out(stage, context)

    def acts(answer: bool, stage: Stage, context: Any) -> bool:
        return stage.name == name and (answer or stage.when(context))

    return Switch("stage", name, Stage, "carry_out", without, acts)


def _stages(parts: Iterable[Any]) -> Iterator[Stage]:
    for one in parts:
        if isinstance(one, Stage):
            yield one
        elif isinstance(one, tuple):
            yield from _stages(one)
        elif type(one).__module__ == Stage.__module__:
            yield from _stages(vars(one).values())


if __name__ == "__main__":
    main()
