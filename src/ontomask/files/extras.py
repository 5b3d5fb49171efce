"""Optional packages, loaded when they are first needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ontomask.errors import MissingExtraError

#: Package -> the extra of ours that installs it.
_EXTRAS = {
    "fastexcel": "excel",
    "xlsxwriter": "excel",
    "pyreadstat": "stat",
    "pyoxigraph": "rdf",
    "simple_icd_10_cm": "icd10",
    "nicegui": "app",
    "pyspark": "spark",
    "duckdb": "sql",
    "psycopg": "sql",
    "pyarrow": "sql",
}


def load_extra(package: str, what: str) -> Any:
    """The package, or an error that says how to install it; ``what`` needs it, as in 'reading Excel files'."""
    try:
        return import_module(package)
    except ImportError:
        raise MissingExtraError(what, package.replace("_", "-"), _EXTRAS[package]) from None
