"""Steps of a machine, one state at a time."""

from __future__ import annotations

import json
import os
import subprocess
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Union, overload

from . import _html
from ._errors import Failed, error_from_json
from ._evaluation import Evaluation
from ._program import Process, arguments
from ._result import Violation
from ._trace import Step, values
from ._value import Value

#: Values by name: B text, integers or booleans.
Values = Mapping[str, Union[str, int, bool]]

#: Seconds that the program may take to stop after an interrupt, before it is replaced by a new one.
_GRACE = 2.0


@dataclass(frozen=True)
class State(Mapping[str, Value]):
    """A state: the values of the variables by name, and those of the constants in `constants`."""

    variables: dict[str, Value]
    constants: dict[str, Value] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Value:
        return self.variables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.variables)

    def __len__(self) -> int:
        return len(self.variables)

    def __hash__(self) -> int:
        return hash((frozenset(self.variables.items()), frozenset(self.constants.items())))

    def __str__(self) -> str:
        return ", ".join(f"{name} = {value}" for name, value in self.variables.items())

    def _repr_html_(self) -> str:
        rows = [
            [_html.text(name), _html.code(value)]
            for of in (self.constants, self.variables)
            for name, value in of.items()
        ]
        return _html.table(["name", "value"], rows)


@dataclass(frozen=True)
class Successor:
    """A step out of a state."""

    step: Step
    #: The state that is reached; None if the step goes wrong before.
    state: State | None
    #: What goes wrong, if no state is reached.
    violated: tuple[Violation, ...] = ()

    @property
    def event(self) -> str:
        return self.step.event

    def __str__(self) -> str:
        return f"{self.step} => {'goes wrong' if self.state is None else self.state}"


@dataclass(frozen=True)
class Successors(Sequence[Successor]):
    """The steps out of a state."""

    successors: tuple[Successor, ...]
    #: Events that have no step.
    disabled: tuple[str, ...]
    #: Why there may be more steps than these.
    notes: tuple[str, ...]

    @property
    def is_complete(self) -> bool:
        """True if there are no other steps."""
        return not self.notes

    @overload
    def __getitem__(self, at: int) -> Successor: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Successor]: ...
    def __getitem__(self, at: int | slice) -> Successor | Sequence[Successor]:
        return self.successors[at]

    def __len__(self) -> int:
        return len(self.successors)

    def __iter__(self) -> Iterator[Successor]:
        return iter(self.successors)

    def _repr_html_(self) -> str:
        names = list(dict.fromkeys(name for one in self for name in one.state or ()))
        rows = [
            [_html.code(one.step)]
            + [_html.text("goes wrong") if one.state is None else _html.code(one.state[name]) for name in names]
            for one in self
        ]
        notes = [*self.notes, *([f"not enabled: {', '.join(self.disabled)}"] if self.disabled else [])]
        return _html.table(["step", *names], rows) + "".join(_html.paragraph(_html.text(note)) for note in notes)


