"""Pin what reductions do before the code is moved, and say exactly what changed afterwards.

    python -m benchmarks.pins --record                   every set; runs what was never asked
    python -m benchmarks.pins --compare                  replays what was recorded
    python -m benchmarks.pins --compare --live           runs the compilers again
    python -m benchmarks.pins --compare corpus planted   some of the sets

A pin is one run of the program with one worker: its exit code, the bytes of the result, the numbers
of runs, the verdicts and conditions of its record, and each question that it put to a compiler, in
order. Outcomes of compilers are recorded by the content of the question (see tests/support/replay),
so that a comparison takes minutes, and only what was never asked before starts a compiler. Where a
search asks something else, the first such question is shown beside the recorded one.

The sets: `corpus` (its reductions under two minutes), `planted` (ten triggers in 50 layers), `opt`
(corpus/opt), `wrong` (ten wrong results), `triage` (a folder), `dask` (a reduction on a cluster),
`slippage` (the results of `corpus` at other targets, levels and releases), and `faults`: the
folders below `--faults` that `pins_faults.toml` says how to run.
"""

import difflib
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import click

from benchmarks.measure import input_of
from benchmarks.opt_corpus import planted
from tests.support import recordings, replay
from tests.support.clusters import local_cluster
from tests.support.corpus import Case, Run, cases
from tests.support.opt_corpus import HANGING, opt_cases
from tests.support.warm import run_warm

SETS = "corpus", "planted", "opt", "wrong", "triage", "dask", "slippage", "faults"
_TOO_LONG = 240  # seconds of a reduction, on a machine that may be busy, to be pinned
_LAYERS = 50
_HEALTHY_OPS = 40
_FEW = 10
_KEPT = ("status", "verified", "kind", "signature", "bucket", "one_minimal", "notes")
_VOLATILE = re.compile(r"[\d.]+ ?(?:s|seconds|ms|MB|GB)\b|0x[0-9a-f]+|/\S*/(?=[^/\s])")
_COMMANDS = Path(__file__).with_name("pins_faults.toml")
_PROGRESS = re.compile(r"^ +(?:[\d.]+ s|\d+:\d\d) ")
_SHOWN = 40  # lines of a difference


@dataclass(frozen=True)
class Pin:
    """One run of the program: what makes the files it finds, by name, and its words."""

    set: str
    name: str
    files: dict[str, Callable[[], str]]
    words: tuple[str, ...]


@dataclass
class Seen:
    """What a run did. `asked` holds a line of JSON for each question."""

    exit_code: int
    figures: dict[str, Any] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    seconds: float = 0.0


@click.command()
@click.argument("sets", nargs=-1, type=click.Choice(SETS), metavar="[SET]...")
@click.option("--record", "action", flag_value="record", help="Record what is done now.")
@click.option("--compare", "action", flag_value="compare", help="Compare with what is recorded.")
@click.option("--live", is_flag=True, help="Run the compilers, whatever is recorded of them.")
@click.option("--only", help="Only pins with this in their name.")
@click.option("--folder", default="build/pins", show_default=True, type=click.Path(path_type=Path))
@click.option("--faults", type=click.Path(path_type=Path, exists=True), help="A folder of faults.")
def main(
    sets: tuple[str, ...],
    action: str | None,
    live: bool,
    only: str | None,
    folder: Path,
    faults: Path | None,
) -> None:
    """Record or compare the pins of the named sets (of all)."""
    if action is None:
        raise click.UsageError("give --record or --compare")
    os.environ[recordings.FOLDER] = str(folder.absolute() / "recordings")
    os.environ[recordings.UNSAVED] = str(folder.absolute() / "unsaved")
    os.environ[recordings.VARIABLE] = "compare" if live else "add"
    started, different = time.monotonic(), 0
    try:
        for pin in pins(sets or SETS, faults):
            file = folder / pin.set / pin.name / "pin.json"
            if (only is None or only in pin.name) and not (action == "compare" and _is_long(file)):
                seen = _run(pin, folder)
                said = _judged(seen, file, action)
                different += bool(said) and action == "compare"
                known = sum(json.loads(line)["known"] for line in seen.asked)
                click.echo(
                    f"{pin.set}/{pin.name}: {len(seen.asked)} runs, {known} replayed, "
                    f"{seen.seconds:.1f} s: {'; '.join(said) or 'as before'}"
                )
    finally:
        changed = recordings.save(folder / "unsaved")
        shutil.rmtree(folder / "unsaved", ignore_errors=True)
    for line in changed:
        click.echo(f"the compiler no longer does what was recorded: {line}")
    click.echo(f"{different} differ; {time.monotonic() - started:.0f} s")
    sys.exit(1 if different else 0)


