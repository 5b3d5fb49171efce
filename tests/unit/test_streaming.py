"""Files that do not fit into memory: the bytes of a run in memory, what is saved, limits of memory, and what goes wrong."""

from __future__ import annotations

import errno
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask.engines import streaming
from ontomask.engines.combinations import Combinations
from ontomask.errors import DataError, NotSatisfied, OntomaskWarning, OptionError, OutputError, PolicyError
from ontomask.microdata.table_chunks import TableChunks
from ontomask.release.result_folder import read_manifest

CODES = ["428.0", "428.1", "486", "481", "250.00", "724.2"]


def table(n: int = 300) -> pl.DataFrame:
    rng = np.random.default_rng(n)
    return pl.DataFrame(
        {
            "patient": [f"p{i // 2}" for i in range(n)],
            "code": rng.choice(CODES, n),
            "age": rng.integers(20, 24, n),
            "ill": rng.choice(["flu", "gout", "ulcer"], n),
            "zip": [f"0{i % 7}" for i in range(n)],
            "pay": [None if i % 11 == 0 else i / 4 for i in range(n)],
        }
    )


def policy(**changed: Any) -> om.Policy:
    made = om.Policy(
        attributes={
            "patient": om.Identifier(keep="pseudonym"),
            "code": om.Nominal("icd9cm"),
            "age": om.Numeric(),
            "ill": om.Flat(role="sensitive"),
            "zip": om.Flat(role="other"),
            "pay": om.Numeric(role="other", missing="drop_record"),
        },
        method=om.Recoding(k=3),
        require=[om.KAnonymity(k=3)],
        row_order="kept",
    )
    return made.changed(**changed)


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    class Small(TableChunks):
        def __init__(self, *given: Any, **options: Any) -> None:
            super().__init__(*given, **{**options, "rows_at_once": 17, "block": 200})

    monkeypatch.setattr(streaming, "TableChunks", Small)


def stream(folder: Path, data: Path | str, chosen: om.Policy | None = None, **options: Any) -> Any:
    options = {"seed": 1, "key": bytes(range(32))} | options
    return om.anonymize_files(data, chosen or policy(), folder / "result", **options)


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    ("suffix", "chosen"),
    [
        ("csv", policy()),
        ("parquet", policy()),
        ("csv", policy(method=om.Microaggregation(k=3))),
        ("csv", policy(method=om.RankSwapping(k=20), require=[])),
        ("csv", policy(row_order="shuffled")),
        ("parquet", policy(method=om.Microaggregation(k=3), row_order="shuffled")),
    ],
    ids=["csv", "parquet", "groups of records", "moved values", "shuffled", "groups of records, shuffled"],
)
def test_the_folder_of_a_run_in_memory(tmp_path: Path, suffix: str, chosen: om.Policy) -> None:
    data = tmp_path / f"t.{suffix}"
    table().write_csv(data) if suffix == "csv" else table().write_parquet(data)
    found = stream(tmp_path, data, chosen, report=True)
    expected = om.anonymize(data, chosen, seed=1, key=bytes(range(32)))
    expected.save(tmp_path / "memory", report=True)
    one, other = tmp_path / "result", tmp_path / "memory"
    assert left_in(one / "release") == left_in(other / "release")
    assert left_in(one / "confidential") == left_in(other / "confidential")
    for name in (
        "release/guarantees.txt",
        "confidential/mapping.csv",
        "confidential/groups.csv",
        "confidential/records.csv",
    ):
        assert (one / name).read_text() == (other / name).read_text(), name
    if suffix == "csv":
        assert (one / "release/release.csv").read_bytes() == (other / "release/release.csv").read_bytes()
    else:
        assert pl.read_parquet(one / "release/release.parquet").equals(expected.data)
    manifests = [read_manifest(place / "confidential/manifest.json") for place in (one, other)]
    for manifest in manifests:
        assert manifest is not None
        manifest.pop("files")
    assert manifests[0] == manifests[1]
    assert om.verify_result(one).holds
    assert found.file == one / "release" / f"release.{suffix}"
    assert found.released_records == len(expected.records) < found.given == 300
    for name, value in expected.assessment.loss.values.items():
        assert found.assessment.loss.values[name] == pytest.approx(value), name
    assert found.assessment.linkage == pytest.approx(expected.assessment.linkage)
    assert any("which values of ill classes disclose" in text for text in found.assessment.notes)
    again = om.assess(data, found.file, chosen)
    assert again.loss.information_loss == pytest.approx(found.assessment.loss.information_loss)
    mode = (one / "release" / f"release.{suffix}").stat().st_mode
    assert mode == (other / "release" / f"release.{suffix}").stat().st_mode


