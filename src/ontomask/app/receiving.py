"""Bodies of requests on their way to disk: so many at one time, none that stalls, and none that says that it is too large."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from starlette.requests import ClientDisconnect, Request

from ontomask.app.storage import file_name
from ontomask.app.uploads import too_large
from ontomask.errors import OptionError, OutputError

Found = TypeVar("Found")
#: Uploads at one time, in threads of their own: others must not wait for them. Seconds without a byte that end one.
AT_ONCE, SILENT = 8, 30.0
_ROOM, _STORING = threading.Semaphore(AT_ONCE), ThreadPoolExecutor(AT_ONCE, "upload")
#: Chunks of an upload that wait to be written; seconds that the rest of a refused one is read, so that the answer is seen.
WAITING, DRAIN = 32, 20.0


class Busy(OptionError):
    """Too many uploads at one time."""


async def store_body(request: Request, most: int, name: str, store: Callable[[str, Iterator[bytes]], Found]) -> Found:
    """Hand the body of a request, as it comes, to a function in a thread that stores it under a name.

    ``most``: bytes that it may have. One that says that it has more is refused before it is read.
    """
    size = request.headers.get("content-length", "")
    if size.isdecimal() and int(size) > most:
        raise too_large(most, file_name(name, "the file"))
    chunks: queue.Queue[bytes | BaseException | None] = queue.Queue(WAITING)

    def each() -> Iterator[bytes]:
        while (chunk := chunks.get()) is not None:
            if isinstance(chunk, BaseException):
                raise chunk
            yield chunk

    if not _ROOM.acquire(blocking=False):
        raise Busy(f"{AT_ONCE} files are being uploaded", remedy="Wait until one of them is done.")
    storing = asyncio.get_running_loop().run_in_executor(_STORING, store, name, each())
    storing.add_done_callback(lambda _: _ROOM.release())
    began = time.monotonic()

    async def hand(chunk: bytes | BaseException | None) -> None:
        while not storing.done():
            try:
                chunks.put_nowait(chunk)
            except queue.Full:
                await asyncio.sleep(0.002)
            else:
                return

    try:
        stream = request.stream().__aiter__()
        while True:
            try:
                chunk = await asyncio.wait_for(anext(stream), SILENT)
            except StopAsyncIteration:
                break
            if not storing.done():
                began = time.monotonic()
                await hand(chunk)
            elif time.monotonic() - began > DRAIN:
                break
    except (ClientDisconnect, TimeoutError):
        await hand(OutputError("the upload was interrupted", remedy="Upload the file again."))
    else:
        await hand(None)
    return await storing
