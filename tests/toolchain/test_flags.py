"""Translate flags to the spelling of other releases."""

from collections.abc import Callable
from pathlib import Path

import pytest

from oracles import Oracle
from oracles.profiles import PROFILES, CompilerProfile
from reducer.bisect.query import BisectQuery
from reducer.bisect.runner import ReleaseRunner
from reducer.storage.journal import Journal
from reducer.toolchain import Toolchain
from reducer.toolchain.flags import Translation, read_help, translate

HELP = """OVERVIEW: a compiler

  --iree-target=<string>        - The target; e.g. 'a - b'.
  --iree-level=<value>          - How much
    =none                       -   Nothing
  --iree-quiet                  - Says less
  -o <file>                     - Output
  --silent
"""


def test_reads_help() -> None:
    assert read_help(HELP) == {
        "--iree-target": "The target; e.g. 'a - b'.",
        "--iree-level": "How much",
        "--iree-quiet": "Says less",
        "--o": "Output",
        "--silent": "",
    }


def test_a_family_is_renamed_both_ways() -> None:
    words = ("iree-compile", "-iree-hip-target=gfx942", "{}")
    new = translate(words, {"--iree-rocm-target": ""})
    assert new.words == ("iree-compile", "--iree-rocm-target=gfx942", "{}")
    assert new.renamed == (("-iree-hip-target", "--iree-rocm-target"),)
    assert translate(new.words, {"--iree-hip-target": ""}).words[1] == "--iree-hip-target=gfx942"


def test_known_flags_are_unchanged() -> None:
    known = {"--iree-hip-target": "", "--iree-rocm-target": ""}
    words = ("iree-compile", "--iree-hip-target=gfx942", "-", "file.mlir", "{}")
    assert translate(words, known) == Translation(words)


def test_a_flag_that_kept_its_description_is_found() -> None:
    words = ("iree-compile", "--iree-old=1")
    described = {"--iree-old": "Does x.", "--iree-same": "Does y."}
    assert translate(words, {"--iree-new": "Does x."}, described).words[1] == "--iree-new=1"
    two = {"--iree-new": "Does x.", "--iree-newer": "Does x."}
    assert translate(words, two, described).unknown == (1,)
    assert translate(words, {"--iree-same": "Does x."}, described).unknown == (1,)


def test_words_are_unchanged_for_a_release_that_lists_no_flags() -> None:
    assert translate(("iree-compile", "--iree-x"), {}) == Translation(("iree-compile", "--iree-x"))


def test_a_wrapper_of_any_name_gets_renamed_flags_if_it_knows_them() -> None:
    words = ("wrapper", "--iree-hip-target=gfx942")
    assert translate(words, {"--iree-rocm-target": ""}).words[1] == "--iree-rocm-target=gfx942"
    assert translate(words, {"--other": ""}).unknown == (1,)


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.name)
def test_no_flag_is_in_two_groups(profile: CompilerProfile) -> None:
    renamed = profile.renamed_flags
    names = [name for group in renamed.names for name in group]
    assert len(names) == len(set(names))
    prefixes = tuple(prefix for family in renamed.families for prefix in family)
    assert not any(name.startswith(prefixes) for name in names)


@pytest.mark.iree
def test_translation_between_real_releases(
    iree_toolchain: Callable[..., Toolchain], tmp_path: Path
) -> None:
    """The spellings of one command in 3.8.0 and 3.13.0, with the real compilers."""
    query = BisectQuery("", ("iree-compile",), _no_oracle)
    with Journal.open(tmp_path / "journal", identity={}) as journal:
        runner = ReleaseRunner(query, journal)
        for version in ("3.8.0", "3.13.0"):
            iree_toolchain(version)
        old, new = runner.flags("3.8.0"), runner.flags("3.13.0")
    words = ("iree-compile", "--iree-hip-target=gfx942", "--iree-opt-import-parameters=a.irpa")
    translated = translate(words, new, old)
    assert translated.words[1:] == (
        "--iree-rocm-target=gfx942",
        "--iree-parameter-import=a.irpa",
    )
    assert translate(translated.words, old, new).words == words
    assert translate(("iree-compile", "--iree-llvmgpu-enable-prefetch"), new, old).unknown == (1,)


def _no_oracle(*_: object) -> Oracle:
    raise NotImplementedError
