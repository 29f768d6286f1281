"""Extract the short names of the functions that identify a bug from a crash stack.

LLVM prints a stack in three ways: with names (if it found a symbolizer), with exported names, or
with raw addresses. All three give the same frames here: addresses are looked up in the library's
own symbol table once the load address of the library is determined.
"""

import ctypes
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache

from oracles.profiles import any_of
from oracles.symbols import Symbols

_MAX_NAME_LENGTH = 200

_LAMBDA = re.compile(r"\{lambda\b.*?\}#?\d*|\{unnamed[^}]*\}|'(?:lambda|unnamed)\d*'|\$_\d+")
_OPERATOR = re.compile(r"\boperator\s*(?:\(\)|->\*?|<=>|<<=?|>>=?|<=?|>=?)")


@lru_cache(maxsize=4096)
def demangle(name: str) -> str:
    """The C++ name of an Itanium-mangled symbol; other names are returned unchanged.

    >>> demangle("_ZN4mlir11PassManager3runEPNS_9OperationE")
    'mlir::PassManager::run(mlir::Operation*)'
    """
    if not name.startswith("_Z"):
        return name
    plain = name.split(".llvm.", 1)[0]
    return _runtime_demangler()(plain) or _nested_name(plain)


@lru_cache(maxsize=4096)
def short_name(name: str) -> str:
    """The nested name of a demangled function.

    >>> short_name("void llvm::function_ref<void ()>::callback_fn<f(int)::$_0>(long)")
    'llvm::function_ref::callback_fn'
    >>> short_name("a::(anonymous namespace)::B<int (*)(long)>::operator()(int) const")
    'a::B::operator()'
    """
    text = name.replace("(anonymous namespace)::", "").replace("[abi:cxx11]", "")
    text = text.replace("{anonymous}::", "")  # GCC's spelling
    operators: list[str] = []

    def shelter(match: re.Match[str]) -> str:
        operators.append(match[0].replace(" ", ""))
        return f"operator\x00{len(operators) - 1}\x00"

    text = _OPERATOR.sub(shelter, _LAMBDA.sub("lambda", text))
    text = _without(_without(text, "<", ">"), "(", ")")
    text = re.sub(r"\s+(?:const|volatile|noexcept|&&?|\[clone [^\]]*\])(?=\s|$|::)", "", text)
    text = re.sub(r"\.(?:cold|isra|part|constprop)(?:\.\d+)*$", "", text).strip()
    if "operator " not in text:  # a conversion operator's name contains a space
        text = text.rsplit(" ", 1)[-1]
    text = re.sub("operator\x00(\\d+)\x00", lambda match: operators[int(match[1])], text)
    return text.strip("*& ")


def _without(text: str, opening: str, closing: str) -> str:
    """`text` without balanced groups; the `>` of an arrow closes nothing."""
    out: list[str] = []
    depth = 0
    for index, char in enumerate(text):
        if char == opening:
            depth += 1
        elif char == closing and depth and text[index - 1] != "-":
            depth -= 1
        elif not depth:
            out.append(char)
    return "".join(out)


@cache
def _runtime_demangler() -> Callable[[str], str]:
    """`__cxa_demangle` from the C++ runtime that every compiler here links to."""
    for library in ("libstdc++.so.6", "libc++abi.so.1", "libc++abi.dylib"):
        try:
            return _bind(ctypes.CDLL(library))
        except (OSError, AttributeError):
            continue
    return lambda name: ""


def _bind(runtime: ctypes.CDLL) -> Callable[[str], str]:
    function = runtime.__cxa_demangle
    function.restype = ctypes.c_void_p
    function.argtypes = [ctypes.c_char_p] + [ctypes.c_void_p] * 3
    free = ctypes.CDLL(None).free
    free.argtypes = [ctypes.c_void_p]

    def run(name: str) -> str:
        pointer = function(name.encode(), None, None, None)
        if not pointer:
            return ""
        try:
            return ctypes.string_at(pointer).decode("utf-8", "replace")
        finally:
            free(pointer)

    return run


