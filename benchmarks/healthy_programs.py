"""Programs that compilers get right, and ways to ask whether they do.

A false report is worse than none, so these go to where a judge may err: values that are not
defined, rounding, NaN, signed zeros, other orders of summation, and releases that are wrong.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.in_python import in_python
from reducer.miscompile.values.declared_functions import declared_functions
from reducer.miscompile.values.programs import ValueType
from tests.support.corpus import cases

WHEEL = "3.13.0"
LLVM_CPU = "--iree-hal-target-backends=llvm-cpu"
_DTYPES = {"f32": np.float32, "f16": np.float16, "i32": np.int32, "i16": np.int16, "i8": np.int8}
VMVX = "--iree-hal-target-backends=vmvx"


@dataclass(frozen=True)
class Reference:
    """Options that choose a reference, and what to call it."""

    label: str
    options: tuple[str, ...] = ()
    run: tuple[str, ...] = ()
    """The flags of a run command."""


@dataclass(frozen=True)
class Healthy:
    """A program that is right, or has no right results."""

    name: str
    text: str
    flags: tuple[str, ...]
    references: tuple[Reference, ...]
    wheel: str = WHEEL
    python: str = ""
    """What `@f` computes, as a Python function."""


def _compiled(other: str) -> tuple[Reference, ...]:
    """What does not need to know the program; `other` is the other backend."""
    return (
        Reference("default"),
        Reference("MLIR's own tools", ("--reference", "mlir-runner")),
        Reference("other backend", ("--reference", other)),
        Reference("other release", ("--reference", "iree:3.8.0")),
        Reference("other level", ("--reference", "flags:--iree-opt-level=O0")),
        Reference("other release and backend", ("--reference", f"iree:3.4.0+{other}")),
    )


COMPILED = _compiled("vmvx")
_PYTHON = Reference("Python function", ("--reference", "python:{folder}/reference.py:f"))


def healthy_programs() -> Iterator[Healthy]:
    """All of them, with each kind of reference that there is for them."""
    for name, text in (*_elementwise(), *_of_several_ops(), *_of_scalars(), *_undefined()):
        source = in_python(name)
        known = (_PYTHON, Reference("golden output", run=_golden(text, source))) if source else ()
        yield Healthy(name, text, (LLVM_CPU,), (*COMPILED, *known), python=source)
    yield from _of_files()
    yield from _wrong_elsewhere()


def _of_files() -> Iterator[Healthy]:
    """The programs in `healthy/`, on both backends unless a comment says what vmvx does instead."""
    for path in sorted((Path(__file__).parent / "healthy").glob("*.mlir")):
        text = path.read_text(encoding="utf-8")
        yield Healthy(path.stem, text, (LLVM_CPU,), COMPILED)
        if "\n// vmvx: " not in text:
            yield Healthy(f"{path.stem}-vmvx", text, (VMVX,), _compiled("llvm-cpu"))


def _golden(text: str, source: str) -> tuple[str, ...]:
    """Inputs, and the results that a Python function gives for them."""
    names: dict[str, Any] = {}
    exec(source, names)
    (function,) = declared_functions(text)
    types = [type_.sized(4) for type_ in function.inputs if type_ is not None]
    given = [_filled(type_, turn) for turn, type_ in enumerate(types)]
    with np.errstate(all="ignore"):
        results = names["f"](*given)
    words = [f"--input={type_}={_words(value)}" for type_, value in zip(types, given, strict=True)]
    found = results if isinstance(results, tuple) else (results,)
    for type_, value in zip(function.results, found, strict=True):
        assert type_ is not None
        sizes = "".join(f"{size}x" for size in np.shape(value))
        words.append(f"--expected_output={sizes}{type_.element}={_words(value)}")
    return tuple(words)


def _filled(type_: ValueType, turn: int) -> Any:
    """Ordinary values, no two next to each other alike."""
    shape = [size or 0 for size in type_.shape or ()]
    steps = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    numbers = (steps * (3 + turn)) % 7 + 1
    dtype = np.float32 if type_.element == "bf16" else _DTYPES[type_.element]
    return (numbers / 2 if type_.is_float else numbers).astype(dtype)


def _words(value: Any) -> str:
    return " ".join(str(number) for number in np.asarray(value).ravel().tolist())


def _wrong_elsewhere() -> Iterator[Healthy]:
    """Cases that are wrong on the other backend, and right on this one."""
    for case in cases():
        flags = case.runs[0].flags if case.runs else ()
        if case.execution is not None and case.name.endswith("-vmvx") and VMVX in flags:
            yield Healthy(f"llvm-{case.name}", case.input_text(), (LLVM_CPU,), COMPILED)


def _map(body: str, *types: str, result: str, size: int = 24) -> str:
    """A function that computes each element with `body`, from `%x` and `%y` to `%r`."""
    names = "ab"[: len(types)]
    tensors = [f"tensor<{size}x{one}>" for one in types]
    arguments = ", ".join(f"%{n}: {one}" for n, one in zip(names, tensors, strict=True))
    inputs = ", ".join(f"%{n}" for n in names)
    scalars = ", ".join(f"%{n}: {one}" for n, one in zip("xy", types, strict=False))
    maps = ", ".join(["affine_map<(i) -> (i)>"] * (len(types) + 1))
    out = f"tensor<{size}x{result}>"
    return f"""\