def _judged(seen: Seen, file: Path, action: str) -> list[str]:
    """Record a pin, or say how it differs."""
    if action == "compare":
        return differences(recorded(file), seen)
    _save(file, seen)
    return ["recorded" if seen.seconds <= _TOO_LONG else "took too long to be compared"]


def pins(sets: Sequence[str], faults: Path | None) -> Iterator[Pin]:
    """The pins of these sets, whose compilers are installed."""
    for name in sets:
        if name == "faults":
            yield from _faults(faults)
        else:
            yield from _PINS[name]()


def _corpus() -> Iterator[Pin]:
    for case, run in _runs(wrong=False):
        yield _of_case("corpus", case, run, 0)


def _planted() -> Iterator[Pin]:
    small = ((case, run) for case, run in _runs(wrong=False) if case.packed_input is None)
    for (case, run), _ in zip(small, range(_FEW), strict=False):
        yield _of_case("planted", case, run, _LAYERS)


def _wrong() -> Iterator[Pin]:
    for (case, run), _ in zip(_runs(wrong=True), range(_FEW), strict=False):
        yield _of_case("wrong", case, run, 0)


def _runs(*, wrong: bool) -> Iterator[tuple[Case, Run]]:
    """The first run of each case."""
    for case in cases():
        if case.runs and (case.execution is not None) == wrong:
            yield case, case.runs[0]


def _of_case(name: str, case: Case, run: Run, layers: int) -> Pin:
    words = *_REDUCE, *case.words(run)
    return Pin(
        name, f"{case.name}-{run.wheel}", {"input.mlir": partial(input_of, case, layers)}, words
    )


_REDUCE = (
    "reduce", "input.mlir", "-o", "reduced.mlir", "--json", "record.json", "-q", "--fresh", "-j",
    "1", "--max-seconds", str(_TOO_LONG),
)  # fmt: skip


def _opt() -> Iterator[Pin]:
    for case in opt_cases():
        if case.command is not None:
            own = [f"--timeout={HANGING}"] if case.kind == "timeout" else []
            own += ["--wrong-results"] if case.is_wrong else []
            words = *_REDUCE, *own, "--", *case.command
            yield Pin("opt", case.name, {"input.mlir": partial(planted, case, _HEALTHY_OPS)}, words)


def _triage() -> Iterator[Pin]:
    """The inputs that most have one command in common."""
    small = [(case, run) for case, run in _runs(wrong=False) if case.packed_input is None]
    (wheel, flags), _ = Counter((run.wheel, tuple(run.flags)) for _, run in small).most_common(1)[0]
    chosen = [case for case, run in small if (run.wheel, tuple(run.flags)) == (wheel, flags)]
    files = {f"in/{case.name}.mlir": case.input_text for case in chosen}
    words = ("triage", "in", "--iree", wheel, "-j", "1", "--json", "record.json", "-q",
             "--", *flags)  # fmt: skip
    yield Pin("triage", "folder", files, words)


def _dask() -> Iterator[Pin]:
    case, run = next(one for one in _runs(wrong=False) if one[0].packed_input is None)
    pin = _of_case("dask", case, run, _LAYERS)
    at = pin.words.index("-j") + 1
    yield Pin("dask", pin.name, pin.files, (*pin.words[:at], "{}", *pin.words[at + 1 :]))


