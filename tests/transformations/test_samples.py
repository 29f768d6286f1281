"""What each transformation does, as MLIR before and after it: `samples/NAME.mlir`."""

from pathlib import Path
from typing import Any

import pytest

from reducer.transformations import Transformation
from tests.support.transforming import FOLDER, OF_TEXT, TRANSFORMATIONS, Sample, check, samples

FILES: dict[Path, Transformation[Any]] = {
    folder / f"{name}.mlir".replace(" ", "_"): transformation
    for folder, named in ((FOLDER, TRANSFORMATIONS), (FOLDER / "text", OF_TEXT))
    for name, transformation in named.items()
}


@pytest.mark.parametrize(
    ("transformation", "sample"),
    [
        pytest.param(transformation, sample, id=f"{path.stem}: {sample.title}")
        for path, transformation in FILES.items()
        for sample in samples(path.read_text(encoding="utf-8"))
    ],
)
def test_what_becomes_of_it(transformation: Transformation[Any], sample: Sample) -> None:
    check(transformation, sample)


def test_each_transformation_has_samples() -> None:
    assert set(FOLDER.rglob("*.mlir")) == FILES.keys()
