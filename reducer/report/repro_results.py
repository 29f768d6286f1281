"""`repro.sh` for a program that compiles, but gives wrong results or fails.

It runs the two commands of the report and nothing else: the compiler, and the runtime's tool. That
tool's own comparison is shown, but not relied upon: it has one absolute tolerance for each type,
takes every scalar for wrong, and up to IREE 3.8.0 takes NaN for any number. So the printed results
are compared by `printed_results.py`, which the reduction compares with, too.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from oracles.evidence import (
    CALLER,
    EXPECTED,
    PassesCheck,
    RunCheck,
)
from oracles.profiles import RUNTIME
from reducer import printed_results
from reducer.escaping import shell_quoted
from reducer.printed_results import COUNT, NOT_FINITE, SIGN, TYPE, VALUES
from reducer.report.facts import FILES, ReproCheck
from reducer.report.patterns import Pattern
from reducer.report.repro_script import (
    SHORT,
    fails_differently,
    script_head,
    script_start,
    shell_word,
    status_holds,
    time_limit,
    variable_of,
    within,
)

_EXITS = VALUES, NOT_FINITE, TYPE, COUNT, SIGN

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
            *_start(check, files),
            *_compile(check),
            *_judge(run),
            "",
        ]
    )


def _head(check: ReproCheck, run: RunCheck, signature: str) -> list[str]:
    compiler, runtime = variable_of(check.words[0]), variable_of(RUNTIME.program)
    right = "they are right" if run.wrong else "it no longer fails"
    still = "the results are wrong as reported" if run.wrong else "it fails as reported"
    said = (
        "Usage: ./repro.sh [--bisect], or",
        f"{compiler}=/path/to/another {runtime}=/path/to/its/runtime ./repro.sh",
        f"Exit status: 0 if {still}, 1 if {right}, 2 if it fails differently",
        f"or cannot be run. With --bisect: 1 if {still}, 0 if not, 125 otherwise.",
    )
    shown = [signature, "", *map(_shown, (check.words, run.words))]
    return script_head("Does this failure still occur?", shown, said)


def _start(check: ReproCheck, files: Iterable[str]) -> list[str]:
    compiler, runtime = variable_of(check.words[0]), variable_of(RUNTIME.program)
    beside = f'"$(dirname -- "$compile")/{RUNTIME.program}"'
    chosen = (
        f"compile=${{{compiler}:-}}",
        f"run=${{{runtime}:-}}",
        "# The runtime of another compiler is looked for beside it.",
        f'[ -n "$run" ] || [ -z "$compile" ] || [ ! -x {beside} ] || run={beside}',
        f'[ -n "$compile" ] || compile={shell_quoted(_name(check.words[0]))}',
        f'[ -n "$run" ] || run={shell_quoted(RUNTIME.program)}',
    )
    programs = {"compile": compiler, "run": runtime}
    return script_start(chosen, programs, programs, check.file, files)


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
    if run.wrong is not None:
        yield from _comparison(run)
    yield "# A second run fills fresh memory, which may otherwise happen to be zero (glibc)."
    yield f"for garbage in 0 {_GARBAGE}; do"
    yield f"    MALLOC_PERTURB_=$garbage {_call(run)} >stdout 2>stderr"
    yield "    status=$?"
    body = _failure(run) if run.wrong is None else _results(run.wrong)
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
    script = Path(printed_results.__file__).read_text(encoding="utf-8")
    yield from script.splitlines()
    yield from ("END_OF_PYTHON", "}", "expected >right", "")


def _results(wrong: int) -> Iterator[str]:
    """Lines that decide after a run of the program."""
    yield 'if [ "$status" -ne 0 ]; then'
    yield from (f"    {line}" for line in _PROGRAM_FAILS)
    yield "fi"
    yield "difference=$(compare)"
    yield "case $? in"
    yield "0) continue ;;"
    yield f'{wrong}) say "still fails as reported: $difference"; exit 0 ;;'
    others = "|".join(str(code) for code in _EXITS if code != wrong)
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
    yield from within(f"{_call(run)} >stdout 2>stderr", [time_limit(seconds)])
    yield from ('if [ -n "$exceeded" ]; then', '    say "still hangs"', "    exit 0", "fi")
    yield from ('if [ "$status" -eq 0 ]; then', '    say "no longer fails"', "    exit 1", "fi")
    yield from _PROGRAM_FAILS


def _name(program: str) -> str:
    return program.rsplit("/", 1)[-1]


def _shown(words: Sequence[str]) -> str:
    return " ".join(map(shell_word, (_name(words[0]), *words[1:])))


# ---- passes that change what a program means ---------------------------------------------------

_LIBRARIES = ("mlir_c_runner_utils", "mlir_runner_utils", "mlir_float16_utils")


def passes_script(check: ReproCheck, passes: PassesCheck, signature: str) -> str:
    """The text of the script for passes that change what a program means.

    The program is run by MLIR's own tools as it is and after the passes; if the two print different
    things, the passes are wrong. What lowers both is the same, so it is not to blame.
    """
    opt, runner = variable_of(check.words[0]), variable_of(passes.runner)
    tools = {opt: _name(check.words[0]), runner: passes.runner}
    lowerer = variable_of(passes.lowerer) if passes.lowerer else opt
    tools.setdefault(lowerer, passes.lowerer)
    said = (
        "Usage: ./repro.sh [--bisect], or",
        f"{opt}=/path/to/another {runner}=/path/to/its/runner ./repro.sh",
        *([f"What lowers the program to run it is {lowerer}."] if passes.lowerer else []),
        "Exit status: 0 if they do, 1 if they do not, 2 if it cannot be run.",
        "With --bisect: 1 if they do, 0 if not, 125 otherwise.",
    )
    question = "Do these passes still change what the program prints?"
    head = script_head(question, [_shown(check.words), signature], said)
    chosen = [
        f"{variable}=${{{variable}:-{shell_quoted(name)}}}" for variable, name in tools.items()
    ]
    start = script_start(chosen, tools, {tool: tool for tool in tools}, check.file)
    return "\n".join([*head, *start, *_both(check, passes, opt, runner, lowerer), ""])


def _both(
    check: ReproCheck, passes: PassesCheck, opt: str, runner: str, lowerer: str
) -> Iterator[str]:
    """Lines that run the program as it is and after the passes."""
    yield "# What prints is in libraries beside the runner."
    yield f'lib=$(dirname -- "$(dirname -- "$(readlink -f "$(command -v "${runner}")")")")/lib'
    yield "libraries="
    yield f"for name in {' '.join(_LIBRARIES)}; do"
    yield '    for file in "$lib/lib$name".so*; do'
    yield '        [ ! -e "$file" ] || { libraries=$libraries${libraries:+,}$file; break; }'
    yield from ("    done", "done")
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
