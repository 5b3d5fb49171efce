"""ontomask: anonymize microdata by meaning.

The public names, nothing else. ``__init__.pyi`` lists them, for editors and type checkers and for this module: each is
loaded when it is first used, so that importing the package is cheap.
"""

from importlib import import_module

from ontomask.loading import collector_paused

__version__ = "0.1.0"

#: The module of every public name, from the lines ``from module import name as name``; read by the loader, which may
#: have the package in an archive.
_HOME = {
    line.split()[-1]: line.split()[1]
    for line in __loader__.get_data(f"{__path__[0]}/__init__.pyi").decode().splitlines()
    if line.startswith("from ")
}
__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'ontomask' has no attribute {name!r}")
    with collector_paused():
        home = import_module(f"ontomask.{name}" if name == "errors" else _HOME[name])
    return globals().setdefault(name, home if name == "errors" else getattr(home, name))


def __dir__() -> list[str]:
    return sorted(__all__)
