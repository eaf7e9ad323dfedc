"""What ``wait`` makes of what it is told, driven by hand: no socket, no server, no time but the test's."""

from __future__ import annotations

import importlib

import pytest

from phux_client import flows
from phux_core import calls, errors
from validation import validate

wait_module = importlib.import_module("phux_client.flows.wait")
CALLER = flows.Caller("/", {}, "/run/phux.sock")
SCREEN = {
    "pane": 3,
    "cols": 10,
    "rows": 2,
    "cursor": {"x": 0, "y": 0, "visible": True},
    "lines": ["$ make", ""],
    "scrollback": [],
    "soft_wrap": {"lines": [], "scrollback": []},
    "title": None,
    "seq": 100,
    "alt_screen": False,
    "state": "running",
}
DEAD = SCREEN | {"state": "dead", "exit_status": 0}


def subscribed(**more):
    return {"subscription": 5, "seq": 100, "since": 100, "marks": True, "command_end": None} | more


def output(*text, seq=110, **more):
    return {"event": "output", "terminal": "@3", "text": list(text), "resume": seq, "seq": seq} | more


def screen(*lines, **more):
    return SCREEN | {"lines": list(lines)} | more


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    class Clock:
        now = 100.0

        def monotonic(self):
            return self.now

    clock = Clock()
    monkeypatch.setattr(wait_module, "time", clock)
    return clock


class Talk:
    """A wait, and what it asked."""

    def __init__(self, **options):
        self.asked = []
        self.outcome = None
        timeout_s = options.pop("timeout_s", None)
        self._flow = flows.wait(CALLER, 3, flows.Conditions(**options), timeout_s=timeout_s)
        self._step(lambda: next(self._flow))

    def tell(self, *answers):
        for answer in answers:
            assert self.outcome is None, "it is over already"
            if isinstance(answer, Exception):
                self._step(lambda answer=answer: self._flow.throw(answer))
            else:
                self._step(lambda answer=answer: self._flow.send(answer))
        return self

    def _step(self, go):
        try:
            step = go()
        except StopIteration as stop:
            self.outcome = stop.value
            validate("screen-state", self.outcome.document)
            return
        if isinstance(step, flows.Deadline):
            self._step(lambda: self._flow.send(None))
        elif isinstance(step, flows.Request):
            calls.check(step.call, step.params)
            self.asked.append((step.call, step.params))
        else:
            self.asked.append(("next_event", step.timeout_s))

    @property
    def last(self):
        return self.asked[-1][0]

    @property
    def params(self):
        return self.asked[-1][1]


def begun(*answers, reply=None, first=SCREEN, **options):
    return Talk(**options).tell(subscribed(**(reply or {})), first, *answers)


# Text


def test_text_that_was_written_ends_it_at_once_with_the_screen_that_came_with_it():
    talk = begun(output("all", "done now", screen=screen("done now", seq=110)), until="done")
    assert (talk.outcome.met, talk.outcome.line, talk.outcome.seq) == ("until", "done now", 110)
    assert talk.outcome.screen["lines"] == ["done now"]
    assert [name for name, _ in talk.asked] == ["subscribe", "snapshot", "next_event"]


def test_text_that_scrolled_away_is_found_and_the_screen_asked_for_when_it_did_not_come():
    talk = begun(output("done"), until="done")
    assert talk.last == "snapshot"
    talk.tell(screen("much", "later", seq=9000))
    assert (talk.outcome.met, talk.outcome.seq) == ("until", 110)
    assert talk.outcome.screen["lines"] == ["much", "later"]


def test_what_is_drawn_is_found_on_the_screen_that_comes_with_the_text():
    talk = begun(output("on", screen=screen("done", seq=110)), until="done")
    assert talk.outcome.line == "done"


def test_with_since_the_screen_does_not_count():
    talk = begun(reply={"since": 40}, first=screen("done"), since=40, until="done")
    assert talk.asked[0][1] == {"pane": 3, "output": True, "screen": True, "since": 40}
    talk.tell(output("mine", screen=screen("done")))
    assert talk.outcome is None
    talk.tell(output("done", screen=screen("done", seq=120), seq=120))
    assert talk.outcome.met == "until"


def drawn(*lines, instead_of=()):
    return output(drawn={"lines": list(lines), "instead_of": list(instead_of)}, screen=screen(*lines, seq=110))


def test_with_since_what_came_onto_the_alternate_screen_counts():
    talk = begun(drawn("Insta"), drawn("Installed", instead_of=["Insta"]), since=100, until="Installed")
    assert (talk.outcome.met, talk.outcome.line) == ("until", "Installed")


