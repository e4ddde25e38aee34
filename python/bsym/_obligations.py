"""Proof obligations and their status."""

from __future__ import annotations

import collections
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from . import _html


@dataclass(frozen=True)
class Obligation:
    """A proof obligation: an event keeps a conjunct of the invariant, an expression is well-defined, …"""

    #: Its name, such as `count/low_type/INV`.
    id: str
    component: str
    #: Such as `INV`, `INV_EST`, `WD`.
    kind: str
    event: str | None
    #: The text of the conjunct or assertion.
    target: str | None
    #: `discharged`, `trivial`, `open`, …
    status: str
    provers: tuple[str, ...]

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Obligation:
        return cls(
            id=found["id"],
            component=found["component"],
            kind=found["kind"],
            event=found.get("event"),
            target=(found.get("target") or {}).get("text"),
            status=found["status"],
            provers=tuple(found.get("prover") or ()),
        )

    @property
    def is_proved(self) -> bool:
        """True if a prover discharged it, or there is nothing to prove."""
        return self.status in ("discharged", "trivial")


@dataclass(frozen=True)
class Obligations(Sequence[Obligation]):
    """The proof obligations of a machine."""

    obligations: tuple[Obligation, ...]
    #: The whole object that the program printed: a `po.json`.
    raw: dict[str, Any] = field(repr=False, compare=False)

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Obligations:
        return cls(tuple(Obligation.from_json(one) for one in found["obligations"]), found)

    @overload
    def __getitem__(self, at: int) -> Obligation: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Obligation]: ...
    def __getitem__(self, at: int | slice) -> Obligation | Sequence[Obligation]:
        return self.obligations[at]

    def __len__(self) -> int:
        return len(self.obligations)

    def __iter__(self) -> Iterator[Obligation]:
        return iter(self.obligations)

    @property
    def open(self) -> list[Obligation]:
        """Those that are not proved."""
        return [one for one in self.obligations if not one.is_proved]

    @property
    def counts(self) -> dict[str, int]:
        """How many have each status."""
        return dict(collections.Counter(one.status for one in self.obligations))

    def _repr_html_(self) -> str:
        counts = ", ".join(f"{number} {status}" for status, number in self.counts.items())
        rows = [
            [_html.text(one.id.partition("/")[2] or one.id), _html.text(one.status), _html.code(one.target or "")]
            for one in self.obligations
        ]
        return _html.paragraph(_html.text(counts)) + _html.table(["obligation", "status", "goal"], rows)
