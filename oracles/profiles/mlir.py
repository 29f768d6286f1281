"""Tools built on `MlirOptMain`: MLIR's own, and those of projects that add dialects and passes.

They read any IR of their dialects, run the passes that the command names, and print the result. The
flags for generic form, locations and the IR around a pass are MLIR's own, so nothing is said about
them here, and a pass that fails ends the run, so there is nothing to stop early. What differs is
the name, by which a tool is found, and where bugs are filed.
"""

from oracles.profiles.profile import BugForm, CompilerProfile


def bug_form(project: str, url: str) -> BugForm:
    """The headings of a report to a project on GitHub that has no template for one."""
    return BugForm(
        happened="What happened?",
        steps="Steps to reproduce",
        component="Component",
        version="Version",
        context="Additional context",
        components=lambda program, failing_pass, op: (project,),
        url=url,
    )


def opt_profile(name: str, opt: str, url: str) -> CompilerProfile:
    """The profile of a project with an `…-opt` tool; `url` is where its bugs are filed."""
    return CompilerProfile(name=name, compiler="", opt=opt, bug_form=bug_form(name, url))


MLIR = opt_profile("MLIR", "mlir-opt", "https://github.com/llvm/llvm-project/issues/new")
"""MLIR itself, and any program of an unknown project: what all compilers built on it share."""

OPT_TOOLS = (
    opt_profile("torch-mlir", "torch-mlir-opt", "https://github.com/llvm/torch-mlir/issues/new"),
    opt_profile("CIRCT", "circt-opt", "https://github.com/llvm/circt/issues/new"),
    opt_profile("HEIR", "heir-opt", "https://github.com/google/heir/issues/new"),
    opt_profile("Triton", "triton-opt", "https://github.com/triton-lang/triton/issues/new"),
    opt_profile("StableHLO", "stablehlo-opt", "https://github.com/openxla/stablehlo/issues/new"),
)
"""Projects whose tools are known by name."""
