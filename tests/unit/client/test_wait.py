"""The ``wait`` flow with scripted replies and a fake clock, without a socket or a server."""

from __future__ import annotations

import pytest

from phux_client import flows
from phux_client.flows import waiting
from phux_core import calls, errors
from validation import validate

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
    monkeypatch.setattr(waiting, "time", clock)
    return clock


class Driver:
    """A wait flow that receives scripted replies; ``requests`` has the requests that it made."""

    def __init__(self, **options):
        self.requests = []
        self.outcome = None
        timeout_s = options.pop("timeout_s", None)
        self._flow = flows.wait(CALLER, 3, flows.Conditions(**options), timeout_s=timeout_s)
        self._step(lambda: next(self._flow))

    def reply(self, *replies):
        for reply in replies:
            assert self.outcome is None, "the wait has already ended"
            if isinstance(reply, Exception):
                self._step(lambda reply=reply: self._flow.throw(reply))
            else:
                self._step(lambda reply=reply: self._flow.send(reply))
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
            self.requests.append((step.call, step.params))
        else:
            self.requests.append(("next_event", step.timeout_s))

    @property
    def last(self):
        return self.requests[-1][0]

    @property
    def params(self):
        return self.requests[-1][1]


def started(*replies, subscription=None, first=SCREEN, **options):
    return Driver(**options).reply(subscribed(**(subscription or {})), first, *replies)


# Text


def test_a_wait_ends_at_matching_output_with_the_screen_of_the_same_event():
    driver = started(output("all", "done now", screen=screen("done now", seq=110)), until="done")
    assert (driver.outcome.met, driver.outcome.line, driver.outcome.seq) == ("until", "done now", 110)
    assert driver.outcome.screen["lines"] == ["done now"]
    assert [name for name, _ in driver.requests] == ["subscribe", "snapshot", "next_event"]


def test_text_that_scrolled_off_the_screen_matches_and_a_missing_screen_is_requested():
    driver = started(output("done"), until="done")
    assert driver.last == "snapshot"
    driver.reply(screen("much", "later", seq=9000))
    assert (driver.outcome.met, driver.outcome.seq) == ("until", 110)
    assert driver.outcome.screen["lines"] == ["much", "later"]


def test_text_that_is_only_on_the_screen_of_an_output_event_matches():
    driver = started(output("on", screen=screen("done", seq=110)), until="done")
    assert driver.outcome.line == "done"


def test_with_since_text_on_the_screen_does_not_match():
    driver = started(subscription={"since": 40}, first=screen("done"), since=40, until="done")
    assert driver.requests[0][1] == {"pane": 3, "output": True, "screen": True, "since": 40}
    driver.reply(output("mine", screen=screen("done")))
    assert driver.outcome is None
    driver.reply(output("done", screen=screen("done", seq=120), seq=120))
    assert driver.outcome.met == "until"


def drawn(*lines, instead_of=()):
    return output(drawn={"lines": list(lines), "instead_of": list(instead_of)}, screen=screen(*lines, seq=110))


def test_with_since_new_text_on_the_alternate_screen_matches():
    driver = started(drawn("Insta"), drawn("Installed", instead_of=["Insta"]), since=100, until="Installed")
    assert (driver.outcome.met, driver.outcome.line) == ("until", "Installed")


def test_with_since_text_that_a_line_had_before_it_was_redrawn_does_not_match():
    ticked = drawn("done 12:02", "new", instead_of=["done 12:01"])
    assert started(ticked, since=100, until="done", stop=r"done \S").outcome is None
    assert started(ticked, since=100, until="never", regex=r"\d+:\d+").outcome.line == "done 12:02"
    assert started(drawn("done", "done", instead_of=["done "]), since=100, until="done").outcome.met == "until"


@pytest.mark.parametrize("marks", [True, False])
def test_output_only_ignores_the_screen(marks):
    driver = started(subscription={"marks": marks}, first=screen("done"), output_only=True, until="done")
    assert driver.requests[0][1]["output_only"] is True
    assert driver.outcome is None


