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
from ontomask.files.fingerprints import sha256, state_of, versions
from ontomask.masking.randomness import Secret
from ontomask.microdata.formats import format_of
from ontomask.microdata.keys import Key
from ontomask.microdata.table_chunks import files_of
from ontomask.microdata.writing import write_table
from ontomask.policy.policy import Policy
from ontomask.release.saving import MANIFEST, PARTS, SECRET, appearing, write_account, write_manifest

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
    states = {file: state_of(file) for file in files}
    named = list(policy.named_files().values())
    inputs = [*files, *named, *([] if key is None or key.path is None else [key.path])]
    with appearing(folder, overwrite=overwrite, inputs=inputs) as part:
        session = start_session(master, options)
        release_folder = part / PARTS[0]
        writing.create_folder(release_folder)
        frame = read_parquet(session, *files)
        engine = SparkEngine(frame, policy, secret, key, Files(release_folder / DATA))
        release = engine.run(progress, allow_unsatisfied=allow_unsatisfied)
        changed = next((file for file, state in states.items() if state_of(file) != state), None)
        if changed is not None:
            raise OutputError(
                "the file changed while it was read",
                where=str(changed),
                remedy="Wait until it is complete, and run again.",
            )
        if not release.satisfied:
            (release_folder / DATA).rename(release_folder / FAILED)
        _fill(release, files, part)
    place = folder / PARTS[0] / (DATA if release.satisfied else FAILED)
    return replace(release, data=read_parquet(session, place))


def _fill(release: SparkRelease, files: list[Path], part: Path) -> None:
    """All but the data."""
    release_folder, confidential = (part / name for name in PARTS)
    public = [statement.public for statement in release.guarantees]
    write_account(release.policy, release.secret, release.key, public, release.notes, part)
    write_table(release.mapping, confidential / "mapping.csv", private=True)
    write_table(release.groups, confidential / "groups.csv", private=True)
    for inside in (*release_folder.rglob("*"), release_folder):
        writing.make_ordinary(inside)
    (own, python, libraries), named = versions(), release.policy.named_files()
    listed = [path.relative_to(part).as_posix() for name in PARTS for path in sorted((part / name).rglob("*"))]
    unhashed = {MANIFEST: None} | ({f"confidential/{SECRET}": None} if release.secret.explicit else {})
    content = {
        "ontomask": own,
        "python": python,
        "libraries": libraries,
        "engine": "spark",
        "input": {"files": {file.name: file.stat().st_size for file in files}, "records": release.records},
        "released_records": release.released,
        "explicit_seed": release.secret.explicit,
        "satisfied": release.satisfied,
        "promises": release.promises,
        "taxonomies": {
            name: {"name": taxonomy.name, "concepts": len(taxonomy), "fingerprint": taxonomy.fingerprint}
            for name, taxonomy in release.taxonomies.items()
        },
        "named_files": {role: {"file": path.name, "sha256": sha256(path)} for role, path in named.items()},
        "release": f"release/{DATA if release.satisfied else FAILED}",
        "files": {name: sha256(part / name) for name in listed if (part / name).is_file()} | unhashed,
    }
    write_manifest(content, part)
