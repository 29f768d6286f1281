"""`repro.sh`: a POSIX shell script that checks whether the failure still occurs.

It runs the commands of the report, and nothing else, in a temporary folder. The script is the file
`repro.sh` beside this one; written here is the data of one failure, every word of it quoted.

Of wrong results, the comparison of the runtime's tool is not relied upon: it has one absolute
tolerance for each type, takes every scalar for wrong, and up to IREE 3.8.0 takes NaN for any
number. So `printed_results.py` compares what is printed, as it does in the reduction.
"""

import os
import re
import signal
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from oracles.evidence import CALLER, RunCheck
from oracles.profiles import RUNTIME
from reducer import printed_results
from reducer.escaping import one_line, shell_quoted
from reducer.report.facts import OURSELVES, ReproCheck
from reducer.report.patterns import Pattern, crash_data

_TEMPLATE = Path(__file__).with_name("repro.sh")

_FATAL = 128
_WILD = (int(signal.SIGSEGV), int(signal.SIGBUS))
"""The signals that the use of a wild pointer can end in."""

_GARBAGE = 85
"""What fresh memory is filled with in a second run: a program that reads it may be wrong only if it
does not happen to be zero."""


def repro_script(check: ReproCheck, signature: str) -> str:
    """The text of the script; `signature` describes the failure, for a comment."""
    programs = _programs(check)
    overrides = filter(None, dict.fromkeys(programs.values()))
    variables = [f"{variable}=/path/to/another" for variable in overrides]
    usage = [
        f"Usage: ./repro.sh [--bisect]{', or' * bool(variables)}",
        *([f"{' '.join(variables)} ./repro.sh"] if variables else []),
    ]
    shown = [f"#   {one_line(signature)}", "#", *(f"# {line}" for line in usage)]
    parts = {"# @shown@": shown, "# @data@": list(_data(check, programs))}
    lines = _TEMPLATE.read_text(encoding="utf-8").splitlines()
    return "".join(f"{line}\n" for place in lines for line in parts.get(place, [place]))


def run_files(run: RunCheck) -> dict[str, str]:
    """The contents of the files that the call of a compiled program and its script need."""
    script = Path(printed_results.__file__).read_text(encoding="utf-8")
    return {**run.files, **({"compare.py": script} if run.wrong is not None else {})}


def variable_of(program: str) -> str:
    """The environment variable that overrides a program.

    >>> variable_of("/opt/bin/iree-compile"), variable_of("./3way")
    ('IREE_COMPILE', 'PROGRAM_3WAY')
    """
    name = re.sub(r"\W", "_", program.rsplit("/", 1)[-1], flags=re.ASCII).upper() or "PROGRAM"
    return f"PROGRAM_{name}" if name[0].isdigit() else name


def compiler_asked(words: Sequence[str]) -> str | None:
    """The compiler in an `mlir-reducer` command, which follows `--`; None if there is none."""
    if words[0] != OURSELVES or "--" not in words:
        return None
    return words[words.index("--") + 1]


def shell_word(word: str) -> str:
    """A word quoted for a shell, with the user's home folder replaced by `$HOME`."""
    home = os.environ.get("HOME", "").rstrip("/")
    before, inside, after = word.partition(f"{home}/") if home else (word, "", "")
    if inside and (not before or before[-1] in "=:,"):
        quoted = shell_quoted(before) if before else ""
        return f'{quoted}"$HOME"/{shell_quoted(after)}'
    return shell_quoted(word)


def _programs(check: ReproCheck) -> dict[tuple[str, str], str]:
    """What is run, by its name in the script and its own: the variable that overrides it.

    A compiler that `mlir-reducer` asks for may be missing.
    """
    first = check.words[0]
    if check.includes_program:
        return {("program", first): ""}
    programs = {("program", first.rsplit("/", 1)[-1]): variable_of(first)}
    if asked := compiler_asked(check.words):
        programs["compiler", ""] = variable_of(asked)
    if check.run:
        programs["runner", RUNTIME.program] = variable_of(RUNTIME.program)
    if passes := check.passes:
        programs["runner", passes.runner] = variable_of(passes.runner)
        lowerer = passes.lowerer or first.rsplit("/", 1)[-1]
        programs["lowerer", lowerer] = variable_of(lowerer)
    return programs


