"""`repro.sh` for a program that compiles, but gives wrong results or fails.

It runs the two commands of the report and nothing else: the compiler, and the runtime's tool. That
tool's own comparison is shown, but not relied upon: it has one absolute tolerance for each type,
takes every scalar for wrong, and up to IREE 3.8.0 takes NaN for any number. So the printed results
are compared by `printed_results.py`, which the reduction compares with, too.
"""

from collections.abc import Iterable, Iterator

from oracles.profiles import RUNTIME
from reducer.escaping import one_line, shell_quoted
from reducer.miscompile.evidence import EXITS, EXPECTED, MismatchKind, RunCheck, comparison
from reducer.report.facts import FILES, ReproCheck
from reducer.report.patterns import Pattern
from reducer.report.repro_script import (
    BISECT,
    SHORT,
    absolute_path,
    fails_differently,
    shell_word,
    status_holds,
    variable_of,
)

_GARBAGE = 85
"""What fresh memory is filled with in a second run: a program that reads it may be wrong only if it
does not happen to be zero."""

_PROGRAM_FAILS = (
    'say "fails differently: the program ends with exit status $status"',
    f"head -n 3 stderr | {SHORT}",
    "exit 2",
)


def run_script(check: ReproCheck, run: RunCheck, signature: str, files: Iterable[str] = ()) -> str:
    """The text of the script.

    Args:
        check: the compilation.
        run: the call of the compiled program.
        signature: a description of the failure, for a comment.
        files: the names of the files in `files/` that the commands need.
    """
    return "\n".join(
        [
            *_head(check, run, signature),
            *_start(check, bool(list(files))),
            *_compile(check),
            *_judge(run),
            "",
        ]
    )


def _head(check: ReproCheck, run: RunCheck, signature: str) -> Iterator[str]:
    compiler, runtime = variable_of(check.words[0]), variable_of(RUNTIME.program)
    right = "they are right" if run.kind else "it no longer fails"
    yield from ("#!/bin/sh", "# Does this failure still occur?", "#")
    yield f"#   {one_line(signature)}"
    yield "#"
    for words in (check.words, run.words):
        yield f"#   {one_line(' '.join(map(shell_word, (_name(words[0]), *words[1:]))))}"
    yield "#"
    yield "# Usage: ./repro.sh [--bisect], or"
    yield f"# {compiler}=/path/to/another {runtime}=/path/to/its/runtime ./repro.sh"
    still = "the results are wrong as reported" if run.kind else "it fails as reported"
    yield f"# Exit status: 0 if {still}, 1 if {right}, 2 if it fails differently"
    yield f"# or cannot be run. With --bisect: 1 if {still}, 0 if not, 125 otherwise."
    yield from ("set -u", "LC_ALL=C", "export LC_ALL", *BISECT, "")


def _start(check: ReproCheck, carried: bool) -> Iterator[str]:
    compiler, runtime = variable_of(check.words[0]), variable_of(RUNTIME.program)
    yield 'say() { printf "%s\\n" "$1"; }'
    yield 'here=$(CDPATH="" cd -- "$(dirname -- "$0")" && pwd) || exit 2'
    yield f"compile=${{{compiler}:-}}"
    yield f"run=${{{runtime}:-}}"
    yield "# The runtime of another compiler is looked for beside it."
    beside = f'"$(dirname -- "$compile")/{RUNTIME.program}"'
    yield f'[ -n "$run" ] || [ -z "$compile" ] || [ ! -x {beside} ] || run={beside}'
    yield f'[ -n "$compile" ] || compile={shell_quoted(_name(check.words[0]))}'
    yield f'[ -n "$run" ] || run={shell_quoted(RUNTIME.program)}'
    for variable in ("compile", "run"):
        yield from absolute_path(variable)
    for variable, name in (("compile", compiler), ("run", runtime)):
        yield f'if ! command -v "${variable}" >/dev/null 2>&1; then'
        yield f'    say "cannot run ${variable}; set {name}=/path/to/it"'
        yield from ("    exit 2", "fi")
    yield 'work=$(mktemp -d "${TMPDIR:-/tmp}/repro.XXXXXXXX") || exit 2'
    yield "trap 'rm -rf -- \"$work\"' EXIT"
    yield "trap 'exit 2' HUP INT TERM"
    yield f'cp -- "$here/{check.file}" "$work/" || exit 2'
    if carried:
        yield f'cp -R -- "$here/{FILES}" "$work/" || exit 2'
    yield from ('cd -- "$work" || exit 2', "ulimit -c 0 2>/dev/null", "")


