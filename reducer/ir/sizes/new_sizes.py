"""The sizes of shapes after a change."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from reducer.ir.sizes.slots import Dim, Slot, Ties


class Dropped(Enum):
    DROPPED = "gone"


DROPPED = Dropped.DROPPED
"""Used in place of a size: the dim is dropped."""

Size = int | None | Dropped


@dataclass(frozen=True)
class NewSizes:
    """New sizes for some of the slots of a module."""

    ties: Ties
    of: Mapping[Slot, Size]

    def dims(self, value: int) -> list[Size]:
        """The sizes of a value after the change, with DROPPED for dropped dims."""
        shape = self.ties.shape(value)
        assert shape is not None
        return [self.of.get(Dim(value, n), size) for n, size in enumerate(shape.dims)]