def test_several_files_are_one_table(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    for number, part in enumerate(table().iter_slices(100)):
        part.write_csv(data / f"part{number}.csv")
    table().write_csv(tmp_path / "t.csv")
    stream(tmp_path, f"{data}/*.csv")
    om.anonymize(tmp_path / "t.csv", policy(), seed=1, key=bytes(range(32))).save(tmp_path / "memory")
    released = [(tmp_path / name / "release/release.csv").read_bytes() for name in ("result", "memory")]
    assert released[0] == released[1]
    manifest = json.loads((tmp_path / "result/confidential/manifest.json").read_text())
    assert list(manifest["input"]["files"]) == ["part0.csv", "part1.csv", "part2.csv"]
    assert manifest["input"]["records"] == 300


@pytest.mark.parametrize("row_order", ["kept", "shuffled"])
def test_combinations_that_are_counted_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row_order: str) -> None:
    table().write_csv(tmp_path / "t.csv")
    stream(tmp_path, tmp_path / "t.csv", policy(row_order=row_order))
    expected = (tmp_path / "result/release/release.csv").read_bytes()
    monkeypatch.setattr(Combinations.__init__, "__defaults__", (0,))
    stream(tmp_path, tmp_path / "t.csv", policy(row_order=row_order), overwrite=True)
    assert (tmp_path / "result/release/release.csv").read_bytes() == expected
    assert "spill" not in left_in(tmp_path / "result/confidential")


def test_one_column_in_random_order(tmp_path: Path) -> None:
    chosen = om.Policy(
        attributes={"ill": om.Flat(missing="drop_record")}, method=om.Suppression(k=2), row_order="shuffled"
    )
    pl.DataFrame({"ill": [f"a{i * i % 7}" if i % 5 else None for i in range(80)]}).write_csv(tmp_path / "t.csv")
    found = stream(tmp_path, tmp_path / "t.csv", chosen, key=None)
    expected = om.anonymize(tmp_path / "t.csv", chosen, seed=1)
    expected.save(tmp_path / "memory")
    for name in ("release/release.csv", "confidential/records.csv"):
        assert (tmp_path / "result" / name).read_bytes() == (tmp_path / "memory" / name).read_bytes()
    assert "spill" not in left_in(tmp_path / "result/confidential")
    assert found.released_records == len(expected.records)


def test_chunks_of_which_no_record_is_released_in_random_order(tmp_path: Path) -> None:
    chosen = om.Policy(
        attributes={"ill": om.Flat(missing="drop_record"), "n": om.Numeric(role="other")},
        method=om.Suppression(k=2),
        row_order="shuffled",
    )
    ill = [None] * 60 + [f"a{i}" for i in range(60)] + ["flu", "gout"] * 10
    pl.DataFrame({"ill": ill, "n": range(140)}).write_csv(tmp_path / "t.csv")
    found = stream(tmp_path, tmp_path / "t.csv", chosen, key=None)
    om.anonymize(tmp_path / "t.csv", chosen, seed=1).save(tmp_path / "memory")
    for name in ("release/release.csv", "confidential/records.csv"):
        assert (tmp_path / "result" / name).read_bytes() == (tmp_path / "memory" / name).read_bytes()
    assert found.released_records == 20