def _slippage() -> Iterator[Pin]:
    yield Pin("slippage", "corpus", {}, ())


def _faults(folder: Path | None) -> Iterator[Pin]:
    commands = tomllib.loads(_COMMANDS.read_text(encoding="utf-8"))
    for name in sorted(commands) if folder else ():
        assert folder is not None
        if (folder / name).is_dir():
            yield Pin("faults", name, {}, (str(folder / name), commands[name]))


_PINS: dict[str, Callable[[], Iterator[Pin]]] = {
    "corpus": _corpus,
    "planted": _planted,
    "opt": _opt,
    "wrong": _wrong,
    "triage": _triage,
    "dask": _dask,
    "slippage": _slippage,
}


def _run(pin: Pin, folder: Path) -> Seen:
    work = (folder / pin.set / pin.name / "work").absolute()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for name, text in inputs_of(pin, work.parent / "inputs").items():
        (work / name).parent.mkdir(exist_ok=True)
        (work / name).write_text(text, encoding="utf-8")
    asked = work.parent / "asked.jsonl"
    asked.unlink(missing_ok=True)
    started = time.monotonic()
    if pin.set == "slippage":
        done = _slips(folder)
    elif pin.set == "faults":
        shutil.copytree(pin.words[0], work, dirs_exist_ok=True, copy_function=shutil.copy)
        done = _command(["sh", "-c", pin.words[1]], work, _with_program(folder, asked))
    elif pin.set == "dask":
        with local_cluster(work / "cluster") as cluster:
            cluster.add_worker([pin.name.rpartition("-")[2]])
            words = [word.format(cluster.address) for word in pin.words]
            done = _command([sys.executable, "-m", "reducer", *words], work)
    else:
        environment = {**os.environ, replay.ASKED: str(asked)}
        done = run_warm(pin.words, cwd=work, environment=environment, seconds=5 * _TOO_LONG)
    seen = Seen(done.returncode, figures_of(work, done), lines_of(asked))
    seen.seconds = round(time.monotonic() - started, 1)
    return seen


def inputs_of(pin: Pin, kept: Path) -> dict[str, str]:
    """The files of a pin, as they were when it was recorded: some take minutes to make."""
    if not kept.exists():
        texts = {name: make() for name, make in pin.files.items()}
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(texts), encoding="utf-8")
    found: dict[str, str] = json.loads(kept.read_text(encoding="utf-8"))
    return found


