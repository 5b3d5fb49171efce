"""Optional packages for some file formats, loaded when such a file is read or written."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ontomask.errors import MissingExtraError

#: Package -> the extra of ours that installs it.
_EXTRAS = {"fastexcel": "excel", "xlsxwriter": "excel", "pyreadstat": "stat"}


def load_extra(package: str, what: str) -> Any:
    """The package, or an error that says how to install it; ``what`` needs it, as in 'reading Excel files'."""
    try:
        return import_module(package)
    except ImportError:
        raise MissingExtraError(what, package, _EXTRAS[package]) from None
