"""Values of expressions and truth of predicates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from . import _html
from ._errors import Rejected
from ._value import Python, Value


@dataclass(frozen=True)
class Evaluation:
    """The value of an expression, or the truth of a predicate."""

    input: str
    #: `expression`, `predicate` or `ill-defined`.
    kind: str
    #: None if it is ill-defined, such as a division by zero.
    value: Value | None
    #: Why it is ill-defined.
    message: str | None
    raw: dict[str, Any] = field(repr=False, compare=False)

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Evaluation:
        """Raises `Rejected` for an input that is no formula or whose value was not found."""
        if found["kind"] == "error":
            column = found.get("column")
            place = "" if column is None else f" (column {column} of `{found['input']}`)"
            raise Rejected(found["message"] + place)
        value = found["value"]
        return cls(found["input"], found["kind"], None if value is None else Value(value), found["message"], found)

    def to_python(self) -> Python:
        """Returns the value as a Python value: see `Value.to_python`.

        Raises:
            ValueError: it has none.
        """
        if self.value is None:
            raise ValueError(f"`{self.input}` is ill-defined: {self.message}")
        return self.value.to_python()

    def __str__(self) -> str:
        return f"ill-defined: {self.message}" if self.value is None else str(self.value)

    def _repr_html_(self) -> str:
        shown = _html.text(f"ill-defined: {self.message}") if self.value is None else _html.code(self.value)
        return _html.paragraph(f"{_html.code(self.input)} = {shown}")
