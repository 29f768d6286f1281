"""Measure whether `locate` blames what is at fault: a rewrite, a pass, or what a number grows with.

    python -m benchmarks.rewrites [--json docs/rewrites.json] [CASE]...
    python -m benchmarks.rewrites --right 50      how many right canonicalizations are called wrong

The failures are in `rewrites.toml`: public ones, of which the fix or the discussion says what is at
fault, and planted ones. What is *shown* must be right; a claim that is less sure may be wrong. For
`--right`, random functions on integers are canonicalized, and what each pattern makes of them is
compared on all inputs of small widths.
"""

import json
import math
import random
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import click

from oracles import Command, CompilerOracle, Limits, Signature
from oracles.signature.kind import Kind
from reducer.locate.applications import LOG, limited
from reducer.locate.blamed import BlamedRewrite
from reducer.locate.opt_tool import OptTool
from reducer.locate.rewrite import RewriteSearch
from reducer.miscompile.locate.small_widths import prove
from reducer.toolchain import find
from tests.support.corpus import load_case

ROOT = Path(__file__).parents[1]
CASES = tomllib.loads((ROOT / "benchmarks" / "rewrites.toml").read_text(encoding="utf-8"))
_OPS = ("addi", "subi", "muli", "addi", "subi", "muli", "xori")


@click.command()
@click.argument("names", nargs=-1, metavar="[CASE]...")
@click.option("--json", "target", type=click.Path(path_type=Path), help="Where the rows go.")
@click.option("--right", type=int, default=0, help="Random functions to canonicalize.")
def main(names: tuple[str, ...], target: Path | None, right: int) -> None:
    """Locate each failure, or canonicalize random functions."""
    if right:
        print(json.dumps(_right(right)))
        return
    rows = [_row(name, {**CASES.get(case.get("like", ""), {}), **case})
            for name, case in CASES.items() if not names or name in names]  # fmt: skip
    if target is not None:
        lines = ",\n".join(map(json.dumps, rows))
        target.write_text(f'{{"rewrites": [\n{lines}\n]}}\n', encoding="utf-8")


def _row(name: str, case: dict[str, Any]) -> dict[str, Any]:
    program, _, version = case["tool"].partition(" ")
    installed = find(version) if version else None
    tool = str(installed.tool(program)) if installed else program
    with tempfile.TemporaryDirectory() as folder:
        source, flags = ROOT / case.get("file", ""), case.get("flags", [])
        if "case" in case:
            known = load_case(case["case"])
            run = next(one for one in known.runs if one.wheel == version)
            source, flags = known.expert(run) or source, run.flags
        if "text" in case:
            source = Path(folder) / "input.mlir"
            source.write_text(case["text"], encoding="utf-8")
        if lines := case.get("repeat"):
            text = source.read_text(encoding="utf-8")
            text = text.replace("REPEAT\n", "".join(map(lines.format, range(case["many"]))))
            source.write_text(text, encoding="utf-8")
        asked = ["--timeout", "5"] if case["kind"] == "hang" else []
        asked += ["--wrong-results"] if case["kind"] == "wrong result" else []
        asked += case.get("options", [])
        words = ["locate", str(source), *asked, "--json", "-", "--", tool, *flags]
        words = [sys.executable, "-m", "reducer", *words]
        result = subprocess.run(words, capture_output=True, encoding="utf-8", check=False)
    said = json.loads(result.stdout or "{}") or {}
    rewrite = said.get("rewrite") or {}
    # A pass is a claim of its own; where a rewrite is asked for, it is the one of the command.
    kinds = {"pass": ("pass", "rewrite", "fold"), "growth": ("growth",)}
    asked_for = kinds.get(case.get("blame", "rewrite"), ("rewrite", "fold"))
    claims = [claim for claim in said.get("blames", []) if claim["kind"] in asked_for]
    text = "; ".join(f"{claim['text']}" for claim in claims if claim["name"]) or "nothing"
    shown = [claim for claim in claims if claim["certainty"] == "shown" and claim["name"]]
    right = [claim for claim in claims if re.search(case["expected"], claim["text"])]
    is_right = bool(right) or case["expected"] == text == "nothing"
    row = {"case": name, "kind": case["kind"], "tool": case["tool"], "expected": case["expected"],
           "found": text, "right": is_right, "sure": any(claim in shown for claim in right),
           "false": [claim["text"] for claim in shown if claim not in right],
           "runs": rewrite.get("runs", 0), "calls": said.get("calls", 0),
           "most": math.floor(2 * math.log2(max(rewrite.get("applications", 1), 1)) + 6),
           "counterexample": rewrite.get("proof", "")}  # fmt: skip
    print(json.dumps(row), flush=True)
    return row


def _right(count: int) -> dict[str, int]:
    """How many rewrites of right canonicalizations are called wrong."""
    draw, opt = random.Random(1), Path("/usr/bin/mlir-opt-22")
    seen = {"functions": 0, "rewrites": 0, "called wrong": 0, "compared": 0}
    for _ in range(count):
        names = ["%a"]
        lines = [f"  %c{k} = arith.constant {draw.choice((-7, 2, 3, 5))} : i8" for k in range(3)]
        for number in range(6):
            pair = draw.sample([names[-1], draw.choice(("%c0", "%c1", "%c2", "%a", "%b"))], 2)
            lines.append(f"  %{number} = arith.{draw.choice(_OPS)} {', '.join(pair)} : i8")
            names.append(f"%{number}")
        body = "\n".join(lines)
        text = f"func.func @f(%a: i8, %b: i8) -> i8 {{\n{body}\n  return {names[-1]} : i8\n}}\n"
        command = Command.parse([opt.name, "--canonicalize"])
        tool = OptTool(opt, limits=Limits(20.0), calls=2000, seconds=600)
        oracle = CompilerOracle(command, opt, limits=tool.limits)
        search = RewriteSearch(oracle, text, Signature(Kind.MISCOMPILE), lambda *_: None, tool)
        seen["functions"] += 1
        made = search.made(limited(command, 0))
        for number, one in enumerate(search.actions(text, LOG).applications, 1):
            before, made = made, search.made(limited(command, number))
            if made == before:
                continue
            found = BlamedRewrite(pattern=one.name, op=one.op, before=before, after=made)
            seen["rewrites"] += 1
            proof = prove(search, found)
            seen["compared"] += bool(proof)
            seen["called wrong"] += "gives" in proof
            if "gives" in proof:
                print(text, found.pattern, proof, found.before, found.after, file=sys.stderr)
    return seen


if __name__ == "__main__":
    main()
