"""The commands of the program as functions."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, Union, overload

from ._evaluation import Evaluation
from ._obligations import Obligations
from ._program import Progress, arguments, each, only, run
from ._result import Result

if TYPE_CHECKING:
    from typing_extensions import Unpack

Path = Union[str, "os.PathLike[str]"]


class Options(TypedDict, total=False):
    """Keyword arguments of the engines. Every other flag of the command is one too: `max_states=100` is `--max-states 100`."""

    #: Seconds, or a text such as `"2m"`.
    timeout: float | str
    #: Sizes of deferred sets, such as `{"S": 3}`, or `"prob"` for ProB's finite scope.
    scope: Mapping[str, int] | str
    #: Values of constants, as B text or as integers and booleans.
    set: Mapping[str, str | int | bool]
    maxint: int
    minint: int
    #: What to check: `inv`, `deadlock`, `assertions`, `goal`.
    prop: str | Sequence[str]
    conjunct: str | Sequence[str]
    #: False leaves well-definedness unchecked.
    wd: bool
    keep_going: bool
    depth: int
    #: Such as `"4G"`.
    memory: str
    seed: int
    solver: str
    encoding: str
    jobs: int
    #: A file with proof status, `"auto"`, or False for none.
    proofs: Path | bool
    #: Files to write.
    trace: Path
    certificate: Path
    #: The machine of a project.
    machine: str


def _verify(command: str, path: Path, progress: Progress | None, options: Mapping[str, Any]) -> Result:
    words = [command, "--jsonl", *arguments(options), "--", os.fspath(path)]
    return Result.from_json(only(run(words, progress), "bsym-result"))


def check(path: Path, *, progress: Progress | None = None, **options: Unpack[Options]) -> Result:
    """Verifies a machine with several engines at once.

    Ctrl-C, or an interrupt of the kernel, stops the run: the result then has the verdict `unknown`, `interrupted` is
    True, and it has all that was found until then. A second one raises KeyboardInterrupt.

    Args:
        path: The machine.
        progress: Called with each event while the engines work.
        options: See `Options`.

    Raises:
        Rejected: the model or an option is wrong.
        Failed: the program failed or was ended, for example for lack of memory.
    """
    return _verify("check", path, progress, options)


def bmc(path: Path, *, progress: Progress | None = None, **options: Unpack[Options]) -> Result:
    """Bounded model checking. Arguments and errors are those of `check`."""
    return _verify("bmc", path, progress, options)


def tree(path: Path, *, progress: Progress | None = None, **options: Unpack[Options]) -> Result:
    """Bounded model checking per sequence of events. Arguments and errors are those of `check`."""
    return _verify("tree", path, progress, options)


def kind(path: Path, *, progress: Progress | None = None, **options: Unpack[Options]) -> Result:
    """k-induction. Arguments and errors are those of `check`."""
    return _verify("kind", path, progress, options)


def ic3(path: Path, *, progress: Progress | None = None, **options: Unpack[Options]) -> Result:
    """IC3, which finds an inductive invariant. Arguments and errors are those of `check`."""
    return _verify("ic3", path, progress, options)


def mc(path: Path, *, progress: Progress | None = None, **options: Unpack[Options]) -> Result:
    """Explicit-state model checking, by default in ProB's finite scope. Arguments and errors are those of `check`."""
    return _verify("mc", path, progress, options)


def ldd(path: Path, *, progress: Progress | None = None, **options: Unpack[Options]) -> Result:
    """Symbolic reachability by list decision diagrams. Arguments and errors are those of `check`."""
    return _verify("ldd", path, progress, options)


def po(path: Path, *, progress: Progress | None = None, **options: Any) -> Obligations:
    """Proves the proof obligations of a machine. After an interrupt, those that were not tried are open.

    Errors are those of `check`; the options are the flags of `bsym po`.
    """
    words = ["po", "--jsonl", *arguments(options), "--", os.fspath(path)]
    return Obligations.from_json(only(run(words, progress), "bsym-po"))


@overload
def evaluate(formula: str, /, **options: Any) -> Evaluation: ...
@overload
def evaluate(path: Path, formula: str, /, **options: Any) -> Evaluation: ...
def evaluate(first: Path, second: str | None = None, /, **options: Any) -> Evaluation:
    """Evaluates an expression or a predicate: `eval("1 + 1")`, or in a machine, `eval("lift.mch", "floor")`.

    In a machine names have their values in the first initial state, or in the last state of `trace=FILE`. To choose
    another state, use `load`.

    Raises:
        Rejected: it is no formula, or the machine is wrong.
    """
    formulas = [os.fspath(first)] if second is None else [os.fspath(first), second]
    found = run(["eval", "--jsonl", *arguments(options), "--", *formulas])
    return Evaluation.from_json(only(list(each(found, "bsym-eval")) or found, "bsym-eval"))
