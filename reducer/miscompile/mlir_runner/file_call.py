"""A function that calls another one with arguments from a file, and writes its results to a file.

`mlir-runner` runs functions without arguments only, and prints few types, in six digits. So this
one reads and writes memory as it is, by the functions of the C library, which any program that runs
on a machine has.

Of each argument the file has the dynamic sizes, each in eight bytes, and then the elements; of each
result all sizes, and then the elements. Vectors go through memory, one element after the other:
some are packed there (`vector<8xi1>`), and what holds them for us is not.
"""

import math
from collections.abc import Callable, Generator, Iterator
from itertools import count, product

from reducer.miscompile.mlir_runner.memory import NotInMemory, width_of
from reducer.miscompile.values.programs import Function, ValueType

_MOST = 1 << 10  # elements: each is an op or two

Fresh = Callable[[], str]
"""Makes names of values."""


def loaded(value: str, buffer: str, type_: ValueType, fresh: Fresh) -> Iterator[str]:
    """Ops that make a vector of what is in memory.

    Raises:
        NotInMemory: it has too many elements, or none.
    """
    places = list(_places(type_))
    vector = ""
    for number, place in enumerate(places):
        element, last = fresh(), vector
        vector = fresh() if number + 1 < len(places) else value
        constants, indices = _indices(place, fresh)
        yield from constants
        yield f"  {element} = memref.load {buffer}[{indices}] : {memref_type(type_)}"
        if not last:
            kinds = f"{element_type(type_)} to {mlir_type(type_)}"
            yield f"  {vector} = vector.broadcast {element} : {kinds}"
        else:
            kinds = f"{element_type(type_)} into {mlir_type(type_)}"
            yield f"  {vector} = vector.insert {element}, {last}{list(place)} : {kinds}"


def stored(value: str, buffer: str, type_: ValueType, fresh: Fresh) -> Iterator[str]:
    """Ops that write a vector to memory.

    Raises:
        NotInMemory: it has too many elements, or none.
    """
    for place in _places(type_):
        element = fresh()
        kinds = f"{element_type(type_)} from {mlir_type(type_)}"
        yield f"  {element} = vector.extract {value}{list(place)} : {kinds}"
        constants, indices = _indices(place, fresh)
        yield from constants
        yield f"  memref.store {element}, {buffer}[{indices}] : {memref_type(type_)}"


def in_memory(value: str, buffer: str, type_: ValueType, fresh: Fresh) -> Iterator[str]:
    """Ops that make a buffer with a number, a vector or a tensor.

    Raises:
        NotInMemory: it is a vector with too many elements, or none.
    """
    kind = memref_type(type_)
    if type_.shape is None:
        yield f"  {buffer} = memref.alloca() : {kind}"
        yield f"  memref.store {value}, {buffer}[] : {kind}"
    elif type_.is_vector:
        yield f"  {buffer} = memref.alloc() : {kind}"
        yield from stored(value, buffer, type_, fresh)
    else:
        yield f"  {buffer} = bufferization.to_buffer {value} : {mlir_type(type_)} to {kind}"


def called(function: Function, argument: str, result: str) -> str:
    """A call with values that are named by these prefixes and their numbers."""
    inputs = [one for one in function.inputs if one is not None]
    results = [one for one in function.results if one is not None]
    passed = (
        memref_type(one) if number in function.memory else mlir_type(one)
        for number, one in enumerate(inputs)
    )
    arguments = ", ".join(f"{argument}{number}" for number in range(len(inputs)))
    assigned = ", ".join(f"{result}{number}" for number in range(len(results)))
    types = f"({', '.join(passed)}) -> ({', '.join(map(mlir_type, results))})"
    assign = f"{assigned} = " if results else ""
    return f'  {assign}func.call @"{function.name}"({arguments}) : {types}'


def _places(type_: ValueType) -> Iterator[tuple[int, ...]]:
    sizes = [size or 0 for size in type_.shape or ()]
    if not 0 < math.prod(sizes) <= _MOST:
        raise NotInMemory(f"{mlir_type(type_)}: a vector of so many elements")
    return product(*map(range, sizes))


def _indices(place: tuple[int, ...], fresh: Fresh) -> tuple[list[str], str]:
    names = [fresh() for _ in place]
    made = (
        f"  {name} = arith.constant {at} : index" for name, at in zip(names, place, strict=True)
    )
    return list(made), ", ".join(names)


