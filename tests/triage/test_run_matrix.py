from pathlib import Path

import pytest

from reducer.triage.configurations import find_compiler
from reducer.triage.run_matrix import FlagTranslator
from tests.support.fake_compilers import write_script
from tests.support.triages import Records

HELP = """echo x >> {folder}/asked
echo 'OPTIONS:'
echo '  --iree-rocm-target=<string> - The target.'
echo '  --common                    - Whatever.'
"""


def test_renamed_flags_are_translated_and_queried_once(tmp_path: Path) -> None:
    script = write_script(tmp_path / "cc", HELP.format(folder=tmp_path))
    records = Records(tmp_path)
    compiler = find_compiler(str(script), None)
    flags = "--iree-hip-target=gfx942", "--common", "--unknown=1"
    for _ in range(2):
        spelling = FlagTranslator(records.store)
        assert spelling(flags, compiler) == ("--iree-rocm-target=gfx942", *flags[1:])
    assert (tmp_path / "asked").read_text() == "x\n"


@pytest.mark.parametrize("script", ["exit 1\n", "echo nothing\n"])
def test_flags_stay_for_a_compiler_that_lists_none(tmp_path: Path, script: str) -> None:
    compiler = find_compiler(str(write_script(tmp_path / "cc", script)), None)
    flags = ("--iree-hip-target=gfx942",)
    assert FlagTranslator(Records(tmp_path).store)(flags, compiler) == flags