def _nested_name(name: str) -> str:
    """The leading nested name of a mangled symbol, up to its first template argument."""
    parts: list[str] = []
    at = re.match(r"_Z+L?(?:N[KVrRO]*)?(?:St)?", name)
    index = at.end() if at else 0
    while match := re.compile(r"(\d+)").match(name, index):
        length = int(match[1])
        part = name[match.end() : match.end() + length]
        if part != "_GLOBAL__N_1":
            parts.append(part)
        index = match.end() + length
    return "::".join(parts) or name[:_MAX_NAME_LENGTH]


SIGNATURE_FRAMES = 3
"""The frames in a signature; lower frames are pass managers and threads, which are not specific."""

Resolver = Callable[[str], Symbols | None]
"""Finds the symbols of a library by file name (never by path: the text is not trusted)."""

_MAX_STACK_FRAMES = 256
_HANDLER_DEPTH = 12  # the signal handler, its trampoline and the raising function come first
_OFFSETS = 8
_NAMED = re.compile(r"(?:^|\s)#(?P<n>\d+)(?:\.\d+)? 0x(?P<address>[0-9a-fA-F]+) (?P<rest>.*)$")
_RAW = re.compile(
    r"^(?P<n>\d+)\s+(?P<module>\S+)\s+0x(?P<address>[0-9a-fA-F]+)(?:\s+(?P<rest>.*?) \+ \d+)?\s*$"
)
_IN_MODULE = re.compile(r"\s*\((?P<path>[^()\s]+)\+0x[0-9a-fA-F]+\)\s*$")
_AT_SOURCE = re.compile(r"\s+\S+:\d+(?::\d+)?\s*$")

_SYSTEM_MODULE = re.compile(
    r"^(?:lib(?:c|pthread|stdc\+\+|c\+\+|m|gcc_s|system_\w+|dyld)\b|ld-|dyld\b"
    r"|linux-vdso)"
)
_UNINFORMATIVE = re.compile(
    rf"""^(?:
      llvm::sys::(?:PrintStackTrace|RunSignalHandlers|CleanupOnSignal)
    | SignalHandler | PrintStackTraceSignalHandler | CrashRecoverySignalHandler
    | (?:std|__gnu_cxx)(?::|$) | (?:abort|raise|main|_start|start_thread|gsignal|clone3?
        |backtrace|pthread_kill|_sigtramp)$ | __
    | llvm::(?:report_fatal_error|llvm_unreachable_internal|report_bad_alloc_error)
    | llvm::(?:function_ref|unique_function|detail::UniqueFunctionBase|any_of|all_of|for_each)
    | llvm::(?:StdThreadPool|ThreadPool|thread|parallel|CrashRecoveryContext)
    | mlir::(?:PassManager|OpPassManager|Pass|detail::OpToOpPassAdaptor|detail::walk)(?:::|$)
    | mlir::(?:failableParallelForEach|parallelForEach|parallelFor|walk)
    | mlir::Operation::walk | mlir::OpState::walk | (?:mlir::)?WalkResult
    | mlir::(?:PatternApplicator|RewriterBase::notify|applyPatterns|applyOpPatterns|applyPartial
        |applyFull|applyAnalysis|RewritePattern|detail::pattern|OperationConverter)
    | (?:mlir::)?(?:GreedyPatternRewriteDriver|RegionPatternRewriteDriver
        |MultiOpPatternRewriteDriver|OperationLegalizer|OperationConverter)
    | mlir::(?:Operation::(?:~Operation|destroy|erase)|Block::~Block|Region::~Region
        |RewriterBase::(?:notify|erase|replace)\w*)$
    | llvm::(?:ilist|iplist|simple_ilist)
    | {any_of(lambda profile: profile.driver_frames)}
    | mlir::detail::(?:\w+InterfaceTraits|\w+OpInterfaceInterfaceTraits)
    )""",
    re.X,
)
_ENTRY = re.compile(
    rf"^(?:main|{any_of(lambda profile: profile.entry_frames)}"
    r"|(?:\w+::)*(?:run\w*|MlirOpt)Main)\b"
)
_SYSTEM_SOURCE = re.compile(r"\s\.{1,2}/(?:\S*/)?(?:nptl|csu|sysdeps)/")


