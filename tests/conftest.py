"""What several tests need: the real data beside the project, and WordNet where it is installed."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ontomask as om
from ontomask.files.secret_bytes import LENGTH, SecretBytes
from tests.order import shared_out

#: Reports carry the day; with it fixed, tests can compare files byte by byte, also across midnight.
os.environ.setdefault("SOURCE_DATE_EPOCH", "1700000000")

#: Many tests start commands in processes of their own. Where an environment forbids bytecode, each would compile all modules.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ.setdefault("PYTHONPYCACHEPREFIX", str(Path(__file__).parents[1] / ".pytest_cache" / "bytecode"))

DATA = Path(os.environ.get("ONTOMASK_DATA", Path(__file__).parents[2] / "shared" / "data"))

#: Secrets and keys are drawn from here, so that a test does the same whenever and wherever it runs.
chance = random.Random()
SecretBytes.fresh = classmethod(  # type: ignore[method-assign,assignment]
    lambda cls: cls(chance.randbytes(LENGTH), drawn=True)
)


def pytest_runtest_setup(item: pytest.Item) -> None:
    chance.seed(item.nodeid)


@pytest.hookimpl(trylast=True)  # what is not asked for is gone by then
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items[:] = shared_out(items, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data that stands beside the project; it is not part of it."""
    if not DATA.is_dir():
        pytest.skip(f"the real data are not beside the project ({DATA.name}); set ONTOMASK_DATA to their folder")
    return DATA


@pytest.fixture(scope="session")
def wordnet() -> om.Taxonomy:
    try:
        return om.load_taxonomy("wordnet")
    except om.errors.MissingDataError as problem:
        pytest.skip(str(problem))


@pytest.fixture(scope="session")
def icd9cm() -> om.Taxonomy:
    return om.load_taxonomy("icd9cm")


@pytest.fixture(scope="session")
def hpo(data: Path) -> om.Taxonomy:
    return om.read_taxonomy(data / "taxonomies" / "hp.obo")


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session of Spark; tests that ask for it carry the marker."""
    from tests.spark.session import started

    session = started()
    yield session
    session.stop()
