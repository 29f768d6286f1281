"""Tell functions that only dispatch to other functions from those that can be at fault.

MLIR calls most code of a compiler through drivers: a pass manager runs a pass, a pattern driver a
pattern, an interface the method of an op. These functions are on the stack of every crash, and
which of them are there depends on the build (inlining) and the release (refactoring), not on the
bug. So they never take part in a comparison. They are recognized by the class or namespace that
they belong to, not one by one. `ENDS` has those at which a stack ends: what they run does not
depend on what called them.

A *thunk* stands for what it calls: `callback_fn` of `llvm::function_ref` for a lambda, a `Model` of
an interface for the method of a class. The callee may be inlined into it, and then only a template
argument names it. A lambda, in turn, is part of the function that contains it.

Which functions they are is in `oracles.stacks.dispatching_functions`.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

from oracles.profiles import any_of
from oracles.rows import pattern_of, row_of
from oracles.stacks.core_ir import is_accessor
from oracles.stacks.dispatching_functions import DRIVERS, ENDS, OF_TEXT, PLUMBING
from oracles.stacks.function_names import short_name, template_arguments


def _any_name(tables: Iterable[tuple[str, ...]]) -> str:
    return "|".join(_name(name) for table in tables for name in table)


def _name(name: str) -> str:
    namespace = "" if "::" in name else "(?:mlir::)?"
    rest = "" if name.endswith("*") else r"(?=::|$)"
    return namespace + re.escape(name.removeprefix("::").rstrip("*")) + rest


# Overloads of a method have a number there, in newer releases.
_MODEL = re.compile(r"InterfaceTraits::(?:Fallback|External)?Model::(?P<method>.*?)(?:_\d+)?$")
_CALLS_CLASS = ("mlir::transform::detail::applyTransformToEach",)
_INTERFACE_TRAITS = r"(?:\w+::)*\w+InterfaceTraits(?=::|$)"


@cache
def _driver() -> re.Pattern[str]:
    return re.compile(f"(?:{_any_name(DRIVERS.values())}|{_INTERFACE_TRAITS})")


@cache
def _core_driver() -> re.Pattern[str]:
    return re.compile(
        f"(?:{_any_name(DRIVERS[one] for one in ('patterns', 'dialect conversion', OF_TEXT))})"
    )


@cache
def _plumbing() -> re.Pattern[str]:
    return re.compile(_any_name(PLUMBING.values()))


_HANDLER = pattern_of(
    (r"\w*signal_?handler\w*$", "mlir/lambda"),
    (r"operator(?!\w)\S*$", "sanitizers/gdb-lambda"),
    flags=re.I,
)
"""A handler of LLVM's or of the program's own, or an operator of an unknown class."""


@cache
def _ends() -> re.Pattern[str]:
    return re.compile(
        f"(?:{_any_name(ENDS.values())}|{any_of(lambda profile: profile.driver_frames)}"
        rf"|{any_of(lambda profile: profile.entry_frames)}\b|(?:\w+::)*run\w*Main\b"
        r"|CGPassManager\b|llvm::(?:LP|RG|MP)PassManager\b|llvm::\w+PassAdaptor\b)"
    )


_BUILDS = row_of(
    r"::(?:create|build)\(mlir::"
    r"(?:OpBuilder&, mlir::(?:Location\b|OperationState&)|ImplicitLocOpBuilder&)",
    "mlir/insert-value",
)
_BUILDER = "mlir::OpBuilder::create"


_PASS_MANAGERS = re.compile(_any_name([ENDS["pass managers"]]))
_THREADS = re.compile(_any_name([ENDS["threads"]]))


def is_dispatching(function: str) -> bool:
    """Whether a function only calls others, given its short name.

    >>> is_dispatching("mlir::Op::getFoldHookFn"), is_dispatching("mlir::arith::AddIOp::fold")
    (True, False)
    """
    return is_driver(function) or bool(_plumbing().match(function) or _HANDLER.match(function))


def is_driver(function: str) -> bool:
    """Whether a function calls passes, patterns or hooks of ops, given its short name."""
    return _driver().match(function) is not None


def is_core_driver(name: str) -> bool:
    """Whether a demangled name is a driver in a source file that holds nothing but drivers.

    An instance of a template is in the file of whoever uses it.
    """
    own = name.partition("(")[0]
    return "<" not in own and _core_driver().match(short_name(own)) is not None


def verifies(function: str) -> bool:
    """Whether a function checks whether IR is valid, given its short name.

    >>> verifies("mlir::verify"), verifies("OperationVerifier::verifyOpAndDominance")
    (True, True)
    """
    return function == "mlir::verify" or function.startswith("OperationVerifier::")


def ends_stack(function: str) -> bool:
    """Whether the frames below a function, given its short name, say nothing about a crash.

    >>> ends_stack("mlir::detail::OpToOpPassAdaptor::run"), ends_stack("FooPass::runOnOperation")
    (True, False)
    """
    return _ends().match(function) is not None


def runs_passes(function: str) -> bool:
    """Whether a function calls passes, given its short name."""
    return _PASS_MANAGERS.match(function) is not None


def starts_thread(function: str) -> bool:
    """Whether a function belongs to a thread, so that it says nothing about what was called."""
    return _THREADS.match(function) is not None


@lru_cache(maxsize=4096)
def function_of(name: str) -> str:
    """The short name of the function that a demangled name stands for.

    >>> function_of("a::f(int)::$_0::operator()(long) const")
    'a::f'
    >>> function_of("void llvm::function_ref<void ()>::callback_fn<a::f(int)::$_0>(long)")
    'a::f'
    >>> function_of("b::detail::CInterfaceTraits::Model<a::Op>::run(b::Concept const*)")
    'a::Op::run'

    What builds an op is a template of the builder in older releases and a member of the op in
    newer ones. Both are the former here.

    >>> function_of("a::Op::create(mlir::OpBuilder&, mlir::Location, mlir::Value)")
    'mlir::OpBuilder::create'
    """
    short = short_name(name)
    if short.endswith(("::create", "::build")) and _BUILDS.search(name):
        return _BUILDER
    function = short.partition("::lambda")[0]
    if not is_dispatching(function) or ends_stack(function):
        return function
    arguments = template_arguments(name)
    if arguments and (model := _MODEL.search(short)):
        return f"{short_name(arguments[0])}::{model['method']}"
    if arguments and function in _CALLS_CLASS:
        return short_name(arguments[0])
    return _lambda_among(arguments) or function


@lru_cache(maxsize=4096)
def run_by_threads(name: str) -> str:
    """The function whose lambda a function hands to threads or calls itself; '' if it does not.

    >>> run_by_threads("void mlir::parallelForEach<int*, a::f(int)::$_0>(mlir::MLIRContext*, int*)")
    'a::f'
    """
    return _lambda_among(template_arguments(name)) if starts_thread(short_name(name)) else ""


def _lambda_among(arguments: Sequence[str]) -> str:
    """The function that contains the last lambda among these that may be at fault; or ''."""
    for argument in reversed(arguments):
        if "::lambda" in short_name(argument):
            callee = function_of(argument)
            if not is_dispatching(callee) and not ends_stack(callee):
                return callee
    return ""


def distinctive(functions: Iterable[str]) -> tuple[str, ...]:
    """The functions of a stack that distinguish bugs, innermost first, each once.

    Functions of the IR's own data structures (`oracles.stacks.core_ir`) only count if there are
    hardly any others. A method of an interface that calls the method of the same name dispatches to
    it. So does a thunk of which only the class that it calls is known, if a method of that class is
    on top of it.

    >>> distinctive(["a::f", "mlir::detail::walk", "a::g", "mlir::PassManager::run", "a::h"])
    ('a::f', 'a::g')
    >>> distinctive(["mlir::FloatType::getWidth", "mlir::Type::getIntOrFloatBitWidth", "a::g"])
    ('mlir::FloatType::getWidth', 'a::g')
    """
    kept: list[str] = []
    for function in functions:
        if ends_stack(function):
            break
        if function and function not in kept and not is_dispatching(function):
            owner, _, method = function.rpartition("::")
            callee = kept[-1] if kept else ""
            forwards = owner.endswith("Interface") and callee.endswith(f"::{method}")
            if not forwards and not callee.startswith(f"{function}::"):
                kept.append(function)
    return _without_accessors(kept)


def _without_accessors(functions: Sequence[str]) -> tuple[str, ...]:
    """The functions that use the IR, without those of the IR itself.

    One that is alone keeps the innermost of them: it may have asked for several things.
    """
    users = tuple(one for one in functions if not is_accessor(one))
    if not users:
        return tuple(functions)
    return users if len(users) > 1 else tuple(dict.fromkeys([*functions[:1], *users]))
