"""Runs the program: finds it, reads its JSON, passes interrupts on."""

from __future__ import annotations

import collections
import json
import os
import shutil
import signal
import subprocess
import sysconfig
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Callable, Union

from ._errors import BsymError, Failed, Rejected, error_from_json

#: Called with each event of a run: `schema/events.schema.json` describes them.
Progress = Callable[[Mapping[str, Any]], object]
#: The value of an option: see `arguments`.
OptionValue = Union[None, bool, int, float, str, "os.PathLike[str]", Sequence[Any], Mapping[str, Any]]

#: Lines of standard error that are kept for the message of a failure.
_NOTES = 50
#: Seconds that an interrupted program may take for its answer before it is killed.
_GRACE = 30.0
#: Options that say in which form the result is printed.
_FORMS = {"json", "jsonl", "format", "color", "verbose", "quiet", "help"}
#: Options of Python's spelling, true by default, whose flag has a `no-` before it.
_NEGATED = {"wd", "proofs", "project", "warnings"}


def program() -> Path:
    """Returns the path of the program `bsym`.

    The environment variable `BSYM` names it; else it is the one that was installed with this package; else the first on
    the PATH.

    Raises:
        BsymError: there is none.
    """
    named = os.environ.get("BSYM")
    if named:
        found = shutil.which(named)
        if found is None:
            raise BsymError(f"the environment variable BSYM names {named}, which is no program")
        return Path(found).absolute()
    name = "bsym" + (sysconfig.get_config_var("EXE") or "")
    around = Path(__file__).absolute().parent.parent
    folders = [
        sysconfig.get_path("scripts"),
        # With pip install --prefix the packages are in PREFIX/lib/python3.X/site-packages; with --target beside `bin`.
        *(str(folder / "bin") for folder in [*list(around.parents)[2:3], around]),
        sysconfig.get_path("scripts", "nt_user" if os.name == "nt" else "posix_user"),
    ]
    for folder in folders:
        if folder and (Path(folder) / name).is_file():
            return Path(folder) / name
    on_path = shutil.which(name)
    if on_path is None:
        raise BsymError(
            "the program bsym is missing",
            help="install the wheel again, or name a program in the environment variable BSYM",
        )
    return Path(on_path)


