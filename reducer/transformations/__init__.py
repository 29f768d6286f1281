"""Transformations and tunings: the edits that the search tries on a module."""

from collections.abc import Callable
from typing import Any

from reducer.ir import Module, PlainText
from reducer.transformations.array_items import list_items
from reducer.transformations.attribute_values import SimplifyAttributes
from reducer.transformations.attributes import DropAttributes, DropProperties
from reducer.transformations.base import Site, Transformation
from reducer.transformations.block_arguments import block_arguments
from reducer.transformations.blocks import MergeBlocks
from reducer.transformations.body_ops import BodyOps
from reducer.transformations.boundary_types import BoundaryTypes
from reducer.transformations.branches import TakeOneBranch, cases
from reducer.transformations.carve import carve, lift, with_result
from reducer.transformations.constant_data import SimplifyData, SplatConstants
from reducer.transformations.constants import equal_constants
from reducer.transformations.delete_nested import DeleteNested
from reducer.transformations.delete_ops import DeleteOps
from reducer.transformations.delete_users import DeleteUnused, DeleteUnusedResults
from reducer.transformations.early_return import ReturnEarly
from reducer.transformations.elements import SimplifyElements
from reducer.transformations.encodings import DropEncodings
from reducer.transformations.forward import ForwardOperand
from reducer.transformations.forward_text import ForwardLines
from reducer.transformations.inline_calls import InlineCalls
from reducer.transformations.locations import DropLocations
from reducer.transformations.map_terms import SimplifyMaps
from reducer.transformations.nested_items import DropNestedEntries, DropNestedParameters
from reducer.transformations.numbers import ShrinkMapNumbers, ShrinkNumbers
from reducer.transformations.operands import leaves_one, map_inputs, variadic_operands
from reducer.transformations.plain_text import DeleteGroups, DeleteLines, UnwrapGroups
from reducer.transformations.ranks import DropDims
from reducer.transformations.share_constants import ShareConstants
from reducer.transformations.signatures import (
    function_arguments,
    function_results,
    repeated_arguments,
)
from reducer.transformations.sizes import ShrinkSizes
from reducer.transformations.structured import can_go, structured
from reducer.transformations.symbols import DropSymbols
from reducer.transformations.text_items import DropItems, DropUnusedItems
from reducer.transformations.tied_regions import (
    carried,
    leaves_a_dim,
    loop_dims,
    optional_regions,
    passed,
)
from reducer.transformations.ties import DropTied
from reducer.transformations.tuning import Parameters, Tuning
from reducer.transformations.unwrap import UnwrapBodies
from reducer.transformations.unwrap_modules import UnwrapModules
from reducer.transformations.yields import YieldOthers

__all__ = [
    "BodyOps",
    "BoundaryTypes",
    "Parameters",
    "Site",
    "Transformation",
    "Tuning",
    "carve",
    "control_flow_transformations",
    "last_transformations",
    "lift",
    "standard_transformations",
    "standard_tunings",
    "text_transformations",
    "with_result",
]


def standard_transformations(
    boundary: BoundaryTypes, message: Callable[[Module], str] = lambda module: ""
) -> list[Transformation[Module]]:
    """All local transformations: those that clean up first, then the most promising ones.

    Args:
        message: the message with which a module fails; '' if that is unknown.
    """
    return [
        DropSymbols(),
        UnwrapModules(),
        InlineCalls(),
        SplatConstants(),
        DropTied("merge constants", equal_constants, all_at_once=True),
        DeleteUnusedResults(),
        DeleteOps(boundary),
        UnwrapBodies(boundary),
        YieldOthers(),
        DropTied("drop carried values", carried),
        DropTied("drop regions", optional_regions),
        DeleteNested(boundary),
        DropTied("forward operands", ForwardOperand(boundary).ties),
        DeleteUnused(),
        DropTied("drop structured operands", structured, all_at_once=True, fits=can_go),
        DropTied("drop operands passed to regions", passed),
        DropTied("drop dims of loops", loop_dims, fits=leaves_a_dim),
        DropAttributes(),
        # Before operands alone: those that a function takes go with its arguments only.
        DropTied("drop arguments", function_arguments, all_at_once=True),
        DropTied("drop operands", variadic_operands, fits=leaves_one),
        DropTied("drop results", function_results),
        DropLocations(),
        DropEncodings(),
        DropProperties(),
        DropNestedEntries(),
        DropNestedParameters(),
        SimplifyAttributes(message),
        DropTied("drop items of lists", list_items),
        SimplifyData(),
        SimplifyMaps(),
        DropTied("drop inputs of maps", map_inputs, all_at_once=True),
        DropTied("merge arguments", repeated_arguments, all_at_once=True),
    ]


def control_flow_transformations() -> list[Transformation[Module]]:
    """Simplifications of control flow between blocks, for when the module is small already."""
    return [
        ReturnEarly(),
        TakeOneBranch(),
        DropTied("drop cases", cases, all_at_once=True),
        MergeBlocks(),
        DropTied("drop block arguments", block_arguments, all_at_once=True),
    ]


def last_transformations() -> list[Transformation[Module]]:
    """Replace code the failure needs by something simpler; tried after all else has failed."""
    return [ShareConstants()]


def standard_tunings(*, shapes_only: bool = False, illegal: str = "") -> list[Tuning[Module, Any]]:
    """All tunings: those that remove a parameter first, then those that shrink one.

    Args:
        shapes_only: only the tunings that keep ranks and element types.
        illegal: the name of an op that the compiler rejects without a reason (see `DropDims`).
    """
    if shapes_only:
        return [ShrinkSizes()]
    return [
        DropDims(illegal),
        ShrinkSizes(),
        ShrinkNumbers(),
        ShrinkMapNumbers(),
        SimplifyElements(),
    ]


def text_transformations(*, is_deep: bool = False) -> list[Transformation[PlainText]]:
    """Transformations for input that cannot be parsed as MLIR.

    Args:
        is_deep: it has so many levels that most groups are around what fails, and cannot go.
    """
    return [
        *((UnwrapGroups(), DeleteGroups()) if is_deep else (DeleteGroups(), UnwrapGroups())),
        ForwardLines(),
        DeleteLines(),
        DropUnusedItems(),
        DropItems(),
    ]
