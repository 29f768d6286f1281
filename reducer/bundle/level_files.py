"""Programs at other levels, as a reduction has left them, as parts of a report."""

from pathlib import Path

from reducer.bundle.facts import LevelFile, PassFile
from reducer.session.figures import LevelRecord, PassRecord


def level_file_of(level: LevelRecord, source: Path) -> LevelFile:
    """A program at another level as a part of the report, unless it is the input itself."""
    text = ""
    if level.verified and level.output_path != source:
        text = level.output_path.read_text(encoding="utf-8", errors="surrogateescape")
        text = text.replace(level.output_path.name, f"repro.{level.level}.mlir")
    return LevelFile(level.level, level.made, text, level.output.lines, level.output.ops)


def pass_file_of(level: PassRecord, name: str) -> PassFile:
    """The second reproducer for a report; `name` is the first one's name there."""
    text = level.output_path.read_text(encoding="utf-8", errors="surrogateescape")
    size = level.output
    file = PassFile(level.pass_name, level.pipeline, level.level, text, size.lines, size.ops)
    return file.beside(name)