class Machine:
    """A machine whose steps can be taken.

    The program `bsym` runs beside it and answers questions about states. It keeps nothing between two of them: after an
    interrupt or a crash the next question starts it again. A machine is used by one thread at a time.
    """

    def __init__(self, path: str | os.PathLike[str], options: Mapping[str, Any]) -> None:
        self.path = os.fspath(path)
        self._words = ["animate", "--jsonl", *arguments(options), "--", self.path]
        self._process: Process | None = None
        # Ends the program when the machine is collected or Python ends.
        self._finalizer: weakref.finalize[..., Any] | None = None
        # Mistakes in the model are reported now.
        self._first = self._ask({"ask": "constants"})

    def constants(self) -> list[dict[str, Value]]:
        """Returns the valuations of the constants. A machine without constants has one, which is empty."""
        return [values(one) for one in self._first["constants"]]

    @property
    def notes(self) -> tuple[str, ...]:
        """Why there may be more valuations of the constants."""
        return tuple(self._first["notes"])

    def initial(self, constants: Values | None = None) -> list[State]:
        """Returns the initial states, for these constants or for all valuations of the constants.

        An initialisation that goes wrong reaches no state: `initialisation` shows it.
        """
        valuations = self.constants() if constants is None else [constants]
        steps = (step for one in valuations for step in self.initialisation(one))
        return [step.state for step in steps if step.state is not None]

    def initialisation(self, constants: Values | None = None, *, most: int | None = None) -> Successors:
        """Returns the ways to initialise the machine; without `constants`, for the first valuation of the constants."""
        if constants is None:
            valuations = self.constants()
            if not valuations:
                return Successors((), (), self.notes or ("no values of the constants satisfy the axioms",))
            constants = valuations[0]
        return self._successors(constants, None, most)

    def successors(self, state: Values, *, constants: Values | None = None, most: int | None = None) -> Successors:
        """Returns the steps out of a state.

        Args:
            state: A `State`, or the values of all variables by name.
            constants: Those of the state by default, else the first valuation of the constants.
            most: Most steps of one event; 1000 by default. `notes` says if there are more.
        """
        return self._successors(self._constants_of(state, constants), state, most)

    def eval(self, formula: str, state: Values | None = None, *, constants: Values | None = None) -> Evaluation:
        """Evaluates an expression or a predicate in a state, by default in the first initial state.

        Raises:
            Rejected: it is no formula, or there is no initial state.
        """
        if state is None:
            state = next(iter(self.initial(constants)), None)
            if state is None:
                raise error_from_json({"error": f"{self.path} has no initial state"}, None)
        of_state = self._constants_of(state, constants)
        return Evaluation.from_json(
            self._ask({"ask": "eval", "constants": _texts(of_state), "state": _texts(state), "formula": formula})
        )

    def close(self) -> None:
        """Ends the program. The next question starts it again."""
        if self._finalizer is not None:
            self._finalizer()
        self._process = self._finalizer = None

    def __enter__(self) -> Machine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Machine({self.path!r})"

    def _constants_of(self, state: Values, constants: Values | None) -> Values:
        if constants is not None:
            return constants
        if isinstance(state, State):
            return state.constants
        return next(iter(self.constants()), {})

    def _successors(self, constants: Values, state: Values | None, most: int | None) -> Successors:
        request: dict[str, Any] = {"ask": "successors", "constants": _texts(constants)}
        if state is not None:
            request["state"] = _texts(state)
        if most is not None:
            request["most"] = most
        found = self._ask(request)
        kept = values(request["constants"])
        successors = []
        for one in found["steps"]:
            step = Step.from_json(one["step"])
            reached = None if step.state is None else State(step.state, kept)
            violated = tuple(Violation.from_json(violation) for violation in one["violated"])
            successors.append(Successor(step, reached, violated))
        return Successors(tuple(successors), tuple(found["disabled"]), tuple(found["notes"]))

    def _ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Sends a request and returns its answer.

        An interrupt stops the computation in the program, whose answer is dropped, and is raised: the answer would be a part
        of the steps.
        """
        process = self._process
        if process is None or process.process.poll() is not None:
            self.close()
            process = self._process = Process(self._words, stdin=subprocess.PIPE)
            self._finalizer = weakref.finalize(self, process.kill)
        stdin = process.process.stdin
        assert stdin is not None
        try:
            try:
                stdin.write(json.dumps(request) + "\n")
                stdin.flush()
            except BrokenPipeError:
                # Its last line, or its exit code, says why.
                pass
            is_answered = process.wait_for_line()
        except BaseException:
            self._stop(process)
            raise
        if not is_answered:
            self._process = None
            raise process.failure(process.close())
        line = process.lines.popleft()
        try:
            found: dict[str, Any] = json.loads(line)
        except ValueError:
            found = {}
        if found.get("format") == "bsym-error":
            # Its exit code says who is to blame: 0 after a wrong request, 2 for a wrong model, else bsym or its limits.
            self._process = None
            raise error_from_json(found, process.close() or None)
        if found.get("format") not in ("bsym-choices", "bsym-eval"):
            self.close()
            code = process.close()
            raise (
                process.failure(code)
                if code < 0
                else Failed(f"the program answered: {line[:200].strip()}", exit_code=code)
            )
        return found

    def _stop(self, process: Process) -> None:
        """Stops what is computed. A program that does not stop is ended; the next question starts another one."""
        try:
            process.interrupt()
            if process.wait_for_line(_GRACE):
                process.lines.popleft()
                return
        except BaseException:
            self.close()
            raise
        self.close()


def _texts(of: Values) -> dict[str, str]:
    def text(value: object) -> str:
        return str(value).upper() if isinstance(value, bool) else str(value)

    return {name: text(value) for name, value in of.items()}


def load(path: str | os.PathLike[str], **options: Any) -> Machine:
    """Loads a machine, whose states and steps can then be asked for.

    Args:
        path: The machine.
        options: The flags of `bsym animate`, such as `scope`, `set`, `maxint`; `timeout` is one of each question.

    Raises:
        Rejected: the model or an option is wrong.
    """
    return Machine(path, options)
