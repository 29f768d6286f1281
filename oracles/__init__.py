"""Oracles: run one candidate and decide whether it shows the same bug.

This package takes text and returns an `Outcome`; it knows nothing of reductions.
"""

from oracles.base import Oracle
from oracles.compilers.command import Command, resolve_binary, sibling_tool
from oracles.compilers.compiler import CompilerOracle
from oracles.pattern import PatternOracle
from oracles.run.run_process import End, Limits, ProcessResult, run_process
from oracles.script import ScriptOracle
from oracles.signature.classify import Classification, classify, signal_code
from oracles.signature.derive import Level
from oracles.signature.diagnostics import Diagnostic, parse_diagnostics
from oracles.signature.kind import Kind
from oracles.signature.outcome import Outcome, Signature

__all__ = [
    "Classification",
    "Command",
    "CompilerOracle",
    "Diagnostic",
    "End",
    "Kind",
    "Level",
    "Limits",
    "Oracle",
    "Outcome",
    "PatternOracle",
    "ProcessResult",
    "ScriptOracle",
    "Signature",
    "classify",
    "parse_diagnostics",
    "resolve_binary",
    "run_process",
    "sibling_tool",
    "signal_code",
]
