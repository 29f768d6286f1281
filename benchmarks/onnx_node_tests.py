"""Write the operator tests of the onnx package as the folders that other benchmarks take.

    python -m benchmarks.onnx_node_tests FOLDER --without ONNX_OPS

Each test becomes a folder with the model, its inputs and golden outputs, and the flags of
`iree-run-module`, as in iree-org/iree-test-suites. With `--without`, operators that another such
selection has are left out, so that nothing is measured twice; tests that spell an operator out are
always left out. What the importer of IREE cannot read, or the flags cannot express, is counted.
"""

import re
import sys
import warnings
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import numpy as np

from benchmarks.onnx_operators import VERSION
from reducer.toolchain import install

OPSET = 17
"""That of the published suite; an operator that is newer keeps its own."""
_TYPES = {
    "float32": "f32", "float64": "f64", "float16": "f16", "int64": "si64", "int32": "si32",
    "int16": "si16", "int8": "si8", "uint8": "ui8", "uint16": "ui16", "uint32": "ui32",
    "uint64": "ui64", "bool": "i1",
}  # fmt: skip
_OPERATOR = re.compile(r'torch\.operator "onnx\.(\w+)"')


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--without", type=click.Path(exists=True, file_okay=False, path_type=Path))
def main(folder: Path, without: Path | None) -> None:
    """Write the tests to FOLDER and print how many there are."""
    loader = import_module("onnx.backend.test.loader")
    known = _operators(without) if without else set()
    counts: Counter[str] = Counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for test in loader.load_model_tests(kind="node"):
            operators = {node.op_type for node in test.model.graph.node}
            if "_expanded" in test.name or operators & known:
                continue
            try:
                _write(folder / test.name, test)
                counts["written"] += 1
            except Exception as error:  # the importer raises whatever it meets
                counts[f"left out: {type(error).__name__}"] += 1
    for what, number in counts.most_common():
        click.echo(f"{number:5} {what}")


def _operators(folder: Path) -> set[str]:
    texts = (path.read_text(encoding="utf-8") for path in folder.glob("*/model.mlir"))
    return {name for text in texts for name in _OPERATOR.findall(text)}


def _write(place: Path, test: Any) -> None:
    inputs, outputs = test.data_sets[0]
    values = [("input", inputs), ("expected_output", outputs)]
    flags, files = [], {}
    for flag, arrays in values:
        for number, array in enumerate(map(np.asarray, arrays)):
            name = f"{flag.removeprefix('expected_')}_{number}.bin"
            type_ = "x".join([*map(str, array.shape), _TYPES[array.dtype.name]])
            flags.append(f"--{flag}={type_}=@{name}\n")
            files[name] = array.tobytes()
    text = _imported(test.model)
    place.mkdir(parents=True, exist_ok=True)
    (place / "model.mlir").write_text(text, encoding="utf-8")
    (place / "run_module_io_flags.txt").write_text("".join(flags), encoding="utf-8")
    for name, data in files.items():
        (place / name).write_bytes(data)


def _imported(model: Any) -> str:
    """The model in the torch dialect."""
    root = str(install(VERSION).root)
    if root not in sys.path:
        sys.path.append(root)
    importer, ir = (
        import_module("iree.compiler.extras.onnx_importer"),
        import_module("iree.compiler.ir"),
    )
    shapes = import_module("onnx.shape_inference")
    info = importer.ModelInfo(shapes.infer_shapes(_converted(model), data_prop=True))
    module = info.create_module(context=ir.Context()).operation
    importer.NodeImporter.define_function(info.main_graph, module).import_all()
    return str(module)


def _converted(model: Any) -> Any:
    """The model for the opset of the suite, or as it is."""
    try:
        return import_module("onnx.version_converter").convert_version(model, OPSET)
    except Exception:  # an operator is newer, or the converter does not know it
        return model


if __name__ == "__main__":
    main()
