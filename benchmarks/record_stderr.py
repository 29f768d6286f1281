"""Record what a real compiler prints for a failing input, for the corpus of recorded texts.

    python -m benchmarks.record_stderr GROUP NAME INPUT --iree 3.13.0 --source "written by hand" \\
        -- --iree-hal-target-backends=llvm-cpu

The run is the one that the tool would do, in a temporary folder. If a signature needs short extra
runs (does the `-opt` tool reject the input as well? which pass failed?), these are recorded too, so
that the texts can be classified again without a compiler. Printed IR is truncated.
"""

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

from oracles.compilers.command import Command, resolve_binary
from oracles.compilers.compiler import NAME_PASS
from oracles.run.capture import shorten
from oracles.signature.diagnostics import parse_diagnostics, primary_error
from oracles.signature.stage import PARSE_ONLY
from oracles.signature.templates import printed_operation
from oracles.signature.unconverted_ops import is_unconverted
from oracles.stacks.frames import name_frames, parse_stack
from oracles.stacks.symbols import load_index
from reducer.toolchain import install, resolve_executable
from tests.support.recorded import RECORDED, add_line

_KEPT = 12_000
_IR_DUMP = re.compile(r"^(// -----// IR Dump [^\n]*)\n.*", re.M | re.S)
_FAILED = re.compile(
    r"^(?P<banner>// -----// IR Dump After \S+ Failed[^\n]*)\n(?P<ir>.*?)(?=^// -----// |\Z)",
    re.M | re.S,
)
_PROBES = {"verify": (), "parse": PARSE_ONLY}


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("group")
@click.argument("name")
@click.argument("source_file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("flags", nargs=-1, type=click.UNPROCESSED)
@click.option("--iree", "version", required=True, help="Compiler version.")
@click.option("--program", default="iree-compile", show_default=True)
@click.option("--source", required=True, help="Where the input comes from.")
@click.option("--symbolizer", is_flag=True, help="Let the crash be symbolised.")
@click.option("--entry-point", is_flag=True, help="Go through the Python entry point.")
@click.option("--keep-input", is_flag=True, help="Keep the input beside the text.")
def main(
    group: str,
    name: str,
    source_file: Path,
    flags: Sequence[str],
    version: str,
    program: str,
    source: str,
    symbolizer: bool,
    entry_point: bool,
    keep_input: bool,
) -> None:
    """Run the compiler on INPUT and add its output to the recorded texts."""
    executable = resolve_executable(program, version)
    binary = executable if entry_point else resolve_binary(executable)
    opt = install(version).opt
    command = Command.parse([program, *flags])
    folder = RECORDED / group
    folder.mkdir(parents=True, exist_ok=True)
    entry: dict[str, object] = {
        "source": source,
        "compiler": version,
        "command": shlex.join(command.words("input.mlir")),
    }
    words = command.expand("input.mlir", "output.bin")[1:]
    exit_code, stderr = _run([str(binary), *words], source_file, symbolizer)
    if exit_code == 0:
        raise click.ClickException("the compiler does not fail")
    entry["exit_code"] = exit_code
    library = next(binary.resolve().parent.glob("libIREECompiler.so"), None)
    library = library or resolve_binary(executable).parent / "libIREECompiler.so"
    frames = parse_stack(stderr)
    names = name_frames(frames, lambda module: load_index(library))
    if any(names) and not symbolizer:
        entry["symbols"] = {
            hex(frame.address): name for frame, name in zip(frames, names, strict=True) if name
        }
    (folder / f"{name}.txt").write_text(_short(stderr), encoding="utf-8")
    probes: dict[str, int] = {}
    if exit_code == 1:
        for probe, extra in _PROBES.items():
            argv = [str(opt), "input.mlir", *extra, "--allow-unregistered-dialect", "-o", "out"]
            probes[probe], text = _run(argv, source_file, False)
            if probes[probe]:
                (folder / f"{name}.{probe}.txt").write_text(_short(text), encoding="utf-8")
        probes["pass"], text = _run([str(binary), *words, *NAME_PASS], source_file, False)
        (folder / f"{name}.pass.txt").write_text(failed_pass(text), encoding="utf-8")
    if probes:
        entry["probes"] = probes
    add_line({"file": f"{group}/{name}.txt", "group": group, **entry})
    if keep_input:
        shutil.copy(source_file, folder / f"{name}.mlir")
    click.echo(f"{group}/{name}: exit {exit_code}, {len(stderr)} characters", err=True)


def failed_pass(stderr: str) -> str:
    """The line that names the failed pass, and of its IR what an unconverted constant supplies."""
    dump = _FAILED.search(stderr)
    if dump is None:
        return "\n"
    left = primary_error(parse_diagnostics(stderr))
    lines = [dump["banner"]]
    if left is not None and is_unconverted(left.message, left.operation):
        dialect = printed_operation(left.operation).partition(".")[0]
        lines += [line for line in dump["ir"].splitlines() if f'"{dialect}.' in line]
    return "\n".join(lines) + "\n"


def _run(argv: Sequence[str], source: Path, symbolizer: bool) -> tuple[int, str]:
    environment = {**os.environ, "LLVM_DISABLE_CRASH_REPORT": "1"}
    if not symbolizer:
        environment["LLVM_DISABLE_SYMBOLIZATION"] = "1"
    with tempfile.TemporaryDirectory(prefix="record-") as folder:
        shutil.copy(source, Path(folder) / "input.mlir")
        done = subprocess.run(
            argv, cwd=folder, env=environment, capture_output=True, timeout=300, check=False
        )
    return done.returncode, done.stderr.decode("utf-8", "replace")


def _short(stderr: str) -> str:
    """The text without the user's paths and without most of a printed module."""
    home = str(Path.home())
    text = _IR_DUMP.sub(r"\1", stderr).replace(home, "/home/user")
    lines = [shorten(line, 2_000) for line in text.splitlines()]
    return shorten("\n".join(lines) + "\n", _KEPT)


if __name__ == "__main__":
    main()