def test_what_stood_in_a_line_of_it_before_is_old():
    ticked = drawn("done 12:02", "new", instead_of=["done 12:01"])
    assert begun(ticked, since=100, until="done", stop=r"done \S").outcome is None
    assert begun(ticked, since=100, until="never", regex=r"\d+:\d+").outcome.line == "done 12:02"
    assert begun(drawn("done", "done", instead_of=["done "]), since=100, until="done").outcome.met == "until"


@pytest.mark.parametrize("marks", [True, False])
def test_output_only_leaves_the_screen_out(marks):
    talk = begun(reply={"marks": marks}, first=screen("done"), output_only=True, until="done")
    assert talk.asked[0][1]["output_only"] is True
    assert talk.outcome is None


def test_a_pattern_is_searched_in_each_line():
    assert begun(output("no error", "error: 7"), regex=r"^error: \d+$").tell(SCREEN).outcome.line == "error: 7"
    assert begun(first=screen("error:", "7"), regex=r"error:\s7").outcome is None


def test_a_pattern_may_end_in_the_blank_of_a_prompt_which_no_line_of_a_screen_has():
    assert begun(output("work", "host:~$"), regex=r"\$ $").tell(SCREEN).outcome.line == "host:~$"
    assert begun(first=screen("Name:"), regex=r"^Name:\s$").outcome.line == "Name:"
    assert begun(first=screen("Name: x"), regex=r"^Name:\s$").outcome is None


@pytest.mark.parametrize("pattern", ["(", "[z-a]", "*", "(?P<n>", b"bytes", 7])
@pytest.mark.parametrize("name", ["regex", "stop"])
def test_a_bad_pattern_asks_nothing(name, pattern):
    with pytest.raises(errors.BadRequestError, match="pattern"):
        Talk(**{name: pattern})


@pytest.mark.parametrize(
    "options",
    [
        {"state": "asleep"},
        {"state": ["prompt", "asleep"]},
        {"state": "prompt,"},
        {"since": -1, "until": "x"},
        {"since": "5", "until": "x"},
        {"until": 7},
        {"gone": b"x"},
        {"output_only": True},
        {"output_only": True, "exit": True},
        {"timeout_s": -1},
    ],
)
def test_nonsense_asks_nothing(options):
    with pytest.raises(errors.BadRequestError):
        Talk(**options)


# Stop, and which comes first


def test_stop_ends_it_and_names_the_line():
    outcome = begun(output("warning", "error: no", "done"), until="done", stop="^error").tell(SCREEN).outcome
    assert (outcome.met, outcome.line) == ("stop", "error: no")


def test_the_line_that_came_first_decides():
    outcome = begun(output("done", "error"), until="done", stop="error").tell(SCREEN).outcome
    assert outcome.met == "until"


def test_on_one_line_stop_is_stronger():
    assert begun(first=screen("done with error"), until="done", stop="error").outcome.met == "stop"


def test_stop_alone_waits_for_rest(clock):
    talk = begun(stop="error")
    assert talk.params == pytest.approx(0.5)


def test_what_was_written_is_judged_before_what_became_of_it():
    talk = begun(reply={"since": 40}, first=DEAD, since=40, until="done", exit=True)
    assert talk.outcome is None
    talk.tell(output("done", seq=100), DEAD)
    assert talk.outcome.met == "until"


def test_the_end_of_a_command_waits_for_its_text():
    talk = begun({"event": "command_finished", "exit_code": 0, "seq": 130}, until="done", command_done=True)
    talk.tell(SCREEN | {"seq": 130})
    assert talk.outcome is None
    talk.tell(output("only this", seq=130, screen=SCREEN | {"seq": 130}))
    assert talk.outcome.met == "command_done"


def test_a_program_that_has_ended_and_never_said_it_is_an_error():
    with pytest.raises(errors.PaneClosedError, match="until, regex"):
        begun(first=DEAD, until="never", regex="never", stop="x")


def test_it_is_not_one_before_all_its_text_was_read():
    talk = begun(reply={"since": 40}, first=DEAD, since=40, until="never")
    assert talk.last == "next_event"
    with pytest.raises(errors.PaneClosedError):
        talk.tell(output("last words", seq=100))


# Other conditions


def test_gone_is_met_when_no_visible_line_has_it():
    talk = begun(first=screen("building", "x"), gone="building")
    assert talk.asked[0][1] == {"pane": 3, "output": True, "screen": True}
    talk.tell(output("x", screen=screen("still building", seq=110)))
    assert talk.outcome is None
    talk.tell(output("y", seq=120, screen=screen("built", seq=120)))
    assert talk.outcome.met == "gone"


def test_gone_is_met_at_once_if_it_never_was_there():
    assert begun(gone="building").outcome.met == "gone"


