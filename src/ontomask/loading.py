"""Loading of modules without the garbage collector, which would look at every new function and class, again and again."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Modules are made to stay: nothing that is loaded within can be collected.

    Afterwards all that there is counts as old, so that the collector does not look at it at once.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            if not gc.get_freeze_count():  # what the program froze itself must stay frozen
                gc.freeze()
                gc.unfreeze()
            gc.enable()
