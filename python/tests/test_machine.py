import bsym
import pytest

LIBRARY = "examples/library.mch"


@pytest.fixture
def library():
    with bsym.load(LIBRARY) as machine:
        yield machine


def test_states_are_reached_step_by_step(library):
    assert library.constants() == [{"limit": "1"}]
    (first,) = library.initial()
    assert dict(first) == {"loans": "{}"} and first.constants == {"limit": "1"}
    found = library.successors(first)
    assert found.is_complete and found.disabled == ("give_back", "who_has")
    assert {one.event for one in found} == {"lend"} and len(found) == 6
    second = found[0].state
    assert str(found[0]) == "lend(b = b1, r = r1) => loans = {(b1|->r1)}"
    assert first in {one.state for one in library.successors(second) if one.event == "give_back"}
    assert "lend" in found._repr_html_() and "loans" in first._repr_html_()


def test_every_reachable_state_can_be_visited(library):
    seen, waiting = set(), library.initial()
    while waiting:
        state = waiting.pop()
        if state not in seen:
            seen.add(state)
            waiting.extend(one.state for one in library.successors(state) if one.state is not None)
    assert len(seen) == 27


def test_formulas_have_values_in_any_state(library):
    assert library.eval("card(loans)").to_python() == 0
    assert library.eval("loans~[{r2}]", {"loans": "{(b1|->r2)}"}).to_python() == {"b1"}
    assert library.eval("limit + 1", constants={"limit": 1}).to_python() == 2
    with pytest.raises(bsym.Rejected, match="column"):
        library.eval("loans +")
    # The session goes on.
    assert library.eval("1 + 1").to_python() == 2


def test_states_are_checked(library):
    for state, message in [({}, "loans"), ({"loans": "{}", "other": "1"}, "other"), ({"loans": "TRUE"}, "type")]:
        with pytest.raises(bsym.Rejected, match=message):
            library.successors(state)


def test_steps_that_go_wrong_reach_no_state(machine):
    path = machine(
        "w", "MACHINE w VARIABLES x INVARIANT x : INTEGER INITIALISATION x :: {0, 2} OPERATIONS d = x := 10 / x END"
    )
    loaded = bsym.load(path)
    zero, two = loaded.initial()
    (wrong,) = loaded.successors(zero)
    assert wrong.state is None and wrong.violated[0].property == "wd" and "goes wrong" in str(wrong)
    assert loaded.successors(two)[0].state["x"] == "5"
    assert loaded.successors({"x": 5})[0].state["x"] == "2"


def test_what_is_left_out_is_said(machine):
    path = machine(
        "many",
        "MACHINE many VARIABLES x INVARIANT x : INTEGER INITIALISATION x := 0 OPERATIONS go = ANY y WHERE y : 1..50 THEN x := y END END",
    )
    loaded = bsym.load(path)
    (state,) = loaded.initial()
    assert len(loaded.successors(state)) == 50 and loaded.successors(state).is_complete
    some = loaded.successors(state, most=3)
    assert len(some) == 3 and not some.is_complete and "more steps" in some.notes[0]


def test_the_program_is_started_again_after_it_was_killed(library):
    (state,) = library.initial()
    library._process.process.kill()
    library._process.process.wait()
    assert len(library.successors(state)) == 6


def test_options_are_those_of_the_session():
    assert len(bsym.load("examples/overflow.mch", set={"display": 255}).initial()) == 1
    assert {state.constants["display"] for state in bsym.load("examples/overflow.mch").initial()} == {"127", "255"}
    with pytest.raises(bsym.Rejected, match="deferred"):
        bsym.load(LIBRARY, scope={"READER": 2})
