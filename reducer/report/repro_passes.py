"""`repro.sh` for passes that change what a program means.

The program is run by MLIR's own tools as it is and after the passes; if the two print different
things, the passes are wrong. What lowers both is the same, so it is not to blame.
"""

from collections.abc import Iterator

from reducer.escaping import one_line, shell_quoted
from reducer.miscompile.evidence import CALLER, PassesCheck
from reducer.report.facts import ReproCheck
from reducer.report.repro_script import BISECT, SHORT, absolute_path, shell_word, variable_of

_LIBRARIES = ("mlir_c_runner_utils", "mlir_runner_utils", "mlir_float16_utils")


def passes_script(check: ReproCheck, passes: PassesCheck, signature: str) -> str:
    """The text of the script; `signature` is a description of the failure, for a comment."""
    return "\n".join([*_head(check, passes, signature), *_body(check, passes), ""])


def _head(check: ReproCheck, passes: PassesCheck, signature: str) -> Iterator[str]:
    opt, runner = variable_of(check.words[0]), variable_of(passes.runner)
    shown = [check.words[0].rsplit("/", 1)[-1], *check.words[1:]]
    yield from ("#!/bin/sh", "# Do these passes still change what the program prints?", "#")
    yield f"#   {one_line(' '.join(map(shell_word, shown)))}"
    yield f"#   {one_line(signature)}"
    yield "#"
    yield "# Usage: ./repro.sh [--bisect], or"
    yield f"# {opt}=/path/to/another {runner}=/path/to/its/runner ./repro.sh"
    if passes.lowerer:
        yield f"# What lowers the program to run it is {variable_of(passes.lowerer)}."
    yield "# Exit status: 0 if they do, 1 if they do not, 2 if it cannot be run."
    yield "# With --bisect: 1 if they do, 0 if not, 125 otherwise."
    yield from ("set -u", "LC_ALL=C", "export LC_ALL", *BISECT, "")


def _body(check: ReproCheck, passes: PassesCheck) -> Iterator[str]:
    opt, runner = variable_of(check.words[0]), variable_of(passes.runner)
    tools = {opt: check.words[0].rsplit("/", 1)[-1], runner: passes.runner}
    lowerer = variable_of(passes.lowerer) if passes.lowerer else opt
    tools.setdefault(lowerer, passes.lowerer)
    yield 'say() { printf "%s\\n" "$1"; }'
    yield 'here=$(CDPATH="" cd -- "$(dirname -- "$0")" && pwd) || exit 2'
    for variable, name in tools.items():
        yield f"{variable}=${{{variable}:-{shell_quoted(name)}}}"
        yield from absolute_path(variable)
        yield f'if ! command -v "${variable}" >/dev/null 2>&1; then'
        yield f'    say "cannot run ${variable}; set {variable}=/path/to/it"'
        yield from ("    exit 2", "fi")
    yield "# What prints is in libraries beside the runner."
    yield f'lib=$(dirname -- "$(dirname -- "$(readlink -f "$(command -v "${runner}")")")")/lib'
    yield "libraries="
    yield f"for name in {' '.join(_LIBRARIES)}; do"
    yield '    for file in "$lib/lib$name".so*; do'
    yield '        [ ! -e "$file" ] || { libraries=$libraries${libraries:+,}$file; break; }'
    yield from ("    done", "done")
    yield 'work=$(mktemp -d "${TMPDIR:-/tmp}/repro.XXXXXXXX") || exit 2'
    yield "trap 'rm -rf -- \"$work\"' EXIT"
    yield "trap 'exit 2' HUP INT TERM"
    yield f'cp -- "$here/{check.file}" "$work/" || exit 2'
    yield from ('cd -- "$work" || exit 2', "ulimit -c 0 2>/dev/null", "")
    yield "# Calls the program."
    yield "cat >caller.mlir <<'END_OF_CALLER'"
    yield from passes.caller.splitlines()
    yield from ("END_OF_CALLER", "")
    yield "run() { # MODULE RESULTS: prints what the program gives, without addresses"
    yield "    { sed '/^$/d' \"$1\" | sed '$d'; cat caller.mlir; echo '}'; } >whole.mlir &&"
    lowering = f"--pass-pipeline={shell_quoted(passes.lowering)}"
    yield f'    "${lowerer}" {lowering} whole.mlir -o low.mlir &&'
    yield f'    "${runner}" low.mlir -e {CALLER} --entry-point-result=void -O0 \\'
    yield '        --shared-libs="$libraries" >printed &&'
    yield "    sed 's/base@ = 0x[0-9a-f]*//' printed >\"$2\""
    yield "}"
    yield "failed() {"
    yield '    say "$1"'
    yield f'    grep -e "error: " stderr | head -n 5 | {SHORT}'
    yield from ("    exit 2", "}", "")
    words = " ".join(map(shell_word, check.words[1:]))
    yield f'{{ "${opt}" {check.file} -o before.mlir && run before.mlir before.txt; }} 2>stderr ||'
    yield '    failed "the program cannot be run"'
    yield f'"${opt}" {words} -o after.mlir 2>stderr || failed "the passes fail"'
    yield 'run after.mlir after.txt 2>stderr || failed "the program cannot be run after the passes"'
    yield "if cmp -s before.txt after.txt; then"
    yield '    say "the program prints the same with and without these passes"'
    yield from ("    exit 1", "fi")
    yield 'say "still wrong. Without the passes:"'
    yield from ("cat before.txt", 'say "With them:"', "cat after.txt", "exit 0")