def test_a_pattern_is_matched_line_by_line():
    assert started(output("no error", "error: 7"), regex=r"^error: \d+$").reply(SCREEN).outcome.line == "error: 7"
    assert started(first=screen("error:", "7"), regex=r"error:\s7").outcome is None


def test_a_pattern_may_match_the_trailing_space_of_a_prompt():
    assert started(output("work", "host:~$"), regex=r"\$ $").reply(SCREEN).outcome.line == "host:~$"
    assert started(first=screen("Name:"), regex=r"^Name:\s$").outcome.line == "Name:"
    assert started(first=screen("Name: x"), regex=r"^Name:\s$").outcome is None


def test_text_in_a_wrapped_line_matches():
    wrapped = screen("0123456789", "abc", soft_wrap={"lines": [0], "scrollback": []})
    assert started(first=wrapped, until="89abc").outcome.met == "until"
    assert started(first=screen("0123456789", "abc"), until="89abc").outcome is None


def test_text_with_a_space_at_the_end_of_a_wrapped_row_matches():
    # The lines of a screen have no trailing spaces, even if the text continues in the next row.
    wrapped = screen("make all", "tests ok", cols=9, soft_wrap={"lines": [0], "scrollback": []})
    assert started(first=wrapped, until="all tests").outcome.met == "until"


def test_text_in_two_lines_does_not_match():
    for text in ("makeok", "make\nok"):
        assert started(first=screen("$ make", "ok"), until=text).outcome is None


@pytest.mark.parametrize("pattern", ["(", "[z-a]", "*", "(?P<n>", b"bytes", 7])
@pytest.mark.parametrize("name", ["regex", "stop"])
def test_an_invalid_pattern_is_refused_before_any_request(name, pattern):
    with pytest.raises(errors.BadRequestError, match="pattern"):
        Driver(**{name: pattern})


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
def test_invalid_options_are_refused_before_any_request(options):
    with pytest.raises(errors.BadRequestError):
        Driver(**options)


# Stop, and the precedence of conditions


def test_stop_ends_the_wait_and_reports_the_matching_line():
    outcome = started(output("warning", "error: no", "done"), until="done", stop="^error").reply(SCREEN).outcome
    assert (outcome.met, outcome.line) == ("stop", "error: no")


def test_the_first_matching_line_decides_between_until_and_stop():
    outcome = started(output("done", "error"), until="done", stop="error").reply(SCREEN).outcome
    assert outcome.met == "until"


def test_stop_takes_precedence_over_until_on_the_same_line():
    assert started(first=screen("done with error"), until="done", stop="error").outcome.met == "stop"


def test_until_takes_precedence_over_exit():
    assert started(first=DEAD, until="make", exit=True).outcome.met == "until"


def test_output_is_checked_before_the_exit_of_the_pane():
    driver = started(subscription={"since": 40}, first=DEAD, since=40, until="done", exit=True)
    assert driver.outcome is None
    driver.reply(output("done", seq=100), DEAD)
    assert driver.outcome.met == "until"


def test_command_done_is_met_only_after_the_output_of_the_command_was_checked():
    driver = started({"event": "command_finished", "exit_code": 0, "seq": 130}, until="done", command_done=True)
    driver.reply(SCREEN | {"seq": 130})
    assert driver.outcome is None
    driver.reply(output("only this", seq=130, screen=SCREEN | {"seq": 130}))
    assert driver.outcome.met == "command_done"


def test_waiting_for_text_raises_when_the_pane_is_dead_without_a_match():
    with pytest.raises(errors.PaneClosedError, match="until, regex"):
        started(first=DEAD, until="never", regex="never", stop="x")


def test_a_dead_pane_raises_only_after_all_its_output_was_read():
    driver = started(subscription={"since": 40}, first=DEAD, since=40, until="never")
    assert driver.last == "next_event"
    with pytest.raises(errors.PaneClosedError):
        driver.reply(output("last words", seq=100))


# Other conditions


