"""The options that say what to run and which failure to look for, as `OracleOptions` takes them."""

import re
from functools import partial
from typing import Any

import click

from reducer.cli.options.completion import complete_versions
from reducer.cli.options.shared import Decorator, applied, memory_limit_option, timeout_option

LEVELS = ("strict", "normal", "loose")
"""The values of `oracles.Level`, importing which would slow down `--help`."""


class SignatureType(click.Choice[str]):
    """How closely failures must match, or any exit code to preserve instead."""

    def __init__(self) -> None:
        super().__init__((*LEVELS, "exit=1"))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        is_code = re.fullmatch(r"exit=-?\d+", str(value))
        return is_code[0] if is_code else super().convert(value, param, ctx)


_ORACLE: list[Decorator] = [
    click.option("--opt", hidden=True),  # for MLIR_REDUCER_OPT
    click.option(
        "--iree",
        metavar="VERSION",
        shell_complete=complete_versions,
        help="Use this version of the IREE compiler (such as 3.13.0, or newest), installed on "
        "first use.",
    ),
    click.option(
        "--test",
        metavar="SCRIPT|NAME",
        help="Let a script decide instead of a command: $1 is the file; exit 0 means interesting, "
        "101 means it fails differently. Or a Python class by its NAME[:ARGUMENT] "
        "(docs/custom-oracle.md).",
    ),
    click.option(
        "--match",
        metavar="REGEX",
        help="Preserve output that matches REGEX, instead of the failure.",
    ),
    click.option(
        "--signature",
        metavar="strict|normal|loose|exit=N",
        type=SignatureType(),
        default="normal",
        show_default=True,
        help="How closely failures must match (docs/signatures.md). exit=N: preserve exit code N "
        "(-11 or 139: a segmentation fault), instead of the failure.",
    ),
    click.option(
        "--ir-after",
        metavar="PASS",
        help="Apply --match only to the IR after this pass, such as canonicalize.",
    ),
]
"""What runs, and what counts as the failure."""

_WRONG_RESULTS: list[Decorator] = [
    click.option(
        "--wrong-results",
        is_flag=True,
        help="Preserve a miscompile: the program that COMMAND compiles, or what an …-opt tool's "
        "passes make of INPUT, computes results that differ from those of a reference.",
    ),
    click.option(
        "--reference",
        "references",
        metavar="REF",
        multiple=True,
        help="Where the expected results come from: evaluator, vmvx, llvm-cpu, mlir-runner, "
        "iree:VERSION[+BACKEND], flags:'--a --b' (added to COMMAND, or replacing flags of the "
        "same name), or python:FILE.py:FUNCTION[@PYTHON] (for INPUT only). Can be repeated; all "
        "must agree. [default: the evaluator and a compiler that agrees with it]",
    ),
    click.option(
        "--tolerance",
        metavar="REL",
        help="Accepted relative difference, such as 0.01. [default: by type] Also, after a comma, "
        "signed-zeros or any-zeros: whether 0 instead of -0 is wrong, if the evaluator and another "
        "reference agree. [default: for passes of an …-opt tool]",
    ),
    click.option(
        "--input",
        "inputs",
        metavar="SPEC",
        multiple=True,
        help="Use this input for the first argument it fits, if no second command is given: "
        "2x3xf32, 2x3xf32=1,2,3,4,5,6, 7, 2x3xf32=@FILE (raw bytes), @FILE.npy, or +FILE.npy (the "
        "next array of the file). [default: chosen by type]",
    ),
]
"""What the results of a compiled program are compared with, and what it is called with."""


_METRIC: list[Decorator] = [
    click.option(
        "--metric",
        metavar="NAME",
        help="Preserve a number that is worse than that of a reference (docs/metrics.md): ir-size, "
        "rewrites, dispatches, statistics, binary-size, asm:REGEX, which are exact; peak-memory, "
        "compile-time, pass-time, run-time; or script, the last number that COMMAND prints.",
    ),
    click.option(
        "--worse-than",
        metavar="REF",
        help="The reference of --metric: another release (iree:3.12.0), other flags (flags:'--a "
        "--b', as for --reference), or a number.",
    ),
    click.option(
        "--by",
        metavar="FACTOR",
        type=click.FloatRange(min=1.0, min_open=True),
        help="How many times as much is worse. [default: for INPUT, 1.1, or 1.2 if runs differ; "
        "for what is made of it, four fifths of what INPUT shows]",
    ),
]
"""Which number is too large, and compared with what."""


def with_metric_options(command: Any) -> Any:
    """Add the options of a number that is a failure."""
    return applied(_METRIC, command)


def with_oracle_options(*, timeout: str = "none", metric: bool = True) -> Decorator:
    """Add the options whose values make an `OracleOptions`.

    Args:
        timeout: the time limit for one run if the user sets none, in words.
        metric: whether a number can be the failure; else only that of a recorded command.
    """
    limits = [timeout_option(timeout), memory_limit_option]
    numbers = _METRIC if metric else []
    return partial(applied, [*_ORACLE, *limits, *_WRONG_RESULTS, *numbers])
