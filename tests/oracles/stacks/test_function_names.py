"""Short C++ names."""

import pytest

from oracles.stacks.function_names import demangle, short_name, template_arguments


@pytest.mark.parametrize(
    ("full", "short"),
    [
        ("mlir::Type::getIntOrFloatBitWidth() const", "mlir::Type::getIntOrFloatBitWidth"),
        ("a::(anonymous namespace)::P::run(int, b<c>)", "a::P::run"),
        ("void a::f<int (long)>(int)", "a::f"),
        ("a::f[abi:cxx11](b&)", "a::f"),
        ("a::f(b&)::<lambda(c<d>)>", "a::f::lambda"),
        ("a::operator<<(b&, int)", "a::operator<<"),
        ("bool a::operator<(b const&, b const&)", "a::operator<"),
        ("a::B<(c)1>::operator->() const", "a::B::operator->"),
        ("std::vector<a::b, std::allocator<a::b> >::push_back(a::b&&)", "std::vector::push_back"),
        ("a::`anonymous namespace'::P::run(class b::C &)", "a::P::run"),  # Microsoft
        ("main", "main"),
        ("f() [clone .cold]", "f"),
    ],
)
def test_short_name(full: str, short: str) -> None:
    assert short_name(full) == short


def test_demangle_leaves_c_names_alone() -> None:
    assert demangle("ireeCompilerInvocationPipeline") == "ireeCompilerInvocationPipeline"


def test_name_that_the_runtime_cannot_demangle() -> None:
    assert demangle("_ZN4llvm6detail3fooI???").startswith("llvm::detail::foo")


@pytest.mark.parametrize(
    ("full", "arguments"),
    [
        ("a::f(b<int>)", []),
        ("a<int> b<c>::f() const", ["c"]),
        ("void a::f<int (*)(b<c>), d>(e<f> const&) [clone .cold]", ["int (*)(b<c>)", "d"]),
        ("bool (anonymous namespace)::f<a>(b, c<d>)", ["a"]),
        ("a::B<c, d>::operator()(e) const", ["c", "d"]),
        ("a::f<b(c)::$_0>(d)::'lambda'(e)", ["b(c)::$_0"]),
    ],
)
def test_template_arguments(full: str, arguments: list[str]) -> None:
    assert template_arguments(full) == arguments
