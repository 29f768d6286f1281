"""`repro.sh`: a POSIX shell script that checks whether the failure still occurs.

It runs the user's command, and nothing else, in a temporary folder; every word is quoted.
"""

import os
import re
import signal
from collections.abc import Iterable, Iterator, Mapping, Sequence

from reducer.escaping import one_line, shell_quoted
from reducer.report.facts import ERROR, FILES, OURSELVES, ReproCheck
from reducer.report.patterns import crashed_there

_FATAL = 128
_WILD = (int(signal.SIGSEGV), int(signal.SIGBUS))
"""The signals that the use of a wild pointer can end in."""

SHORT = "tr -c '\\n -~' '?' | cut -c 1-200"
"""Shows lines of another program's output, of which a terminal obeys nothing."""

BISECT = (
    "case ${1:-} in",
    '"") ;;',
    "--bisect)",
    '    sh "$0"',
    "    case $? in 0) exit 1 ;; 1) exit 0 ;; *) exit 125 ;; esac ;;",
    '*) printf "usage: %s [--bisect]\\n" "$0"; exit 2 ;;',
    "esac",
)
"""Runs the script and exits as `git bisect run` wants it."""


def repro_script(check: ReproCheck, signature: str, files: Iterable[str] = ()) -> str:
    """The text of the script.

    Args:
        signature: a description of the failure, for a comment.
        files: the names of the files in `files/` that the command needs.
    """
    variable = variable_of(check.words[0])
    return "\n".join(
        [
            *_head(check, signature, variable),
            *_start(check, variable, files),
            *_run(check),
            *_verdict(check),
            "",
        ]
    )


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


def script_head(question: str, shown: Iterable[str], said: Iterable[str]) -> list[str]:
    """The lines with which a script begins; it exits as `git bisect run` wants it, if asked to.

    Args:
        shown: the failure, and commands.
        said: how to use it, and what its exit status means.
    """
    return [
        "#!/bin/sh",
        f"# {question}",
        "#",
        *(f"#   {one_line(line)}" if line else "#" for line in shown),
        "#",
        *(f"# {line}" for line in said),
        *("set -u", "LC_ALL=C", "export LC_ALL", *BISECT, ""),
    ]


def script_start(
    chosen: Iterable[str],
    relative: Iterable[str],
    programs: Mapping[str, str],
    file: str,
    files: Iterable[str] = (),
) -> list[str]:
    """The lines up to the run, which is in a folder of its own with a copy of the program.

    Args:
        chosen: lines that choose what is run.
        relative: the variables that may hold relative paths, which are made absolute.
        programs: the variables that hold what is run, and those that override them.
        files: what else the command needs, in `files/`.
    """
    return [
        'say() { printf "%s\\n" "$1"; }',
        'here=$(CDPATH="" cd -- "$(dirname -- "$0")" && pwd) || exit 2',
        *chosen,
        *(line for variable in relative for line in _absolute_path(variable)),
        *(line for found in programs.items() for line in _is_found(*found)),
        'work=$(mktemp -d "${TMPDIR:-/tmp}/repro.XXXXXXXX") || exit 2',
        "trap 'rm -rf -- \"$work\"' EXIT",
        "trap 'exit 2' HUP INT TERM",
        f'cp -- "$here/{file}" "$work/" || exit 2',
        *([f'cp -R -- "$here/{FILES}" "$work/" || exit 2'] if list(files) else []),
        *('cd -- "$work" || exit 2', "ulimit -c 0 2>/dev/null", ""),
    ]


def _is_found(variable: str, override: str) -> list[str]:
    return [
        f'if ! command -v "${variable}" >/dev/null 2>&1; then',
        f'    say "cannot run ${variable}; set {override}=/path/to/it"',
        *("    exit 2", "fi"),
    ]


def _head(check: ReproCheck, signature: str, variable: str) -> list[str]:
    end = "it no longer fails" if not check.passes_anyway else "it no longer occurs"
    asked = compiler_asked(check.words)
    other = variable if asked is None else variable_of(asked)
    said = (
        f"Usage: ./repro.sh [--bisect], or {other}=/path/to/another ./repro.sh",
        *([f"Needs {OURSELVES} (on PATH, or {variable}=/path/to/it)."] if asked else []),
        f"Exit status: 0 if it fails as reported, 1 if {end}, 2 if it fails differently",
        "or cannot be run. With --bisect: 1 if it fails as reported, 0 if not, 125 otherwise.",
    )
    return script_head("Does this failure still occur?", [signature], said)


def _start(check: ReproCheck, variable: str, files: Iterable[str]) -> list[str]:
    program, compiler = check.words[0], compiler_asked(check.words)
    if check.includes_program:
        chosen, relative = [f'program="$here"/{shell_quoted(program[2:])}'], []
    else:
        name = shell_quoted(program.rsplit("/", 1)[-1])
        chosen = [f"program=${{{variable}:-}}", f'[ -n "$program" ] || program={name}']
        relative = ["program", *([variable_of(compiler)] if compiler else [])]
    return script_start(chosen, relative, {"program": variable}, check.file, files)


def _absolute_path(variable: str) -> list[str]:
    """Lines that make an overriding program's path absolute, since the run is in another folder."""
    return [
        f"case ${{{variable}:-}} in",
        "/*) ;;",
        f"*/*) {variable}=$PWD/${variable} ;;",
        "esac",
    ]


def _run(check: ReproCheck) -> list[str]:
    if compiler := compiler_asked(check.words):
        return _run_asking(check.words, compiler)
    launcher, rest = map(shell_word, check.launcher), map(shell_word, check.words[1:])
    redirected = " ".join([*launcher, '"$program"', *rest, ">stdout 2>stderr"])
    limits = list(_limits(check))
    return within(redirected, limits) if limits else [redirected, "status=$?", ""]


