"""What any program under reduction has: a text and a size, of several kinds."""

from typing import Protocol, TypeVar


class Document(Protocol):
    """`ir.Module`, or `ir.PlainText` where the input is no MLIR that can be normalised."""

    text: str

    @property
    def op_count(self) -> int: ...

    @property
    def type_cost(self) -> tuple[int, int]: ...


D = TypeVar("D", bound=Document)
D_contra = TypeVar("D_contra", bound=Document, contravariant=True)
