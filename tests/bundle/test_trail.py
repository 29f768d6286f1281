from reducer.bundle.trail import Trail, trail_of

RAW = """\
Stack dump:
0.\tProgram arguments: iree-compile repro.mlir
0  libIREECompiler.so 0x00007f6962d5a0ab
1  libIREECompiler.so 0x00007f6962d571fe llvm::sys::RunSignalHandlers() + 238
2  libIREECompiler.so 0x00007f6962d5ac10
3  libc.so.6          0x00007f695ce5a050
4  libIREECompiler.so 0x00007f6962e042b8
5  libIREECompiler.so 0x00007f6962e6f34b
6  libIREECompiler.so 0x00007f6963198a79
7  libIREECompiler.so 0x00007f696476d793
"""


def test_digits_are_those_of_the_crashing_library() -> None:
    assert trail_of(RAW, ["a::f"]) == Trail(
        ("a::f",), "libIREECompiler.so", ("0ab", "1fe", "c10", "2b8", "34b", "a79")
    )


def test_another_place_in_memory_has_the_same_digits() -> None:
    moved = RAW.replace("0x00007f6962", "0x00007a1112").replace("0x00007f6963", "0x00007a1113")
    assert moved != RAW
    assert trail_of(moved, []) == trail_of(RAW, [])


def test_a_stack_with_names_has_no_digits() -> None:
    named = " #0 0x00007f6962d5a0ab a::handler() (/x/lib.so+0xab)\n #1 0x00007f6962d5a0ac a::f()\n"
    assert trail_of(named, ["a::f"]) == Trail(("a::f",))


def test_too_short_a_stack_says_nothing() -> None:
    assert not trail_of("\n".join(RAW.splitlines()[:6]), [])
    assert not trail_of("", [])
