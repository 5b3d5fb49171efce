"""Loading of modules without the garbage collector, which would look at every new function and class, again and again."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Modules are made to stay: nothing that is loaded within can be collected."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()
