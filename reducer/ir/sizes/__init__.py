"""Sizes as variables: which dims of which values must stay equal, and modules with others."""

from reducer.ir.sizes.change import GONE, Size
from reducer.ir.sizes.system import SizeSystem, Variable

__all__ = ["GONE", "Size", "SizeSystem", "Variable"]
