"""Figures as texts: the same wherever the app shows them."""

from __future__ import annotations

from datetime import datetime

NONE = "—"


def number(value: float | None) -> str:
    """1,234, or a dash where nothing is known."""
    if value is None:
        return NONE
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"


def percent(value: float | None) -> str:
    """A figure that is in percent already."""
    if value is None:
        return NONE
    return f"{value:.1f}%" if value < 1_000 else f"{value:,.0f}%"


def share(value: float | None) -> str:
    """A share of 1, in percent."""
    return NONE if value is None else f"{100 * value:.1f}%"


def size(count: int) -> str:
    """Bytes as kB, MB or GB."""
    if count < 1_000_000:
        return f"{max(1, round(count / 1e3)):,} kB"
    return f"{count / 1e6:.1f} MB" if count < 1_000_000_000 else f"{count / 1e9:.1f} GB"


def seconds(value: float | None) -> str:
    """A duration, in words."""
    if value is None:
        return ""
    if value < 60:
        return f"{max(1, round(value))} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest} s" if minutes < 10 else f"{minutes} min"


def moment(value: float) -> str:
    """When something was made, by the clock of the machine."""
    return datetime.fromtimestamp(value).strftime("%Y-%m-%d %H:%M:%S")