def mlir_type(type_: ValueType) -> str:
    """The type of a value: a number, a tensor or a vector."""
    if type_.shape is None:
        return element_type(type_)
    return f"{'vector' if type_.is_vector else 'tensor'}<{_shaped(type_)}>"


def memref_type(type_: ValueType) -> str:
    """The type of memory for such a value."""
    return f"memref<{_shaped(type_)}>"


def element_type(type_: ValueType) -> str:
    """The type of an element."""
    part = {"cf64": "f32", "cf128": "f64"}.get(type_.element)
    return f"complex<{part}>" if part else type_.element


def _shaped(type_: ValueType) -> str:
    return f"{str(type_).removesuffix(type_.element)}{element_type(type_)}"


NAME = "read_call_and_write"

_FILES = """\
llvm.func @fopen(!llvm.ptr, !llvm.ptr) -> !llvm.ptr
llvm.func @fread(!llvm.ptr, i64, i64, !llvm.ptr) -> i64
llvm.func @fwrite(!llvm.ptr, i64, i64, !llvm.ptr) -> i64
llvm.func @fclose(!llvm.ptr) -> i32
llvm.mlir.global internal constant @{name}_input("{source}\\00")
llvm.mlir.global internal constant @{name}_output("{target}\\00")
llvm.mlir.global internal constant @{name}_r("r\\00")
llvm.mlir.global internal constant @{name}_w("w\\00")
"""


def file_call(function: Function, source: str, target: str, *, is_lowered: bool = False) -> str:
    """The text of the function `NAME`, which reads the file `source` and writes `target`.

    `is_lowered` is whether the function that it calls is one of the LLVM dialect.

    Raises:
        NotInMemory: an argument or a result has elements of a type that is not known.
    """
    return "\n".join(_FileCall(function, source, target, is_lowered).lines())


