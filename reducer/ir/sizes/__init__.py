"""Sizes as variables: which dims of which values must stay equal, and modules with new sizes."""

from reducer.ir.sizes.slots import DROPPED, Size
from reducer.ir.sizes.system import SizeSystem, Variable

__all__ = ["DROPPED", "Size", "SizeSystem", "Variable"]