func.func @f({arguments}) -> {out} {{
  %e = tensor.empty() : {out}
  %m = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
      ins({inputs} : {", ".join(tensors)}) outs(%e : {out}) {{
  ^bb0({scalars}, %o: {result}):
    {body}
    linalg.yield %r : {result}
  }} -> {out}
  return %m : {out}
}}
"""


def _elementwise() -> Iterator[tuple[str, str]]:
    for op in ("addf", "subf", "mulf", "divf", "maximumf", "minimumf", "maxnumf"):
        for kind in ("f32", "f16") if op not in ("divf", "mulf", "maxnumf") else ("f32",):
            yield f"{op}-{kind}", _map(f"%r = arith.{op} %x, %y : {kind}", kind, kind, result=kind)
    for op in ("addi", "muli", "maxsi", "minui", "divsi", "remui", "shli", "shrsi"):
        yield f"{op}-i32", _map(f"%r = arith.{op} %x, %y : i32", "i32", "i32", result="i32")
    for op in ("addi", "subi", "xori", "maxsi"):
        yield f"{op}-i8", _map(f"%r = arith.{op} %x, %y : i8", "i8", "i8", result="i8")
    for op in ("absf", "ceil", "floor", "roundeven", "sqrt", "exp", "tanh", "erf", "rsqrt"):
        yield f"{op}-f32", _map(f"%r = math.{op} %x : f32", "f32", result="f32")
    for test in ("oeq", "olt", "ueq", "uno"):
        body = f"%c = arith.cmpf {test}, %x, %y : f32\n    %r = arith.select %c, %x, %y : f32"
        yield f"cmpf-{test}", _map(body, "f32", "f32", result="f32")
    yield "sitofp-i16", _map("%r = arith.sitofp %x : i16 to f32", "i16", result="f32")
    yield "fptosi-f32", _map("%r = arith.fptosi %x : f32 to i32", "f32", result="i32")
    yield "extf-bf16", _map("%r = arith.extf %x : bf16 to f32", "bf16", result="f32")
    yield (
        "fast-addf",
        _map("%r = arith.addf %x, %y fastmath<fast> : f32", "f32", "f32", result="f32"),
    )
    yield (
        "fast-divf",
        _map("%r = arith.divf %x, %y fastmath<nnan,ninf,arcp> : f32", "f32", "f32", result="f32"),
    )
    yield (
        "no-wrap",
        _map("%r = arith.addi %x, %y overflow<nsw> : i8", "i8", "i8", result="i8"),
    )  # poison where it overflows


_FILLED = """\
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<{n}xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<{n}xf32>) -> tensor<{n}xf32>
"""


def _of_several_ops() -> Iterator[tuple[str, str]]:
    for op, size in (("addf", 33), ("maximumf", 7), ("mulf", 16)):
        yield (
            f"reduce-{op}",
            f"""\
