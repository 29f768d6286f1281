"""Measure how much faster a reduction is with more workers, next to other versions of it.

    python -m benchmarks.workers [CHECKOUT...]

The script sleeps, so its runs do not compete for processors, and two of them suffice for sixteen
workers. Three failures of a program of 42 layers: two ops of one layer are to blame; three ops in
different layers are; or a chain of five layers is. The goal is a speed-up of at least 3 with four
workers and of 7 with sixteen, with at most a tenth more runs with one worker than before, and the
same result for each number.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

import click

_HERE = Path(__file__).parents[1]
_KEEPS_NOTHING = "PYTHONDONTWRITEBYTECODE"
_SCRIPT = r"""#!/bin/sh
sleep {seconds}
exec awk '{{
  gsub(/[",()]/, " ")
  result = $2 == "=" ? $1 : ""
  name = ""
  below = 0
  for (i = 1; i <= NF; i++) {{
    if ($i ~ /^(math|arith|linalg)\./) {{ count[$i]++; if (name == "") name = $i }}
    if ($i ~ /^%/ && $i != result && depth[$i] > below) below = depth[$i]
  }}
  if (result != "") depth[result] = below + (name == "linalg.matmul")
  if (depth[result] > deepest) deepest = depth[result]
}}
END {{ exit !({condition}) }}' "$1"
"""
_CONDITIONS = {
    "local": 'count["math.tan"] && count["linalg.generic"] && count["linalg.matmul"]',
    "scattered": 'count["math.tan"] && count["math.cbrt"] && count["math.erf"]'
    ' && count["linalg.generic"] > 2',
    "fused": "deepest > 4",
}
_MARKS = {9: "math.tan", 21: "math.cbrt", 33: "math.erf"}
"""What the generic op of a layer computes, if that is not an exponential."""

_LAYERS = 42
_HEAD = "#same = affine_map<(d0, d1) -> (d0, d1)>"
_LAYER = """
  %c{n} = arith.constant {n}.5 : f32
  %w{n} = arith.constant dense<{n}.25> : tensor<24x24xf32>
  %e{n} = tensor.empty() : tensor<16x24xf32>
  %f{n} = linalg.fill ins(%c{n} : f32) outs(%e{n} : tensor<16x24xf32>) -> tensor<16x24xf32>
  %m{n} = linalg.matmul ins(%x{n}, %w{n} : tensor<16x24xf32>, tensor<24x24xf32>)\
 outs(%f{n} : tensor<16x24xf32>) -> tensor<16x24xf32>
  %x{next} = linalg.generic {{indexing_maps = [#same, #same],\
 iterator_types = ["parallel", "parallel"]}}\
 ins(%m{n} : tensor<16x24xf32>) outs(%e{n} : tensor<16x24xf32>) {{
  ^bb0(%in: f32, %out: f32):
    %g = {op} %in : f32
    %h = arith.addf %g, %c{n} : f32
    linalg.yield %h : f32
  }} -> tensor<16x24xf32>"""


@click.command()
@click.argument("checkouts", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("-j", "--jobs", "numbers", multiple=True, type=int, default=(1, 4, 16))
@click.option("--input", "names", multiple=True, default=tuple(_CONDITIONS))
@click.option("--seconds", default=1.0, help="How long the script sleeps.", show_default=True)
@click.option("--iree", default="3.13.0", help="The compiler that prints generic form.")
def main(
    checkouts: tuple[Path, ...],
    numbers: tuple[int, ...],
    names: tuple[str, ...],
    seconds: float,
    iree: str,
) -> None:
    """Print one row for each reduction."""
    click.echo(
        f"{'checkout':24}{'input':>10}{'-j':>4}{'runs':>6}{'wall s':>8}{'speed-up':>9}"
        f"{'ops':>5}  result"
    )
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "input.mlir").write_text(_program(), encoding="utf-8")
        for name in names:
            script = folder / f"{name}.sh"
            text = _SCRIPT.format(seconds=seconds, condition=_CONDITIONS[name])
            script.write_text(text, encoding="utf-8")
            script.chmod(0o755)
            for checkout in (_HERE, *checkouts):
                first = 0.0
                for jobs in numbers:
                    words = ["--iree", iree, "-j", str(jobs), "--test", str(script)]
                    wall, report = _reduce(checkout, folder, words)
                    first = first or wall
                    output = (folder / "reduced.mlir").read_bytes()
                    click.echo(
                        f"{checkout.name:24}{name:>10}{jobs:>4}{report['oracle']['calls']:>6}"
                        f"{wall:>8.1f}{first / wall:>9.1f}"
                        f"{report['output']['ops']:>5}  {sha256(output).hexdigest()[:8]}"
                    )


def _program() -> str:
    """Layers of a matrix product and an elementwise op, some of which compute something else."""
    layers = [_LAYER.format(n=n, next=n + 1, op=_MARKS.get(n, "math.exp")) for n in range(_LAYERS)]
    head = f"{_HEAD}\nfunc.func @main(%x0: tensor<16x24xf32>) -> tensor<16x24xf32> {{"
    return f"{head}{''.join(layers)}\n  return %x{_LAYERS} : tensor<16x24xf32>\n}}\n"


def _reduce(checkout: Path, folder: Path, words: list[str]) -> tuple[float, dict[str, Any]]:
    """Reduce with the code of a checkout: the seconds it took, and its report."""
    command = [
        sys.executable, "-m", "reducer", "reduce", str(folder / "input.mlir"), "--fresh",
        "-o", str(folder / "reduced.mlir"), "--json", str(folder / "report.json"), *words,
    ]  # fmt: skip
    # As on a user's machine, Python keeps what it has compiled.
    environment = {name: value for name, value in os.environ.items() if name != _KEEPS_NOTHING}
    started = time.monotonic()
    subprocess.run(command, cwd=checkout, env=environment, capture_output=True, check=True)
    wall = time.monotonic() - started
    return wall, json.loads((folder / "report.json").read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
