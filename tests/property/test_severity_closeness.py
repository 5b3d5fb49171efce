"""t-closeness on severity numbers against SciPy's Wasserstein distance, on thousands of small tables."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import polars as pl
import pytest
from scipy.stats import wasserstein_distance

import ontomask as om
from ontomask.privacy.examined import Examined
from ontomask.privacy.units import RECORDS
from tests.oracle import plain_models as twin
from tests.property.test_models import severities

Row = Mapping[str, Any]
Drawn = tuple[random.Random, om.Severity, twin.PlainSeverity, tuple[str, ...], list[Row]]


def figure(
    plain: twin.PlainSeverity, part: Sequence[Row], whole: Sequence[Row], columns: Sequence[str], kinds: Sequence[int]
) -> float:
    """The farthest over m and over every column and, where there are several, the records: over N_max."""
    found = []
    for m in kinds:
        of = [lambda row, c=c, m=m: plain.number(c, row[c], m) for c in columns]
        if len(columns) > 1:
            of.append(lambda row, m=m: max(plain.number(c, row[c], m) for c in columns))
        found += [wasserstein_distance([f(row) for row in part], [f(row) for row in whole]) for f in of]
    return max(found) / plain.largest


def drawn(seed: int, tables: int = 10) -> Iterator[Drawn]:
    """A definition, which takes its time to be worked out, and several tables for it."""
    chance = random.Random(seed)
    columns = chance.choice((("s",), ("s", "z")))
    real, plain = severities(chance, columns)
    for _ in range(tables):
        n = chance.choice((1, 2, 4, 8, 15, 30))
        letters = "pqrstuvw"[: chance.randint(1, 8)]
        rows = [{"q": chance.randrange(4), **{c: chance.choice([*letters, None]) for c in columns}} for _ in range(n)]
        yield chance, real, plain, columns, rows


def frame_of(rows: Sequence[Row], columns: Sequence[str]) -> pl.DataFrame:
    return pl.DataFrame(
        {"q": [row["q"] for row in rows], **{c: pl.Series([row[c] for row in rows], dtype=pl.String) for c in columns}}
    )


def by_class(rows: Sequence[Row]) -> dict[Any, list[Row]]:
    return {q: [row for row in rows if row["q"] == q] for q in {row["q"] for row in rows}}


def test_every_class_is_as_far_as_scipy_says() -> None:
    for seed, (chance, real, plain, columns, rows) in enumerate(chain.from_iterable(map(drawn, range(150)))):
        m = chance.choice((None, 1, 2, 3))
        t = chance.choice((0, 0.1, 0.25, 0.5, 1))
        model = om.SeverityCloseness(t=t, severity=real, middle_class=m)  # type: ignore[arg-type]
        found = model.check(frame_of(rows, columns), ["q"])
        kinds = [m] if m else [1, 2, 3]
        expected = {q: figure(plain, some, rows, columns, kinds) for q, some in by_class(rows).items()}
        assert found.worst == pytest.approx(max(expected.values()), abs=1e-12), seed
        failing = {q for q, far in expected.items() if far > t + 1e-9}
        close = {q for q, far in expected.items() if abs(far - t) <= 1e-9}  # exactly t holds
        assert set(found.violations["q"]) == failing, (seed, close)
        assert found.records == sum(row["q"] in failing for row in rows)
        for row in found.violations.iter_rows(named=True):
            assert row["distance"] == pytest.approx(expected[row["q"]], abs=1e-12)


def test_a_release_is_measured_from_the_original() -> None:
    """Records are gone, and the values of columns have changed places, as after suppression and shuffling."""
    for seed, (chance, real, plain, columns, rows) in enumerate(chain.from_iterable(map(drawn, range(1_000, 1_050)))):
        kept = [row for row in rows if chance.random() < 0.8] or rows[:1]
        moved = {c: chance.sample([row[c] for row in kept], len(kept)) for c in columns}
        release = [{"q": row["q"], **{c: moved[c][i] for c in columns}} for i, row in enumerate(kept)]
        model = om.SeverityCloseness(t=0.3, severity=real)
        original, masked = frame_of(rows, columns), frame_of(release, columns)
        found = model.check_table(Examined(masked, ["q"], {}, RECORDS), Examined(original, ["q"], {}, RECORDS))
        expected = [figure(plain, some, rows, columns, [1, 2, 3]) for some in by_class(release).values()]
        assert found.worst == pytest.approx(max(expected), abs=1e-12), seed
        assert "from the original table" in found.text


def test_what_holds_holds_for_more_general_tables() -> None:
    held = 0
    for seed, (chance, real, _, columns, rows) in enumerate(chain.from_iterable(map(drawn, range(2_000, 2_050)))):
        model = om.SeverityCloseness(t=chance.choice((0.1, 0.2, 0.3, 0.4)), severity=real)
        frame = frame_of(rows, columns)
        joined = {value: chance.randrange(3) for value in range(4)}
        before, after = (
            model.check(table, ["q"]) for table in (frame, frame.with_columns(pl.col("q").replace_strict(joined)))
        )
        assert after.worst <= before.worst + 1e-12, seed
        held += before.holds and frame["q"].n_unique() > 1
        assert after.holds or not before.holds
    assert held > 25
    assert model.monotone(suppressing=False)
    assert not model.monotone(suppressing=True)


def test_a_search_finds_what_satisfies() -> None:
    """Full-domain generalization and microaggregation aim at it; what comes out is judged by SciPy."""
    moved = 0
    for seed, (chance, real, plain, columns, rows) in enumerate(chain.from_iterable(map(drawn, range(3_000, 3_005)))):
        if len(rows) < 4:
            continue
        t = chance.choice((0.05, 0.1, 0.2))
        roles: dict[str, Any] = {c: om.Flat(role="sensitive") for c in columns}
        method = chance.choice(
            (om.Generalization(), om.Generalization(suppression_limit=0.4), om.Microaggregation(k=2))
        )
        policy = om.Policy(
            attributes={"q": om.Numeric(), **roles},
            method=method,
            require=[om.KAnonymity(k=2), om.SeverityCloseness(t=t, severity=real)],
        )
        result = om.anonymize(frame_of(rows, columns), policy)
        classes = by_class(result.data.to_dicts())
        far = [figure(plain, some, rows, columns, [1, 2, 3]) for some in classes.values()]
        assert max(far) <= t + 1e-9, seed
        moved += not result.data["q"].cast(pl.String).equals(pl.Series("q", [str(row["q"]) for row in rows]))
    assert moved > 8
