"""`repro.sh` for a program that compiles, but gives wrong results or fails.

It runs the two commands of the report and nothing else: the compiler, and the runtime's tool. That
tool's own comparison is shown, but not relied upon: it has one absolute tolerance for each type,
takes every scalar for wrong, and up to IREE 3.8.0 takes NaN for any number. So the printed results
are compared in awk, in the same way as `reducer.miscompile.values.compare` does.
"""

from collections.abc import Iterable, Iterator

from oracles.profiles import RUNTIME
from reducer.escaping import one_line, shell_quoted
from reducer.miscompile.values.compare import MismatchKind
from reducer.report.facts import FILES, ReproCheck
from reducer.report.repro_script import (
    BISECT,
    SHORT,
    absolute_path,
    fails_differently,
    shell_word,
    status_holds,
    variable_of,
)
from reducer.report.run_check import EXPECTED, SIGNED, SLACK, UNDEFINED, RunCheck

_GARBAGE = 85
"""What fresh memory is filled with in a second run: a program that reads it may be wrong only if it
does not happen to be zero."""

_EXITS = {
    MismatchKind.VALUES: 11,
    MismatchKind.NOT_FINITE: 12,
    MismatchKind.TYPE: 13,
    MismatchKind.COUNT: 14,
    MismatchKind.SIGN: 10,
}
"""The exit status of the comparison, most severe last; awk itself uses 1 and 2."""

_PROGRAM_FAILS = (
    'say "fails differently: the program ends with exit status $status"',
    f"head -n 3 stderr | {SHORT}",
    "exit 2",
)