def test_exit_is_checked_on_a_new_screen_after_each_event():
    driver = started({"event": "dirty"}, SCREEN, {"event": "idle"}, DEAD, exit=True)
    assert driver.requests[0] == ("subscribe", {"pane": 3})
    assert [name for name, _ in driver.requests[1:]] == ["snapshot", "next_event", "snapshot", "next_event", "snapshot"]
    assert (driver.outcome.met, driver.outcome.screen["exit_status"], driver.outcome.looks) == ("exit", 0, 3)


def test_gone_is_met_when_no_visible_line_contains_the_text():
    driver = started(first=screen("building", "x"), gone="building")
    assert driver.requests[0][1] == {"pane": 3, "output": True, "screen": True}
    driver.reply(output("x", screen=screen("still building", seq=110)))
    assert driver.outcome is None
    driver.reply(output("y", seq=120, screen=screen("built", seq=120)))
    assert driver.outcome.met == "gone"


def test_gone_is_met_at_once_when_the_text_is_not_on_the_screen():
    assert started(gone="building").outcome.met == "gone"


@pytest.mark.parametrize("state", ["dead", ["prompt", "dead"], "prompt, dead"])
def test_state_accepts_one_state_or_several(state):
    driver = started(state=state)
    assert driver.outcome is None
    driver.reply({"event": "state_changed", "state": "dead", "seq": 100}, DEAD)
    assert driver.outcome.met == "state"


def test_with_since_a_state_is_met_only_after_newer_output():
    prompt = SCREEN | {"state": "prompt", "seq": 120}
    assert started(first=prompt, since=100, state="prompt").outcome.met == "state"
    driver = started(first=prompt, since=120, state="prompt")
    assert driver.outcome is None
    driver.reply({"event": "command_finished", "exit_code": 0, "seq": 140}, prompt | {"seq": 140})
    assert driver.outcome.met == "state"


def test_command_done_ignores_commands_that_ended_before_since_or_before_the_wait():
    assert started(subscription={"command_end": 90}, command_done=True).outcome is None
    assert started(subscription={"command_end": 90}, command_done=True, since=90).outcome is None
    assert started(subscription={"command_end": 90}, command_done=True, since=80).outcome.met == "command_done"


def test_the_idle_time_starts_at_the_last_change_of_the_screen(clock):
    changed = SCREEN | {"seq": 110}
    driver = started(idle_ms=250)
    assert driver.params == pytest.approx(0.25)
    clock.now += 0.1875
    driver.reply({"event": "dirty"}, changed)
    assert driver.params == pytest.approx(0.25)
    clock.now += 0.125
    driver.reply({"event": "bell"}, changed)
    assert driver.params == pytest.approx(0.125)
    clock.now += 0.125
    driver.reply(None, changed)
    assert driver.outcome.met == "idle"


def test_the_idle_time_starts_at_the_last_output_if_wait_also_looks_for_text(clock):
    driver = started(idle_ms=250, until="never")
    clock.now += 0.125
    driver.reply(output("x", seq=110, screen=SCREEN | {"seq": 110}))
    assert driver.params == pytest.approx(0.25)
    clock.now += 0.25
    driver.reply(None, SCREEN | {"seq": 110})
    assert driver.outcome.met == "idle"


@pytest.mark.parametrize("options", [{}, {"stop": "error"}], ids=["no condition", "stop"])
def test_wait_without_a_condition_or_with_only_stop_waits_for_half_a_second_of_idle_time(options):
    assert started(**options).params == pytest.approx(0.5)


def test_wait_with_another_condition_does_not_wait_for_idle_time(clock):
    driver = started(until="never")
    clock.now += 10
    driver.reply(None, SCREEN)
    assert driver.outcome is None


# Timeouts, lost connections and closed panes


@pytest.mark.parametrize("condition", [{"until": "never"}, {"gone": "$"}, {"state": "prompt"}])
def test_a_quiet_pane_is_polled_every_one_to_five_seconds(condition):
    assert 1 <= started(**condition).params <= 5