func.func @f(%a: tensor<5x{size}xf32>) -> tensor<5xf32> {{
{_FILLED.format(n=5)}\
  %r = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}}
      ins(%a : tensor<5x{size}xf32>) outs(%i : tensor<5xf32>) {{
  ^bb0(%x: f32, %o: f32):
    %s = arith.{op} %x, %o : f32
    linalg.yield %s : f32
  }} -> tensor<5xf32>
  return %r : tensor<5xf32>
}}
""",
        )
    for element, total in (("f32", "f32"), ("i8", "i32"), ("f16", "f32")):
        zero = "0" if total == "i32" else "0.0"
        yield (
            f"matmul-{element}",
            f"""\
func.func @f(%a: tensor<9x17x{element}>, %b: tensor<17x5x{element}>) -> tensor<9x5x{total}> {{
  %zero = arith.constant {zero} : {total}
  %e = tensor.empty() : tensor<9x5x{total}>
  %i = linalg.fill ins(%zero : {total}) outs(%e : tensor<9x5x{total}>) -> tensor<9x5x{total}>
  %r = linalg.matmul ins(%a, %b : tensor<9x17x{element}>, tensor<17x5x{element}>)
      outs(%i : tensor<9x5x{total}>) -> tensor<9x5x{total}>
  return %r : tensor<9x5x{total}>
}}
""",
        )
    yield (
        "dynamic-sum",
        """\
func.func @f(%a: tensor<?x3xf32>) -> tensor<3xf32> {
"""
        + _FILLED.format(n=3)
        + """\
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<?x3xf32>) outs(%i : tensor<3xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %o : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
}
""",
    )
    yield (
        "pad-slice",
        """\
func.func @f(%a: tensor<5x7xf32>) -> tensor<4x3xf32> {
  %c = arith.constant 1.5 : f32
  %p = tensor.pad %a low[1, 2] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<5x7xf32> to tensor<8x9xf32>
  %r = tensor.extract_slice %p[1, 0] [4, 3] [1, 2] : tensor<8x9xf32> to tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}
""",
    )
    yield (
        "unstable-order",
        """\
func.func @f(%a: tensor<16xf32>) -> tensor<16xf32> {
  %r = iree_linalg_ext.sort dimension(0) outs(%a : tensor<16xf32>) {
  ^bb0(%x: f32, %y: f32):
    %c = arith.cmpf olt, %x, %y : f32
    iree_linalg_ext.yield %c : i1
  } -> tensor<16xf32>
  return %r : tensor<16xf32>
}
""",
    )


def _of_scalars() -> Iterator[tuple[str, str]]:
    """The runtime passes and prints short scalars as others."""
    for kind in ("i8", "i16", "i32", "f32"):
        yield (
            f"scalars-{kind}",
            f"""\
func.func @f(%a: tensor<4x{kind}>, %b: {kind}) -> ({kind}, tensor<4x{kind}>) {{
  %c1 = arith.constant 1 : index
  %x = tensor.extract %a[%c1] : tensor<4x{kind}>
  %r = tensor.insert %b into %a[%c1] : tensor<4x{kind}>
  return %x, %r : {kind}, tensor<4x{kind}>
}}
""",
        )


def _undefined() -> Iterator[tuple[str, str]]:
    """Programs whose results compilers may choose."""
    yield (
        "return-empty",
        """\
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  return %e : tensor<4xf32>
}
""",
    )
    yield (
        "add-empty",
        """\
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %o : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
""",
    )
    yield (
        "insert-into-empty",
        """\
func.func @f(%a: tensor<4xf32>) -> tensor<6xf32> {
  %e = tensor.empty() : tensor<6xf32>
  %r = tensor.insert_slice %a into %e[1] [4] [1] : tensor<4xf32> into tensor<6xf32>
  return %r : tensor<6xf32>
}
""",
    )
    yield (
        "extract-anywhere",
        """\
func.func @f(%a: tensor<4xf32>, %b: tensor<4xi32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%b : tensor<4xi32>) outs(%e : tensor<4xf32>) {
  ^bb0(%x: i32, %o: f32):
    %i = arith.index_cast %x : i32 to index
    %v = tensor.extract %a[%i] : tensor<4xf32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
""",
    )
    yield (
        "slice-of-a-dynamic-size",
        """\
func.func @f(%a: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %r = tensor.extract_slice %a[1] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}
""",
    )
    yield "fptosi-i8", _map("%r = arith.fptosi %x : f32 to i8", "f32", result="i8")
    yield "shift-too-far", _map("%r = arith.shrui %x, %y : i32", "i32", "i32", result="i32")
