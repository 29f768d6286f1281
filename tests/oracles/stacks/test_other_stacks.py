"""The stack of a program with a signal handler of its own."""

from oracles.run.run_process import End, ProcessResult
from oracles.signature.classify import Classification, classify

OWN_HANDLER = """LLVM ERROR: no type
 #0 0x01 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) Signals.cpp:0:0
 #1 0x02 triton_stacktrace_signal_handler(void*) /src/llvm.cc:424:3
 #2 0x03 SignalHandler(int) Signals.cpp:0:0
 #3 0x04 (/lib/x86_64-linux-gnu/libc.so.6+0x42520)
 #4 0x05 a::{name}(int) A.cpp:0:0
 #5 0x06 a::LowerOp::run() A.cpp:0:0
"""


def classified(stderr: str) -> Classification:
    return classify(ProcessResult(End.EXITED, -11, 0.0, 0.0, 0, "", stderr))


def test_its_handler_is_none_of_the_failure() -> None:
    for name in ("find", "get"):
        found = classified(OWN_HANDLER.replace("{name}", name))
        assert found.frames == (f"a::{name}", "a::LowerOp::run")
