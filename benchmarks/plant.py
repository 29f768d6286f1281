"""Plant a small failing function in a large healthy module.

The input of a benchmark should have any size, with a known bug inside. So it is generated: layers
like those of a transformer (matmul, bias, rectifier, row sum, normalization, residual), which every
compiler version accepts, with the failing function's body halfway through.

    python -m benchmarks.plant corpus/cat-zero-width/expert.mlir 200 > planted.mlir
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from reducer.ir.lexer import brackets_at

_WIDTH = 64
_MATRIX = f"tensor<{_WIDTH}x{_WIDTH}xf32>"
_VECTOR = f"tensor<{_WIDTH}xf32>"

_ALIASES = """\
#host_matrix = affine_map<(d0, d1) -> (d0, d1)>
#host_row = affine_map<(d0, d1) -> (d0)>
#host_column = affine_map<(d0, d1) -> (d1)>
"""

_CONSTANTS = """\
    %host_zero = arith.constant 0.0 : f32
    %host_one = arith.constant 1.0 : f32
"""

_LAYER = """\
    %{p}_matrix = tensor.empty() : {M}
    %{p}_start = linalg.fill ins(%host_zero : f32) outs(%{p}_matrix : {M}) -> {M}
    %{p}_product = linalg.matmul ins({x}, %{p}_weight : {M}, {M}) outs(%{p}_start : {M}) -> {M}
    %{p}_active = linalg.generic {{indexing_maps = [#host_matrix, #host_column, #host_matrix], \
iterator_types = ["parallel", "parallel"]}} \
ins(%{p}_product, %{p}_bias : {M}, {V}) outs(%{p}_matrix : {M}) {{
    ^bb0(%host_in: f32, %host_bias: f32, %host_out: f32):
      %host_sum = arith.addf %host_in, %host_bias : f32
      %host_active = arith.maximumf %host_sum, %host_zero : f32
      linalg.yield %host_active : f32
    }} -> {M}
    %{p}_vector = tensor.empty() : {V}
    %{p}_zeros = linalg.fill ins(%host_zero : f32) outs(%{p}_vector : {V}) -> {V}
    %{p}_sums = linalg.generic {{indexing_maps = [#host_matrix, #host_row], \
iterator_types = ["parallel", "reduction"]}} ins(%{p}_active : {M}) outs(%{p}_zeros : {V}) {{
    ^bb0(%host_in: f32, %host_out: f32):
      %host_sum = arith.addf %host_in, %host_out : f32
      linalg.yield %host_sum : f32
    }} -> {V}
    %{p}_result = linalg.generic {{\
indexing_maps = [#host_matrix, #host_row, #host_matrix, #host_matrix], \
iterator_types = ["parallel", "parallel"]}} \
ins(%{p}_active, %{p}_sums, {x} : {M}, {V}, {M}) outs(%{p}_matrix : {M}) {{
    ^bb0(%host_in: f32, %host_sum: f32, %host_residual: f32, %host_out: f32):
      %host_divisor = arith.addf %host_sum, %host_one : f32
      %host_scaled = arith.divf %host_in, %host_divisor : f32
      %host_both = arith.addf %host_scaled, %host_residual : f32
      linalg.yield %host_both : f32
    }} -> {M}
"""


@dataclass(frozen=True)
class Trigger:
    """A function split into the pieces that planting needs, each as text."""

    aliases: str
    header: str
    arguments: str
    body: str
    values: str
    types: str

    @classmethod
    def parse(cls, text: str) -> "Trigger":
        """Split a file that contains one function. Raises ValueError for any other file."""
        text = re.sub(r"^\s*//.*\n", "", text, flags=re.M)
        start = re.search(r"^\s*func\.func @\w+\(", text, re.M)
        end = list(re.finditer(r"^\s*(?:func\.)?return\b *([^:\n]*)(?:: *(.*))?\n", text, re.M))
        if start is None or not end or text.count("func.func @") != 1:
            raise ValueError("a trigger is one func.func that ends in a return")
        listed = brackets_at(text, start.end() - 1)
        if listed is None:
            raise ValueError("an argument list that does not end")
        body = text.index("{\n", listed.end) + 2
        return cls(
            aliases=re.sub(r"^\s*module\b.*\n", "", text[: start.start()], flags=re.M),
            header=text[start.start() : body],
            arguments=text[start.end() : listed.end],
            body=text[body : end[-1].start()],
            values=end[-1][1].strip(),
            types=(end[-1][2] or "").strip(),
        )

    @property
    def calls_itself(self) -> bool:
        """Whether the body refers to its own function."""
        name = self.header.partition("(")[0].partition("@")[2]
        return re.search(rf"@{re.escape(name)}\b", self.body) is not None

    @property
    def function(self) -> str:
        """The original function."""
        returned = f" {self.values} : {self.types}" if self.values else ""
        return f"{self.header}{self.body}    return{returned}\n  }}\n"


def plant(trigger_text: str, layers: int) -> str:
    """A module with this many layers and the trigger in the middle.

    The trigger's arguments and results become those of the module. A trigger in the torch dialect
    stays a separate function, because a function must not mix that dialect's calling convention
    with others. So does one that calls itself.
    """
    trigger = Trigger.parse(trigger_text)
    half = layers // 2
    before, middle = _layers(range(half), "%host_input")
    after, result = _layers(range(half, layers), middle)
    arguments = f"%host_input: {_MATRIX}" + "".join(
        f", %host{i}_weight: {_MATRIX}, %host{i}_bias: {_VECTOR}" for i in range(layers)
    )
    apart = "!torch" in trigger_text or trigger.calls_itself
    planted = Trigger("", "", "", "", "", "") if apart else trigger
    return (
        f"{_ALIASES}{trigger.aliases}module {{\n"
        f"  func.func @host({_listed(arguments, planted.arguments)})"
        f" -> ({_listed(_MATRIX, planted.types)}) {{\n"
        f"{_CONSTANTS}{before}{planted.body}{after}"
        f"    return {_listed(result, planted.values)} : {_listed(_MATRIX, planted.types)}\n"
        f"  }}\n{trigger.function if apart else ''}}}\n"
    )


def _layers(numbers: range, x: str) -> tuple[str, str]:
    """The text of some layers that start from the value `x`, and the name of their result."""
    text = []
    for number in numbers:
        prefix = f"host{number}"
        text.append(_LAYER.format(p=prefix, x=x, M=_MATRIX, V=_VECTOR))
        x = f"%{prefix}_result"
    return "".join(text), x


def _listed(*parts: str) -> str:
    return ", ".join(filter(None, parts))


if __name__ == "__main__":
    source, layer_count = sys.argv[1:]
    sys.stdout.write(plant(Path(source).read_text(encoding="utf-8"), int(layer_count)))
