"""Counterexamples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from . import _html
from ._value import Value

if TYPE_CHECKING:
    import pandas


def values(found: Mapping[str, str] | None) -> dict[str, Value]:
    return {name: Value(text) for name, text in (found or {}).items()}


@dataclass(frozen=True)
class Repeated:
    """Rounds of a cycle that a trace leaves out: the last `steps` steps happen `rounds` more times."""

    steps: int
    rounds: int

    @property
    def all(self) -> int:
        """The number of steps that are left out."""
        return self.steps * self.rounds

    def __str__(self) -> str:
        last = "the last step" if self.steps == 1 else f"the last {self.steps} steps"
        return f"… {last}, {self.rounds} more times …"


@dataclass(frozen=True)
class Step:
    """An event with its arguments, and the state after it."""

    event: str
    parameters: dict[str, Value]
    results: dict[str, Value]
    #: None where the event fails before it reaches a state.
    state: dict[str, Value] | None
    #: Where the event is written: `file`, `line`, `column`, `end_line`, `end_column`.
    place: dict[str, Any] | None = None
    #: Rounds that are left out between the step before and this one.
    repeated: Repeated | None = None

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Step:
        state, repeated = found["state"], found.get("repeated")
        return cls(
            event=found["event"],
            parameters=values(found["parameters"]),
            results=values(found["results"]),
            state=None if state is None else values(state),
            place=found.get("place"),
            repeated=None if repeated is None else Repeated(repeated["steps"], int(repeated["rounds"])),
        )

    def __str__(self) -> str:
        arguments = ", ".join(f"{name} = {value}" for name, value in self.parameters.items())
        results = ", ".join(f"{name} = {value}" for name, value in self.results.items())
        call = f"{self.event}({arguments})" if arguments else self.event
        return f"{results} <-- {call}" if results else call


@dataclass(frozen=True)
class Trace(Sequence[Step]):
    """Steps from an initial state; the first is `INITIALISATION`.

    A long trace leaves rounds of a cycle out: `Step.repeated` says how many, and `numbers` counts them.
    """

    steps: tuple[Step, ...]
    constants: dict[str, Value]

    @overload
    def __getitem__(self, at: int) -> Step: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Step]: ...
    def __getitem__(self, at: int | slice) -> Step | Sequence[Step]:
        return self.steps[at]

    def __len__(self) -> int:
        return len(self.steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    @property
    def numbers(self) -> list[int]:
        """The numbers of the steps from 0, where steps that are left out count."""
        numbers, left_out = [], 0
        for position, step in enumerate(self.steps):
            left_out += step.repeated.all if step.repeated else 0
            numbers.append(position + left_out)
        return numbers

    @property
    def states(self) -> list[dict[str, Value]]:
        """The states that the steps reach, in their order."""
        return [step.state for step in self.steps if step.state is not None]

    @property
    def events(self) -> list[str]:
        """The names of the events."""
        return [step.event for step in self.steps]

    @property
    def variables(self) -> list[str]:
        """The variables of the states."""
        return list(dict.fromkeys(name for state in self.states for name in state))

    def to_pandas(self, *, python: bool = False) -> pandas.DataFrame:
        """Returns a table with a row for each step.

        The index has the numbers of the steps. The columns are `event`, `parameters`, `results` and the variables; where
        rounds are left out, there is also a column `repeated`. Columns of variables have two levels if a variable has one of
        these names: no name is changed.

        Args:
            python: Values are Python values where `Value.to_python` gives one, else B text.

        Raises:
            ImportError: pandas is not installed.
        """
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_pandas needs pandas: pip install pandas") from error

        def cell(value: Value | None) -> Any:
            if value is None or not python:
                return value
            try:
                return value.to_python()
            except ValueError:
                return value

        def cells(of: Mapping[str, Value]) -> dict[str, Any]:
            return {name: cell(value) for name, value in of.items()}

        own = ["event", "parameters", "results"]
        has_repeated = any(step.repeated for step in self.steps)
        if has_repeated:
            own.append("repeated")
        names = self.variables
        data: list[list[Any]] = [
            [step.event, cells(step.parameters), cells(step.results)]
            + ([step.repeated] if has_repeated else [])
            + [cell((step.state or {}).get(name)) for name in names]
            for step in self.steps
        ]
        if set(own).isdisjoint(names):
            columns: Any = pandas.Index([*own, *names])
        else:
            pairs = [("step", name) for name in own] + [("state", name) for name in names]
            columns = pandas.MultiIndex.from_tuples(pairs)
        # Of type object: an integer of B has any size, and a missing value does not make it a float.
        index = pandas.Index(self.numbers, name="step") if has_repeated else pandas.RangeIndex(len(data), name="step")
        return pandas.DataFrame(data, columns=columns, index=index, dtype=object)

    def __str__(self) -> str:
        lines = [f"       {name} = {value}" for name, value in self.constants.items()]
        before: Mapping[str, Value] = {}
        for number, step in zip(self.numbers, self.steps):
            if step.repeated:
                lines.append(f"     {step.repeated}")
            lines.append(f"  {number:<3}{step}" if number < 100 else f"  {number} {step}")
            for name, value in (step.state or {}).items():
                if before.get(name) != value:
                    lines.append(f"       {name} = {value}")
            before = step.state or before
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        names = self.variables
        rows = []
        before: Mapping[str, Value] = {}
        for number, step in zip(self.numbers, self.steps):
            state = step.state or {}
            if step.repeated:
                rows.append(["", _html.text(step.repeated), *("" for _ in names)])
            row = [str(number), _html.code(step)]
            for name in names:
                cell = _html.code(state.get(name, ""))
                is_changed = number > 0 and name in state and before.get(name) != state[name]
                row.append(f"<b>{cell}</b>" if is_changed else cell)
            rows.append(row)
            before = step.state or before
        constants = ", ".join(f"{name} = {value}" for name, value in self.constants.items())
        head = _html.paragraph(f"constants: {_html.code(constants)}") if constants else ""
        return head + _html.table(["step", "event", *names], rows)


def trace_from_json(steps: Sequence[Mapping[str, Any]] | None, constants: Mapping[str, str]) -> Trace | None:
    if steps is None:
        return None
    return Trace(tuple(Step.from_json(step) for step in steps), values(constants))
