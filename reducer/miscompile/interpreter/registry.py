"""Which function evaluates which op."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from reducer.miscompile.interpreter.values import Array, merged

if TYPE_CHECKING:
    from reducer.miscompile.interpreter.interpreter import Frame
    from reducer.miscompile.interpreter.program import Op

Handler = Callable[..., Any]
"""Called with the frame, the op, and the values of its operands; returns its results: None, a
value, or a tuple of values."""

H = TypeVar("H", bound=Handler)

_DIALECTS = (
    "arith_casts",
    "arith_floats",
    "arith_integers",
    "chlo",
    "complexes",
    "control",
    "dispatches",
    "linalg",
    "linalg_ext",
    "maths",
    "memory",
    "onnx_operators",
    "prints",
    "scans",
    "scatters",
    "shapes",
    "stablehlo",
    "stablehlo_indices",
    "stablehlo_regions",
    "stablehlo_shapes",
    "stablehlo_sums",
    "stablehlo_windows",
    "tensors",
    "util",
    "vector_memory",
    "vectors",
)
_HANDLERS: dict[str, Handler] = {}
_BATCHED: set[str] = set()
_ALIASES: dict[str, str] = {}
TERMINATORS: set[str] = set()
"""Ops that end a block and hand their operands to the op around it."""


def op(*names: str, batched: bool = False) -> Callable[[H], H]:
    """Register the evaluation of ops.

    `batched` is whether it also works if the scalars are arrays with one number for each point of
    an iteration space, which is how bodies are evaluated for all points at once.
    """

    def register(handler: H) -> H:
        for name in names:
            _HANDLERS[name] = handler
            if batched:
                _BATCHED.add(name)
        return handler

    return register


def elementwise(*names: str) -> Callable[[H], H]:
    """Register a function of the op and arrays of numbers that treats each element alike.

    It returns the numbers, or these and a mask of the elements that are poison even though no
    operand is.
    """

    def register(function: H) -> H:
        def handler(frame: "Frame", op: "Op", *operands: Array) -> Array:
            out = function(op, *(operand.data for operand in operands))
            poison = merged(*operands)
            if type(out) is tuple:
                out, fresh = out
                if fresh is not None and fresh.any():
                    frame.saw_poison(op)
                    poison = fresh if poison is None else poison | fresh
            return Array(out, poison)

        for name in names:
            _HANDLERS[name] = handler
            _BATCHED.add(name)
        return function

    return register


def rows(table: Mapping[str, Callable[..., Any]], *, batched: bool = False) -> None:
    """Register functions of an op and its operands by names of ops, with blanks between them."""
    for names, function in table.items():
        op(*names.split(), batched=batched)(partial(_of_op, function))


def _of_op(function: Callable[..., Any], frame: "Frame", op: "Op", *operands: Any) -> Any:
    return function(op, *operands)


def elementwise_rows(table: Mapping[str, Callable[..., Any]]) -> None:
    """Register such functions by names of ops, with blanks between them."""
    for names, function in table.items():
        elementwise(*names.split())(function)


def alias(name: str, known: str) -> None:
    """Evaluate an op as another one, of a dialect that is loaded by then."""
    _ALIASES[name] = known


def terminators(names: Iterable[str]) -> None:
    """Register ops that end a block."""
    TERMINATORS.update(names)
    _BATCHED.update(names)


def handler_of(name: str) -> Handler | None:
    """What evaluates an op; None if it is a terminator or unknown."""
    _load()
    return _HANDLERS.get(name)


@cache
def _load() -> None:
    for dialect in _DIALECTS:
        import_module(f"reducer.miscompile.interpreter.dialects.{dialect}")
    for name, known in _ALIASES.items():
        _HANDLERS[name] = _HANDLERS[known]
        if known in _BATCHED:
            _BATCHED.add(name)


def is_known(name: str) -> bool:
    """Whether the evaluator knows an op."""
    return handler_of(name) is not None or name in TERMINATORS


_AWARE = ("memref.", "affine.", "bufferization.", "func.", "scf.", "cf.", "vector.")


def is_aware(name: str) -> bool:
    """Whether an op takes memory, rather than what it holds."""
    return name.startswith(_AWARE)


def is_batched(name: str) -> bool:
    """Whether an op in a body can be evaluated for all points at once."""
    return name in _BATCHED


def known_ops() -> list[str]:
    """The names of all ops that the evaluator knows."""
    _load()
    return sorted(_HANDLERS.keys() | TERMINATORS)