class _FileCall:
    def __init__(self, function: Function, source: str, target: str, is_lowered: bool) -> None:
        self.function = function
        self._buffers: list[tuple[str, ValueType]] = []
        self.is_lowered = is_lowered
        self.source = source
        self.target = target
        self._numbers = count()

    def lines(self) -> Iterator[str]:
        inputs = [one for one in self.function.inputs if one is not None]
        results = [one for one in self.function.results if one is not None]
        yield _FILES.format(name=NAME, source=self.source, target=self.target)
        yield f"func.func @{NAME}() {{"
        yield from self._open("%source", "input", "r")
        for number, type_ in enumerate(inputs):
            is_memory = number in self.function.memory
            yield from self._read(f"%argument{number}", type_, is_memory)
        yield from (
            self._call_lowered(inputs, results)
            if self.is_lowered
            else [called(self.function, "%argument", "%result")]
        )
        yield from self._open("%target", "output", "w")
        for number, type_ in enumerate(results):
            yield from self._write(f"%result{number}", type_)
        for buffer, type_ in self._buffers:
            yield from self._write_buffer(buffer, type_)
        yield "  %closed = llvm.call @fclose(%target) : (!llvm.ptr) -> i32"
        yield "  return\n}"

    def _call_lowered(self, inputs: list[ValueType], results: list[ValueType]) -> Iterator[str]:
        """Call a function whose arguments are what the LLVM dialect makes of numbers."""
        if len(results) > 1 or not all(map(_is_lowered_alike, (*inputs, *results))):
            raise NotInMemory("a lowered function of more than numbers")
        passed, types = [], []
        for number, type_ in enumerate(inputs):
            passed.append(f"%argument{number}")
            if type_.element == "index":
                passed[-1] = self._fresh()
                yield f"  {passed[-1]} = arith.index_cast %argument{number} : index to i64"
            types.append(_lowered(type_))
        called = f'llvm.call @"{self.function.name}"({", ".join(passed)}) : ({", ".join(types)})'
        if not results:
            yield f"  {called} -> ()"
        elif results[0].element == "index":
            value = self._fresh()
            yield f"  {value} = {called} -> i64"
            yield f"  %result0 = arith.index_cast {value} : i64 to index"
        else:
            yield f"  %result0 = {called} -> {_lowered(results[0])}"

    def _open(self, value: str, file: str, mode: str) -> Iterator[str]:
        path, how = self._fresh(), self._fresh()
        yield f"  {path} = llvm.mlir.addressof @{NAME}_{file} : !llvm.ptr"
        yield f"  {how} = llvm.mlir.addressof @{NAME}_{mode} : !llvm.ptr"
        pointers = "(!llvm.ptr, !llvm.ptr) -> !llvm.ptr"
        yield f"  {value} = llvm.call @fopen({path}, {how}) : {pointers}"

    def _read(self, value: str, type_: ValueType, is_memory: bool) -> Iterator[str]:
        sizes: list[str] = []
        for dim in type_.shape or ():
            size = self._fresh()
            sizes.append(size)
            if dim is not None:
                yield f"  {size} = arith.constant {dim} : index"
                continue
            place, one = self._fresh(), self._fresh()
            yield f"  {place} = memref.alloca() : memref<index>"
            yield f"  {one} = arith.constant 1 : index"
            yield from self._move("fread", place, "memref<index>", 8, one, "%source")
            yield f"  {size} = memref.load {place}[] : memref<index>"
        dynamic = [size for size, dim in zip(sizes, type_.shape or (), strict=True) if dim is None]
        buffer, kind = value if is_memory else self._fresh(), memref_type(type_)
        yield f"  {buffer} = memref.alloc({', '.join(dynamic)}) : {kind}"
        total = yield from self._product(sizes)
        yield from self._move("fread", buffer, kind, width_of(type_.element), total, "%source")
        if is_memory:
            self._buffers.append((buffer, type_))
        elif type_.is_vector:
            yield from loaded(value, buffer, type_, self._fresh)
        elif type_.shape is None:
            yield f"  {value} = memref.load {buffer}[] : {kind}"
        else:
            made = f"bufferization.to_tensor {buffer} restrict writable"
            yield f"  {value} = {made} : {kind} to {mlir_type(type_)}"

    def _write(self, value: str, type_: ValueType) -> Iterator[str]:
        buffer = self._fresh()
        yield from in_memory(value, buffer, type_, self._fresh)
        yield from self._write_buffer(buffer, type_)

    def _write_buffer(self, buffer: str, type_: ValueType) -> Iterator[str]:
        kind = memref_type(type_)
        sizes: list[str] = []
        for dim in range(len(type_.shape or ())):
            index, size, place, one = (self._fresh() for _ in range(4))
            sizes.append(size)
            yield f"  {index} = arith.constant {dim} : index"
            yield f"  {size} = memref.dim {buffer}, {index} : {kind}"
            yield f"  {place} = memref.alloca() : memref<index>"
            yield f"  memref.store {size}, {place}[] : memref<index>"
            yield f"  {one} = arith.constant 1 : index"
            yield from self._move("fwrite", place, "memref<index>", 8, one, "%target")
        total = yield from self._product(sizes)
        yield from self._move("fwrite", buffer, kind, width_of(type_.element), total, "%target")

    def _product(self, factors: list[str]) -> Generator[str, None, str]:
        """Yields the ops that multiply; returns the product."""
        product = self._fresh()
        yield f"  {product} = arith.constant 1 : index"
        for factor in factors:
            last, product = product, self._fresh()
            yield f"  {product} = arith.muli {last}, {factor} : index"
        return product

    def _move(
        self, function: str, buffer: str, kind: str, width: int, total: str, file: str
    ) -> Iterator[str]:
        """Read or write `total` elements of a buffer."""
        address, number, pointer, size, elements, moved = (self._fresh() for _ in range(6))
        yield (
            f"  {address} = memref.extract_aligned_pointer_as_index {buffer} : {kind} -> index\n"
            f"  {number} = arith.index_cast {address} : index to i64\n"
            f"  {pointer} = llvm.inttoptr {number} : i64 to !llvm.ptr\n"
            f"  {size} = arith.constant {width} : i64\n"
            f"  {elements} = arith.index_cast {total} : index to i64\n"
            f"  {moved} = llvm.call @{function}({pointer}, {size}, {elements}, {file})"
            " : (!llvm.ptr, i64, i64, !llvm.ptr) -> i64"
        )

    def _fresh(self) -> str:
        return f"%v{next(self._numbers)}"


def _is_lowered_alike(type_: ValueType) -> bool:
    """Whether a value is passed as a number or a vector in the LLVM dialect, too."""
    is_flat = type_.is_vector and len(type_.shape or ()) == 1 and type_.element != "index"
    return type_.shape is None or is_flat


def _lowered(type_: ValueType) -> str:
    return "i64" if type_.element == "index" else mlir_type(type_)
