"""Lines of `repro.sh` that tell by a stack whether a crash is in the reported place."""

import re
from collections.abc import Iterator

from oracles.signature.comparison import Landmarks
from oracles.stacks.dispatching_functions import PASS_ADAPTOR
from reducer.escaping import shell_quoted
from reducer.report.patterns import (
    HANDLER,
    PROGRAM,
    CrashTrace,
    mangled_pattern,
    name_pattern,
    python_pattern,
    renamed_pattern,
)

_PLACE = r"s/^[0-9][0-9]* *\([^ ]*\)  *0x[0-9a-f]*\([0-9a-f]\{3\}\)\( .*\)\{0,1\}$/\1:\2/p"
"""Prints library and last digits of a frame, as LLVM prints it without a symbolizer."""
_LIBRARY = r"(\([^()]*\/\)\{0,1\}\([^()/]*\)+0x[0-9a-f]*)"
_PLACE_OF_NAMED = rf"s/^ *#[0-9]* 0x[0-9a-f]*\([0-9a-f]\{{3\}}\) .*{_LIBRARY}$/\3:\1/p"
"""The same for the form with a symbolizer."""
_LAST_DIGITS = r"s/^ *#[0-9]* 0x[0-9a-f]*\([0-9a-f]\{3\}\) .*$/\1/p"
"""Prints the last digits of any frame in that form; of most, the library is not known."""
_AS_CALLS = (
    f"/{PASS_ADAPTOR.rpartition('::')[2]}/q",
    "s/[`]/ /g",  # as LLDB has between library and function
    "s/^/ /",
    # how Julia prints where a function is, and Rust which of several it is
    r"s/ at [^ ]*\( (unknown line)\)\{0,1\}$/(/",
    "s/::h[0-9a-f]\\{16\\}$/(/",
    "s/$/(/",
    "s/ (/(/",  # a debugger puts a space before arguments
)
"""Edits after which functions in stacks of any tool are between a space and a parenthesis."""
_DEEPER = 4
"""How many frames further out a bug may be found: what it calls may be deeper next time."""


def crashed_there(crash_trace: CrashTrace) -> Iterator[str]:
    """A shell function that succeeds if the stack shows a crash in the same place.

    Within one build, it compares addresses, and otherwise like `oracles.signature.comparison` does
    across builds: without the name of any function, it cannot be known to be the same.
    """
    if not crash_trace:
        return
    yield "crashed_there() {"
    if crash_trace.digits:
        yield from _in_same_build(crash_trace)
    if crash_trace.digits and not crash_trace.counting:
        yield from _named_in_same_build(crash_trace)
    if crash_trace.landmarks:
        edits = " ".join(f"-e {shell_quoted(edit)}" for edit in _AS_CALLS)
        yield f"    sed {edits} stderr >stack"
        yield from _met(crash_trace.landmarks)
    else:
        yield "    return 1"
    yield "}"


def _in_same_build(crash_trace: CrashTrace) -> Iterator[str]:
    """Commands that decide by addresses if the crash is one of the same build."""
    libraries = [f"^{_literal(name)}:" for name in crash_trace.libraries]
    only = " ".join(f"-e {shell_quoted(library)}" for library in libraries)
    same, handler = crash_trace.digits, crash_trace.digits[:HANDLER]
    yield "    # last digits of the frame addresses; the first ones identify the build"
    places = [_PLACE, _PLACE_OF_NAMED] if crash_trace.unnamed else [_PLACE]
    depth = len(same) + (_DEEPER if crash_trace.counting else 0)
    of_program = ""
    if PROGRAM in crash_trace.libraries:
        yield '    file=$(readlink -f -- "$(command -v -- "$program")")'
        of_program = (
            f"""sed -e "s|^${{file##*/}}:|{PROGRAM}:|" -e "s|^${{program##*/}}:|{PROGRAM}:|" |"""
        )
    yield f"    places=$(sed -n {' '.join(f'-e {shell_quoted(one)}' for one in places)} stderr |"
    if of_program:
        yield f"        {of_program}"
    yield f"        grep {only} | head -n {depth} | tr '\\n' ' ')"
    yield "    case $places in"
    yield f"    {_wanted(crash_trace)}) return 0 ;;"
    yield f"    {shell_quoted(' '.join(handler) + ' ')}*) return 1 ;;"
    yield "    esac"


def _named_in_same_build(crash_trace: CrashTrace) -> Iterator[str]:
    """Commands that recognize the addresses of a build in a stack with names.

    Names may not tell: none may be of a function that can be at fault, and the symbolizer has none
    for a function that ends with a call that never returns, such as that of `report_fatal_error`,
    since the return address is outside.
    """
    digits = [place.rpartition(":")[2] for place in crash_trace.digits]
    parts = [" ".join(digits[:HANDLER]), *digits[HANDLER:]]
    wanted = "*".join(shell_quoted(f"{part} ") for part in parts)
    yield f"    digits=$(sed -n -e {shell_quoted(_LAST_DIGITS)} stderr | tr '\\n' ' ')"
    yield f"    case $digits in {wanted}*) return 0 ;; esac"


def _wanted(crash_trace: CrashTrace) -> str:
    """A shell pattern for the digits: all of them, or else those that identify build and bug."""
    if not crash_trace.counting:
        return shell_quoted(" ".join(crash_trace.digits) + " ")
    parts = [" ".join(crash_trace.digits[:HANDLER])]
    parts += [crash_trace.digits[place] for place in crash_trace.counting]
    return "*".join(shell_quoted(f"{part} ") for part in parts) + "*"


def _met(landmarks: Landmarks) -> Iterator[str]:
    """Commands that succeed if the file `stack` contains the landmarks."""
    outermost = f"grep -q {_named(landmarks.outermost)} stack"
    others = [_named(name) for name in landmarks.others]
    any_other = f" && grep -q {' '.join(others)} stack" if others else ""
    renamed = renamed_pattern(landmarks.outermost)
    if not renamed or not landmarks.may_be_renamed:
        yield f"    {outermost}{any_other}"
        return
    yield f"    if {outermost}; then"
    yield f"        {any_other.removeprefix(' && ')}"
    yield "        return"
    yield "    fi"
    all_others = [f"grep -q {other} stack" for other in others]
    yield "    # renamed: all else must be there"
    yield f"    grep -q -E -e {shell_quoted(renamed)} stack && {' && '.join(all_others)}"


def _named(name: str) -> str:
    """Arguments of `grep` that find a function in a stack, as it is or mangled."""
    patterns = filter(None, (name_pattern(name), mangled_pattern(name), python_pattern(name)))
    return " ".join(f"-e {shell_quoted(pattern)}" for pattern in patterns)


def _literal(text: str) -> str:
    """A basic regular expression for a text."""
    return re.sub(r"[\\.\[*^$/]", r"\\\g<0>", text)