def _compile(check: ReproCheck) -> Iterator[str]:
    words = " ".join(['"$compile"', *map(shell_word, check.words[1:])])
    yield f"{words} >stdout 2>stderr"
    yield "status=$?"
    yield 'if [ "$status" -ne 0 ]; then'
    yield from (f"    {line}" for line in fails_differently())
    yield from ("fi", "")


def _judge(run: RunCheck) -> Iterator[str]:
    if run.seconds is not None:
        yield from _hang(run, run.seconds)
        return
    if run.kind is not None:
        yield from _comparison(run)
    yield "# A second run fills fresh memory, which may otherwise happen to be zero (glibc)."
    yield f"for garbage in 0 {_GARBAGE}; do"
    yield f"    MALLOC_PERTURB_=$garbage {_call(run)} >stdout 2>stderr"
    yield "    status=$?"
    body = _failure(run) if run.kind is None else _results(run.kind)
    yield from (f"    {line}" for line in body)
    yield from ("done", 'say "no longer fails"', "exit 1")


def _call(run: RunCheck) -> str:
    return " ".join(['"$run"', *map(shell_word, run.call[1:])])


# ---- wrong results ---------------------------------------------------------------------------


def _comparison(run: RunCheck) -> Iterator[str]:
    """Shell functions that compare the printed results with the right ones."""
    yield "# What is right, spelled as results are printed."
    if run.is_long:
        yield f'expected() {{ cat "$work/{FILES}/{EXPECTED}"; }}'
    else:
        yield from ("expected() {", "    cat <<'END_OF_RESULTS'")
        yield from run.expected.splitlines()
        yield from ("END_OF_RESULTS", "}")
    yield "# Prints the first difference; the exit status says of which kind it is."
    settings = (
        " ".join(f"{one!r}" for one in run.tolerances),
        " ".join(f"{one!r}" for one in run.scales),
        str(int(run.finite_only)),
    )
    yield "compare() {"
    yield f"    python3 - right stdout {' '.join(map(shell_quoted, settings))} <<'END_OF_PYTHON'"
    yield from comparison().splitlines()
    yield from ("END_OF_PYTHON", "}", "expected >right", "")


def _results(kind: MismatchKind) -> Iterator[str]:
    """Lines that decide after a run of the program."""
    yield 'if [ "$status" -ne 0 ]; then'
    yield from (f"    {line}" for line in _PROGRAM_FAILS)
    yield "fi"
    yield "difference=$(compare)"
    yield "case $? in"
    yield "0) continue ;;"
    yield f'{EXITS[kind]}) say "still fails as reported: $difference"; exit 0 ;;'
    others = "|".join(str(code) for code in EXITS.values() if code != EXITS[kind])
    yield f'{others}) say "wrong in another way: $difference"; exit 2 ;;'
    yield '*) say "cannot compare the results: $difference"; exit 2 ;;'
    yield "esac"


# ---- programs that fail ----------------------------------------------------------------------


def _failure(run: RunCheck) -> Iterator[str]:
    """Lines that decide after a run of a program that should not fail."""
    holds = [status_holds(run.status)] if run.status is not None else []
    patterns = filter(None, map(Pattern.of, run.messages))
    holds += [f"grep -q -e {shell_quoted(pattern.grep)} stderr stdout" for pattern in patterns]
    yield f"if {' && '.join(holds)}; then"
    yield from ('    say "still fails as reported"', "    exit 0", "fi")
    yield '[ "$status" -ne 0 ] || continue'
    yield from _PROGRAM_FAILS


def _hang(run: RunCheck, seconds: float) -> Iterator[str]:
    yield f"{_call(run)} >stdout 2>stderr &"
    yield "child=$!"
    yield "trap 'kill -9 $child 2>/dev/null; rm -rf -- \"$work\"' EXIT"
    yield "waited=0"
    yield f'while [ "$waited" -lt {max(1, round(seconds))} ]; do'
    yield "    sleep 1"
    yield '    kill -0 "$child" 2>/dev/null || break'
    yield "    waited=$((waited + 1))"
    yield "done"
    yield 'if kill -0 "$child" 2>/dev/null; then'
    yield from ('    kill -9 "$child" 2>/dev/null', '    say "still hangs"', "    exit 0", "fi")
    yield 'wait "$child"'
    yield "status=$?"
    yield from ('if [ "$status" -eq 0 ]; then', '    say "no longer fails"', "    exit 1", "fi")
    yield from _PROGRAM_FAILS


def _name(program: str) -> str:
    return program.rsplit("/", 1)[-1]