def _data(check: ReproCheck, programs: Mapping[tuple[str, str], str]) -> Iterator[str]:
    uses = (
        f"use {name} {shell_quoted(variable)} {shell_quoted(program)}"
        for (name, program), variable in programs.items()
    )
    yield from _function("programs", uses)
    if check.run is None:
        yield from _function("call", _call(check))
    else:
        yield from _function("compile", _call(check))
        yield from _function("call", [f'exec "$runner" {_words(check.run.call[1:])}'])
    for name, value in _values(check).items():
        yield from [f"{name}={shell_quoted(value)}"] if value else []


def _function(name: str, commands: Iterator[str] | Sequence[str]) -> list[str]:
    return [f"{name}() {{", *(f"    {command}" for command in commands), "}"]


def _call(check: ReproCheck) -> Iterator[str]:
    """The command; one of `mlir-reducer` for another compiler, if that is overridden, first."""
    words = check.words
    if compiler_asked(words):
        at = words.index("--")
        asking, flags = list(words[1:at]), words[at + 2 :]
        if "--iree" in asking:
            version = asking.index("--iree")
            del asking[version : version + 2]
        other = f'exec "$program" {_words(asking)} -- "$compiler" {_words(flags)}'
        yield f'[ -z "$compiler" ] || {other}'
    yield " ".join(["exec", *map(shell_word, check.launcher), '"$program"', _words(words[1:])])


def _words(words: Sequence[str]) -> str:
    return " ".join(map(shell_word, words))


def _values(check: ReproCheck) -> dict[str, str]:
    """The variables of the script; those that are '' keep what they have there."""
    run, passes, bucket = check.run, check.passes, check.bucket
    judged = run or check
    patterns = [*map(Pattern.of, run.messages)] if run else [check.pattern] if check.pattern else []
    messages = [pattern.grep for pattern in patterns if pattern]
    crash = crash_data(check.crash_trace)
    values = {
        "file": check.file,
        "statuses": _statuses(judged.status, bool(messages or crash or check.silent)),
        "messages": "\n".join(messages),
        "silent": "yes" * check.silent,
        "seconds": "" if judged.seconds is None else str(max(1, round(judged.seconds))),
        "kilobytes": "" if check.memory is None else str(max(1, check.memory >> 10)),
        **crash,
    }
    if check.self_checking:
        values |= {"statuses": "0", "healthy": "1"}
    if bucket:
        values |= {"messages": f"^bucket  *{bucket}$", "healthy_messages": "^kind  *success$"}
    if run and run.seconds is None:
        values["fills"] = f"0 {_GARBAGE}"
    if run and run.wrong is not None:
        values |= {
            "wrong": str(run.wrong),
            "tolerances": " ".join(map(repr, run.tolerances)),
            "scales": " ".join(map(repr, run.scales)),
            "finite_only": str(int(run.finite_only)),
        }
    if passes:
        values |= {"caller": passes.caller, "entry": CALLER, "pipeline": passes.lowering}
    return values


def _statuses(status: int | None, known_otherwise: bool) -> str:
    """The exit statuses of a failure.

    A shell reports signal n as 128 + n, the entry point of a Python package as 256 - n. A wild
    pointer ends in one of two signals, by chance.
    """
    if status is None:
        return "any" if known_otherwise else "failure"
    if status >= 0:
        return str(status)
    signals = _WILD if -status in _WILD else (-status,)
    return " ".join(f"{_FATAL + number} {2 * _FATAL - number}" for number in signals)
