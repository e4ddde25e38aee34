import json
import os
import stat
import sys

import bsym
import pytest

OVERFLOW = "examples/overflow.mch"


def test_a_counterexample_has_typed_steps():
    result = bsym.check(OVERFLOW, set={"display": 127})
    assert result.verdict == "violated" and not result.holds and not result.interrupted
    assert result.trace.events == ["INITIALISATION", "advance", "advance"]
    assert result.trace[-1].state["shown"].to_python() == 128
    assert result.trace.constants == {"display": "127"}
    assert [violation.text for violation in result.violated] == ["shown <= display"]
    assert result.violated[0].values == {"shown": "128", "display": "127"}
    assert [one.verdict for one in result.properties][-1] == "violated"
    assert result.scope.maxint == 2147483647
    assert "advance(by = 64)" in str(result)
    with pytest.raises(TypeError):
        bool(result)


def test_rounds_that_a_trace_leaves_out_are_counted(machine):
    path = machine(
        "deep",
        "MACHINE deep VARIABLES v INVARIANT v : NAT INITIALISATION v := 0 OPERATIONS inc = v := v + 1 END",
    )
    result = bsym.check(path)
    assert result.verdict == "violated", str(result)
    trace = result.trace
    [step] = [step for step in trace if step.repeated]
    assert step.repeated.steps == 1 and step.repeated.rounds > 10**6
    # The step that ends after MAXINT breaks the invariant.
    assert trace.numbers[-1] == 2**31 == trace.states[-1]["v"].to_python()
    assert trace.numbers[-1] == len(trace) - 1 + step.repeated.all
    line = f"… the last step, {step.repeated.rounds} more times …"
    assert line in str(trace) and f"  {2**31} inc" in str(trace)
    html = trace._repr_html_()
    assert line in html and f"<td style=\"text-align:left\">{2**31}</td>" in html
    pandas = pytest.importorskip("pandas")
    table = trace.to_pandas(python=True)
    assert list(table.index) == trace.numbers and table["v"].iloc[-1] == 2**31
    assert [one for one in table["repeated"] if not pandas.isna(one)] == [step.repeated]


def test_a_proof_has_an_invariant_and_a_certificate(tmp_path):
    result = bsym.ic3("examples/mutex.mch")
    assert result.holds and result.trace is None and result.certificate_kind == "inductive"
    assert "critical <: PROCESS" in result.invariant and len(result.invariant) > 4
    assert result.certificate["format"] == "bsym-certificate" and result.scope.sets == {"PROCESS": "any"}
    path = tmp_path / "mutex.json"
    assert bsym.ic3("examples/mutex.mch", certificate=path).certificate == str(path)
    assert json.loads(path.read_text())["engine"] == "ic3"


@pytest.mark.parametrize("engine", ["bmc", "tree", "kind", "ic3", "mc", "ldd"])
def test_every_engine_is_a_function(engine):
    result = getattr(bsym, engine)(OVERFLOW, set={"display": 127})
    assert (result.verdict, result.engine) == ("violated", engine), str(result)


def test_scopes_are_passed_on():
    assert bsym.mc("examples/mutex.mch", scope={"PROCESS": 2}).scope.sets == {"PROCESS": 2}
    assert bsym.mc("examples/mutex.mch", scope="prob", maxint=5).scope.maxint == 5


def test_progress_is_called_with_events():
    events = []
    bsym.bmc(OVERFLOW, set={"display": 127}, progress=events.append)
    assert {"depth", "timing"} <= {event["event"] for event in events}
    assert "result" not in {event["event"] for event in events}


def test_an_error_of_the_callback_is_raised(endless):
    def fail(event):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        bsym.mc(endless, progress=fail)


def test_a_timeout_is_an_unknown_result(endless):
    result = bsym.mc(endless, timeout=0.5)
    assert (result.verdict, result.reason_code) == ("unknown", "timeout")
    assert result.stats.states > 1


