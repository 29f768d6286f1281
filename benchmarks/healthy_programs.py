"""Programs that compilers get right, and ways to ask whether they do.

A false report is worse than none, so these go to where a judge may err: values that are not
defined, rounding, NaN, signed zeros, other orders of summation, and releases that are wrong.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.support.corpus import cases

WHEEL = "3.13.0"
LLVM_CPU = "--iree-hal-target-backends=llvm-cpu"
VMVX = "--iree-hal-target-backends=vmvx"


@dataclass(frozen=True)
class Reference:
    """Options that choose a reference, and what to call it."""

    label: str
    options: tuple[str, ...] = ()


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


DEFAULT = Reference("default")
_OTHERS = (
    Reference("other backend", ("--reference", "vmvx")),
    Reference("other release", ("--reference", "iree:3.8.0")),
    Reference("other level", ("--reference", "flags:--iree-opt-level=O0")),
    Reference("other release and backend", ("--reference", "iree:3.4.0+vmvx")),
)
"""Programs take turns with these."""


_PYTHON = Reference("Python function", ("--reference", "python:reference.py:f"))
_GOLDEN = Reference(
    "golden output",
    ("--input=24xf32=1.5", "--input=24xf32=-2", "--expected-output=24xf32={golden}"),
)
_IN_PYTHON = {
    "addf-f32": ("a + b", "-0.5"),
    "subf-f32": ("a - b", "3.5"),
    "mulf-f32": ("a * b", "-3"),
    "divf-f32": ("a / b", "-0.75"),
    "maximumf-f32": ("np.maximum(a, b)", "1.5"),
    "minimumf-f32": ("np.minimum(a, b)", "-2"),
}
"""Programs with what they compute, and its value for some inputs."""


def healthy_programs() -> Iterator[Healthy]:
    """All of them, each with the default reference and one other kind."""
    texts = [*_elementwise(), *_of_several_ops(), *_of_scalars(), *_undefined()]
    for turn, (name, text) in enumerate(texts):
        references: tuple[Reference, ...] = (DEFAULT, _OTHERS[turn % len(_OTHERS)])
        expression, golden = _IN_PYTHON.get(name, ("", ""))
        if expression:
            given = tuple(word.format(golden=golden) for word in _GOLDEN.options)
            references += (_PYTHON, Reference(_GOLDEN.label, given))
        python = f"import numpy as np\n\ndef f(a, b):\n    return {expression}\n"
        yield Healthy(name, text, (LLVM_CPU,), references, python=python if expression else "")
    yield from _wrong_elsewhere()


def _wrong_elsewhere() -> Iterator[Healthy]:
    """Cases that are wrong on the other backend, and right on this one."""
    for case in cases():
        flags = case.runs[0].flags if case.runs else ()
        if case.execution is not None and case.name.endswith("-vmvx") and VMVX in flags:
            others = (DEFAULT, _OTHERS[0])
            yield Healthy(f"llvm-{case.name}", case.input_text(), (LLVM_CPU,), others)


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
