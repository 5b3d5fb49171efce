"""A limit on the memory of a process that reads what somebody uploaded: whatever a file unpacks to, others keep theirs."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def limit_memory(more: int) -> None:
    """Let this process take so many bytes more than it holds now; what asks for more is an error, or ends the process.

    It may be called again, for more or for less. Where the system has no such limit (it is Linux's), nothing happens. An ended
    process leaves no copy of its memory on the disk.
    """
    held = _held()
    if held is None:
        return
    import resource  # late: only Unix has it

    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        wanted = held + more
        resource.setrlimit(
            resource.RLIMIT_DATA, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard)
        )


def _held() -> int | None:
    """The bytes of memory that can be written and belong to this process alone: those that the limit counts."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmData:")), None)
