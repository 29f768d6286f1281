"""Stacks as debuggers and other runtimes than LLVM's print them."""

import pytest

from oracles.run.run_process import End, ProcessResult
from oracles.signature.classify import Classification, classify

OWN_HANDLER = """LLVM ERROR: no type
 #0 0x01 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) Signals.cpp:0:0
 #1 0x02 tool_stacktrace_signal_handler(void*) /src/llvm.cc:424:3
 #2 0x03 SignalHandler(int) Signals.cpp:0:0
 #3 0x04 (/lib/x86_64-linux-gnu/libc.so.6+0x42520)
 #4 0x05 a::{name}(int) A.cpp:0:0
 #5 0x06 a::LowerOp::run() A.cpp:0:0
"""

GDB = """Program received signal SIGSEGV, Segmentation fault.
a::{name} (this=0x0) at /t/a.cpp:4
4\t  return x;
#0  a::{name} (this=0x0) at /t/a.cpp:4
#1  0x00005555555562e3 in mlir::detail::TypedValue<mlir::Type>::getType (this=0x1) at /t/V.h:33
#2  0x00005555555563e3 in a::LowerOp::run (this=0x1, op=...) at /t/a.cpp:33
"""

VALGRIND = """==7== Invalid read of size 8
==7==    at 0x10BAC96: a::{name}(int) (a.cpp:4)
==7==    by 0x10FAFCB: a::LowerOp::run() (in /usr/lib/llvm/bin/a-opt)
==7==    by 0xC1CB249: (below main) (libc_start_call_main.h:58)
==7==  Address 0xfef6e68 is 0 bytes after a block of size 104 alloc'd
==7==    at 0x48417B4: malloc (in /usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so)
==7==    by 0x57BC0F1: a::grow(unsigned long) (in /usr/lib/llvm/bin/a-opt)
"""


def classified(stderr: str) -> Classification:
    return classify(ProcessResult(End.EXITED, -11, 0.0, 0.0, 0, "", stderr))


@pytest.mark.parametrize("text", [OWN_HANDLER, GDB, VALGRIND])
def test_the_functions_of_a_stack(text: str) -> None:
    for name in ("find", "get"):
        found = classified(text.replace("{name}", name))
        assert found.frames == (f"a::{name}", "a::LowerOp::run")
