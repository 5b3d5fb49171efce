"""What every engine must do: its release is that of ``om.anonymize``, byte by byte, and so is all that is said of it.

A new engine joins the list ``ENGINES``. The toy engine beside the one in memory never has more than one chunk of records at
hand. It says only how chunks are read and written.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import ontomask as om
from ontomask.engines.chunks import ChunkEngine
from ontomask.engines.counted_result import CountedResult
from ontomask.engines.engine import Outcome
from ontomask.engines.memory import MemoryEngine
from ontomask.engines.steps import RecordStep
from ontomask.engines.stream import Place, StreamEngine
from ontomask.errors import NotSatisfied, OntomaskError, PolicyError
from ontomask.kinds.registry import KINDS
from ontomask.masking.goals import Goals
from ontomask.masking.method import TupleMethod
from ontomask.masking.randomness import Secret
from ontomask.microdata.formats import FORMATS
from ontomask.microdata.keys import Key
from ontomask.microdata.table_chunks import TableChunks
from ontomask.policy.policy import METHODS
from ontomask.progress import silent
from ontomask.release.guarantees import NOT_TRIED
from tests.places import areas_file
from tests.spark.session import collected, spark_frame

KEY = Key.of(bytes(range(32)))


class ToyEngine(ChunkEngine):
    """Reads slices of a frame and writes to a list."""

    def __init__(
        self, whole: pl.DataFrame, size: int, policy: om.Policy, secret: Secret, key: Key | None = None
    ) -> None:
        super().__init__(policy, secret, key)
        self.whole, self.size, self.parts = whole, size, list[pl.DataFrame]()

    def chunks(self) -> Iterable[pl.DataFrame]:
        return self.whole.iter_slices(self.size)

    def write_chunk(self, chunk: pl.DataFrame) -> None:
        self.parts.append(chunk)

    def written(self) -> Iterable[pl.DataFrame]:
        return self.parts

    def discard(self) -> None:
        self.parts.clear()


def in_memory(frame: pl.DataFrame, policy: om.Policy, seed: int) -> tuple[Outcome, bytes]:
    result = MemoryEngine(frame, policy, Secret.of_seed(seed), KEY).run(allow_unsatisfied=True)
    return result, result.data.write_csv().encode()


def in_chunks(frame: pl.DataFrame, policy: om.Policy, seed: int) -> tuple[Outcome, bytes]:
    engine = ToyEngine(frame, 3 + len(frame) * (seed + 1) % 37, policy, Secret.of_seed(seed), KEY)
    release = engine.run(allow_unsatisfied=True)
    texts = [part.write_csv(include_header=place == 0) for place, part in enumerate(engine.parts)]
    return release, "".join(texts).encode()


def streamed(frame: pl.DataFrame, policy: om.Policy, seed: int) -> tuple[Outcome, bytes]:
    with TemporaryDirectory() as name:
        folder = Path(name)
        size = 3 + len(frame) * (seed + 1) % 37
        frame.write_parquet(folder / "t.parquet", row_group_size=size)
        table = TableChunks(folder / "t.parquet", policy.attributes, policy.reading, rows_at_once=size)
        file = folder / "release.parquet"
        place = Place(file, FORMATS["parquet"], folder / "records.csv", folder / "spill")
        engine = StreamEngine(table, place, policy, Secret.of_seed(seed), KEY, memory=10**9, named={})
        release = engine.run(allow_unsatisfied=True)
        assert isinstance(release, CountedResult)
        notes = [note for note in release.notes if note not in table.notes]
        verification = release.verification.on("frame")
        listed = folder / "records.csv"
        assert listed.exists() == (release.released_records < len(frame))
        return replace(release, notes=notes, verification=verification), pl.read_parquet(file).write_csv().encode()


#: Each masks a frame as the policy says, with a seed, and gives what is known of the release, and its CSV.
ENGINES = [in_memory, in_chunks, streamed]

CODES = ["428.0", "428.1", "486", "481", "482.9", "250.00", "250.01", "Lumbago", "724.2"]
ATTRIBUTES = {
    "name": om.Identifier(),
    "patient": om.Identifier(keep="pseudonym"),
    "age": om.Numeric(top=24, bottom=20),
    "weight": om.Numeric(),
    "grade": om.Ordinal(order=["low", "middle", "high"], missing="category"),
    "job": om.Flat(missing="category"),
    "code": om.Nominal(taxonomy="icd9cm"),
    "ill": om.Flat(role="sensitive"),
    "diagnosis": om.Nominal(taxonomy="icd9cm", role="sensitive"),
    "pay": om.Numeric(role="sensitive", missing="drop_record", top=0.5),
    "stay": om.Numeric(role="other", top=30),
    "note": om.Flat(role="other"),
    "seen": om.Date(earliest="2020-02-01"),
    "left": om.Date(role="other", format="%d/%m/%Y", latest="2020-03-01"),
    "zip": om.Place(areas_file(), role="other", missing="category"),
}
GRADES = pl.Enum(["low", "middle", "high", "highest"])
ADAPTIVE = {"partition": "adaptive"}
METHODS_BY_TUPLE = [
    om.Suppression(k=2),
    om.Recoding(k=3),
    om.Recoding(k=3, guide="discernibility"),
    om.Recoding(k=4, guide="random"),
    om.Recoding(k=2, guide="random", order="alphabetical"),
    om.Microaggregation(k=3),
    om.Microaggregation(k=3, **ADAPTIVE),
    om.Microaggregation(k=2, numeric_centre="median", centroid="lcs", **ADAPTIVE),
    om.Microaggregation.preset("sa_mdav_static", k=4),
    om.Generalization(),
    om.Generalization(suppression_limit=0.2, loss="semantic"),
    om.Generalization(search="strategy", strategy=[{}, {"job": 1}, {"job": 1, "grade": 9, "code": 9, "age": 9}]),
]
REQUIRED = [
    [om.KAnonymity(k=3)],
    [om.KAnonymity(k=2), om.LDiversity(l=2, attribute="ill")],
    [om.TCloseness(t=0.6, attribute="pay", ground="ordered"), om.LDiversity(l=1.5, variant="entropy")],
    [om.LDiversity(l=2, attribute="diagnosis"), om.TCloseness(t=0.7, attribute="diagnosis", ground="hierarchical")],
    [om.KmAnonymity(k=3, m=1), om.TCloseness(t=0.8, attribute="ill")],
]
QUASI = [
    ["grade", "job"],
    ["job", "code"],
    ["grade", "job", "code"],
    ["age", "job"],
    ["age", "weight", "grade"],
    ["seen", "job"],
]


def frame(rng: np.random.Generator) -> pl.DataFrame:
    n = int(rng.integers(20, 120))
    made = pl.DataFrame(
        {
            "name": [f"n{i}" for i in range(n)],
            "patient": [f"p{i // 2}" for i in range(n)],
            "age": rng.integers(20, 26, n),
            "weight": rng.integers(100, 104, n) / 2,
            "grade": rng.choice(["low", "middle", "high"], n),
            "job": rng.choice(["cook", "nurse", "pilot"], n),
            "code": rng.choice(CODES, n),
            "ill": rng.choice(["flu", "Flu ", "gout", "ulcer", "NA"], n),
            "diagnosis": rng.choice(CODES, n),
            "pay": rng.integers(1, 5, n) * 0.5 - 1,
            "stay": rng.integers(0, 31 + 5 * int(rng.integers(2)), n),
            "note": rng.choice(["x", "y", "=z"], n),
            "seen": [f"2020-{month:02d}-15" for month in rng.integers(1, 6, n)],
            "left": [f"15/0{month}/2020" for month in rng.integers(1, 6, n)],
            "site": rng.choice(["north", "south"], n),
            "zip": [(None, "01001", "01002", "021", "020")[i * i % 5] for i in range(n)],
        }
    )
    gaps = {name: pl.Series(rng.random(n) < 0.1) for name in ("grade", "job", "pay", "note")}
    made = made.with_columns(pl.when(~gap).then(pl.col(name)).alias(name) for name, gap in gaps.items())
    return made.with_columns(pl.col("grade").cast(GRADES)) if n % 2 else made


def policy_of(method: TupleMethod, case: int) -> om.Policy:
    quasi = QUASI[case % len(QUASI)]
    if isinstance(method, om.Microaggregation) and method.partition == "auto":
        quasi = QUASI[case % 3]  # with a column of numbers it would decide by record
    if isinstance(method, om.Generalization) and method.strategy is not None:
        levels = [{name: level for name, level in step.items() if name in quasi} for step in method.strategy]
        method = method.changed(strategy=levels)
    other = {name: "other" for name, a in ATTRIBUTES.items() if a.role == "quasi" and name not in quasi}
    attributes = {name: a.changed(role=other[name]) if name in other else a for name, a in ATTRIBUTES.items()}
    required = REQUIRED[(case + case // len(QUASI)) % len(REQUIRED)]  # another one for the same columns
    if isinstance(method, om.Generalization) and method.suppression_limit:
        required = [model for model in required if not isinstance(model, om.KmAnonymity)]
    unlisted = ("other", "drop")[case % 2]
    return om.Policy(attributes=attributes, method=method, require=required, row_order="kept", unlisted=unlisted)


def outcome_of(run: Callable[[], Any]) -> Any:
    try:
        return run()
    except OntomaskError as problem:
        return f"{type(problem).__name__}: {problem}"


@cache
def expected_of(place: int, case: int) -> tuple[pl.DataFrame, om.Policy, Any]:
    whole, policy = frame(np.random.default_rng([case, 19])), policy_of(METHODS_BY_TUPLE[place], case)
    return whole, policy, outcome_of(lambda: om.anonymize(whole, policy, seed=case, key=KEY, allow_unsatisfied=True))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", range(10))
@pytest.mark.parametrize("place", range(len(METHODS_BY_TUPLE)), ids=lambda place: repr(METHODS_BY_TUPLE[place]))
def test_the_release_is_that_of_anonymize(engine: Callable[..., Any], place: int, case: int) -> None:
    whole, policy, expected = expected_of(place, case)
    outcome = outcome_of(lambda: engine(whole, policy, case))
    if isinstance(expected, str) or isinstance(outcome, str):
        assert outcome == expected
        return
    found, content = outcome
    assert content == expected.data.write_csv().encode()
    for mine, theirs in zip(found.verification, expected.verification, strict=True):
        assert mine.violations.equals(theirs.violations)
    assert_same_is_said(found, expected)


def assert_same_is_said(found: Any, expected: Any) -> None:
    """Findings, notes and guarantees are those of ``om.anonymize``, but for record linkage, which has all records in memory."""
    assert [str(finding) for finding in found.verification] == [str(finding) for finding in expected.verification]
    assert found.notes == expected.notes
    assert any(statement.subject == "patient" for statement in found.notes)
    own = [s for s in found.guarantees if s != NOT_TRIED and s.kind != "tried"]
    assert own == [s for s in expected.guarantees if s.kind != "tried"]


#: Methods that decide by record, with the policies of several cases.
METHODS_BY_RECORD = [
    om.Microaggregation(k=3),
    om.Microaggregation(k=3, partition="mdav", refine="none"),
    om.Microaggregation(k=3, replace="hybrid"),
    om.Resampling(k=3),
    om.RankSwapping(k=10),
    om.Shuffling(),
    om.NoiseAddition(),
    om.PRAM(),
]


@pytest.mark.parametrize("case", range(4))
@pytest.mark.parametrize("method", METHODS_BY_RECORD, ids=repr)
def test_a_method_that_decides_by_record_gives_the_release_of_anonymize(method: Any, case: int) -> None:
    whole = frame(np.random.default_rng([case, 19]))
    required = [] if method.draws else REQUIRED[case]
    policy = policy_of(om.Recoding(k=3), 2 + case).changed(method=method, require=required)
    outcomes = [outcome_of(lambda e=e: e(whole, policy, case)) for e in (in_memory, in_chunks)]
    if isinstance(outcomes[0], str) or isinstance(outcomes[1], str):
        assert outcomes[0] == outcomes[1]
        return
    (expected, content), (found, chunks) = outcomes
    assert chunks == content
    assert_same_is_said(found, expected)


# ---- Spark: records in any order, in any partitions ----------------------------------------------------------------------

#: Every method, with all kinds of columns between them.
ON_SPARK = [(0, 3, 1), (1, 2, 3), (5, 5, 2), (10, 0, 2)]


def in_order_of_values(whole: pl.DataFrame, policy: om.Policy) -> pl.DataFrame:
    """The records in the order of what a run looks at, then of all they hold, missing values first."""
    looked_at = {name for model in policy.require for name in model.sensitive_columns(policy.attributes)}
    names = [name for name in whole.columns if name in looked_at.union(policy.studied, policy.quasi_identifiers)]
    place = pl.int_range(len(whole), dtype=pl.Int64).alias("place")
    step = RecordStep(policy, [name for name in whole.columns if name != "name"])
    others = [name for name in whole.columns if name not in names]
    kept = step(whole.with_columns(place)).sort(*names, *others, nulls_last=False)["place"]
    left_out = pl.Series("place", sorted(set(range(len(whole))) - set(kept.to_list())), dtype=pl.Int64)
    return whole[pl.concat([kept, left_out])]


@pytest.mark.spark
@pytest.mark.parametrize(("place", "case", "partitions"), ON_SPARK)
def test_the_release_on_spark_is_that_of_records_in_the_order_of_their_values(
    spark: Any, place: int, case: int, partitions: int
) -> None:
    assert_same_on_spark(spark, policy_of(METHODS_BY_TUPLE[place], case), case, partitions)


@pytest.mark.spark
@pytest.mark.parametrize(
    ("method", "case", "partitions"),
    [
        (om.Microaggregation(k=3), 3, 2),
        (om.Microaggregation(k=3, partition="mdav", refine="none"), 4, 3),
        (om.NoiseAddition(), 4, 1),
        (om.RankSwapping(k=10), 3, 3),
    ],
    ids=repr,
)
def test_so_it_is_where_records_of_one_kind_go_into_several_groups(
    spark: Any, method: Any, case: int, partitions: int
) -> None:
    policy = policy_of(om.Recoding(k=3), case).changed(method=method, require=[])
    assert_same_on_spark(spark, policy, case, partitions)


def assert_same_on_spark(spark: Any, policy: om.Policy, case: int, partitions: int) -> None:
    whole = frame(np.random.default_rng([case, 19])).cast({pl.Enum: pl.String})
    ordered = in_order_of_values(whole, policy)
    expected = om.anonymize(ordered, policy, seed=case, key=KEY, allow_unsatisfied=True)
    table = spark_frame(spark, whole, partitions, seed=case)
    found = om.anonymize(table, policy, seed=case, key=KEY, allow_unsatisfied=True)
    data = collected(found.data)
    assert data.columns == expected.data.columns
    assert data.sort(data.columns).write_csv() == expected.data.sort(data.columns).write_csv()
    assert_same_is_said(found, expected)
    figures, theirs = found.assessment.to_dict(), expected.assessment.to_dict()
    about_others = {"readings", "notes", "disclosed", "figures"}  # also of sensitive columns that no model looks at
    assert len(figures) - len(about_others) > 10
    assert {name: figures[name] for name in figures.keys() - about_others} == {
        name: theirs[name] for name in theirs.keys() - about_others
    }
    for mine, other in zip(found.verification, expected.verification, strict=True):
        assert_frame_equal(mine.violations, other.violations, check_row_order=False)


def toy(method: Any, **settings: Any) -> ToyEngine:
    policy = policy_of(om.Recoding(k=2), 0)
    policy = policy.changed(method=method, **settings)
    return ToyEngine(frame(np.random.default_rng(1)), 7, policy, Secret.of_seed(1))


def test_what_is_refused_is_discarded() -> None:
    engine = toy(om.Suppression(k=2), require=[om.KmAnonymity(k=15, m=1)])
    with pytest.raises(NotSatisfied, match="the release is refused"):
        engine.run()
    assert engine.parts == []
    found = engine.run(allow_unsatisfied=True)
    assert engine.parts
    assert found.guarantees[0].kind == "failed"


def test_what_is_not_a_pseudonym_is_found_in_what_was_written() -> None:
    engine = toy(om.Suppression(k=1), require=[])

    def write_raw(chunk: pl.DataFrame) -> None:
        engine.parts.append(chunk.with_columns(patient=pl.lit("p7")) if len(engine.parts) == 2 else chunk)

    engine.write_chunk = write_raw  # type: ignore[method-assign]
    found = engine.run(allow_unsatisfied=True)
    assert "values are left that are not pseudonyms: patient" in found.guarantees[0].text
    assert found.key is not None


def test_a_small_area_is_found_in_what_was_written() -> None:
    engine = toy(om.Suppression(k=1), require=[])
    engine.write_chunk = lambda chunk: engine.parts.append(chunk.with_columns(zip=pl.lit("01001")))  # type: ignore[method-assign]
    found = engine.run(allow_unsatisfied=True)
    assert "1 value of 'zip'" in found.guarantees[0].text


def test_dates_may_all_be_missing_in_a_chunk() -> None:
    whole = pl.DataFrame({"job": ["cook", "pilot"] * 4, "seen": [*[None] * 4, *["2020-01-02"] * 4]})
    policy = om.Policy(
        attributes={"job": om.Flat(), "seen": om.Date(missing="category")}, method=om.Suppression(k=2), row_order="kept"
    )
    engine = ToyEngine(whole, 4, policy, Secret.of_seed(1))
    engine.run()
    assert pl.concat(engine.parts).equals(whole)


def test_dates_are_written_in_the_form_that_most_of_them_have_in_all_chunks() -> None:
    whole = pl.DataFrame(
        {
            "patient": list("abcdefgh"),
            "job": ["cook", "pilot"] * 4,
            "left": [None, None, "2020-01-02", *(f"{day}.03.2020" for day in range(11, 16))],
        }
    )
    policy = om.Policy(
        attributes={
            "patient": om.Identifier(keep="pseudonym"),
            "job": om.Flat(),
            "left": om.Date(role="other", missing="category", latest="2020-03-15"),
        },
        method=om.Suppression(k=2),
        row_order="kept",
    )
    assert in_chunks(whole, policy, 2)[1] == in_memory(whole, policy, 2)[1]


def test_steps_can_be_sent_to_other_processes() -> None:
    engine = toy(om.Recoding(k=2))
    engine.run(allow_unsatisfied=True)
    chunk = next(iter(engine.chunks()))
    step = engine.release_step(engine.mask(Goals.none(engine.original.table.rows), np.random.default_rng(1), silent)[0])
    copy = pickle.loads(pickle.dumps(step))
    assert copy(chunk).equals(step(chunk))
    assert copy.records.notes == step.records.notes
    step.records.add(copy.records)
    assert [str(note) for note in step.records.notes] != [str(note) for note in copy.records.notes]


def test_linkage_that_was_not_tried_is_said() -> None:
    found = toy(om.Suppression(k=1), require=[]).run(allow_unsatisfied=True)
    assert NOT_TRIED in found.guarantees


def test_records_that_are_not_in_memory_are_not_shuffled_or_released_several_times() -> None:
    with pytest.raises(PolicyError, match="cannot be shuffled"):
        toy(om.Recoding(k=2), row_order="shuffled")
    with pytest.raises(PolicyError, match="several releases"):
        toy(om.Imputation(m=3), require=[]).run()


def test_every_method_by_tuple_and_every_kind_is_tried() -> None:
    by_tuple = {kind for kind in METHODS.values() if issubclass(kind, TupleMethod)}
    assert {type(method) for method in METHODS_BY_TUPLE} == by_tuple
    assert {type(attribute) for attribute in ATTRIBUTES.values()} == set(KINDS)
    assert {name for names in QUASI for name in names} == {n for n, a in ATTRIBUTES.items() if a.role == "quasi"}