def version() -> str:
    """Returns what `bsym --version` prints: the version and the solvers."""
    done = subprocess.run([program(), "--version"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(done.stderr.strip() or "bsym --version failed", exit_code=done.returncode)
    return done.stdout.strip()


def arguments(options: Mapping[str, OptionValue]) -> list[str]:
    """The flags for keyword arguments.

    `max_int=3` becomes `--max-int 3`, True a flag without a value, a list one flag for each item, a dictionary one flag
    `KEY=VALUE` for each entry. None and False are left out; `wd`, `proofs`, `project` and `warnings` become `--no-…` if
    they are False.

    Raises:
        TypeError: an option would change the form of the result.
    """
    found: list[str] = []
    for key, value in options.items():
        name = key.rstrip("_").replace("_", "-")
        if name in _FORMS:
            raise TypeError(f"{key} is not an option here: results are Python objects")
        flag = f"--{name}"
        if value is None or (value is False and name not in _NEGATED):
            continue
        if value is False:
            found.append(f"--no-{name}")
        elif value is True:
            if name not in ("wd", "project", "warnings"):
                found.append(flag)
        elif isinstance(value, Mapping):
            found.extend(f"{flag}={entry}={_text(item)}" for entry, item in value.items())
        elif isinstance(value, (list, tuple, set, frozenset)):
            found.extend(f"{flag}={_text(item)}" for item in value)
        else:
            # Seconds with a fraction, as the program reads them.
            if name == "timeout" and isinstance(value, float):
                value = f"{round(value * 1000)}ms"
            found.append(f"{flag}={_text(value)}")
    return found


def _text(value: object) -> str:
    if value is True or value is False:
        return str(value).upper()
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def _guard(group: int) -> subprocess.Popen[bytes] | None:
    """A process that kills a process group when its standard input ends, which happens when Python does."""
    try:
        return subprocess.Popen(
            ["/bin/sh", "-c", 'read _; kill -s KILL -- "-$1"', "sh", str(group)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return None


class Process:
    """The program at work, with threads that read what it prints.

    A thread is never interrupted, so that no line is lost when a KeyboardInterrupt comes while one is read. The process
    has a group of its own: a Ctrl-C of the terminal reaches Python alone, which passes it on once. A guard ends this group when
    Python is gone, even if it was killed: a restarted kernel leaves nothing behind.
    """

    def __init__(self, words: Sequence[str], stdin: int = subprocess.DEVNULL) -> None:
        try:
            self.process = subprocess.Popen(
                [str(program()), *words],
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,
            )
        except OSError as error:
            raise BsymError(f"the program bsym cannot be started: {error}") from error
        self._guard = _guard(self.process.pid)
        self.lines: collections.deque[str] = collections.deque()
        self.notes: collections.deque[str] = collections.deque(maxlen=_NOTES)
        self.changed = threading.Condition()
        self.is_open = True
        assert self.process.stdout is not None and self.process.stderr is not None
        self._threads = [
            threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True),
            threading.Thread(target=self._note, args=(self.process.stderr,), daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _read(self, stream: IO[str]) -> None:
        try:
            for line in stream:
                with self.changed:
                    self.lines.append(line)
                    self.changed.notify_all()
        finally:
            with self.changed:
                self.is_open = False
                self.changed.notify_all()

    def _note(self, stream: IO[str]) -> None:
        for line in stream:
            self.notes.append(line.rstrip("\n"))

    def wait_for_line(self, seconds: float | None = None) -> bool:
        """Waits for a line, which stays in `lines`. Returns False at the end of the output, or if none came in time."""
        with self.changed:
            self.changed.wait_for(lambda: self.lines or not self.is_open, seconds)
            return bool(self.lines)

    def interrupt(self) -> None:
        """Asks the program to stop and to say what it knows."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        """Ends the program and the processes that it started."""
        if self.process.poll() is None:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                self.process.kill()
        self.close()

    def close(self) -> int:
        """Ends its input and waits for the end. Returns the exit code."""
        if self.process.stdin is not None:
            try:
                self.process.stdin.close()
            except OSError:
                # The program is gone and took no more.
                pass
        code = self.process.wait()
        if self._guard is not None:
            self._guard.kill()
            self._guard.communicate()
        for thread in self._threads:
            thread.join(timeout=5)
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
        return code

    def failure(self, code: int) -> BsymError:
        """The exception for a program that ended without a result."""
        notes = "\n".join(self.notes).strip()
        if code == 2:
            head, _, rest = notes.removeprefix("error: ").partition("\n\n")
            return Rejected(head or "the program rejected its arguments", help=rest.strip() or None, exit_code=code)
        if code < 0:
            try:
                name = signal.Signals(-code).name
            except ValueError:
                name = f"signal {-code}"
            message = f"the program was ended by {name}"
        else:
            message = f"the program ended with exit code {code} and without a result"
        return Failed(message, help=notes or None, exit_code=code)


def run(words: Sequence[str], progress: Progress | None = None) -> list[dict[str, Any]]:
    """Runs the program and returns the objects that it prints, without the events that went to `progress`.

    A KeyboardInterrupt is passed on to the program, which then prints the result so far. A second one kills the program
    and is raised.

    Raises:
        BsymError: there is no result.
        KeyboardInterrupt: the second one, or the first if the program has nothing to say.
    """
    process = Process(words)
    found: list[dict[str, Any]] = []
    was_interrupted = False
    try:
        while True:
            try:
                while process.wait_for_line(_GRACE if was_interrupted else None):
                    _take(process, found, progress)
                break
            except KeyboardInterrupt:
                if was_interrupted:
                    raise
                was_interrupted = True
                process.interrupt()
        if process.is_open:
            raise KeyboardInterrupt
        code = process.close()
    except BaseException:
        process.kill()
        raise
    error = next((one for one in found if one.get("format") == "bsym-error"), None)
    if was_interrupted and (error is not None or not found):
        raise KeyboardInterrupt
    if error is not None:
        raise error_from_json(error, code)
    if not found or code not in (0, 1, 2, 3, 4):
        raise process.failure(code)
    return found


def _take(process: Process, found: list[dict[str, Any]], progress: Progress | None) -> None:
    """Takes one line. It is removed from the queue after its result is in the list, so that an interrupt loses neither."""
    line = process.lines[0]
    try:
        one = json.loads(line)
    except ValueError:
        process.lines.popleft()
        raise Failed(f"the program printed a line that is no JSON: {line[:200].strip()}") from None
    if "event" not in one:
        found.append(one)
        process.lines.popleft()
    elif one["event"] == "result":
        found.append(one["result"])
        process.lines.popleft()
    else:
        process.lines.popleft()
        if progress is not None:
            progress(one)


def only(found: Sequence[dict[str, Any]], format: str) -> dict[str, Any]:
    """The last object, if it has this format."""
    last = found[-1]
    if last.get("format") != format:
        raise Failed(f"the program answered with {last.get('format')!r} instead of {format!r}")
    return last


def each(found: Sequence[dict[str, Any]], format: str) -> Iterator[dict[str, Any]]:
    """The objects of a format."""
    return (one for one in found if one.get("format") == format)