def test_one_column_with_missing_values_and_formulas(tmp_path: Path) -> None:
    chosen = om.Policy(attributes={"ill": om.Flat(missing="category")}, method=om.Suppression(k=2), row_order="kept")
    pl.DataFrame({"ill": ["=a", None, "=a", None, " ", " "]}).write_parquet(tmp_path / "t.parquet")
    for escape in (False, True):
        saved: dict[str, Any] = {"format": "csv", "escape_formulas": escape, "overwrite": True}
        in_memory = om.anonymize(tmp_path / "t.parquet", chosen, seed=1)
        with nullcontext() if escape else pytest.warns(OntomaskWarning, match="2 cells of 'ill' as formulas"):
            stream(tmp_path, tmp_path / "t.parquet", chosen, key=None, **saved)
        with nullcontext() if escape else pytest.warns(OntomaskWarning, match="2 cells of 'ill' as formulas"):
            in_memory.save(tmp_path / "memory", **saved)
        released = [(tmp_path / name / "release/release.csv").read_bytes() for name in ("result", "memory")]
        assert released[0] == released[1]


def test_what_fails_is_refused_or_marked(tmp_path: Path) -> None:
    table().write_csv(tmp_path / "t.csv")
    failing = policy(require=[om.KmAnonymity(k=150, m=1)])
    with pytest.raises(NotSatisfied, match="the release is refused"):
        stream(tmp_path, tmp_path / "t.csv", failing)
    assert left_in(tmp_path) == ["t.csv"]
    found = stream(tmp_path, tmp_path / "t.csv", failing, allow_unsatisfied=True)
    assert not found.satisfied
    assert left_in(tmp_path / "result/release") == ["guarantees.txt", "release-NOT-SATISFIED.csv"]
    assert "NOT SATISFIED" in repr(found)


@pytest.mark.parametrize("role", ["other", "sensitive"])
def test_values_that_fit_no_column_are_refused_where_no_model_looks(tmp_path: Path, role: Any) -> None:
    chosen = om.Policy(
        attributes={"ill": om.Flat(), "x": om.Numeric(role=role)}, method=om.Suppression(k=2), row_order="kept"
    )
    pl.DataFrame({"ill": ["flu", "gout"] * 40, "x": ["486"] * 79 + ["30 or so"]}).write_csv(tmp_path / "t.csv")
    for run in (om.anonymize, lambda *given, **options: stream(tmp_path, *given, **options, key=None)):
        with pytest.raises(NotSatisfied, match="1 value of 'x' \\(1 record\\)"):
            run(tmp_path / "t.csv", chosen, seed=1)
    assert left_in(tmp_path) == ["t.csv"]
    stream(tmp_path, tmp_path / "t.csv", chosen, key=None, allow_unsatisfied=True)
    with pytest.warns(OntomaskWarning, match="1 value of 'x'"):
        om.anonymize(tmp_path / "t.csv", chosen, seed=1, allow_unsatisfied=True).save(tmp_path / "memory")
    for name in ("result", "memory"):
        assert left_in(tmp_path / name / "release") == ["guarantees.txt", "release-NOT-SATISFIED.csv"]
        manifest = read_manifest(tmp_path / name / "confidential/manifest.json")
        assert manifest is not None
        assert not manifest["satisfied"]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_mapping_shows_dates_as_the_release_does(tmp_path: Path, suffix: str) -> None:
    chosen = om.Policy(attributes={"day": om.Date(missing="category")}, method=om.Suppression(k=2), row_order="kept")
    data = pl.DataFrame({"day": [None] * 30 + ["13.03.2021", "02.01.2020"] * 20})
    file = tmp_path / f"t.{suffix}"
    data.write_csv(file, null_value='""') if suffix == "csv" else data.write_parquet(file)
    found, expected = stream(tmp_path, file, chosen, key=None), om.anonymize(file, chosen, seed=1)
    assert found.mapping["day (masked)"].to_list() == [None, "13.03.2021", "02.01.2020"]
    assert found.mapping.equals(expected.mapping)
    assert found.groups.equals(expected.groups)