def test_the_last_screen_is_returned_when_the_timeout_expires(clock):
    driver = started(until="never", timeout_s=2)
    assert driver.params == pytest.approx(2)
    clock.now += 2
    driver.reply(None, screen("late"))
    assert (driver.outcome.met, driver.outcome.screen["lines"]) == (None, ["late"])


def test_a_condition_that_holds_when_the_timeout_expires_is_met(clock):
    driver = started(until="done", timeout_s=1)
    clock.now += 5
    driver.reply(None, screen("done"))
    assert driver.outcome.met == "until"


def test_a_timeout_of_zero_checks_the_current_screen_once():
    assert started(until="never", timeout_s=0).outcome.met is None
    assert started(until="make", timeout_s=0).outcome.met == "until"


def test_irrelevant_events_cause_no_snapshot_request():
    driver = started(
        *({"event": name, "seq": 100} for name in ("dirty", "idle", "bell", "title_changed")), until="never"
    )
    assert [name for name, _ in driver.requests].count("snapshot") == 1


def test_a_timeout_of_zero_still_checks_the_output_after_since():
    driver = started(output("done", seq=100), subscription={"since": 40}, since=40, until="done", timeout_s=0)
    assert driver.reply(SCREEN).outcome.met == "until"


def test_a_timeout_of_zero_expires_after_the_output_was_checked():
    driver = started(output("x", seq=70), subscription={"since": 40}, since=40, until="done", timeout_s=0)
    assert driver.params == 0
    driver.reply(None)
    assert driver.outcome.met is None


def test_the_outcome_has_the_number_of_looks():
    driver = started(output("a", screen=SCREEN | {"seq": 110}), output("done", screen=SCREEN), until="done")
    assert driver.outcome.looks == 3


def test_errors_of_the_protocol_and_of_the_server_are_raised():
    with pytest.raises(errors.ProtocolError):
        started(errors.ProtocolError("nonsense"), until="never")
    with pytest.raises(errors.NoSuchTargetError):
        Driver(until="never").reply(errors.NoSuchTargetError("killed"))


def test_after_a_lost_connection_the_wait_resumes_from_the_last_resume_position():
    driver = started(output("do", seq=110, resume=108), errors.DisconnectedError("the service died"), until="done")
    assert driver.requests[-1] == ("subscribe", {"pane": 3, "output": True, "screen": True, "since": 108})
    driver.reply(subscribed(since=108), SCREEN)
    # The screen is searched too, as before the connection was lost.
    driver.reply(output("done", seq=112), SCREEN)
    assert driver.outcome.met == "until"


def test_after_a_connection_lost_before_any_output_the_wait_resumes_from_its_start():
    driver = started(errors.DisconnectedError("the service died"), subscription={"since": 96}, until="done")
    assert driver.params["since"] == 96


def test_a_command_that_ended_while_the_service_restarted_meets_command_done():
    driver = started(errors.DisconnectedError("the service died"), command_done=True)
    driver.reply(subscribed(command_end=105), SCREEN)
    assert driver.outcome.met == "command_done"


def test_a_dropped_event_causes_a_new_subscription_from_the_last_output():
    driver = started(output("x", seq=110), {"event": "dropped", "count": 3}, until="done")
    assert driver.requests[-1] == ("unsubscribe", {"subscription": 5})
    driver.reply({})
    assert (driver.last, driver.params["since"]) == ("subscribe", 110)


def test_a_killed_pane_meets_exit_and_the_state_dead_and_raises_for_other_conditions():
    gone = errors.NoSuchTargetError("there is no pane @3")
    closed = {"event": "pane_closed", "seq": 100}
    assert started(closed, gone, exit=True).outcome.met == "exit"
    assert started(closed, gone, state="dead").outcome.screen["state"] == "dead"
    with pytest.raises(errors.PaneClosedError, match="killed"):
        started(closed, gone, until="never")


def test_matched_text_is_reported_even_if_the_pane_closed_afterwards():
    driver = started(output("done"), errors.NoSuchTargetError("there is no pane @3"), until="done")
    assert (driver.outcome.met, driver.outcome.line) == ("until", "done")
