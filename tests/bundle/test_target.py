"""Which target, and which part of the compiler."""

from reducer.bundle.target import components, target_of


def test_targets_in_the_flags_of_any_version() -> None:
    assert target_of(["c", "--iree-hal-target-backends=llvm-cpu"]) == ("llvm-cpu",)
    assert target_of(["c", "-iree-hip-target=gfx90a", "--x=y"]) == ("gfx90a",)
    assert target_of(["c", "--iree-llvmcpu-target-cpu=znver4"]) == ("znver4",)
    assert target_of(["mlir-opt", "--canonicalize"]) == ()


def test_components_of_the_form() -> None:
    assert components("iree-compile", "torch-finalizing-backend-type-conversion", "") == (
        "Frontends",
        "Compiler",
    )
    assert components("iree-compile", "", "torch.aten.sort") == ("Frontends", "Compiler")
    assert components("iree-compile", "iree-codegen-x", "torch.aten.sort") == ("Compiler",)
    assert components("mlir-opt", "canonicalize", "") == ("MLIR",)