def test_what_cannot_be_streamed(tmp_path: Path) -> None:
    table().write_csv(tmp_path / "t.csv")
    for chosen, says in (
        (policy(method=om.Imputation(m=2), require=[]), "makes several releases"),
        (policy(person="patient"), "persons are not counted|patients are not counted"),
    ):
        with pytest.raises(PolicyError, match=says):
            stream(tmp_path, tmp_path / "t.csv", chosen)
    with pytest.raises(OptionError, match="memory="):
        stream(tmp_path, tmp_path / "t.csv", memory="4 apples")
    with pytest.raises(OptionError, match="not written in chunks"):
        stream(tmp_path, tmp_path / "t.csv", format="excel")
    assert left_in(tmp_path) == ["t.csv"]


@pytest.mark.parametrize(
    ("given", "size"), [("4GB", 4 * 10**9), ("500 MB", 5 * 10**8), (10**9, 10**9), ("1.5g", 15 * 10**8)]
)
def test_sizes_of_memory(given: str | int, size: int) -> None:
    assert streaming.memory_of(given) == size


def test_large_tables_are_streamed_by_themselves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table().write_csv(tmp_path / "t.csv")
    assert not streaming.should_stream(tmp_path / "t.csv", policy())
    monkeypatch.setattr(streaming, "free_memory", lambda: 1000)
    assert streaming.should_stream(tmp_path / "t.csv", policy())
    assert streaming.should_stream(tmp_path / "t.csv", policy(row_order="shuffled"))
    assert streaming.should_stream(tmp_path / "t.csv", policy(method=om.RankSwapping(k=10)))
    assert not streaming.should_stream(tmp_path / "t.csv", policy(method=om.Imputation(m=2), require=[]))
    assert streaming.should_stream(tmp_path, policy())


# ---- what goes wrong -------------------------------------------------------------------------------------------------


def failing_after(calls: int, problem: Exception, real: Callable[..., Any]) -> Callable[..., Any]:
    left = [calls]

    def write(*given: Any, **options: Any) -> Any:
        left[0] -= 1
        if left[0] < 0:
            raise problem
        return real(*given, **options)

    return write


@pytest.mark.parametrize("calls", [0, 1, 5])
def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: int) -> None:
    table().write_csv(tmp_path / "t.csv")
    full = OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(pl.DataFrame, "write_csv", failing_after(calls, full, pl.DataFrame.write_csv))
    with pytest.raises(OutputError, match="the disk is full"):
        stream(tmp_path, tmp_path / "t.csv")
    assert left_in(tmp_path) == ["t.csv"]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_an_input_that_changes_meanwhile_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    data = tmp_path / f"t.{suffix}"

    def write(frame: pl.DataFrame) -> None:
        frame.write_csv(data) if suffix == "csv" else frame.write_parquet(data)

    write(table())
    real = streaming.StreamEngine.write_records

    def changing(engine: Any, step: Any) -> None:
        write(table().with_columns(pl.lit("486").alias("code")))
        real(engine, step)

    monkeypatch.setattr(streaming.StreamEngine, "write_records", changing)
    with pytest.raises(DataError, match="changed while it was read"):
        stream(tmp_path, data)
    assert left_in(tmp_path) == [data.name]


def test_a_file_that_is_added_meanwhile_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "data"
    data.mkdir()
    table().write_csv(data / "part0.csv")
    real = streaming.StreamEngine.write_records

    def adding(engine: Any, step: Any) -> None:
        table().write_csv(data / "part1.csv")
        real(engine, step)

    monkeypatch.setattr(streaming.StreamEngine, "write_records", adding)
    with pytest.raises(DataError, match=r"changed while it was read: there are more files \(part1\.csv\)"):
        stream(tmp_path, data)
    assert left_in(tmp_path) == ["data"]


