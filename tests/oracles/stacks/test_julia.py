"""Stacks that Julia prints."""

from oracles.stacks.frames import name_frames, parse_stack

HEAD = "[27590] signal 11 (1): Segmentation fault\nin expression starting at /a/b c.jl:53\n"
LINES = (
    "unknown function (ip: 0x1ffffffff)\n"
    "_ZNK1a1B1fEv at /opt/lib/libA.so (unknown line)\n"
    "inlined at /src/a.cpp:12 [inlined]\n"
    "g<a::B> at /src/a.cpp:34\n"
    "Allocations: 25243507 (Pool: 25200986; Big: 42521); GC: 36\n"
    "late at /src/a.cpp:35\n"
)


def test_the_functions_are_those_below_the_signal() -> None:
    for head in (
        HEAD,
        "signal (11): Segmentation fault\n",
        "[1] signal 11 (1.2): x\n",
        "[1] signal 6 (-6): x\n",
    ):
        frames = parse_stack(head + LINES)
        assert name_frames(frames, lambda module: None) == ["", "a::B::f", "g"]
        assert [frame.module for frame in frames] == ["", "libA.so", ""]


def test_other_text_is_no_stack() -> None:
    assert not parse_stack(LINES)
    assert not parse_stack(f"{HEAD}and then\n{LINES}")
    with_numbers = f"{HEAD}{LINES} #0 0x12 a::h() (/lib/libA.so+0x12)\n"
    assert [frame.name for frame in parse_stack(with_numbers)] == ["a::h()"]
