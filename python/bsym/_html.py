"""HTML for notebooks. Every text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

_COLOURS = {"holds": "#1a7f37", "violated": "#cf222e", "unknown": "#9a6700", "vacuous": "#9a6700"}
_LONGEST = 200


def text(value: object) -> str:
    """A value, escaped; a long one is cut and can be opened."""
    whole = str(value)
    if len(whole) <= _LONGEST:
        return escape(whole)
    return f"<details><summary>{escape(whole[:_LONGEST])}…</summary>{escape(whole)}</details>"


def code(value: object) -> str:
    return f"<code>{text(value)}</code>" if str(value) else ""


def verdict(word: str) -> str:
    colour = _COLOURS.get(word, "inherit")
    return f'<b style="color:{colour}">{escape(word)}</b>'


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; the cells of `rows` are HTML, those of `head` are text."""
    left = ' style="text-align:left"'
    first = "".join(f"<th{left}>{escape(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td{left}>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{first}</tr></thead><tbody>{body}</tbody></table>"


def paragraph(html: str) -> str:
    return f"<p>{html}</p>"
