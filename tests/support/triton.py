"""A compiler with assertions: Triton's, from its wheel, which contains one large library.

It is stored next to the versions of IREE and installed on first use. The download is about 290 MB,
so only slow tests use it.
"""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from reducer.toolchain import toolchains_folder

PROGRAM = Path(__file__).with_name("triton_opt.py")
_LIBRARY = "triton/_C/libtriton.so"


def install_triton(version: str) -> Path:
    """The library of that version, for the running interpreter.

    Raises:
        CalledProcessError: there is none.
    """
    library = toolchains_folder() / f"triton-{version}" / "libtriton.so"
    if not library.is_file():
        library.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=library.parent) as folder:
            download = ["download", f"triton=={version}", "--no-deps", "--only-binary=:all:", "-q"]
            words = [sys.executable, "-m", "pip", *download, "-d", folder]
            subprocess.run(words, check=True, capture_output=True, timeout=1800)
            (wheel,) = Path(folder).glob("*.whl")
            with zipfile.ZipFile(wheel) as archive:
                Path(archive.extract(_LIBRARY, folder)).replace(library)
    return library


def triton_command(library: Path) -> list[str]:
    """A command that wants the passes, separated by commas, and the input."""
    return [sys.executable, str(PROGRAM), str(library)]
