"""What to look for in the compiler's output: the message as a pattern, the stack as a crash trace.

Patterns match any text for parts that differ between runs or versions (addresses, numbers, value
names); the words must be present.

LLVM prints function names as far as it knows them, and it always prints addresses, whose last three
digits are the same in all runs of a build, since libraries are loaded at multiples of the page size
(4096 bytes or more). The signal handler on top of the stack has the same address in all crashes of
a build, so its digits identify the build; the digits that follow show where it crashed.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from oracles.signature.comparison import Landmarks
from oracles.signature.templates import HASH
from oracles.stacks.dispatching import function_of
from oracles.stacks.dispatching_functions import PASS_ADAPTOR
from oracles.stacks.frames import is_offset, parse_stack
from oracles.stacks.function_names import demangle, names_when_renamed, without_implementation
from reducer.escaping import shell_quoted

WIDTH = 100
"""Characters of a message to match; the rest of a longer message is more variable."""

_VARIABLE = re.compile(
    rf"(?P<hash>{HASH.pattern})"
    r"""|(?P<folder>(?<![\w./-])(?:/[\w.@+~-]+)+/(?=[\w.-]))
      | (?P<address>\b0x[0-9a-fA-F]+\b)
      | (?P<value>%[\w$.\#:-]*[\w$\#])
      | (?P<number>(?<![\w.$%@-])\d+(?![\w.]*\w))
      | (?P<other>(?:[^\x20-\x7e]|\\[tnr]|\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8})+)""",
    re.X,
)


class Gap(Enum):
    """A placeholder for a variable part, as a basic and as an extended regular expression."""

    ADDRESS = ("0x[0-9a-fA-F]*", "0x[0-9a-fA-F]+")
    NUMBER = ("[0-9][0-9]*", "[0-9]+")
    VALUE = ("%[^ ,:)]*", "%[^ ,:)]*")
    ANY = (".*", ".*")


_GAPS = {
    "hash": Gap.ANY,
    "folder": Gap.ANY,
    "address": Gap.ADDRESS,
    "value": Gap.VALUE,
    "number": Gap.NUMBER,
    "other": Gap.ANY,
}


@dataclass(frozen=True)
class Pattern:
    """A sequence of literal texts and gaps, on a single line."""

    parts: tuple[str | Gap, ...]

    @classmethod
    def of(cls, message: str) -> "Pattern":
        """The pattern of a message: its first line, cut to `WIDTH` characters."""
        line = message.strip().split("\n", 1)[0]
        if len(line) > WIDTH:
            line = line[:WIDTH].rpartition(" ")[0] or line[:WIDTH]
        return cls(tuple(_parts(line.rstrip())))

    def __bool__(self) -> bool:
        return any(isinstance(part, str) and part.strip() for part in self.parts)

    @property
    def text(self) -> str:
        """The pattern for a reader, with `…` for the gaps."""
        return "".join("…" if isinstance(part, Gap) else part for part in self.parts)

    @property
    def grep(self) -> str:
        """The pattern as a basic regular expression, for any `grep`."""
        return "".join(
            part.value[0] if isinstance(part, Gap) else re.sub(r"[\\.\[*^$]", r"\\\g<0>", part)
            for part in self.parts
        )

    @property
    def filecheck(self) -> str:
        """The pattern for a FileCheck `CHECK:` line."""
        return "".join(
            f"{{{{{part.value[1]}}}}}" if isinstance(part, Gap) else _filecheck(part)
            for part in self.parts
        ).strip()

    def found_in(self, text: str) -> bool:
        """Whether a line of the text matches."""
        regex = "".join(
            part.value[1] if isinstance(part, Gap) else re.escape(part) for part in self.parts
        )
        return re.search(regex, text) is not None


def _parts(line: str) -> Iterator[str | Gap]:
    at = 0
    for match in _VARIABLE.finditer(line):
        if match.start() > at:
            yield line[at : match.start()]
        yield _GAPS[match.lastgroup or ""]
        at = match.end()
    if at < len(line):
        yield line[at:]


def _filecheck(text: str) -> str:
    """Literal text for FileCheck, where double brackets, and braces next to them, are special."""
    return re.sub(r"\{\{+|\}\}+|\[\[+|^\}|\{$", _in_class, text)


def _in_class(match: re.Match[str]) -> str:
    """Literal characters as a FileCheck regular expression."""
    return "{{" + "".join(r"\[" if c == "[" else f"[{c}]" for c in match[0]) + "}}"


_NEW_WORD = "(_*[A-Z]+[a-z0-9]*|_+[a-z0-9]+)"

_HANDLER = 2
"""The number of top frames that belong to the signal handler."""

DEPTH = 6
"""The number of frames of the crashing libraries to compare, including the handler's.

More are compared if a frame of the signature is further out.
"""

_PROGRAM = "program"
"""Stands for the program itself among libraries: its file may have several names."""


@dataclass(frozen=True)
class CrashTrace:
    """Where a crash occurred.

    `landmarks` are the functions that identify the bug. `digits` are the last digits of the first
    addresses, each as `library:digits`, without the system's libraries; empty if no addresses were
    printed. `counting` are the places among them of the functions that identify the bug: what they
    call may vary where memory is read that was freed. It is empty if some are not among them, and
    then all digits count. `unnamed` is whether functions without a name identify the bug as well,
    so that names do not decide.
    """

    landmarks: Landmarks | None = None
    digits: tuple[str, ...] = ()
    counting: tuple[int, ...] = ()
    unnamed: bool = False

    def __bool__(self) -> bool:
        return bool(self.landmarks or self.digits)

    @property
    def libraries(self) -> list[str]:
        """The libraries of the digits, sorted."""
        return sorted({place.rpartition(":")[0] for place in self.digits})


NO_CRASH_TRACE = CrashTrace()


def crash_trace_of(output: str, frames: Sequence[str], program: Collection[str] = ()) -> CrashTrace:
    """The trace of a crash from the compiler's output and the frames of its signature.

    Args:
        program: the names of the program's own file.
    """
    own = [frame for frame in parse_stack(output) if frame.module and not frame.is_system]
    digits = [
        f"{_PROGRAM if frame.module in program else frame.module}:{frame.address & 0xFFF:03x}"
        for frame in own
    ]
    names = [function_of(demangle(one.name)) if one.name else "" for one in own]
    places = [_place(frame, names, digits, program) for frame in frames]
    # A function without a name may stand for the instruction in it that failed: see `stacks.fault`.
    traces = [
        place
        for frame, place in zip(frames, places, strict=True)
        if place >= 0 or not is_offset(frame)
    ]
    depth = max([DEPTH, *(place + 1 for place in places)])
    crashed = len(digits) > _HANDLER + 1  # a third frame belongs to the handler as well
    return CrashTrace(
        Landmarks.of(frames),
        tuple(digits[:depth]) if crashed else (),
        tuple(sorted(traces)) if crashed and min(traces, default=0) > _HANDLER else (),
        unnamed=any(map(is_offset, frames)),
    )


def _place(
    frame: str, names: Sequence[str], digits: Sequence[str], program: Collection[str]
) -> int:
    """Which line of a stack a frame of a signature is; -1 if none is."""
    if is_offset(frame):
        wanted = _digits_of(frame, program) if "+" in frame else ""  # else a distance
        return digits.index(wanted) if wanted in digits else -1
    return names.index(frame) if frame in names else -1


def _digits_of(frame: str, program: Collection[str]) -> str:
    module, _, offset = frame.rpartition("+")
    library = _PROGRAM if module in program else module
    return f"{library}:{int(offset or '0', 16) & 0xFFF:03x}"


def _name_pattern(name: str) -> str:
    """A basic regular expression that matches the full name of a function, given its short name.

    >>> _name_pattern("mlir::Type::getWidth")
    '[ :<,]mlir.*::Type.*::getWidth[[(<,>]'
    """
    parts = [re.sub(r"[\\.\[*^$]", r"\\\g<0>", part) for part in name.split("::")]
    return f"[ :<,]{'.*::'.join(parts)}{'[[(<,>]' if len(parts) > 1 else ''}"


def _mangled_pattern(name: str) -> str:
    r"""The same for the name as the linker has it, which stacks of glibc and Julia show; or ''.

    >>> _mangled_pattern("mlir::Type")
    '_Z.*[^0-9]4mlir\\(.*[^0-9]\\)\\{0,1\\}\\(12_GLOBAL__N_1\\)\\{0,1\\}4Type'
    >>> _mangled_pattern("B::B"), _mangled_pattern("x + y")
    ('_Z.*[^0-9]1B.*C[0-3]', '')
    """
    *scope, last = name.split("::")
    if not all(re.fullmatch(r"[A-Za-z_]\w*", part) for part in (*scope, last.lstrip("~"))):
        return ""
    end = f".*{'D' if last.startswith('~') else 'C'}[0-3]"
    special = bool(scope) and last.lstrip("~") == scope[-1]
    words = [f"{len(part)}{part}" for part in (scope if special else [*scope, last])]
    gap = r"\(.*[^0-9]\)\{0,1\}\(12_GLOBAL__N_1\)\{0,1\}"
    return f"_Z.*[^0-9]{gap.join(words)}{end if special else ''}"


def _python_pattern(name: str) -> str:
    r"""The same for a function of Python, `module.function`; '' if it is none.

    >>> _python_pattern("apply_pdl.rewrite")
    'apply_pdl\\(/__init__\\)\\{0,1\\}\\.py", line [0-9]*,\\{0,1\\} in rewrite('
    """
    if not re.fullmatch(r"\w+\.\w+", name):
        return ""
    module, _, function = name.partition(".")
    return rf'{module}\(/__init__\)\{{0,1\}}\.py", line [0-9]*,\{{0,1\}} in {function}('


def _renamed_pattern(name: str) -> str:
    """An extended regular expression for what a function may be called in another build, or ''.

    >>> _renamed_pattern("a::foldIndexVecs").count("|fold")
    2
    """
    names = names_when_renamed(name, _NEW_WORD)
    classes = without_implementation(name).split("::")[:-1]
    scope = [re.sub(r"[][\\.*^$()+?{}|]", r"\\\g<0>", part) for part in classes]
    return f"[ :<,]{'.*::'.join([*scope, ''])}({'|'.join(names)})[[(<,>]" if names else ""


# ---- in `repro.sh` ------------------------------------------------------------------------------

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
    same, handler = crash_trace.digits, crash_trace.digits[:_HANDLER]
    yield "    # last digits of the frame addresses; the first ones identify the build"
    places = [_PLACE, _PLACE_OF_NAMED] if crash_trace.unnamed else [_PLACE]
    depth = len(same) + (_DEEPER if crash_trace.counting else 0)
    of_program = ""
    if _PROGRAM in crash_trace.libraries:
        yield '    file=$(readlink -f -- "$(command -v -- "$program")")'
        of_program = (
            f"""sed -e "s|^${{file##*/}}:|{_PROGRAM}:|" -e "s|^${{program##*/}}:|{_PROGRAM}:|" |"""
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
    parts = [" ".join(digits[:_HANDLER]), *digits[_HANDLER:]]
    wanted = "*".join(shell_quoted(f"{part} ") for part in parts)
    yield f"    digits=$(sed -n -e {shell_quoted(_LAST_DIGITS)} stderr | tr '\\n' ' ')"
    yield f"    case $digits in {wanted}*) return 0 ;; esac"


def _wanted(crash_trace: CrashTrace) -> str:
    """A shell pattern for the digits: all of them, or else those that identify build and bug."""
    if not crash_trace.counting:
        return shell_quoted(" ".join(crash_trace.digits) + " ")
    parts = [" ".join(crash_trace.digits[:_HANDLER])]
    parts += [crash_trace.digits[place] for place in crash_trace.counting]
    return "*".join(shell_quoted(f"{part} ") for part in parts) + "*"


def _met(landmarks: Landmarks) -> Iterator[str]:
    """Commands that succeed if the file `stack` contains the landmarks."""
    outermost = f"grep -q {_named(landmarks.outermost)} stack"
    others = [_named(name) for name in landmarks.others]
    any_other = f" && grep -q {' '.join(others)} stack" if others else ""
    renamed = _renamed_pattern(landmarks.outermost)
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
    patterns = filter(None, (_name_pattern(name), _mangled_pattern(name), _python_pattern(name)))
    return " ".join(f"-e {shell_quoted(pattern)}" for pattern in patterns)


def _literal(text: str) -> str:
    """A basic regular expression for a text."""
    return re.sub(r"[\\.\[*^$/]", r"\\\g<0>", text)
