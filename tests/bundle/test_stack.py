"""A stack with the frames of every crash folded."""

from oracles.symbols import Symbols
from reducer.bundle.stack import folded_stack


def unknown(module: str) -> Symbols | None:
    return None


def test_frames_that_tell_nothing_are_counted() -> None:
    names = [
        "llvm::sys::PrintStackTrace(llvm::raw_ostream&, int)",
        "SignalHandler(int)",
        "a::Fold::apply(int) const",
        "mlir::detail::OpToOpPassAdaptor::run(mlir::Pass*)",
        "mlir::PassManager::run(mlir::Operation*)",
        "b::XPass::runOnOperation()",
        "main",
    ]
    text = "\n".join(
        f" #{n} 0x{0x7F0000000000 + n:x} {name} x.cpp:0:0" for n, name in enumerate(names)
    )
    assert folded_stack(text, unknown) == (
        "#2  a::Fold::apply",
        "    … 2 frames of pass managers, threads and the like",
        "#5  b::XPass::runOnOperation",
        "    … 1 frame of pass managers, threads and the like",
    )


def test_no_stack() -> None:
    assert folded_stack("error: x\n", unknown) == ()
