"""``anonymize_files``: from files of any size to a folder with the release, chunk by chunk."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ontomask.arguments import as_path, short
from ontomask.engines.counted_result import CountedResult
from ontomask.engines.stream import Place, StreamEngine
from ontomask.errors import Keyword, OntomaskWarning, OptionError
from ontomask.files.fingerprints import states_of
from ontomask.files.regular_files import free_memory
from ontomask.files.writing import create_folder
from ontomask.masking.randomness import Secret, chosen_secret
from ontomask.microdata.csv_chunks import BLOCK
from ontomask.microdata.formats import chosen_format, format_of
from ontomask.microdata.formulas import formulas_noted
from ontomask.microdata.keys import Key
from ontomask.microdata.parquet_files import parquet_size, read_errors
from ontomask.microdata.table_chunks import FORMATS, ROWS, TableChunks, files_of, is_several
from ontomask.policy.policy import Policy, require_policy
from ontomask.progress import Reporter, stretch
from ontomask.release.saving import PARTS, appearing, fill, inputs_of
from ontomask.wording import RECORD

#: What a table takes while it is masked in memory, as measured: times the bytes of a CSV, and times what the rows of a Parquet
#: file take at least (docs/engines.md). A packed file is taken to unpack to so many times its size.
TIMES_CSV, TIMES_PARQUET, PACKED = 12, 6, 8
#: Rows that are read at a time where memory allows, and the bytes that a row is taken to need meanwhile.
LEAST_ROWS, ROW_BYTES = 20_000, 2_000
#: Bytes of a CSV that are read at a time: a part of the memory.
LEAST_BLOCK, BLOCKS = 1 << 18, 256
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def memory_of(given: str | int | None) -> int:
    """Bytes, given as a number or as ``4GB``; not given: half of what is free."""
    if given is None:
        return free_memory() // 2
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?\s*", str(given), re.IGNORECASE)
    size = 0 if found is None or isinstance(given, bool) else int(float(found[1]) * _UNITS[found[2].upper()])
    if size < 200_000_000:
        raise OptionError(
            f"memory={short(repr(given), 40)}", remedy="Give at least 200 megabytes, such as '4GB' or '500MB'."
        )
    return size


def should_stream(path: str | Path, policy: Policy, memory: str | int | None = None) -> bool:
    """Is a table several files, or large against the memory (and the policy lets it be read chunk by chunk)?"""
    if is_several(path):
        return True
    allows = policy.unit == RECORD and not policy.followers
    return allows and policy.method is not None and policy.method.releases == 1 and _is_large(files_of(path), memory)


def _is_large(files: list[Path], memory: str | int | None) -> bool:
    if any(format_of(file).name not in FORMATS for file in files):
        return False
    return sum(map(_needed, files)) > (free_memory() if memory is None else memory_of(memory))


def _needed(file: Path) -> float:
    """The bytes that a table takes while it is masked in memory, about."""
    if not format_of(file).text:
        with read_errors(file, "Parquet"):
            return TIMES_PARQUET * parquet_size(file).needed
    return TIMES_CSV * file.stat().st_size * (PACKED if file.name.lower().endswith(".gz") else 1)


def anonymize_files(
    path: str | Path,
    policy: Policy | Mapping[str, Any] | str | Path,
    folder: str | Path,
    *,
    memory: str | int | None = None,
    seed: int | None = None,
    secret: str | Path | bytes | Secret | None = None,
    key: str | Path | bytes | Key | None = None,
    format: str | None = None,
    report: bool = False,
    overwrite: bool = False,
    escape_formulas: bool = False,
    allow_unsatisfied: bool = False,
    progress: Callable[[float, str], Any] | None = None,
) -> CountedResult:
    """Mask files that need not fit into memory, and save the verified result in a folder.

    Parameters
    ----------
    path : path
        The table: a CSV or Parquet file, a folder of them, or a pattern such as ``"stays/*.parquet"``.
    policy : Policy, mapping or path
        A policy, its settings as a mapping, or the path of a YAML file.
    folder : path
        Where the result is saved, as by :meth:`ontomask.Result.save`; it appears when it is complete.
    memory : str or int, optional
        How much memory the run may take, about, such as ``"4GB"``; not given: half of what is free.
    seed : int, optional
        For experiments: whoever knows or guesses it can repeat what was random, and the result says so.
    secret : path, bytes or Secret, optional
        Repeats a run: its ``confidential/secret.txt``, or 32 bytes; not given: one is drawn.
    key : path, bytes or Key, optional
        What pseudonyms come from: the ``confidential/key.txt`` of an earlier result, or 32 bytes; not given: one is drawn.
    format : str, optional
        The format of the release, CSV or Parquet (default: that of the files).
    report : bool, default False
        Add a page to read to each folder, and the assessment.
    overwrite : bool, default False
        Replace an earlier result of ours.
    escape_formulas : bool, default False
        Put a single quote before cells of a CSV that a spreadsheet would run as formulas.
    allow_unsatisfied : bool, default False
        Save a release that fails its requirements, marked as such.
    progress : callable, optional
        ``progress(fraction, message)`` is called between steps; it stops the work by returning False or raising.

    Returns
    -------
    CountedResult
        What is known of the release: verification, guarantees, assessment, mapping and groups. The data are in the folder.

    Notes
    -----
    The release is that of :func:`ontomask.anonymize`, byte for byte in a CSV. In memory are the combinations of values of the
    columns that are masked or that a model looks at, not the records. Where they are millions, DuckDB counts them on disk (the
    extra ``stream``). A random order of records, and methods that decide by record, such as rank swapping, take some integers
    for each record. Methods that make several releases are refused.

    Examples
    --------
    >>> import ontomask as om, pathlib, polars as pl, tempfile
    >>> place = pathlib.Path(tempfile.mkdtemp())
    >>> pl.DataFrame({"age": [30, 30, 52, 52]}).write_parquet(place / "stays.parquet")
    >>> policy = om.Policy(attributes={"age": om.Numeric()}, method=om.Suppression(k=2), row_order="kept")
    >>> om.anonymize_files(place / "stays.parquet", policy, place / "result")
    <CountedResult: 4 records, 2 groups>
    >>> om.verify_result(place / "result").holds
    True
    """
    policy, target, allowed = require_policy(policy), as_path(folder), memory_of(memory)
    chosen_key, hidden = None if key is None else Key.of(key), chosen_secret(seed, secret)
    reporter = Reporter(progress)
    named = states_of(policy.named_files())
    inputs = [*files_of(path), *inputs_of(policy, None, chosen_key)]
    with appearing(target, overwrite=overwrite, inputs=inputs) as part:
        for name in PARTS:
            create_folder(part / name)
        reporter(0.0, "looking at the files")
        rows = max(LEAST_ROWS, min(ROWS, allowed // (8 * ROW_BYTES)))
        block = max(LEAST_BLOCK, min(BLOCK, allowed // BLOCKS))
        table = TableChunks(path, policy.attributes, policy.reading, rows_at_once=rows, block=block)
        place = _place(part, table, format, escape_formulas)
        engine = StreamEngine(table, place, policy, hidden, chosen_key, memory=allowed, named=named)
        found = engine.run(stretch(reporter, 0.1, 0.8), allow_unsatisfied=allow_unsatisfied)
        assert isinstance(found, CountedResult)
        for told in formulas_noted(engine.formulas) if place.format.text else ():
            warnings.warn(str(told), OntomaskWarning, stacklevel=2)
        if report:
            found.assess(stretch(reporter, 0.8, 0.95))
        if not found.satisfied:
            place.file.rename(place.file.with_name(f"release-NOT-SATISFIED{place.file.suffix}"))
        released = next(iter((part / PARTS[0]).iterdir()))
        reporter(0.95, "writing")
        fill(found, part, [released], report=report, escape=escape_formulas)
    reporter(1.0, "done")
    return found.verified(folder=target, file=target / PARTS[0] / released.name)


def _place(part: Path, table: TableChunks, format: str | None, escape: bool) -> Place:
    """Where the release and what belongs to it are written; an error if its format cannot be written in chunks."""
    name = format or ("parquet" if table.format.name == "parquet" else "csv")
    if name not in FORMATS:
        raise OptionError(f"format={name!r} is not written in chunks", remedy=f"Choose one of {', '.join(FORMATS)}.")
    chosen = chosen_format(part, name, written=True)
    if escape and not chosen.text:
        raise OptionError(
            (Keyword("escape_formulas", "True"), " is for CSV files"),
            remedy=f"Leave it out: text is text in the format {chosen.name!r}.",
        )
    confidential = part / PARTS[1]
    file = part / PARTS[0] / f"release{chosen.suffixes[0]}"
    return Place(file, chosen, confidential / "records.csv", confidential / "spill", escape)
