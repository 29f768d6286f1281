"""Stacks that Swift's runtime prints."""

from oracles.stacks.frames import name_frames, parse_stack

STACK = """\
*** Signal 11: Backtracing from 0x7f8606d48784... done ***

*** Program crashed: Bad pointer dereference at 0x0000000000000000 ***

Thread 0 "opt":

0  0x00007f86059fccce <unknown> in libc.so.6

Thread 9 "opt" crashed:

0              0x00007f8606d48784 a::get() const + 84 in libA.so.20 at /src/a.cpp:20:14
    18 | int A::get() {
1 [ra] [inlined] 0x00007f8606d03d25 a::inner() in libA.so.20 at /src/a.cpp:34:1
2 [ra]         0x00007f8606d03d25 a::outer(int)::{lambda(int)#1} + 20 in /opt/lib/libA.so.20
3 [ra] [system] 0x00007f8606d03d29 <unknown> in libB.so
...

Registers:
rax 0x0000000000000000 0
0  0x00007f86059fccce other() + 1 in libc.so.6
"""


def test_only_the_thread_that_crashed_counts_without_what_is_inlined() -> None:
    frames = parse_stack(STACK)
    assert [frame.module for frame in frames] == ["libA.so.20", "libA.so.20", "libB.so"]
    assert name_frames(frames, lambda module: None) == ["a::get", "a::outer", ""]
