"""Files that Spark reads and writes: a run from a table in files to a folder that appears when it is complete."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ontomask.engines.spark import SparkEngine, SparkRelease, Store
from ontomask.engines.spark_session import spark_errors, start_session
from ontomask.errors import OptionError, OutputError
from ontomask.files import writing
from ontomask.files.fingerprints import InputFile, InputFiles, state_of
from ontomask.masking.randomness import Secret
from ontomask.microdata.formats import format_of
from ontomask.microdata.keys import Key
from ontomask.microdata.table_chunks import files_of
from ontomask.policy.policy import Policy
from ontomask.progress import Reporter, stretch
from ontomask.release.saving import PARTS, appearing, fill, inputs_of

#: The folder of the data in a release, and what its name says of a release that fails.
DATA, FAILED = "data", "data-NOT-SATISFIED"
#: What Spark would take for a pattern in the name of a file.
_GLOB = re.compile(r"[\[\]{}*?\\]")


class Files(Store):
    """The records are written to a folder of Parquet files, and read back from there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, frame: Any) -> Any:
        with spark_errors():
            frame.write.parquet(f"file://{self._folder.absolute().as_posix()}")
            written = sorted(self._folder.glob("part-*.parquet"))
        if not written:
            raise OutputError(
                "the executors wrote no file there",
                where=str(self._folder),
                remedy="Name a folder that the driver and all executors share.",
            )
        for number, file in enumerate(written, 1):
            file.rename(self._folder / f"part-{number:05d}.parquet")
        for rest in self._folder.iterdir():
            if rest.suffix != ".parquet":  # marks and sums of Spark, which would say more than the data
                rest.unlink()
        return read_parquet(frame.sparkSession, self._folder)

    def discard(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)


def read_parquet(session: Any, *paths: Path) -> Any:
    """The records of Parquet files or folders."""
    with spark_errors():
        return session.read.parquet(*(_GLOB.sub(r"\\\g<0>", f"file://{path.absolute().as_posix()}") for path in paths))


def run_in_folder(
    data: str | Path,
    policy: Policy,
    folder: Path,
    *,
    secret: Secret,
    key: Key | None = None,
    master: str | None = None,
    options: Mapping[str, str] | None = None,
    report: bool = False,
    overwrite: bool = False,
    allow_unsatisfied: bool = False,
    progress: Callable[[float, str], Any] | None = None,
) -> SparkRelease:
    """Mask a table in Parquet files, verify what was written, and put both folders of the result there.

    ``data``: a file, a folder or a pattern, and ``folder``: where the driver and all executors find them.
    """
    files = files_of(data)
    other = next((file for file in files if format_of(file).name != "parquet"), None)
    if other is not None:
        raise OptionError(
            f"the engine spark reads Parquet files, and {other.name} is none",
            remedy="Write the table as Parquet, or give om.anonymize a frame of Spark that you read yourself.",
        )
    reporter = Reporter(progress)
    read = InputFiles(Path(data), tuple(InputFile(file, None, state_of(file)) for file in files))
    with appearing(folder, overwrite=overwrite, inputs=[*files, *inputs_of(policy, None, key)]) as part:
        session = start_session(master, options)
        place = part / PARTS[0]
        writing.create_folder(place)
        frame = read_parquet(session, *files)
        engine = SparkEngine(frame, policy, secret, key, Files(place / DATA), read)
        release = engine.run(stretch(reporter, 0.0, 0.8), allow_unsatisfied=allow_unsatisfied)
        for file in read.files:
            file.require_unchanged()
        if report:
            release.assess(stretch(reporter, 0.8, 0.95))
        reporter(0.95, "writing")
        written = (place / DATA).rename(place / (DATA if release.satisfied else FAILED))
        released = sorted(written.iterdir())
        for inside in (*released, written):
            writing.make_ordinary(inside)
        fill(release, part, released, report=report, escape=False, parts=written)
    reporter(1.0, "done")
    again = read_parquet(session, folder / PARTS[0] / written.name)
    return replace(release, data=again, folder=folder, file=folder / PARTS[0] / written.name)
