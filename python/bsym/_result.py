"""Results of the engines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from . import _html
from ._errors import Diagnostic
from ._trace import Trace, trace_from_json


@dataclass(frozen=True)
class Scope:
    """The bounds that a result is about."""

    #: The size of each deferred set; `"any"` is every size.
    sets: dict[str, int | str]
    maxint: int
    minint: int
    #: Constants that were fixed, as B text.
    settings: dict[str, str]

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Scope:
        # A number that does not fit 64 bits is a text.
        return cls(dict(found["sets"]), int(found["maxint"]), int(found["minint"]), dict(found["settings"]))

    def __str__(self) -> str:
        parts = [f"card({name}) {'any' if size == 'any' else f'= {size}'}" for name, size in self.sets.items()]
        parts.append(f"MININT {self.minint}, MAXINT {self.maxint}")
        parts.extend(f"{name} = {value}" for name, value in self.settings.items())
        return "; ".join(parts)


@dataclass(frozen=True)
class Property:
    """A property with its verdict: `holds`, `violated` or `unknown`."""

    #: `inv`, `assertions`, `deadlock`, `goal`, `wd`, `assert`, `precondition`, `refinement` or `proof`.
    property: str
    text: str
    verdict: str
    label: str | None = None
    index: int | None = None
    file: str | None = None
    line: int | None = None
    column: int | None = None

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Property:
        return cls(**{name: found[name] for name in cls.__dataclass_fields__})

    def __str__(self) -> str:
        name = f"{self.label}: " if self.label else ""
        return f"{self.verdict}  {name}{self.text}"


@dataclass(frozen=True)
class Violation:
    """A property that is violated at the end of the trace."""

    property: str
    text: str
    label: str | None
    index: int | None
    message: str | None
    file: str | None
    line: int | None
    column: int | None
    #: The values that make it false, by expression.
    values: dict[str, str]
    #: Set if only the small MAXINT of the scope violates it.
    only_in_scope: str | None

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Violation:
        fields = {name: found[name] for name in cls.__dataclass_fields__ if name != "values"}
        shown = (found.get("why") or {}).get("values", ())
        return cls(values={one["expression"]: one["value"] for one in shown}, **fields)

    def __str__(self) -> str:
        place = f"  {self.file}:{self.line}" if self.file else ""
        shown = ", ".join(f"{name} = {value}" for name, value in self.values.items())
        return f"false: {self.text}{place}" + (f"\n    {shown}" if shown else "")


@dataclass(frozen=True)
class Stats:
    """How much work a result took."""

    seconds: float
    queries: int
    unknowns: int
    solver_seconds: float
    #: Bytes of memory in use, where the system says it.
    memory: int | None
    #: Of an explicit search.
    states: int | None
    transitions: int | None


@dataclass(frozen=True)
class Result:
    """What an engine found out about a machine."""

    #: `holds`, `violated`, `unknown` or `vacuous`.
    verdict: str
    machine: str
    file: str
    #: The engine that gave the answer.
    engine: str
    scope: Scope
    #: Why there is no other verdict, in words and as a stable code.
    reason: str | None
    reason_code: str | None
    #: Events in the counterexample, or the depth that was searched.
    depth: int | None
    #: The counterexample, replayed by the reference evaluator.
    trace: Trace | None
    violated: tuple[Violation, ...]
    properties: tuple[Property, ...]
    #: Predicates of B; their conjunction is inductive if `certificate_kind` is `inductive`.
    invariant: tuple[str, ...]
    #: The proof; with `certificate=FILE` the path of the file that it was written to.
    certificate: dict[str, Any] | str | None
    certificate_kind: str | None
    #: Mistakes and warnings about the model, with their places.
    diagnostics: tuple[Diagnostic, ...]
    warnings: tuple[str, ...]
    stats: Stats
    #: The whole object that the program printed: `schema/result.schema.json` describes it.
    raw: dict[str, Any] = field(repr=False, compare=False)

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Result:
        stats = found["stats"]
        return cls(
            verdict=found["verdict"],
            machine=found["machine"],
            file=found["file"],
            engine=found["engine"],
            scope=Scope.from_json(found["scope"]),
            reason=found["reason"],
            reason_code=found["reason_code"],
            depth=found["depth"],
            trace=trace_from_json(found["trace"], found["constants"]),
            violated=tuple(Violation.from_json(one) for one in found["violated"]),
            properties=tuple(Property.from_json(one) for one in found["properties"]),
            invariant=tuple(found["invariant"]),
            certificate=found["certificate"],
            certificate_kind=found["certificate_kind"],
            diagnostics=tuple(Diagnostic.from_json(one) for one in found["diagnostics"]),
            warnings=tuple(found["warnings"]),
            stats=Stats(
                seconds=stats["seconds"],
                queries=stats["queries"],
                unknowns=stats["unknowns"],
                solver_seconds=stats["solver_seconds"],
                memory=stats["memory"],
                states=found["states"],
                transitions=found["transitions"],
            ),
            raw=found,
        )

    @property
    def holds(self) -> bool:
        """True only for the verdict `holds`."""
        return self.verdict == "holds"

    @property
    def interrupted(self) -> bool:
        """True if Ctrl-C or an interrupt of the kernel stopped the run."""
        return self.reason_code == "interrupted"

    def __bool__(self) -> bool:
        raise TypeError("a result is no truth value: use result.holds or result.verdict")

    def __str__(self) -> str:
        lines = [
            f"{self.verdict}: {self.machine}  [{self.engine}, {self.stats.seconds:.2f} s]",
            f"  scope: {self.scope}",
        ]
        if self.reason:
            lines.append(f"  reason: {self.reason}")
        if self.trace is not None:
            lines.append(str(self.trace))
        lines.extend(f"  {violation}" for violation in self.violated)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        seconds = f"{self.stats.seconds:.2f} s"
        parts = [
            _html.paragraph(
                f"{_html.verdict(self.verdict)}: {_html.text(self.machine)} [{_html.text(self.engine)}, {seconds}]"
                f"<br>scope: {_html.text(self.scope)}"
            )
        ]
        if self.reason:
            parts.append(_html.paragraph(f"reason: {_html.text(self.reason)}"))
        for violation in self.violated:
            shown = ", ".join(f"{name} = {value}" for name, value in violation.values.items())
            parts.append(_html.paragraph(f"false: {_html.code(violation.text)} {_html.code(shown)}"))
        if self.trace is not None:
            parts.append(self.trace._repr_html_())
        rows = [
            [_html.verdict(one.verdict), _html.text(one.label or ""), _html.code(one.text)] for one in self.properties
        ]
        if rows:
            parts.append(_html.table(["verdict", "label", "property"], rows))
        return "".join(parts)
