"""Compare with `mlir-reduce` on the same failures of `mlir-opt` and the same inputs.

    python -m benchmarks.opt_rivals [--ops 1000] [--max-seconds 300] [CASE]...

`mlir-reduce` needs a script that says whether a program is interesting. Ours is what a careful user
would write: it runs the command, and wants a signal and the innermost function with a name that the
input's crash shows. The pass `--opt-reduction-pass` with `symbol-dce` goes first, and
`--reduction-tree` after it, as the manual recommends. Our oracle decides whether a result has the
same failure.
"""

import re
import shlex
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import click

from benchmarks.opt_corpus import Row, ops_of, planted, reduced_row
from oracles.signature.comparison import same_failure
from tests.support.opt_corpus import OptCase, opt_cases

CASES = (
    "mlir-119863", "mlir-205228", "mlir-205231", "mlir-205706", "mlir-216218", "mlir-211187",
)  # fmt: skip
_COLUMNS = ("case", "reducer", "planted", "ops", "same failure", "runs", "wall s")
_SCRIPT = """\
#!/bin/sh
# Ends with 1 if $1 is interesting, as mlir-reduce wants it.
echo >> {log}
timeout 30 {command} "$1" -o /dev/null 2> {errors}
test $? -ge 128 && grep -qF -- {frame} {errors} && exit 1
exit 0
"""
NAMELESS = "Stack dump"
"""What every crash prints, also if no function on the stack has a name."""

_NAMED = re.compile(r"^ *#\d+ 0x\S+ (?!\()([^\n(]+)\(", re.M)
_HANDLERS = ("llvm::sys::", "__restore_rt", "raise", "abort", "__pthread", "gsignal")


@click.command()
@click.argument("names", nargs=-1, metavar="[CASE]...")
@click.option("--ops", default=1000, show_default=True, help="Healthy ops around each failure.")
@click.option("--max-seconds", default=300, show_default=True, help="For each reduction.")
@click.option("--folder", type=click.Path(path_type=Path), default="build/opt-rivals")
def main(names: tuple[str, ...], ops: int, max_seconds: int, folder: Path) -> None:
    """Print two rows for each case."""
    click.echo(f"| {' | '.join(_COLUMNS)} |\n|{'---|' * len(_COLUMNS)}")
    rival = shutil.which("mlir-reduce-22")
    if rival is None:
        sys.exit("mlir-reduce-22 is not installed (Debian: mlir-22-tools)")
    for case in opt_cases():
        if case.name in (names or CASES):
            place = folder.absolute() / case.name
            shutil.rmtree(place, ignore_errors=True)
            _show("mlir-reducer", reduced_row(case, ops, place))
            _show("mlir-reduce", _rival_row(case, ops, place, rival, max_seconds))


def _show(reducer: str, row: Row) -> None:
    same = "yes" if row.same else "no"
    cells = (row.name, reducer, row.planted, row.ops, same, row.calls, f"{row.seconds:.1f}")
    ended = "" if row.status == "reduced" else f" ({row.status})"
    click.echo(f"| {' | '.join(map(str, cells))}{ended} |")


def _rival_row(case: OptCase, ops: int, place: Path, rival: str, max_seconds: int) -> Row:
    """What `mlir-reduce` makes of the case."""
    text = planted(case, ops)
    (place / "rival.mlir").write_text(text, encoding="utf-8")
    target = case.oracle().run(case.text)
    script, log, out = place / "test.sh", place / "runs", place / "rival.out.mlir"
    assert case.command is not None
    script.write_text(
        _SCRIPT.format(
            log=shlex.quote(str(log)),
            errors=shlex.quote(str(place / "errors")),
            command=shlex.join(case.command),
            frame=shlex.quote(innermost(case)),
        ),
        encoding="utf-8",
    )
    script.chmod(0o755)
    words = [
        *(rival, str(place / "rival.mlir"), "-o", str(out), "--allow-unregistered-dialect"),
        f"--opt-reduction-pass=opt-pass=symbol-dce test={script}",
        f"--reduction-tree=traversal-mode=0 test={script}",
    ]
    begun = time.monotonic()
    status = "reduced"
    with suppress(subprocess.TimeoutExpired):
        status = "not ended"
        done = subprocess.run(words, capture_output=True, timeout=max_seconds, check=False)
        status = "reduced" if done.returncode == 0 else f"exit status {done.returncode}"
    wall = time.monotonic() - begun
    result = out.read_text(encoding="utf-8") if out.exists() else ""
    same = bool(result) and same_failure(
        target.signature, case.oracle(result).run(result).signature
    )
    runs = len(log.read_bytes()) if log.exists() else 0
    left = ops_of(case, result) if result else 0
    return Row(case.name, status, ops_of(case, text), left, 0, same, runs, wall)


def innermost(case: OptCase) -> str:
    """The innermost function with a name, behind those that handle the signal.

    If none has one, what every crash prints.
    """
    assert case.command is not None
    done = subprocess.run(
        [*case.command, "-"], input=case.text, capture_output=True, text=True, check=False
    )
    names: list[str] = [found.strip() for found in _NAMED.findall(done.stderr)]
    return next((name for name in names if not name.startswith(_HANDLERS)), NAMELESS)


if __name__ == "__main__":
    main()
