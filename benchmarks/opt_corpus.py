"""Reduce the failures of other tools, each planted in a healthy module, and print a table.

    python -m benchmarks.opt_corpus                   everything that is installed
    python -m benchmarks.opt_corpus mlir-203813       one case
    python -m benchmarks.opt_corpus --ops 0           the programs of the issues as they are

The healthy ops are functions of their own, and arithmetic in front of the failing ops. A tool that
fails on some of them otherwise gets only those that it takes. `same` compares the failure of the
result with that of the issue's program, in the same build.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from oracles.signature.comparison import same_failure
from reducer.conversions import OptPrinter
from reducer.ir import Module
from tests.support.opt_corpus import HANGING, OptCase, opt_cases

_ARITHMETIC = """\
  %{p}0 = arith.constant {k} : i32
  %{p}1 = arith.addi %{p}0, %{p}0 : i32
  %{p}2 = arith.muli %{p}1, %{p}0 : i32
  %{p}3 = arith.subi %{p}2, %{p}1 : i32
  %{p}4 = arith.cmpi slt, %{p}3, %{p}1 : i32
"""
_LOOPS = """\
  %{p}m = memref.alloc() : memref<16x8xf32>
  %{p}x = arith.constant 1.5 : f32
  affine.for %i = 0 to 16 {{
    affine.for %j = 0 to 8 {{
      %l = affine.load %{p}m[%i, %j] : memref<16x8xf32>
      %s = arith.addf %l, %{p}x : f32
      affine.store %s, %{p}m[%i, %j] : memref<16x8xf32>
    }}
  }}
"""
_BODIES = (_LOOPS + _ARITHMETIC, _ARITHMETIC, "")


@dataclass(frozen=True)
class Row:
    """One reduction; sizes in ops."""

    name: str
    status: str
    planted: int = 0
    ops: int = 0
    expert: int = 0
    same: bool = False
    calls: int = 0
    seconds: float = 0.0

    @property
    def cells(self) -> list[str]:
        same = "yes" if self.same else "no"
        sizes = f"{self.planted} | {self.ops} | {self.expert}"
        return [self.name, self.status, *sizes.split(" | "), same, str(self.calls),
                f"{self.seconds:.1f}"]  # fmt: skip


COLUMNS = ("case", "status", "planted", "ops", "expert", "same", "runs", "wall s")


@click.command()
@click.argument("names", nargs=-1, metavar="[CASE]...")
@click.option("--ops", default=1000, show_default=True, help="Healthy ops around each failure.")
@click.option("--folder", type=click.Path(path_type=Path), default="build/opt-corpus")
def main(names: tuple[str, ...], ops: int, folder: Path) -> None:
    """Reduce the cases (or those named) and print a table."""
    rows = []
    for case in opt_cases():
        if not names or case.name in names:
            row = reduced_row(case, ops, folder / case.name)
            click.echo(f"{row.name}: {row.status}, {row.ops} ops of {row.expert}", err=True)
            rows.append(row)
    lines = [COLUMNS, ["---"] * len(COLUMNS), *(row.cells for row in rows)]
    click.echo("\n".join(f"| {' | '.join(line)} |" for line in lines))
    done = [row for row in rows if row.status == "reduced"]
    small = sum(row.ops <= row.expert for row in done)
    runs = sorted(row.calls for row in done)
    median = runs[len(runs) // 2] if runs else 0
    click.echo(f"\n{len(done)} reduced, {sum(row.same for row in done)} to the same failure, "
               f"{small} no larger than the issue's; median {median} runs.")  # fmt: skip


def reduced_row(case: OptCase, ops: int, folder: Path) -> Row:
    """Reduce a case with healthy ops around it, in a folder that is made if it is not there."""
    if case.command is None:
        return Row(case.name, "not installed")
    folder.mkdir(parents=True, exist_ok=True)
    oracle = case.oracle()
    target = oracle.run(case.text).signature
    text = planted(case, ops)
    (folder / "input.mlir").write_text(text, encoding="utf-8")
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    own = [f"--timeout={HANGING}"] if case.kind == "timeout" else []
    own += ["--wrong-results"] if case.is_wrong else []
    words = ["reduce", str(folder / "input.mlir"), "-o", str(folder / "reduced.mlir"), "-q",
             "--fresh", "--no-report", "--no-pass-level", "--json", str(report), *own, "--",
             *case.command]  # fmt: skip
    done = subprocess.run([sys.executable, "-m", "reducer", *words], capture_output=True, text=True,
                          check=False)  # fmt: skip
    if not report.is_file():
        return Row(case.name, (done.stderr.strip().splitlines() or ["failed"])[-1][:60])
    found = json.loads(report.read_text(encoding="utf-8"))
    result = (folder / "reduced.mlir").read_text(encoding="utf-8")
    return Row(
        case.name,
        found["status"],
        found["input"]["ops"],
        found["output"]["ops"],
        ops_of(case, case.text),
        same_failure(target, case.oracle(result).run(result).signature),
        found["oracle"]["calls"],
        found["wall_seconds"],
    )


def ops_of(case: OptCase, text: str) -> int:
    """The number of ops of a program; lines if the tool's printer cannot parse it."""
    opt = case.opt()
    generic = OptPrinter(opt, case.limits).generic(text) if opt else None
    return Module.parse(generic).op_count if generic else text.count("\n")


def planted(case: OptCase, ops: int) -> str:
    """The program with healthy ops around it that the tool takes without failing."""
    if not ops:
        return case.text
    for body in _BODIES:
        functions = "".join(_functions(body, ops)) if body and case.package != "triton" else ""
        inside = _inside(case.text, ops // 5)
        healthy = case.oracle(functions)
        if functions and healthy.wants(healthy.run(functions)):
            continue
        text = inside + functions
        wanted = case.oracle().run(case.text).signature.bucket
        if case.oracle(text).run(text).signature.bucket == wanted:
            return text
    return case.text


def _functions(body: str, ops: int) -> Iterator[str]:
    lines = body.count("\n") - body.count("}}\n") + 2
    for number in range(ops // lines):
        yield f"func.func @host{number}() {{\n{body.format(p='h', k=number)}  return\n}}\n"


def _inside(text: str, ops: int) -> str:
    """The program with arithmetic at the start of its first function."""
    head = re.search(r"^ *(?:func|llvm|tt)\.func (?!private)[^\n]*\{\n", text, re.M)
    if head is None:
        return text
    own = "".join(_ARITHMETIC.format(p=f"h{number}_", k=number) for number in range(ops // 5))
    return text[: head.end()] + own + text[head.end() :]


if __name__ == "__main__":
    main()
