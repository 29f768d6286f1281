"""Reduce what `metric_scan` found: jumps of four metrics, to the programs that a report has.

    python -m benchmarks.metric_reduce FOLDER [NAME]...    FOLDER has the operator tests of ONNX

For each jump: the ratio and the ops before and after, the runs, and whether `repro.sh` ends with 0.
"""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import click

from benchmarks.metric_scan import RESULTS, flags_of, programs

_FOLDER = Path(__file__).parent
JUMPS = tomllib.loads((_FOLDER / "metric_reduce.toml").read_text(encoding="utf-8"))
_SUPERLINEAR = _FOLDER / "superlinear.mlir"


@click.command()
@click.argument("folder", type=click.Path(exists=True, path_type=Path))
@click.argument("names", nargs=-1)
@click.option("--seconds", default=900, show_default=True, help="For each reduction.")
@click.option("--work", default="build/metric_reduce", type=click.Path(path_type=Path))
def main(folder: Path, names: tuple[str, ...], seconds: int, work: Path) -> None:
    """Reduce each jump, and append what came out to the results of the scan."""
    texts = {one.name: one.text for one in programs((folder,), 400_000, 1000)}
    texts[_SUPERLINEAR.stem] = _SUPERLINEAR.read_text(encoding="utf-8")
    for name in names or JUMPS:
        place = work.absolute() / name
        place.mkdir(parents=True, exist_ok=True)
        row = _row(name, texts[JUMPS[name]["program"]], place, seconds)
        print(json.dumps(row), flush=True)
        with RESULTS.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def _row(name: str, text: str, place: Path, seconds: int) -> dict[str, Any]:
    jump = JUMPS[name]
    (place / "input.mlir").write_text(text, encoding="utf-8")
    asked = ["--iree", jump["new"], "--metric", jump["metric"]]
    asked += ["--worse-than", jump["reference"]]
    command = ["--", "iree-compile", *flags_of(jump["target"], jump["new"])]
    before = _told(["check", "input.mlir", *asked, *command], place)
    limits = ["--max-seconds", str(seconds), "--jobs", "1", "--no-elsewhere", "-o", "result.mlir"]
    record = _told(["reduce", "input.mlir", *limits, *asked, *command], place)
    worse = record.get("command", [])[1:]  # measures the result, in the same part
    after = _told(worse, place) if worse else {}
    return {
        "kind": "reduced",
        "name": name,
        **jump,
        "part": _part(after),
        "before": before.get("numbers", {}).get("ratio"),
        "after": after.get("numbers", {}).get("ratio"),
        "ops": record.get("input", {}).get("ops"),
        "reduced": record.get("output", {}).get("ops"),
        "runs": record.get("oracle", {}).get("calls"),
        "status": record.get("status"),
        "one_minimal": record.get("one_minimal"),
        "repro": _reproduces(place),
    }


def _told(words: list[str], place: Path) -> dict[str, Any]:
    """What the tool says as JSON."""
    position = words.index("--")
    asked = [*words[:position], "--json", "-", *words[position:]]
    done = subprocess.run(
        [sys.executable, "-m", "reducer", *asked],
        cwd=place, stdout=subprocess.PIPE, stderr=(place / "log.txt").open("a", encoding="utf-8"),
        text=True, check=False,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(done.stdout) if done.stdout.strip() else {}
    return found


def _part(after: dict[str, Any]) -> str:
    words = after.get("command", ["--metric", ""])
    return str(words[words.index("--metric") + 1]).partition(":")[2]


def _reproduces(place: Path) -> int | None:
    script = place / "result" / "report" / "repro.sh"
    if not script.is_file():
        return None
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", str(script)], env=os.environ | {"PATH": path}, capture_output=True, check=False
    )
    return done.returncode


if __name__ == "__main__":
    main()
