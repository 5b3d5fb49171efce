"""A table can be masked without its records in memory: a toy engine that never has more than one chunk of them at hand.

It counts the combinations of values that occur, masks their tuples, and goes through the records once more to write them. For
every method that decides by tuple, and every kind of column, its release is that of ``om.anonymize``, byte by byte, and
its findings are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import polars as pl
import pytest

import ontomask as om
from ontomask.arrays import Longs
from ontomask.errors import OntomaskError
from ontomask.masking.goals import Goals
from ontomask.masking.method import TupleMethod
from ontomask.masking.randomness import Secret, masking_generator
from ontomask.microdata.dtypes import only_what_cells_show, restore_dtype
from ontomask.microdata.encoding import Rows, apply_missing_rules, encode
from ontomask.policy.policy import METHODS
from ontomask.policy.verification import Verification, check_models
from ontomask.privacy.examined import Examined
from ontomask.privacy.units import Units
from ontomask.progress import silent
from ontomask.release.run import decode, shown_values

Chunks = Callable[[], Iterable[pl.DataFrame]]
NUMBER = "# of records"


class Engine:
    """Masks a table that ``read`` gives in chunks, as often as it is asked for it."""

    def __init__(self, read: Chunks, policy: om.Policy, seed: int) -> None:
        self.read, self.policy, self.secret = read, policy, Secret.of_seed(seed)
        looked_at = {name for model in policy.require for name in model.sensitive_columns(policy.attributes)}
        #: The columns whose combinations are counted: what the method masks, and what models look at.
        self.names = [name for name in policy.attributes if name in {*policy.studied, *looked_at}]

    def records(self) -> Iterator[pl.DataFrame]:
        """The records that stay, chunk by chunk, without identifiers."""
        listed = {name: a for name, a in self.policy.attributes.items() if a.role != "identifier"}
        for chunk in self.read():
            yield apply_missing_rules(chunk.select(*listed), listed, self.policy.studied, [])[0]

    def counted(self, chunks: Iterable[pl.DataFrame]) -> tuple[pl.DataFrame, Longs]:
        """The combinations that occur, in the order first seen, and their counts: what a database does with GROUP BY."""
        found = None
        for chunk in chunks:
            part = chunk.select(*self.names, pl.lit(1, dtype=pl.Int64).alias(NUMBER))
            both = part if found is None else pl.concat([found, part])
            found = both.group_by(self.names, maintain_order=True).agg(pl.col(NUMBER).sum())
        assert found is not None
        return found.drop(NUMBER), found[NUMBER].to_numpy()

    def run(self, write: Callable[[pl.DataFrame], Any], written: Chunks) -> Verification:
        policy, method = self.policy, self.policy.method
        data, counts = self.counted(self.records())
        original = Examined.of(data, policy.attributes, Units(counts=counts))
        table = encode(data, policy.attributes, [name for name in self.names if name in policy.studied], counts=counts)
        assert isinstance(method, TupleMethod)
        assert method.by_tuple(table)

        def located() -> Iterator[tuple[pl.DataFrame, Rows]]:
            """Each chunk with the tuples of its records."""
            for chunk in self.records():
                join: Any = {"on": self.names, "how": "left", "nulls_equal": True, "maintain_order": "left"}
                place = chunk.join(data.with_row_index(NUMBER), **join)[NUMBER].to_numpy()
                yield chunk, Rows(table.rows.tuple_of[place], table.p)

        for model in policy.require:
            model.require_enough(original)
        goals = Goals.of(policy.require, original, table.rows)
        rng = masking_generator(self.secret, table, lambda: (rows for _, rows in located()))
        masked = method.mask_tuples(goals, table, rng, silent)
        shown = [restore_dtype(values, data[values.name]) for values in shown_values(policy, table, masked.tuples)]
        for chunk, rows in located():
            write(only_what_cells_show(decode(chunk, masked.on(rows), shown)))
        released, counts = self.counted(written())
        promised = [om.KAnonymity(k=method.promised_k)] if method.promised_k > 1 else []
        models = [*promised, *(model for model in policy.require if model not in promised)]
        examined = Examined.of(released, policy.attributes, Units(counts=counts), original.meanings)
        return check_models(examined, models, policy, original, masked.tuples.diagnostics)


CODES = ["428.0", "428.1", "486", "481", "482.9", "250.00", "250.01", "Lumbago", "724.2"]
ATTRIBUTES = {
    "name": om.Identifier(),
    "age": om.Numeric(),
    "weight": om.Numeric(),
    "grade": om.Ordinal(order=["low", "middle", "high"], missing="category"),
    "job": om.Flat(missing="category"),
    "code": om.Nominal(taxonomy="icd9cm"),
    "ill": om.Flat(role="sensitive"),
    "diagnosis": om.Nominal(taxonomy="icd9cm", role="sensitive"),
    "pay": om.Numeric(role="sensitive", missing="drop_record"),
    "note": om.Flat(role="other"),
}
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
QUASI = [["grade", "job"], ["job", "code"], ["grade", "job", "code"], ["age", "job"], ["age", "weight", "grade"]]


def frame(rng: np.random.Generator) -> pl.DataFrame:
    n = int(rng.integers(20, 120))
    made = pl.DataFrame(
        {
            "name": [f"n{i}" for i in range(n)],
            "age": rng.integers(20, 26, n),
            "weight": rng.integers(100, 104, n) / 2,
            "grade": rng.choice(["low", "middle", "high"], n),
            "job": rng.choice(["cook", "nurse", "pilot"], n),
            "code": rng.choice(CODES, n),
            "ill": rng.choice(["flu", "Flu ", "gout", "ulcer", "NA"], n),
            "diagnosis": rng.choice(CODES, n),
            "pay": rng.integers(1, 5, n) * 0.5 - 1,
            "note": rng.choice(["x", "y", "z"], n),
        }
    )
    gaps = {name: pl.Series(rng.random(n) < 0.1) for name in ("grade", "job", "pay", "note")}
    return made.with_columns(pl.when(~gap).then(pl.col(name)).alias(name) for name, gap in gaps.items())


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
    return om.Policy(attributes=attributes, method=method, require=required, row_order="kept")


@pytest.mark.parametrize("case", range(10))
@pytest.mark.parametrize("method", METHODS_BY_TUPLE, ids=repr)
def test_chunks_give_the_bytes_of_the_whole(method: TupleMethod, case: int) -> None:
    rng = np.random.default_rng([case, 19])
    whole, policy = frame(rng), policy_of(method, case)
    size = int(rng.integers(3, 40))
    written: list[pl.DataFrame] = []
    engine = Engine(lambda: whole.iter_slices(size), policy, case)
    outcomes: list[Any] = []
    for run in (
        lambda: om.anonymize(whole, policy, seed=case, allow_unsatisfied=True),
        lambda: engine.run(written.append, lambda: written),
    ):
        try:
            outcomes.append(run())
        except OntomaskError as problem:
            outcomes.append(f"{type(problem).__name__}: {problem}")
    expected, found = outcomes
    if isinstance(expected, str) or isinstance(found, str):
        assert found == expected
        return
    texts = [part.write_csv(include_header=place == 0) for place, part in enumerate(written)]
    assert "".join(texts).encode() == expected.data.write_csv().encode()
    assert [str(finding) for finding in found] == [str(finding) for finding in expected.verification]
    for mine, theirs in zip(found, expected.verification, strict=True):
        assert mine.violations.equals(theirs.violations)


def test_every_method_by_tuple_and_every_kind_is_tried() -> None:
    by_tuple = {kind for kind in METHODS.values() if issubclass(kind, TupleMethod)}
    assert {type(method) for method in METHODS_BY_TUPLE} == by_tuple
    kinds = {om.Numeric, om.Ordinal, om.Flat, om.Nominal, om.Identifier}
    assert {type(attribute) for attribute in ATTRIBUTES.values()} == kinds
    assert {name for names in QUASI for name in names} == {n for n, a in ATTRIBUTES.items() if a.role == "quasi"}
