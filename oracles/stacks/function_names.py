"""The names of C++ functions: demangled, short, renamed, and their template arguments."""

import ctypes
import re
from collections.abc import Callable
from functools import cache, lru_cache

from oracles.rows import pattern_of, row_of

_MAX_NAME_LENGTH = 200

_ANONYMOUS = "(anonymous namespace)::"
_QUALIFIERS = re.compile(r"(?:\s+(?:const|volatile|noexcept|&&?|\[clone [^\]]*\]))+$")
_LAMBDA = pattern_of(
    (r"\{lambda\b.*?\}#?\d*", "sanitizers/valgrind-lambda"),
    (r"'lambda\d*'|\$_\d+", "mlir/lambda"),
    # as Clang and GCC write it in assertions
    (r"\((?:anonymous class|lambda(?: at [^()]*)?)\)", "mlir/anonymous-class"),
    (r"<lambda\([^<>]*(?:<[^<>]*>[^<>]*)*>", "runtime/lambda"),
)
_NAME_PART = re.compile(r"_*(?:[A-Z]*[a-z0-9]+|[A-Z]+)")  # fold|Transfer|GPUTo|LLVM|_v2
_IMPLEMENTATION = "Impl"
_LEAST_IN_COMMON = 3  # words; `lowerMatmul` and `lowerBatchMatmul` are two functions
_OPERATOR = row_of(r"\boperator\s*(?:\(\)|->\*?|<=>|<<=?|>>=?|<=?|>=?)", "mlir/call-operator")


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
    text = name.replace(_ANONYMOUS, "").replace("[abi:cxx11]", "")
    text = text.replace("{anonymous}::", "")  # GCC's spelling
    text = text.replace("`anonymous namespace'::", "")  # Microsoft's
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


def is_renamed(one: str, other: str) -> bool:
    """Whether two short names may be of one function in two builds: one has a word more.

    The first word says what it does and stays. A class or function may have been split into an
    interface and its implementation, or these may have become one.

    >>> is_renamed("a::Translator::run", "a::TranslatorImpl::run"), is_renamed("runImpl", "run")
    (True, True)

    >>> is_renamed("foldTransferIndexVecs", "foldTransferGatherIndexVecs")
    True
    >>> is_renamed("lowerMatmul", "lowerBatchMatmul")
    False
    """
    if without_implementation(one) == without_implementation(other):
        return one != other
    (scope, _, short), (other_scope, _, long) = (one.rpartition("::"), other.rpartition("::"))
    if len(short) > len(long):
        short, long = long, short
    return scope == other_scope and _words_of(short) in _with_a_word_less(_words_of(long))


def without_implementation(name: str) -> str:
    """The short name of a function without the word for one of two parts of what it belongs to."""
    return "::".join(part.removesuffix(_IMPLEMENTATION) for part in name.split("::"))


def names_when_renamed(name: str, word: str) -> list[str]:
    """The names, without a scope, of a function that `is_renamed`, with `word` for a new one.

    >>> names_when_renamed("foldIndexVecs", "*")
    ['fold*IndexVecs', 'foldIndex*Vecs', 'foldIndexVecs*']
    >>> names_when_renamed("a::TranslatorImpl::run", "*")
    ['run', 'runImpl']
    """
    scope, _, function = name.rpartition("::")
    words = _words_of(function)
    if len(words) < _LEAST_IN_COMMON:
        whole = function.removesuffix(_IMPLEMENTATION)
        names = (whole, f"{whole}{_IMPLEMENTATION}") if words else ()
        return [one for one in names if one != function or without_implementation(scope) != scope]
    longer = [(*words[:at], word, *words[at:]) for at in range(1, len(words) + 1)]
    same = [words] if without_implementation(scope) != scope else []
    return ["".join(one) for one in (*same, *longer, *_with_a_word_less(words))]


def _with_a_word_less(words: tuple[str, ...]) -> list[tuple[str, ...]]:
    """What is left of them without one, if it is enough to know a function by."""
    if len(words) <= _LEAST_IN_COMMON:
        return []
    return [words[:at] + words[at + 1 :] for at in range(1, len(words))]


def _words_of(name: str) -> tuple[str, ...]:
    """The words of a name without a scope; () if it is not all words, like an operator's."""
    words = tuple(_NAME_PART.findall(name))
    return words if "".join(words) == name else ()


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


def template_arguments(name: str) -> list[str]:
    """The template arguments of a demangled function and its classes, in order.

    >>> template_arguments("void a::B<int, c<d>>::f<e::g(int)::$_0>(f<h>) const")
    ['int', 'c<d>', 'e::g(int)::$_0']
    """
    name = _QUALIFIERS.sub("", _OPERATOR.sub("operator", name.replace(_ANONYMOUS, "")))
    arguments: list[str] = []
    start = depth = parentheses = 0
    for index, char in enumerate(name):
        if char == "(" and not depth:
            parentheses += 1
        elif char == ")" and not depth:
            parentheses -= 1
        elif char in "<(":
            depth += 1
            start = index + 1 if depth == 1 else start
        elif char in ">)" and depth and name[index - 1] != "-":
            depth -= 1
            if not depth and not parentheses:
                arguments.append(name[start:index].strip())
        elif char == "," and depth == 1 and not parentheses:
            arguments.append(name[start:index].strip())
            start = index + 1
        elif char == " " and not depth and not parentheses:
            arguments.clear()  # that was the return type
    return arguments
