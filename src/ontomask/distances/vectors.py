"""``context_vector``: distances between vectors that the user supplies, such as embeddings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.arguments import some_of
from ontomask.arrays import Array
from ontomask.distances.measure import DistanceRequest, Measure, Option
from ontomask.errors import MeasureError
from ontomask.taxonomy.taxonomy import Taxonomy

_FORMS = (
    "a mapping {concept: vector}, a pair (concepts, array), or a file: .npz with the arrays 'concepts' and 'vectors', "
    ".npy with one row per concept in taxonomy order, .parquet or .csv with the concept in the first column"
)


def context_vector(request: DistanceRequest, vectors: Any) -> Array:
    """1 - cosine of the angle between two concepts' vectors (T12 eq. 3.14); from 0 to 2."""
    known, matrix = _read(request.taxonomy, vectors)
    place = np.full(len(request.taxonomy), -1, dtype=np.int64)
    place[known] = np.arange(len(known))
    asked = np.concatenate((request.in_taxonomy(request.rows), request.in_taxonomy(request.columns)))
    lacking = np.unique(asked[place[asked] < 0])
    if len(lacking):
        some = some_of([repr(request.taxonomy.concepts[i]) for i in lacking])
        raise MeasureError(
            f"{len(lacking)} of the concepts asked for have no vector: {some}",
            remedy="Add their vectors or leave these concepts out.",
        )
    used, at = np.unique(place[asked], return_inverse=True)
    rows, columns = at[: len(request.rows)], at[len(request.rows) :]
    known, matrix = known[used], matrix[used].astype(np.float64)
    # Scaled by their largest component first: tiny and huge vectors have a direction too.
    largest = np.abs(matrix).max(axis=1)
    bad = np.flatnonzero(~(np.isfinite(largest) & (largest > 0)))
    if len(bad):
        raise MeasureError(
            f"the vector of {request.taxonomy.concepts[known[bad[0]]]!r} has no direction (zero or not finite)",
            remedy="Every vector needs at least one number other than 0, all of them finite.",
        )
    unit = matrix  # ours to change: a copy of the rows that are used
    unit /= largest[:, None]
    unit /= np.sqrt(np.einsum("ij,ij->i", unit, unit))[:, None]
    others = unit if len(columns) == len(unit) and (columns == np.arange(len(unit))).all() else unit[columns]

    def rows_of(part: slice) -> NDArray[np.float64]:
        # einsum, not BLAS: its sums do not depend on the shape of the block, so the table is symmetric to the bit.
        cosine = np.einsum("ij,kj->ik", unit[rows[part]], others)
        distance: NDArray[np.float64] = np.clip(1 - cosine, 0, 2)
        distance[rows[part, None] == columns] = 0
        return distance

    return request.by_rows(rows_of)


def _read(taxonomy: Taxonomy, vectors: Any) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Positions of the concepts that have a vector, and the vectors."""
    where = None
    if isinstance(vectors, (str, Path)):
        where = str(vectors)
        concepts, matrix = _from_file(taxonomy, Path(vectors))
    elif isinstance(vectors, Mapping):
        concepts, matrix = list(vectors), list(vectors.values())
    elif isinstance(vectors, tuple) and len(vectors) == 2:
        concepts, matrix = vectors
    else:
        raise MeasureError("context_vector needs vectors=", remedy=f"Give {_FORMS}.")
    try:
        numbers = np.asarray(matrix)
        size = len(concepts)
    except (TypeError, ValueError):
        numbers, size = np.zeros(0), 0
    if numbers.ndim != 2 or numbers.dtype.kind not in "iuf" or len(numbers) != size or numbers.size == 0:
        raise MeasureError(
            "the vectors are not rows of numbers of one length, one for each concept",
            where=where,
            remedy=f"Give {_FORMS}.",
        )
    # A file may know more concepts than the taxonomy; those are of no use here.
    found = [(at, i) for i, c in enumerate(concepts) if (at := taxonomy.find(str(c))) is not None]
    positions = np.array([at for at, _ in found], dtype=np.int64)
    if len(np.unique(positions)) < len(positions):
        raise MeasureError("a concept has two vectors", where=where, remedy="Keep one for each concept.")
    return positions, numbers if len(found) == size else numbers[[i for _, i in found]]


def _from_file(taxonomy: Taxonomy, path: Path) -> tuple[Any, Any]:
    if not path.is_file():
        raise MeasureError("no such file of vectors", where=str(path), remedy="Check the path.")
    suffix = path.suffix.lower()
    try:
        if suffix == ".npz":
            with np.load(path, allow_pickle=False) as stored:
                return stored["concepts"].tolist(), stored["vectors"]
        if suffix == ".npy":
            return taxonomy.concepts, np.load(path, allow_pickle=False)
        if suffix in (".parquet", ".csv"):
            import polars as pl  # late: it takes 0.15 s to load

            frame = pl.read_parquet(path) if suffix == ".parquet" else pl.read_csv(path, infer_schema_length=0)
            return frame.to_series(0).cast(pl.String).to_list(), frame[:, 1:].cast(pl.Float64).to_numpy()
    except Exception as problem:
        raise MeasureError(
            f"the vectors cannot be read ({type(problem).__name__})", where=str(path), remedy=f"Give {_FORMS}."
        ) from problem
    raise MeasureError(f"vectors in a {suffix!r} file are not known", where=str(path), remedy=f"Give {_FORMS}.")


MEASURES = (
    Measure(
        "context_vector", "angle between vectors given by the user", "Patwardhan & Pedersen 2006; T12 eq. 3.14",
        context_vector, largest=2.0, complement=True,
        options={"vectors": Option(None, f"Required: {_FORMS}.")},
    ),
)  # fmt: skip
