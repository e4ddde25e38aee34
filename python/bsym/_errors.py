"""Errors of the program as exceptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Diagnostic:
    """A message about a place in a model."""

    code: str
    severity: str
    message: str
    help: str | None
    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    #: The stage that found it: `parse`, `scope`, `type` or `structure`.
    kind: str

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Diagnostic:
        return cls(**{name: found[name] for name in cls.__dataclass_fields__})

    def __str__(self) -> str:
        text = f"{self.file}:{self.line}:{self.column}: {self.severity}[{self.code}]: {self.message}"
        return text if self.help is None else f"{text}\n  help: {self.help}"


class BsymError(Exception):
    """The program gave no result."""

    def __init__(
        self,
        message: str,
        *,
        help: str | None = None,
        diagnostics: Sequence[Diagnostic] = (),
        exit_code: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        #: What to do about it, if the program knows.
        self.help = help
        #: The mistakes in the model, with their places. Warnings are among them.
        self.diagnostics = tuple(diagnostics)
        #: The exit code of the program; negative: the signal that ended it; None: it was not started.
        self.exit_code = exit_code

    def __str__(self) -> str:
        lines = [self.message]
        if self.help is not None:
            lines.append(f"help: {self.help}")
        lines.extend(str(diagnostic) for diagnostic in self.diagnostics)
        return "\n".join(lines)


class Rejected(BsymError):
    """The model or an option is wrong: exit code 2."""


class Failed(BsymError):
    """The program failed, crashed, or was stopped before it had a result."""


def error_from_json(found: Mapping[str, Any], exit_code: int | None) -> BsymError:
    """The exception for an object of the format `bsym-error`."""
    kind = Rejected if exit_code in (None, 2) else Failed
    diagnostics = [Diagnostic.from_json(one) for one in found.get("diagnostics", ())]
    return kind(found["error"], help=found.get("help"), diagnostics=diagnostics, exit_code=exit_code)
