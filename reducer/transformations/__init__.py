"""Transformations: each offers places to act and the text after acting there."""

from reducer.transformations.abi import Abi
from reducer.transformations.attributes import DropAttributes
from reducer.transformations.base import Site, Transformation
from reducer.transformations.carve import carve
from reducer.transformations.constants import MergeConstants
from reducer.transformations.delete_ops import DeleteOps
from reducer.transformations.delete_users import DeleteUnused, DeleteWithUsers
from reducer.transformations.forward import ForwardOperand
from reducer.transformations.signatures import DropArguments, DropReturns
from reducer.transformations.symbols import DropSymbols
from reducer.transformations.units import Units

__all__ = ["Abi", "Site", "Transformation", "Units", "carve", "standard_transformations"]


def standard_transformations(abi: Abi) -> list[Transformation]:
    """All local transformations, the most promising first."""
    return [
        DropSymbols(),
        DeleteOps(abi),
        DropReturns(),
        DropArguments(),
        DropAttributes(),
        MergeConstants(),
        DeleteUnused(),
        ForwardOperand(),
        DeleteWithUsers(),
    ]
