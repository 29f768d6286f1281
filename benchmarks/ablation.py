"""Switch off each special case in turn, and see what misses it: signatures, results, or nothing.

    python -m benchmarks.ablation patterns           message patterns and stack readers
    python -m benchmarks.ablation searches           all else: see `_switches`
    python -m benchmarks.ablation searches --live 1  asks compilers where a replay does not suffice

Patterns are all regular expressions of `oracles.signature` and `oracles.stacks`, and each of their
alternatives. They are asked the recorded outputs of compilers: how many a pattern matches, and of
how many the signature is another one without it. `idle` are the alternatives that change none.

Searches are asked the pins of `benchmarks.pins` that are replayed fastest. Without a transformation
that is ever accepted, a search soon asks what was never recorded. It then "diverges", and all that
is known is that the transformation does something. The table has the pins on which it `acts`, of
which those that are not named stay the same.

Nothing that differs is a reason to look whether anybody needs it, not yet to delete it.
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
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import zstandard

from benchmarks import pins
from oracles.run.limits import End, ProcessResult
from oracles.signature.actions import Culprit
from oracles.signature.classify import classify
from oracles.signature.derive import Level
from oracles.stacks.elf import UnwindTable
from reducer import cli, transformations
from reducer.driver import table as tables
from reducer.driver.stage import Stage
from reducer.search.conditions import ConditionName
from tests.support import recorded, recordings, replay

TABLE = Path(__file__).with_suffix(".json")
_PACKAGES = "oracles.signature", "oracles.stacks"
_MOST_ALIKE = 3  # recorded outputs that are classified alike and are kept
_LONGEST = 1 << 17  # characters of an output
_SHOWN = 60


@click.group()
@click.option("--folder", default="build/pins", show_default=True, type=click.Path(path_type=Path))
@click.option("--table", default=TABLE, type=click.Path(path_type=Path), help="Where rows go.")
@click.pass_context
def main(context: click.Context, folder: Path, table: Path) -> None:
    """Fill the table of what is missed."""
    context.obj = folder.absolute(), table


def _save(table: Path, part: str, rows: Sequence[dict[str, Any]]) -> None:
    """Replace a part of the table, one row a line, so that a change is easy to see."""
    known = json.loads(table.read_text(encoding="utf-8")) if table.exists() else {}
    parts = {**known, part: rows}
    texts = [
        f'"{name}": [\n' + ",\n".join(json.dumps(row, ensure_ascii=False) for row in parts[name])
        for name in sorted(parts)
    ]
    table.write_text("{\n" + "\n],\n".join(texts) + "\n]\n}\n", encoding="utf-8")


# ---- patterns ----------------------------------------------------------------------------------


class _Watched:
    """A pattern that notes when it matches."""

    def __init__(self, pattern: re.Pattern[str], matched: set[re.Pattern[str]]) -> None:
        self._pattern, self._matched = pattern, matched

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._pattern, name)
        return self._noting(found) if callable(found) else found

    def _noting(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*words: Any, **named: Any) -> Any:
            if self._pattern not in self._matched and self._pattern.search(
                next(one for one in reversed(words) if isinstance(one, str))
            ):
                self._matched.add(self._pattern)
            return method(*words, **named)

        return call


@main.command()
@click.pass_obj
def patterns(options: tuple[Path, Path]) -> None:
    """Ask recorded outputs about each pattern, and about each alternative of it."""
    folder, table = options
    named = dict(_patterns())
    texts = {one.file: one for one in recorded.recordings()}
    questions: Mapping[str, Callable[[], str]] = {
        name: partial(_bucket, one) for name, one in texts.items()
    } | {str(n): partial(_read, one) for n, one in enumerate(_outputs(folder))}
    before: dict[str, str] = {}
    users: dict[re.Pattern[str], list[str]] = defaultdict(list)
    for name, ask in questions.items():
        matched: set[re.Pattern[str]] = set()
        with _replaced({one: _Watched(one, matched) for one in named.values()}):
            before[name] = ask()
        for pattern in matched:
            users[pattern].append(name)
    rows = []
    for name, pattern in sorted(named.items()):
        changed: dict[str, list[str]] = {}
        for part, other in [("", _never(pattern)), *_without_alternatives(pattern)]:
            with _replaced({pattern: other}):
                asked = [one for one in users[pattern] if _asked(questions[one]) != before[one]]
                changed[part] = asked
        whole = changed.pop("")
        bugs = sorted({texts[one].group for one in whole if one in texts})[:5]
        idle = sorted(part for part, names in changed.items() if not names) if whole else []
        counts = {"matches": len(users[pattern]), "changed": len(whole)}
        rows.append({"pattern": name, **counts, "bugs": bugs, "idle": idle})
    _save(table, "patterns", rows)
    without = sum(not row["changed"] for row in rows)
    click.echo(f"{len(questions)} outputs; {len(named)} patterns, {without} change nothing")


def _patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    """The patterns by module and name."""
    for package in _PACKAGES:
        for found in pkgutil.iter_modules(importlib.import_module(package).__path__):
            module = importlib.import_module(f"{package}.{found.name}")
            for name, value in vars(module).items():
                if isinstance(value, re.Pattern) and f"{name} = " in _source(module.__file__):
                    yield f"{module.__name__.removeprefix('oracles.')}.{name}", value


def _never(pattern: re.Pattern[str]) -> re.Pattern[str]:
    """A pattern with the same groups that never matches."""
    return re.compile(f"(?!)(?:{pattern.pattern}\n)", pattern.flags)


@cache
def _source(file: str) -> str:
    return Path(file).read_text(encoding="utf-8")


@contextmanager
def _replaced(others: dict[re.Pattern[str], Any]) -> Iterator[None]:
    """Put others in place of patterns, wherever these are known."""
    changed = []
    for module in [one for name, one in sys.modules.items() if name.startswith("oracles.")]:
        for name, value in list(vars(module).items()):
            if isinstance(value, re.Pattern) and value in others:
                changed.append((module, name, value))
                setattr(module, name, others[value])
    _forget()
    yield
    for module, name, value in changed:
        setattr(module, name, value)
    _forget()


def _forget() -> None:
    """Empty what functions of the oracles have cached."""
    for cached in _caches():
        cached.cache_clear()


@cache
def _caches() -> list[Any]:
    kind = type(_source)
    found = [one for one in gc.get_objects() if isinstance(one, kind)]
    return [one for one in found if one.__module__.startswith("oracles.")]


def _asked(question: Callable[[], str]) -> str:
    try:
        return question()
    except Exception as error:  # what is not expected to be missing is missed
        return repr(error)


def _bucket(text: recorded.Recording) -> str:
    return text.signature(Level.NORMAL).text


def _read(result: ProcessResult) -> str:
    """What is read of an output without further runs."""
    found = classify(result)
    return repr((found.kind, found.template, found.op, found.crash, found.pass_name, found.user,
                 found.passes, found.nameless, found.settled))  # fmt: skip


def _outputs(folder: Path) -> Iterator[ProcessResult]:
    """The recorded outputs of failures: a few of those that are read alike."""
    alike: Counter[str] = Counter()
    seen: set[tuple[Any, ...]] = set()
    for place in (folder / "recordings", recordings.folder()):
        for file in sorted(place.glob("*.zst")):
            for line in zstandard.decompress(file.read_bytes()).decode().splitlines():
                answer = json.loads(line.partition("\t")[2])
                key = answer["exit_code"], answer["stderr"]
                if answer["end"] != End.EXITED or answer["exit_code"] == 0 or key in seen:
                    continue
                seen.add(key)
                short = answer["stderr"][:_LONGEST]
                result = ProcessResult(End.EXITED, answer["exit_code"], 0, 0, 0, "", short)
                alike[read := _read(result)] += 1
                if alike[read] <= _MOST_ALIKE:
                    yield result


def _without_alternatives(pattern: re.Pattern[str]) -> Iterator[tuple[str, re.Pattern[str]]]:
    """The pattern without one of the alternatives in it, for each of them, and its text."""
    parser, compiler = (importlib.import_module(f"re.{name}") for name in ("_parser", "_compiler"))

    def branches(node: Any) -> Iterator[list[Any]]:
        if isinstance(node, parser.SubPattern):
            node = node.data
        if isinstance(node, tuple) and len(node) == 2 and node[0] is parser.BRANCH:
            yield node[1][1]
        for one in node if isinstance(node, list | tuple) else ():
            yield from branches(one)

    def literals(node: Any) -> str:
        if isinstance(node, parser.SubPattern):
            node = node.data
        if isinstance(node, tuple) and len(node) == 2 and node[0] is parser.LITERAL:
            return chr(node[1])
        parts = map(literals, node) if isinstance(node, list | tuple) else ()
        return "".join(parts) or ("…" if isinstance(node, tuple) else "")

    tree = parser.parse(pattern.pattern, pattern.flags)
    for number, found in enumerate(branches(tree)):
        for index, alternative in enumerate(found):
            other = parser.parse(pattern.pattern, pattern.flags)
            del [*branches(other)][number][index]
            text = re.sub("…+", "…", literals(alternative))[:_SHOWN]
            yield text or "nothing", compiler.compile(other, pattern.flags)


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
                    stream.write(f"{self.name}\n")
            return answer

        self._becomes(watched)

    def _becomes(self, other: Callable[..., Any]) -> None:
        function = getattr(self.owner, self.function)
        setattr(self.owner, self.function, other)
        for module in list(sys.modules.values()):
            if vars(module).get(self.function) is function:
                setattr(module, self.function, other)


@main.command()
@click.option("--sets", default="corpus,opt", show_default=True)
@click.option("--most", default=20, show_default=True, help="Pins, the fastest first.")
@click.option("--seconds", default=20.0, show_default=True, help="A replay may take.")
@click.option("--only", default="", help="Only what has this in its name.")
@click.option("--live", default=0, show_default=True, help="Replays of each that may go on live.")
@click.pass_obj
def searches(
    options: tuple[Path, Path], sets: str, most: int, seconds: float, only: str, live: int
) -> None:
    """Replay reductions without each transformation, tuning, condition, stage and reader."""
    folder, table = options
    os.environ |= {recordings.FOLDER: str(folder / "recordings"), recordings.VARIABLE: "replay"}
    replay.install()
    replay.load()
    switches = [one for one in _switches() if only in f"{one.what} {one.name}"]
    acted = folder / "ablation" / "acted"
    acted.parent.mkdir(exist_ok=True)
    before: list[tuple[pins.Pin, pins.Seen, set[str]]] = []
    for pin in sorted(pins.pins(sets.split(","), None), key=partial(_recorded_seconds, folder)):
        acted.write_text("", encoding="utf-8")
        seen = _replayed(pin, folder, [partial(one.watch, acted) for one in switches], seconds)
        if seen is not None and seen.exit_code != replay.UNKNOWN and len(before) < most:
            before.append((pin, seen, set(pins.lines_of(acted))))
        if len(before) == most:
            break
    click.echo(f"{len(before)} pins: {', '.join(pin.name for pin, *_ in before)}")
    rows = []
    for one in switches:
        found: dict[str, list[str]] = defaultdict(list)
        for pin, old, did in before:
            if one.name in did:
                how = _compared(old, _replayed(pin, folder, [one.off], 2 * seconds))
                if how == "diverges" and len(found["live"]) < live:
                    found["live"].append(pin.name)
                    seen = _replayed(pin, folder, [one.off], 20 * seconds, live=True)
                    how = _compared(old, seen)
                found[how].append(pin.name)
        acts = sum(one.name in did for *_, did in before)
        found.pop("same", None)
        rows.append({"what": one.what, "name": one.name, "acts": acts, **found})
        click.echo(json.dumps(rows[-1]))
        if not only:
            _save(table, "searches", rows)


def _recorded_seconds(folder: Path, pin: pins.Pin) -> float:
    old = pins.recorded(folder / pin.set / pin.name / "pin.json")
    return old.seconds if old else sys.maxsize


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
    pin: pins.Pin,
    folder: Path,
    prepare: Sequence[Callable[[], None]],
    seconds: float,
    *,
    live: bool = False,
) -> pins.Seen | None:
    """One reduction in a process of its own; None if it takes too long."""
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
        printed = os.open("printed", os.O_WRONLY | os.O_CREAT)
        os.dup2(printed, 1)
        os.dup2(printed, 2)
        os.environ[replay.ASKED] = str(asked)
        for one in prepare:
            one()
        if not live:
            replay.end_where_unknown()
        sys.argv = ["mlir-reducer", *pin.words]
        cli.main(prog_name="mlir-reducer")
    deadline = time.monotonic() + seconds
    while (ended := os.waitpid(child, os.WNOHANG))[0] == 0:
        time.sleep(0.01)
        if time.monotonic() > deadline:
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
        owner = importlib.import_module(f"oracles.{module}")
        yield Switch("reader", name, owner, name, idle)
    for name, one in sorted(vars(transformations).items()):
        if not isinstance(one, type) or getattr(one, "_is_protocol", False):
            continue
        if hasattr(one, "sites") and hasattr(one, "apply"):
            yield Switch("transformation", name, one, "sites", lambda *_: [])
        elif hasattr(one, "of") and isinstance(getattr(one, "name", None), str):
            yield Switch("tuning", name, one, "of", lambda *_: _NONE, _has_values)
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
    ("signature.unconverted_ops", "user_of_leftover", lambda *_: ""),
    ("signature.printed_ir", "carried_name", lambda *_: ""),
    ("signature.abort_message", "words_of_runtime", lambda *_: ""),
    ("signature.abort_message", "broken_rule_about", lambda *_: ""),
    ("signature.actions", "culprit_of", lambda *_, **__: Culprit()),
    ("signature.on_stdout", "as_stderr", lambda result, *_: result),
)
"""Functions that read a part of an output, and what they answer if it is not there."""


_NONE = SimpleNamespace(values={})
"""No parameters."""


def _has_values(parameters: Any, *_: Any) -> bool:
    return bool(parameters.values)


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