def test_a_wrong_model_is_an_exception_with_diagnostics(machine):
    path = machine("wrong", "MACHINE wrong VARIABLES x INVARIANT x : NAT & y = 1 INITIALISATION x := TRUE END")
    for function in (bsym.check, bsym.po, bsym.load, lambda path: bsym.eval(path, "x")):
        with pytest.raises(bsym.Rejected) as caught:
            function(path)
        codes = {one.code for one in caught.value.diagnostics if one.severity == "error"}
        assert "B0301" in codes and caught.value.exit_code == 2
        assert "`y` is not declared" in str(caught.value)


def test_a_missing_file_and_a_wrong_flag_are_rejected():
    with pytest.raises(bsym.Rejected, match="no such file") as caught:
        bsym.check("examples/none.mch")
    assert caught.value.help
    with pytest.raises(bsym.Rejected, match="--speed"):
        bsym.check(OVERFLOW, speed=3)
    with pytest.raises(TypeError, match="json"):
        bsym.check(OVERFLOW, json=True)


def test_a_program_that_crashes_raises_and_python_goes_on(tmp_path, monkeypatch):
    fake = tmp_path / "bsym"
    fake.write_text(
        f'#!{sys.executable}\nimport os, signal\nprint(\'{{"event": "timing"}}\', flush=True)\nos.kill(os.getpid(), signal.SIGKILL)\n'
    )
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("BSYM", os.fspath(fake))
    with pytest.raises(bsym.Failed, match="SIGKILL") as caught:
        bsym.check(OVERFLOW)
    assert caught.value.exit_code == -9
    with pytest.raises(bsym.Failed, match="SIGKILL"):
        bsym.load(OVERFLOW).constants()
    monkeypatch.setenv("BSYM", os.fspath(tmp_path / "none"))
    with pytest.raises(bsym.BsymError, match="BSYM"):
        bsym.check(OVERFLOW)


def test_obligations_have_status():
    obligations = bsym.po("examples/counter.mch")
    assert len(obligations) == sum(obligations.counts.values()) > 5
    assert obligations.open == [] and all(one.is_proved for one in obligations)
    assert {one.event for one in obligations} >= {"INITIALISATION", "count"}


def test_formulas_are_evaluated():
    assert bsym.eval("{x | x : 1..3 & x > 1}").to_python() == {2, 3}
    assert bsym.eval("1 = 2").to_python() is False
    assert bsym.eval("-3").to_python() == -3
    assert bsym.eval("examples/library.mch", "card(loans)").to_python() == 0
    undefined = bsym.eval("1 / 0")
    assert undefined.value is None and undefined.kind == "ill-defined" and "division by zero" in str(undefined)
    with pytest.raises(ValueError):
        undefined.to_python()
    with pytest.raises(bsym.Rejected, match="column 3"):
        bsym.eval("1+")


def test_traces_become_tables():
    pandas = pytest.importorskip("pandas")
    trace = bsym.check(OVERFLOW, set={"display": 127}).trace
    table = trace.to_pandas(python=True)
    assert list(table.columns) == ["event", "parameters", "results", "shown"]
    assert list(table["shown"]) == [0, 64, 128] and table["parameters"][1] == {"by": 64}
    assert list(trace.to_pandas()["shown"]) == ["0", "64", "128"]
    assert isinstance(table, pandas.DataFrame)


def test_a_variable_called_event_keeps_its_name(machine):
    pytest.importorskip("pandas")
    path = machine(
        "clash",
        "MACHINE clash VARIABLES event INVARIANT event < 1 INITIALISATION event := 0 OPERATIONS go = event := 1 END",
    )
    table = bsym.check(path).trace.to_pandas(python=True)
    assert list(table["state", "event"]) == [0, 1] and list(table["step", "event"]) == ["INITIALISATION", "go"]


def test_without_pandas_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        bsym.check(OVERFLOW, set={"display": 127}).trace.to_pandas()


def test_notebooks_show_escaped_html():
    result = bsym.check(OVERFLOW, set={"display": 127})
    html = result._repr_html_()
    assert "shown &lt;= display" in html and "<table>" in html and "shown <= display" not in html
    obligations = bsym.po("examples/counter.mch")
    assert "discharged" in obligations._repr_html_()
    assert "<code>2</code>" in bsym.eval("1 + 1")._repr_html_()
