"""The pass level of a program, by the driver itself."""

from pathlib import Path
from typing import Any

from oracles import Oracle, Signature
from reducer.driver.reduction import reduce_in
from reducer.driver.stages.pass_level import PASS_LEVEL
from reducer.driver.stages.second_program import First, PassReport


def reduce_pass_level(
    text: str, *, oracle: Oracle, target: Signature, output: Path, **options: Any
) -> PassReport | None:
    return PASS_LEVEL.of(First(text, output, oracle, target, reduce=reduce_in, **options))
