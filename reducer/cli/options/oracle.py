"""The options that say what to run and which failure to look for, as `OracleOptions` takes them."""

from functools import partial
from pathlib import Path

import click

from reducer.cli.options.completion import complete_versions
from reducer.cli.options.shared import Decorator, applied, memory_limit_option, timeout_option

LEVELS = ("strict", "normal", "loose")
"""The values of `oracles.Level`, importing which would slow down `--help`."""

_ORACLE: list[Decorator] = [
    click.option(
        "--iree",
        metavar="VERSION",
        shell_complete=complete_versions,
        help="Use this version of the IREE compiler (such as 3.13.0, or newest), installed on "
        "first use.",
    ),
    click.option(
        "--test",
        metavar="SCRIPT",
        type=click.Path(path_type=Path),
        help="Use an interestingness script instead of a command: $1 is the file; exit 0 means "
        "interesting, 101 means it fails differently.",
    ),
    click.option(
        "--oracle",
        "plugin",
        metavar="NAME[:ARG]",
        help="Use a custom oracle, a Python class (docs/custom-oracle.md).",
    ),
    click.option(
        "--opt",
        metavar="PROGRAM",
        help="Read and print IR with this …-opt tool. [default: the one beside the compiler; "
        "for a script, any known one that can print the input]",
    ),
    click.option(
        "--match",
        metavar="REGEX",
        help="Preserve output that matches REGEX, instead of the failure.",
    ),
    click.option(
        "--exit-code",
        metavar="N",
        type=int,
        help="Preserve exit code N (-11 or 139: a segmentation fault), instead of the failure.",
    ),
    click.option(
        "--signature",
        type=click.Choice(LEVELS),
        default="normal",
        show_default=True,
        help="How closely failures must match (docs/signatures.md).",
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
        "same name), or python:FILE.py:FUNCTION (for INPUT only). Can be repeated; all must "
        "agree. [default: the evaluator and a compiler that agrees with it]",
    ),
    click.option(
        "--tolerance",
        metavar="REL",
        type=click.FloatRange(min=0),
        help="Accepted relative difference. [default: by type]",
    ),
    click.option(
        "--signed-zeros/--no-signed-zeros",
        default=None,
        help="Whether 0 instead of -0 is wrong, if the evaluator and another reference agree. "
        "[default: for passes of an …-opt tool]",
    ),
    click.option(
        "--python",
        metavar="PROGRAM",
        help="Interpreter for a python: reference; needs NumPy. [default: this program's]",
    ),
]
"""What the results of a compiled program are compared with."""

_CALL: list[Decorator] = [
    click.option(
        "--function", metavar="NAME", help="Call only this function. [default: every function]"
    ),
    click.option(
        "--input",
        "inputs",
        metavar="SPEC",
        multiple=True,
        help="Use this input for the first argument it fits: 2x3xf32, 2x3xf32=1,2,3,4,5,6, 7, "
        "2x3xf32=@FILE (raw bytes), @FILE.npy, or +FILE.npy (the next array of the file). "
        "[default: chosen by type]",
    ),
    click.option(
        "--expected-output",
        "expected",
        metavar="SPEC",
        multiple=True,
        help="What the next result of INPUT should be for these inputs, spelled like --input; "
        "(ignored) if it does not matter.",
    ),
    click.option(
        "--flagfile",
        metavar="FILE",
        help="Read function, inputs, expected outputs, parameters and device from a file for "
        "iree-run-module. Paths in it are relative to its folder.",
    ),
    click.option(
        "--parameters",
        metavar="[SCOPE=]FILE",
        multiple=True,
        help="Parameters for the program (.irpa, .gguf, .safetensors).",
    ),
    click.option(
        "--device",
        metavar="NAME",
        help="Runtime device for the compiled program. [default: that of the target, such as hip]",
    ),
]
"""How the compiled program is called."""


def with_oracle_options(*, timeout: str = "none") -> Decorator:
    """Add the options whose values make an `OracleOptions`.

    Args:
        timeout: the time limit for one run if the user sets none, in words.
    """
    limits = [timeout_option(timeout), memory_limit_option]
    return partial(applied, [*_ORACLE, *limits, *_WRONG_RESULTS, *_CALL])