def _command(
    words: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run a command; what it leaves running is not waited for."""
    with (folder.parent / "printed").open("w+", encoding="utf-8") as printed:
        streams: dict[str, Any] = {
            "stdin": subprocess.DEVNULL,
            "stdout": printed,
            "stderr": printed,
        }
        code = subprocess.run(words, cwd=folder, env=environment, check=False, **streams).returncode
        printed.seek(0)
        return subprocess.CompletedProcess(list(words), code, printed.read(), "")


def _with_program(folder: Path, asked: Path) -> dict[str, str]:
    """An environment whose `mlir-reducer` replays outcomes."""
    program = (folder / "bin" / "mlir-reducer").absolute()
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(replay.PROGRAM, encoding="utf-8")
    program.chmod(0o755)
    root = str(Path(__file__).parents[1])
    path = os.pathsep.join([str(program.parent), os.environ["PATH"]])
    return {**os.environ, "PATH": path, "PYTHONPATH": root, replay.ASKED: str(asked)}


def _slips(folder: Path) -> "subprocess.CompletedProcess[str]":
    """Compare the pinned results of the corpus with their triggers, at other places."""
    results = folder / "slippage" / "results"
    shutil.rmtree(results, ignore_errors=True)
    for work in folder.glob("corpus/*/work"):
        if (work / "reduced.mlir").exists():
            result = results / work.parent.name
            result.mkdir(parents=True)
            shutil.copy(work / "reduced.mlir", result)
            shutil.copy(work / "record.json", result / "report.json")
            case, _, wheel = work.parent.name.rpartition("-")
            row = {"case": case, "wheel": wheel, "status": "reduced"}
            (result / "row.json").write_text(json.dumps(row), encoding="utf-8")
    words = [sys.executable, "-m", "benchmarks.slippage", "--results", str(results), "--cache",
             str(folder / "slippage" / "runs.jsonl")]  # fmt: skip
    return subprocess.run(words, capture_output=True, text=True, check=False)


def figures_of(work: Path, done: "subprocess.CompletedProcess[str]") -> dict[str, Any]:
    """What must stay: the bytes of the result, and what the record says but for times."""
    figures: dict[str, Any] = {}
    if (work / "reduced.mlir").exists():
        text = (work / "reduced.mlir").read_bytes()
        figures |= {"result": hashlib.sha256(text).hexdigest()[:16], "bytes": len(text)}
    record = work / "record.json"
    if not record.exists():
        lines = (done.stdout + done.stderr).splitlines()
        said = [_VOLATILE.sub("#", line) for line in lines if not _PROGRESS.search(line)]
        return figures | {"printed": said}
    found = json.loads(record.read_text(encoding="utf-8"))
    if "output" not in found:
        return figures | {"buckets": sorted(one["bucket"] for one in found["bugs"])}
    figures |= {name: _steady(found.get(name)) for name in _KEPT}
    health = found.get("health") or {}
    places = [f"{one['kind']} {one['name']}: {one['health']}" for one in health.get("places", ())]
    return figures | {
        "ops": found["output"]["ops"],
        "runs": found["oracle"]["calls"],
        "verdicts": found["oracle"]["by_verdict"],
        "elsewhere": _steady(health.get("text")),
        "places": sorted(places),
    }


def _steady(value: Any) -> Any:
    """A value without times, addresses and folders."""
    if isinstance(value, str):
        return _VOLATILE.sub("#", value)
    return [_steady(one) for one in value] if isinstance(value, list) else value


def differences(old: Seen | None, new: Seen) -> list[str]:
    """What changed, in a phrase each."""
    if old is None:
        return ["not recorded"]
    said = [] if old.exit_code == new.exit_code else [f"exit {old.exit_code} → {new.exit_code}"]
    for name in sorted({*old.figures, *new.figures}):
        before, after = old.figures.get(name), new.figures.get(name)
        if before != after:
            said.append(f"{name} {before} → {after}")
    before, after = ([json.loads(line) for line in one.asked] for one in (old, new))
    if [one["key"] for one in before] != [one["key"] for one in after]:
        said.append(_first_other(before, after))
    return said


def _first_other(before: Sequence[dict[str, Any]], after: Sequence[dict[str, Any]]) -> str:
    """Where a search first asked something else, and what."""
    number = 0
    while number < min(len(before), len(after)) and before[number]["key"] == after[number]["key"]:
        number += 1
    said = f"{len(before)} → {len(after)} questions, which first differ at number {number + 1}"
    old, new = (_shown(one[number]) if number < len(one) else [] for one in (before, after))
    lines = list(difflib.unified_diff(old, new, "recorded", "now", lineterm="", n=1))[:_SHOWN]
    return "\n".join([said, *lines])


def _shown(question: dict[str, Any]) -> list[str]:
    texts = [f"{name}:\n{text}" for name, text in sorted(question["texts"].items())]
    return "\n".join([" ".join(question["words"]), *texts]).splitlines()


def _save(file: Path, seen: Seen) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(asdict(seen)), encoding="utf-8")


def recorded(file: Path) -> Seen | None:
    return Seen(**json.loads(file.read_text(encoding="utf-8"))) if file.exists() else None


def _is_long(file: Path) -> bool:
    """Whether a pin was recorded that takes too long to be compared."""
    old = recorded(file)
    return old is not None and old.seconds > _TOO_LONG


def lines_of(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines() if file.exists() else []


if __name__ == "__main__":
    main()