@dataclass(frozen=True)
class Frame:
    """One line of a stack dump, innermost first."""

    address: int
    module: str = ""
    name: str = ""


def parse_stack(stderr: str) -> list[Frame]:
    """The frames of the first stack dump in the text, one for each function called.

    With debug information, an inlined function has a line of its own with its caller's address; the
    caller's line, the last one of these, is what builds without debug information print.
    """
    frames: list[Frame] = []
    last = -1
    for line in stderr.splitlines():
        match = _NAMED.search(line) or _RAW.match(line)
        if match is None:
            continue
        number = int(match["n"])
        if number not in (last, last + 1):
            continue  # an interleaved dump of another thread, or a second dump
        if number == 0 and frames:
            continue
        if len(frames) == _MAX_STACK_FRAMES:
            break
        last = number
        frame = _frame(match)
        if frames and frames[-1].address == frame.address:
            frames.pop()
        frames.append(frame)
    return frames


def name_frames(frames: list[Frame], resolver: Resolver) -> list[str]:
    """Short function names, innermost first; '' for unknown ones."""
    home, base = _load_base(frames, resolver)
    names: list[str] = []
    for index, frame in enumerate(frames):
        name = frame.name
        if home is not None and base is not None and frame.module == frames[0].module:
            # A return address may be the first byte of the next function, so look one byte
            # before it; the address below the signal trampoline is the fault itself.
            faulting = index > 0 and _is_system(frames[index - 1])
            address = frame.address - base - (0 if faulting else 1)
            name = home.name(address) or name
        names.append("" if _is_system(frame) else short_name(demangle(name)))
    return names


def meaningful_frames(names: list[str]) -> tuple[str, ...]:
    """The functions that distinguish bugs, innermost first; repeats from recursion are dropped.

    >>> meaningful_frames(["llvm::sys::PrintStackTrace", "a::f", "a::f", "std::g", "a::h"])
    ('a::f', 'a::h')
    """
    kept: list[str] = []
    for name in names:
        if _ENTRY.match(name):
            break
        if name and name not in kept and not _UNINFORMATIVE.match(name):
            kept.append(name)
    return tuple(kept)


def crash_frames(stderr: str, resolver: Resolver) -> tuple[str, ...]:
    """All meaningful functions of a crash, or offsets in the program if it has no names."""
    frames = parse_stack(stderr)
    return meaningful_frames(name_frames(frames, resolver)) or _offsets(frames)


def _offsets(frames: list[Frame]) -> tuple[str, ...]:
    """The location of a crash in a program without symbols, relative to the stack printer.

    Addresses change from run to run, but distances within one library do not.
    """
    system = [index for index, frame in enumerate(frames[:_HANDLER_DEPTH]) if _is_system(frame)]
    if not system:
        return ()
    home = frames[0]
    ours = [frame for frame in frames[system[-1] + 1 :] if frame.module == home.module != ""]
    return tuple(f"{frame.module}{frame.address - home.address:+#x}" for frame in ours[:_OFFSETS])


def _frame(match: re.Match[str]) -> Frame:
    groups = match.groupdict()
    rest = groups["rest"] or ""
    module = groups.get("module") or ""
    if place := _IN_MODULE.search(rest):
        module = place["path"].rsplit("/", 1)[-1]
        rest = rest[: place.start()]
    else:
        module = module or ("libc" if _SYSTEM_SOURCE.search(rest) else "")
        rest = _AT_SOURCE.sub("", rest)
    return Frame(int(groups["address"], 16), module, rest.strip())


def _load_base(frames: list[Frame], resolver: Resolver) -> tuple[Symbols | None, int | None]:
    if len(frames) < 2 or not frames[0].module:
        return None, None
    index = resolver(frames[0].module)
    if index is None:
        return None, None
    return index, index.load_base(frames[0].address, frames[1].address)


def _is_system(frame: Frame) -> bool:
    return bool(_SYSTEM_MODULE.match(frame.module))
