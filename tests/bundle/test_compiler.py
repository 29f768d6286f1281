"""What compilers say of their version."""

from pathlib import Path

from reducer.bundle.compiler import Compiler

RELEASE = """IREE (https://iree.dev):
  IREE compiler version 3.13.0rc20261016 @ 89ece87b89852100c0a4ac3d515e14842d090967
  LLVM version 24.0.0git
  Optimized build
"""


def test_a_release() -> None:
    path = Path("/x/toolchains/iree-base-compiler-3.13.0/iree/compiler/_mlir_libs/iree-compile")
    told = Compiler.read(path, RELEASE)
    assert (told.name, told.version) == ("iree-compile", "3.13.0rc20261016")
    assert told.commit.startswith("89ece87b") and told.package == "3.13.0"
    assert told.assertions is False


def test_builds_with_assertions() -> None:
    for line in ("Optimized build with assertions.", "DEBUG build with assertions."):
        assert Compiler.read(Path("mlir-opt"), f"LLVM version 19.1.7\n  {line}").assertions is True


def test_a_compiler_that_does_not_tell() -> None:
    assert Compiler.ask(Path("/no/such")).lines == ()
    assert Compiler.ask(Path("/bin/false")).assertions is None