_COMPARISON = r"""
function class_of(word) {
    if (word ~ /[nN][aA][nN]/) return "nan"
    if (word ~ /[iI][nN][fF]/) return (word ~ /^-/) ? "-inf" : "inf"
    return ""
}
function size(x) { return x < 0 ? -x : x }
function max(x, y) { return x > y ? x : y }
function is_right(ours, theirs, n, slack,    one, other) {
    if (theirs == "@UNDEFINED@") return 1
    one = class_of(ours); other = class_of(theirs)
    if (one != "" || other != "") return finite_only || one == other
    if (sub(/^@SIGNED@/, "", theirs) && ours + 0 == 0) return (ours ~ /^-/) == (theirs ~ /^-/)
    if (type[n] == "i1") { sub(/^0/, "", ours); sub(/^0/, "", theirs) }
    if ((ours "") == (theirs "")) return 1
    if (type[n] !~ /^[bc]?f/ && tolerance[n] + 0 == 0) return 0
    one = max(scale[n] + 0, max(size(ours + 0), size(theirs + 0)))
    return size(ours - theirs) <= tolerance[n] * one + slack
}
function wrong(code, text) { if (code > worst) { worst = code; said = text } }
function digits(hex,    at, sum) {
    for (at = 1; at <= length(hex); at++)
        sum = 16 * sum + index("123456789ABCDEF", substr(hex, at, 1))
    return sum
}
function decoded(hex,    at, big, head, power, rest, bits, bias) {
    for (at = length(hex) - 1; at > 0; at -= 2) big = big substr(hex, at, 2)
    head = digits(substr(big, 1, 3)); rest = digits(substr(big, 4)); bits = 52; bias = 1023
    power = head % 2048
    if (length(hex) == 8) {
        rest += 1048576 * (power % 8); power = int(power / 8); bits = 23; bias = 127
    }
    if (power == 2 * bias + 1) rest = rest ? "nan" : "inf"
    else rest = (power ? rest + 2 ^ bits : rest) * 2 ^ ((power ? power : 1) - bias - bits)
    return head < 2048 ? rest : rest == "inf" ? "-inf" : -rest
}
function element(word,    n, half) {
    n = results[file]
    if (file == 1 || type[n] !~ /^cf/ || word == "...") { part(word); return }
    half = length(word) / 2
    part(decoded(substr(word, 1, half))); part(decoded(substr(word, half + 1)))
}
function part(word,    n, at, theirs, parts, is_sign) {
    n = results[file]; at = count[file, n]++
    if (file == 1) {
        split(word, parts, "@SLACK@")
        right[n, at] = parts[1]; slacks[n, at] = parts[2]
        return
    }
    if (word == "...") { elided = 1; return }
    theirs = right[n, at]
    if (!comparable[n] || is_right(word, theirs, n, slacks[n, at] + 0)) return
    is_sign = sub(/^@SIGNED@/, "", theirs) && word + 0 == 0
    wrong(is_sign ? @SIGN@ : (class_of(word) class_of(theirs)) == "" ? @VALUES@ : @NOT_FINITE@,
        "result " (n - 1) ", element " at ": " word ", expected " theirs)
}
function value(word,    n, at, whole, shape) {
    n = results[file]; at = index(word, "="); whole = substr(word, 1, at - 1)
    type[n] = whole; sub(/^([0-9]+x)*/, "", type[n])
    shape = substr(whole, 1, length(whole) - length(type[n]))
    inside = 1
    if (file == 1) { known[n] = 1; wanted[n] = whole; shapes[n] = shape }
    comparable[n] = known[n] && shapes[n] == shape
    if (known[n] && shapes[n] != shape)
        wrong(@TYPE@, "result " (n - 1) ": " whole ", expected " wanted[n])
    if (at < length(word)) element(substr(word, at + 1))
}
BEGIN { split(tolerances, tolerance); split(scales, scale) }
FNR == 1 { file++; inside = 0 }
$0 == "" { next }
$0 == "result" { results[file]++; inside = 0; next }
inside { element($0); next }
results[file] && index($0, "=") { value($0) }
END {
    if (elided) { print "the results are not printed in full"; exit 3 }
    if (results[1] + 0 != results[2] + 0)
        wrong(@COUNT@, (results[2] + 0) " results, expected " (results[1] + 0))
    if (worst) print said
    exit worst + 0
}
"""


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
    yield "# One word a line."
    yield r"words() { tr -s '\011\040\133\135' '\012\012\012\012'; }"
    yield "# Prints the first difference; the exit status says of which kind it is."
    yield "compare() {"
    settings = (
        ("finite_only", str(int(run.finite_only))),
        ("tolerances", " ".join(f"{one!r}" for one in run.tolerances)),
        ("scales", " ".join(f"{one!r}" for one in run.scales)),
    )
    yield (
        "    awk " + " ".join(f"-v {name}={shell_quoted(value)}" for name, value in settings) + " '"
    )
    program = _COMPARISON.strip("\n")
    for name, mark in (("UNDEFINED", UNDEFINED), ("SLACK", SLACK), ("SIGNED", SIGNED)):
        program = program.replace(f"@{name}@", mark)
    for kind, code in _EXITS.items():
        program = program.replace(f"@{kind.name}@", str(code))
    yield from program.splitlines()
    yield "' right actual"
    yield from ("}", "expected | words >right", "")


def _results(kind: MismatchKind) -> Iterator[str]:
    """Lines that decide after a run of the program."""
    yield 'if [ "$status" -ne 0 ]; then'
    yield from (f"    {line}" for line in _PROGRAM_FAILS)
    yield "fi"
    yield "words <stdout >actual"
    yield "difference=$(compare)"
    yield "case $? in"
    yield "0) continue ;;"
    yield f'{_EXITS[kind]}) say "still fails as reported: $difference"; exit 0 ;;'
    others = "|".join(str(code) for code in _EXITS.values() if code != _EXITS[kind])
    yield f'{others}) say "wrong in another way: $difference"; exit 2 ;;'
    yield '*) say "cannot compare the results: $difference"; exit 2 ;;'
    yield "esac"


# ---- programs that fail ----------------------------------------------------------------------


def _failure(run: RunCheck) -> Iterator[str]:
    """Lines that decide after a run of a program that should not fail."""
    holds = [status_holds(run.status)] if run.status is not None else []
    holds += [f"grep -q -e {shell_quoted(pattern.grep)} stderr stdout" for pattern in run.patterns]
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