@pytest.mark.parametrize("state", ["dead", ["prompt", "dead"], "prompt, dead"])
def test_a_state_or_one_of_several(state):
    talk = begun(state=state)
    assert talk.outcome is None
    talk.tell({"event": "state_changed", "state": "dead", "seq": 100}, DEAD)
    assert talk.outcome.met == "state"


def test_a_state_counts_only_if_something_was_written_after_since():
    prompt = SCREEN | {"state": "prompt", "seq": 120}
    assert begun(first=prompt, since=100, state="prompt").outcome.met == "state"
    talk = begun(first=prompt, since=120, state="prompt")
    assert talk.outcome is None
    talk.tell({"event": "command_finished", "exit_code": 0, "seq": 140}, prompt | {"seq": 140})
    assert talk.outcome.met == "state"


def test_command_done_waits_for_the_next_one_and_a_past_one_counts_only_after_since():
    assert begun(reply={"command_end": 90}, command_done=True).outcome is None
    assert begun(reply={"command_end": 90}, command_done=True, since=90).outcome is None
    assert begun(reply={"command_end": 90}, command_done=True, since=80).outcome.met == "command_done"


def test_idle_counts_from_the_last_text(clock):
    talk = begun(idle_ms=250, until="never")
    clock.now += 0.125
    talk.tell(output("x", seq=110, screen=SCREEN | {"seq": 110}))
    assert talk.params == pytest.approx(0.25)
    clock.now += 0.25
    talk.tell(None, SCREEN | {"seq": 110})
    assert talk.outcome.met == "idle"


# Time, and what goes wrong


def test_a_quiet_pane_is_hardly_looked_at():
    assert begun(until="never").params >= 1
    assert begun(gone="$").params >= 1
    assert begun(state="prompt").params >= 1


def test_events_that_say_nothing_new_cost_no_request():
    talk = begun(*({"event": name, "seq": 100} for name in ("dirty", "idle", "bell", "title_changed")), until="never")
    assert [name for name, _ in talk.asked].count("snapshot") == 1


def test_a_timeout_of_zero_still_reads_what_was_written_since():
    talk = begun(output("done", seq=100), reply={"since": 40}, since=40, until="done", timeout_s=0)
    assert talk.tell(SCREEN).outcome.met == "until"


def test_and_gives_up_when_that_is_all():
    talk = begun(output("x", seq=70), reply={"since": 40}, since=40, until="done", timeout_s=0)
    assert talk.params == 0
    talk.tell(None)
    assert talk.outcome.met is None


def test_looks_are_counted():
    talk = begun(output("a", screen=SCREEN | {"seq": 110}), output("done", screen=SCREEN), until="done")
    assert talk.outcome.looks == 3


def test_a_lost_connection_goes_on_where_it_was():
    talk = begun(output("do", seq=110, resume=108), errors.DisconnectedError("the service died"), until="done")
    assert talk.asked[-1] == ("subscribe", {"pane": 3, "output": True, "screen": True, "since": 108})
    talk.tell(subscribed(since=108), SCREEN)
    # The screen counts, as it did before.
    talk.tell(output("done", seq=112), SCREEN)
    assert talk.outcome.met == "until"


def test_a_lost_connection_goes_on_from_where_it_began_when_nothing_was_written():
    talk = begun(errors.DisconnectedError("the service died"), reply={"since": 96}, until="done")
    assert talk.params["since"] == 96


def test_a_command_that_ended_while_the_service_was_away_is_noticed():
    talk = begun(errors.DisconnectedError("the service died"), command_done=True)
    talk.tell(subscribed(command_end=105), SCREEN)
    assert talk.outcome.met == "command_done"


def test_what_was_dropped_is_asked_for_again():
    talk = begun(output("x", seq=110), {"event": "dropped", "count": 3}, until="done")
    assert talk.asked[-1] == ("unsubscribe", {"subscription": 5})
    talk.tell({})
    assert (talk.last, talk.params["since"]) == ("subscribe", 110)


def test_a_pane_that_is_killed_meets_exit_and_dead_and_disappoints_the_rest():
    gone = errors.NoSuchTargetError("there is no pane @3")
    closed = {"event": "pane_closed", "seq": 100}
    assert begun(closed, gone, exit=True).outcome.met == "exit"
    assert begun(closed, gone, state="dead").outcome.screen["state"] == "dead"
    with pytest.raises(errors.PaneClosedError, match="killed"):
        begun(closed, gone, until="never")


def test_text_that_was_found_is_found_even_if_the_pane_is_gone_then():
    talk = begun(output("done"), errors.NoSuchTargetError("there is no pane @3"), until="done")
    assert (talk.outcome.met, talk.outcome.line) == ("until", "done")