def test_a_release_that_reads_back_otherwise_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table().write_csv(tmp_path / "t.csv")
    real = streaming.StreamEngine._opened_back

    def cut(engine: Any) -> Any:
        file = engine._place.file
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2].rpartition(b"\n")[0] + b"\n")
        return real(engine)

    monkeypatch.setattr(streaming.StreamEngine, "_opened_back", cut)
    with pytest.raises(DataError, match="does not read back as it was"):
        stream(tmp_path, tmp_path / "t.csv")
    assert left_in(tmp_path) == ["t.csv"]


RUN = """
import sys, time
import ontomask as om
from ontomask.engines.stream import StreamEngine
real = StreamEngine.write_records
def slow(engine, step):
    real(engine, step)
    print("written", flush=True)
    time.sleep(60)
if "slow" in sys.argv:
    StreamEngine.write_records = slow
policy = om.Policy(
    attributes={"code": om.Nominal("icd9cm"), "age": om.Numeric(role="other")},
    method=om.Recoding(k=3), require=[om.KAnonymity(k=3)], row_order="kept")
om.anonymize_files(sys.argv[1], policy, sys.argv[2], seed=1, memory="300MB", overwrite="again" in sys.argv)
import resource
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def child(*arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", RUN, *map(str, arguments)], stdout=subprocess.PIPE, text=True)


def test_a_run_that_is_killed_leaves_nothing_that_looks_finished(tmp_path: Path) -> None:
    data, place = tmp_path / "t.csv", tmp_path / "result"
    table().select("code", "age").write_csv(data)
    process = child(data, place, "slow")
    assert process.stdout is not None
    assert process.stdout.readline() == "written\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert not place.exists()
    (left,) = [path for path in tmp_path.iterdir() if path != data]
    assert left.name.startswith(".result.")
    assert left.stat().st_mode & 0o077 == 0
    chosen = policy(attributes={"code": om.Nominal("icd9cm"), "age": om.Numeric(role="other")})
    with pytest.raises(OutputError, match="an interrupted save left something behind"):
        stream(tmp_path, data, chosen, key=None)
    stream(tmp_path, data, chosen, key=None, overwrite=True)
    assert left_in(tmp_path) == ["result", "t.csv"]
    assert om.verify_result(place).holds


def test_memory_does_not_grow_with_the_table(tmp_path: Path) -> None:
    peaks = []
    for n in (20_000, 1_000_000):
        data = tmp_path / f"{n}.csv"
        rng = np.random.default_rng(n)
        codes = pl.Series("code", CODES).gather(rng.integers(0, len(CODES), n))
        frame = codes.to_frame().with_columns(age=rng.integers(0, 10**9, n))
        frame.write_csv(data)
        process = child(data, tmp_path / f"result{n}")
        told, _ = process.communicate(timeout=300)
        assert process.returncode == 0
        peaks.append(int(told) * 1024)
    # Measured: 27 MB more; in memory 213 MB more.
    assert peaks[1] - peaks[0] < 100_000_000, peaks


def test_records_that_are_wrong_are_named_as_they_stand_in_the_files(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    for number, wrong in enumerate(["3", "x"]):
        (data / f"part{number}.csv").write_text("age,ill\n" + "3,a\n" * 40 + f"{wrong},a\n")
    chosen = om.Policy(attributes={"age": om.Numeric(), "ill": om.Flat()}, method=om.Suppression(k=2))
    with pytest.raises(
        DataError, match=r"combinations of values, not records\. The first .* is record 82\. .* 41 of part1"
    ):
        stream(tmp_path, data, chosen, key=None)
    (data / "part0.csv").write_text("age,ill\n" + "3,a\n" * 20 + ",a\n" * 20)
    with pytest.raises(
        DataError, match=r"read up to record 39: there may be more behind\. Record 21 is record 21 of part0"
    ):
        stream(tmp_path, data, chosen, key=None)
