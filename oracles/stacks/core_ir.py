"""Recognize accessors of the IR's own classes, which are not at fault if anything else is.

A null value, a type of another class or an op that is gone is a bug of the function that asks for
its parts, but the crash is in what is asked: `mlir::Type::getContext`,
`mlir::Operation::getOperand`, `llvm::StringRef::find`. Any code of the compiler calls these, so
they say nothing about a crash as long as anything else is on the stack
(`oracles.stacks.dispatching.distinctive`).

They are recognized by the class that they belong to: the classes of mlir/IR, which are directly in
`mlir` where those of dialects have a namespace of their own, and those of llvm/ADT and llvm/IR that
only hold something. The builders of an op (`FooOp::create`, `FooOp::build`) are called by any code
that makes such an op, and which of them are on a stack depends on the release.
"""

import re

_HOLDERS: dict[str, tuple[str, ...]] = {
    "types and attributes": (
        r"mlir::(?:[A-Z]\w*)?(?:Type|Attr|AttrInterface|AttributeInterface)",
        r"mlir::(?:Attribute|Location|NamedAttribute|NamedAttrList|StringAttr|DialectResource\w*)",
        r"mlir::getElementTypeOrSelf",
    ),
    "values": (
        r"mlir::detail::TypedValue",
        r"mlir::(?:Value|OpResult|BlockArgument|OpOperand|BlockOperand|IRMapping)",
        r"mlir::[A-Z]\w*Range",
        r"mlir::(?:ValueUseIterator|IROperand\w*|IRObjectWithUseList)",
    ),
    "ops, blocks and regions": (
        r"mlir::(?:Operation|OperationState|OpState|Block|Region|SuccessorRange|Dialect)",
        r"mlir::(?:SymbolTable|SymbolTableCollection|SymbolUserMap|LockedSymbolTableCollection)",
    ),
    "contexts and uniquing": (
        r"mlir::(?:MLIRContext|StorageUniquer|TypeID)",
        r"mlir::detail::\w*(?:Storage|Uniquer|Impl|Interner|Iterator\w*)",
    ),
    "building and messages": (
        r"(?:\w+::)+\w+Op::(?:build|create)",
        r"mlir::(?:Builder|ImplicitLocOpBuilder)",
        r"mlir::(?:Diagnostic|InFlightDiagnostic|DiagnosticEngine|DiagnosticArgument)",
        r"mlir::(?:AsmPrinter|OpAsmPrinter|emitError|emitWarning|emitRemark)",
    ),
    "containers and numbers of LLVM": (
        r"llvm::(?:StringRef|Twine|ArrayRef|MutableArrayRef|BitVector|APInt|APFloat|APSInt)",
        r"llvm::(?:\w*Map|\w*MapBase|\w*MapImpl|\w*Set|\w*SetBase|\w*SetImpl\w*|DenseMap\w*)",
        r"llvm::(?:raw_\w*ostream|formatv_object\w*|BumpPtrAllocator\w*|hash_\w+|hashing|\w*Range)",
        r"llvm::detail::(?:DoubleAPFloat|IEEEFloat|\w*Base)",
    ),
    "types and values of LLVM": (
        r"llvm::(?:Type|Value|User|Use|DataLayout|LLVMContext|EVT|MVT|Module)",
    ),
}
"""Patterns of the names of these classes and functions, by purpose; members count as well."""

_ACCESSOR = re.compile(f"(?:{'|'.join(map('|'.join, _HOLDERS.values()))})(?=::|$)")


def is_accessor(function: str) -> bool:
    """Whether a function belongs to a data structure of the IR itself, given its short name.

    >>> is_accessor("mlir::FloatType::getWidth"), is_accessor("mlir::spirv::PointerType::get")
    (True, False)
    """
    return _ACCESSOR.match(function) is not None
