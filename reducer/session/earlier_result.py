"""Whether the file at the place of the result is the result of an earlier run."""

from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from reducer.errors import BadInput, MissingInput
from reducer.session.best import key_of_output
from reducer.session.history import reading
from reducer.storage.result_folder import ResultFolder


def check_place(output: Path, folder: ResultFolder, journal: Path) -> None:
    """Check that the file at the place of the result, if there is one, was written as a result.

    Earlier versions listed what they wrote in the journal alone.

    Raises:
        OutputNotWritable: somebody else wrote or changed it.
        JournalBusy: another reduction is about to write it.
    """
    written = folder.written
    if not output.is_file() or written.holds(output):
        return
    data = output.read_bytes()
    with suppress(MissingInput, BadInput), reading(journal) as earlier:
        if earlier.meta(key_of_output(sha256(data).hexdigest())) is not None:
            written.note(output, data)
    written.check(output)
