"""Readable, short C++ function names: no parameters, no template arguments, no return type."""

import ctypes
import re
from collections.abc import Callable
from functools import cache, lru_cache

_NAME_KEPT = 200

_LAMBDA = re.compile(r"\{lambda\b.*?\}#?\d*|\{unnamed[^}]*\}|'(?:lambda|unnamed)\d*'|\$_\d+")
_OPERATOR = re.compile(r"\boperator\s*(?:\(\)|->\*?|<=>|<<=?|>>=?|<=?|>=?)")


@lru_cache(maxsize=4096)
def demangle(name: str) -> str:
    """The C++ name of an Itanium-mangled symbol; what is no such symbol stays as it is.

    >>> demangle("_ZN4mlir11PassManager3runEPNS_9OperationE")
    'mlir::PassManager::run(mlir::Operation*)'
    """
    if not name.startswith("_Z"):
        return name
    plain = name.split(".llvm.", 1)[0]
    return _runtime_demangler()(plain) or _nested_name(plain)


@lru_cache(maxsize=4096)
def short_name(name: str) -> str:
    """Nested name of a demangled function.

    >>> short_name("void llvm::function_ref<void ()>::callback_fn<f(int)::$_0>(long)")
    'llvm::function_ref::callback_fn'
    >>> short_name("a::(anonymous namespace)::B<int (*)(long)>::operator()(int) const")
    'a::B::operator()'
    """
    text = name.replace("(anonymous namespace)::", "").replace("[abi:cxx11]", "")
    text = text.replace("{anonymous}::", "")  # as GCC writes it
    operators: list[str] = []

    def shelter(match: re.Match[str]) -> str:
        operators.append(match[0].replace(" ", ""))
        return f"operator\x00{len(operators) - 1}\x00"

    text = _OPERATOR.sub(shelter, _LAMBDA.sub("lambda", text))
    text = _without(_without(text, "<", ">"), "(", ")")
    text = re.sub(r"\s+(?:const|volatile|noexcept|&&?|\[clone [^\]]*\])(?=\s|$|::)", "", text)
    text = re.sub(r"\.(?:cold|isra|part|constprop)(?:\.\d+)*$", "", text).strip()
    if "operator " not in text:  # a conversion operator has a space of its own
        text = text.rsplit(" ", 1)[-1]
    text = re.sub("operator\x00(\\d+)\x00", lambda match: operators[int(match[1])], text)
    return text.strip("*& ")


def _without(text: str, opening: str, closing: str) -> str:
    """`text` without balanced groups; an arrow's `>` closes nothing."""
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
    """`__cxa_demangle` of the C++ runtime that every compiler here links to."""
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
    return "::".join(parts) or name[:_NAME_KEPT]
