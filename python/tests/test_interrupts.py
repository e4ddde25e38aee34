"""Interrupts as a notebook sends them: a signal to the process of Python alone."""

import os
import signal
import subprocess
import sys
import threading
import time

import bsym
import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")


def interrupt_after(*seconds):
    def send():
        for pause in seconds:
            time.sleep(pause)
            os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=send, daemon=True)
    thread.start()
    return thread


def test_an_interrupt_gives_the_result_so_far(endless):
    thread = interrupt_after(1.5)
    started = time.monotonic()
    result = bsym.mc(endless)
    thread.join()
    assert result.interrupted and (result.verdict, result.reason_code) == ("unknown", "interrupted")
    assert result.stats.states > 10 and result.machine == "endless"
    assert time.monotonic() - started < 20


def test_an_interrupt_inside_the_callback_is_one_of_the_run(endless):
    seen = []

    def progress(event):
        seen.append(event)
        if len(seen) == 3:
            raise KeyboardInterrupt

    # Such an event comes every quarter of a second or so.
    assert bsym.mc(endless, progress=progress).interrupted


def test_an_interrupted_check_has_a_result(machine):
    # The least solution of Pell's equation for 61 is x = 1766319049, far away.
    path = machine(
        "pell",
        "MACHINE pell VARIABLES x, y INVARIANT x : NATURAL1 & y : NATURAL1 & x * x - 61 * y * y /= 1 "
        "INITIALISATION x, y := 1, 1 OPERATIONS right = x := x + 1; up = y := y + 1 END",
    )
    thread = interrupt_after(2.0)
    result = bsym.check(path)
    thread.join()
    assert result.interrupted and len(result.properties) == 3


def test_a_second_interrupt_is_raised_and_leaves_no_process(tmp_path, monkeypatch):
    fake = tmp_path / "bsym"
    fake.write_text("#!/bin/sh\ntrap '' INT\necho $$ >" + str(tmp_path / "pid") + "\nwhile :; do sleep 0.1; done\n")
    fake.chmod(0o755)
    monkeypatch.setenv("BSYM", str(fake))
    thread = interrupt_after(1.0, 0.7)
    with pytest.raises(KeyboardInterrupt):
        bsym.check("examples/lift.mch")
    thread.join()
    pid = int((tmp_path / "pid").read_text())
    assert is_gone(pid)


def test_an_interrupted_question_keeps_the_machine(machine):
    path = machine(
        "slow",
        "MACHINE slow VARIABLES x INVARIANT x : INTEGER INITIALISATION x := 0 OPERATIONS go = x := x + 1 END",
    )
    loaded = bsym.load(path)
    (state,) = loaded.initial()
    thread = interrupt_after(1.0)
    with pytest.raises(KeyboardInterrupt):
        loaded.eval("card({s | s : POW(1..24) & SIGMA(x).(x : s | x) = 40})", state)
    thread.join()
    assert loaded.eval("x + 1", state).to_python() == 1
    assert loaded.successors(state)[0].state["x"] == "1"


def test_no_program_outlives_a_killed_python(endless, tmp_path):
    script = (
        "import bsym, pathlib, sys\n"
        "from bsym import _program\n"
        "start = _program.Process.__init__\n"
        "def noting(self, *rest, **named):\n"
        "    start(self, *rest, **named)\n"
        "    pathlib.Path(sys.argv[2]).write_text(str(self.process.pid))\n"
        "_program.Process.__init__ = noting\n"
        "bsym.mc(sys.argv[1])\n"
    )
    noted = tmp_path / "pid"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    python = subprocess.Popen([sys.executable, "-c", script, str(endless), str(noted)], env=environment)
    for _ in range(200):
        time.sleep(0.05)
        if noted.exists() and noted.read_text():
            break
    pid = int(noted.read_text())
    os.kill(pid, 0)
    python.kill()
    python.wait()
    for _ in range(100):
        time.sleep(0.05)
        if is_gone(pid):
            return
    raise AssertionError(f"process {pid} is still there")


def is_gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    # In a container without an init process it stays as a zombie.
    try:
        with open(f"/proc/{pid}/stat") as state:
            return state.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True