def within(command: str, limits: Iterable[str]) -> list[str]:
    """Lines that run a command until it ends, or one of these sets `exceeded`."""
    return [
        f"{command} &",
        "child=$!",
        "trap 'kill -9 $child 2>/dev/null; rm -rf -- \"$work\"' EXIT",
        "waited=0",
        "exceeded=",
        'while [ -z "$exceeded" ]; do',
        "    sleep 1",
        '    kill -0 "$child" 2>/dev/null || break',
        "    waited=$((waited + 1))",
        *limits,
        "done",
        'if [ -n "$exceeded" ]; then kill -9 "$child" 2>/dev/null; fi',
        'wait "$child" 2>/dev/null',
        "status=$?",
        "",
    ]


def time_limit(seconds: float) -> str:
    """A line for `within`."""
    return f'    [ "$waited" -lt {max(1, round(seconds))} ] || exceeded=time'


def _run_asking(words: Sequence[str], compiler: str) -> list[str]:
    """Lines that run an `mlir-reducer` command, whose compiler may be overridden too."""
    at = words.index("--")
    asking, flags = list(words[1:at]), words[at + 2 :]
    plain = " ".join(map(shell_word, words[1:]))
    variable = variable_of(compiler)
    if "--iree" in asking:
        version = asking.index("--iree")
        del asking[version : version + 2]
    before = " ".join(map(shell_word, asking))
    after = " ".join(map(shell_word, flags))
    return [
        f'if [ -n "${{{variable}:-}}" ]; then',
        f'    "$program" {before} -- "${variable}" {after}',
        "else",
        f'    "$program" {plain}',
        "fi >stdout 2>stderr",
        "status=$?",
        "",
    ]


def _limits(check: ReproCheck) -> Iterator[str]:
    if check.seconds is not None:
        yield time_limit(check.seconds)
    if check.memory is not None:
        yield "    used=$(sed -n 's/^VmRSS:[^0-9]*\\([0-9]*\\).*/\\1/p' \\"
        yield '        "/proc/$child/status" 2>/dev/null || ps -o rss= -p "$child")'
        yield f'    [ "${{used:-0}}" -lt {max(1, check.memory >> 10)} ] || exceeded=memory'


def _verdict(check: ReproCheck) -> list[str]:
    if check.seconds is not None or check.memory is not None:
        limit = "time" if check.seconds is not None else "memory"
        return [
            f'[ "$exceeded" != {limit} ] || {{ say "still hangs"; exit 0; }}'
            if limit == "time"
            else f'if [ "$exceeded" = {limit} ] || [ "$status" -gt 128 ] || '
            "grep -q -i -e memory -e bad_alloc stderr; then\n"
            '    say "still runs out of memory"; exit 0\nfi',
            *_otherwise(),
        ]
    if check.bucket:
        return [
            "case $status in",
            f"0) if grep -q -e '^bucket  *{check.bucket}$' stdout; then",
            '       say "still fails as reported"; exit 0',
            "   fi ;;",
            "1) if grep -q -e '^kind  *success$' stdout; then",
            '       say "no longer fails"',
            "       sed -n '/^[0-9]* remark/,$p' stdout",
            "       exit 1",
            "   fi ;;",
            "esac",
            "grep -e '^signature ' stdout",
            *fails_differently(),
        ]
    if check.self_checking:
        return [
            "case $status in",
            '0) say "still fails"; exit 0 ;;',
            '1) say "no longer fails"; exit 1 ;;',
            "esac",
            *fails_differently(),
        ]
    conditions = [status_holds(check.status)] if check.status is not None else []
    if check.crash_trace:
        conditions.append("crashed_there")
    if check.pattern is not None:
        conditions.append(f"grep -q -e {shell_quoted(check.pattern.grep)} stderr stdout")
    if check.silent:
        conditions.append(f"! grep -q -e {shell_quoted(ERROR)} stderr")
    if not conditions:
        conditions = ['[ "$status" -ne 0 ]']
    return [
        *crashed_there(check.crash_trace),
        f"if {' && '.join(conditions)}; then",
        '    say "still fails as reported"',
        "    exit 0",
        "fi",
        *(_elsewhere(check) if check.crash_trace else []),
        *_otherwise(),
    ]


def _elsewhere(check: ReproCheck) -> list[str]:
    """Lines that end the script if only the place of a crash is not as reported."""
    if check.status is None:
        return []
    return [
        f"if {status_holds(check.status)}; then",
        '    say "fails differently: not in the reported place, as far as its stack shows"',
        "    exit 2",
        "fi",
    ]


def status_holds(status: int) -> str:
    """A condition on the exit status.

    A shell reports signal n as 128 + n, the entry point of a Python package as 256 - n. A wild
    pointer ends in one of two signals, by chance.
    """
    if status >= 0:
        return f'[ "$status" -eq {status} ]'
    signals = _WILD if -status in _WILD else (-status,)
    codes = (code for one in signals for code in (_FATAL + one, 2 * _FATAL - one))
    tests = " || ".join(f'[ "$status" -eq {code} ]' for code in codes)
    return f"{{ {tests}; }}"


def _otherwise() -> list[str]:
    return [
        'if [ "$status" -eq 0 ]; then',
        '    say "no longer fails"',
        "    exit 1",
        "fi",
        *fails_differently(),
    ]


def fails_differently() -> list[str]:
    """Lines that end the script because the command fails in another way."""
    return [
        'say "fails differently: exit status $status"',
        'grep -a -m 5 -e "error: " -e "LLVM ERROR" -e "Assertion" -e "Unknown command line" \\',
        "    stderr stdout 2>/dev/null |",
        f"    {SHORT}",
        "exit 2",
    ]
