"""Moments of a recording: their forms, and their places on a timeline."""

import contextlib
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phux_client.moments import Moment, Places, local_time, moment_of, parse, parse_time, time_of
from phux_core.errors import BadRequestError

START = 1_750_000_000.0
RECORDING = {
    "first_byte": 100,
    "next_byte": 160,
    "start_at": START,
    "end_at": START + 60,
    "entries": [
        [START + 1, 100, "output", {}],
        [START + 1, 100, "state_changed", {"state": "prompt", "command": None}],
        [START + 10, 120, "output", {}],
        [START + 10, 130, "output", {}],
        [START + 50, 150, "output", {}],
        [START + 60, 160, "pane_closed", {"exit_status": 0, "signal": None}],
    ],
}


def find(text, now=START + 100):
    place = Places(RECORDING, now).find(parse(text))
    return place.seq, place.at - START


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("0", "seq", 0),
        ("9223372036854775807", "seq", 2**63 - 1),
        ("-5m", "before_end", 300),
        ("+30s", "after_start", 30),
        ("-1h30m", "before_end", 5400),
        ("+1d2h3m4.5s", "after_start", 86400 + 7200 + 180 + 4.5),
        ("-0s", "before_end", 0),
        ("2026-05-01T12:00:00Z", "at", datetime(2026, 5, 1, 12, tzinfo=UTC).timestamp()),
        ("2026-05-01T12:00:00.25+02:00", "at", datetime(2026, 5, 1, 10, 0, 0, 250000, UTC).timestamp()),
        ("2026-05-01 12:00", "at", datetime(2026, 5, 1, 12).timestamp()),  # noqa: DTZ001
        ("2026-05-01", "at", datetime(2026, 5, 1).timestamp()),  # noqa: DTZ001
    ],
)
def test_each_form_of_a_moment_is_parsed(text, kind, value):
    moment = parse(text)
    assert (moment.kind, moment.value) == (kind, value)


@pytest.mark.parametrize(
    "text",
    [
        *("", "+", "-", "-5", "5m", "-5x", "-5m5m", "-30m1h", "-m", "- 5m", "+-5m", "9223372036854775808", "9" * 5000),
        *("yesterday", "12:00", "2026-13-01", "٣", "-1e3s", "-inf"),
    ],
)
def test_other_text_is_rejected_with_the_forms(text):
    with pytest.raises(BadRequestError, match="is not a moment") as raised:
        parse(text)
    assert "-5m" in raised.value.remedy
    assert len(raised.value.message) < 120


@given(st.text(max_size=30))
def test_any_text_is_parsed_or_rejected(text):
    with contextlib.suppress(BadRequestError):
        assert isinstance(parse(text), Moment)


def test_values_of_the_library_are_moments():
    at = datetime(2026, 5, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    assert (moment_of(at).kind, moment_of(at).value) == ("at", at.timestamp())
    assert (moment_of(7).kind, moment_of(7).value) == ("seq", 7)
    assert moment_of("-5m").kind == "before_end"
    for wrong in (True, -1, 2**63, 1.5, None):
        with pytest.raises(BadRequestError):
            moment_of(wrong)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("100", (100, 0)),  # before the first byte
        ("101", (101, 1)),
        ("120", (120, 1)),
        ("121", (121, 10)),
        ("160", (160, 50)),
        ("+0s", (100, 0)),
        ("+1s", (120, 1)),
        ("+9.9s", (120, 9.9)),
        ("+10s", (150, 10)),
        ("-10s", (160, 50)),
        ("-11s", (150, 49)),
        ("-0s", (160, 60)),
        ("-60s", (100, 0)),
    ],
)
def test_a_moment_is_the_place_after_everything_written_until_then(text, place):
    seq, after = find(text)
    assert (seq, round(after, 3)) == place


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("99", "the log starts at 100, after 99"),
        ("161", "the log ends at 160, before 161"),
        ("-61s", "-61s is before the start of the recording"),
        ("+101s", "+101s is in the future"),
        ("1970-01-02", "1970-01-02 is before the start of the recording"),
    ],
)
def test_a_moment_outside_the_recording_is_rejected_with_what_is_available(text, problem):
    with pytest.raises(BadRequestError) as raised:
        find(text)
    assert raised.value.message == problem
    assert raised.value.remedy == (
        f"use a sequence number from 100 to 160, or a time from {local_time(START)} to {local_time(START + 60)}"
    )
    assert parse(local_time(START)).value == START


def test_a_time_between_the_last_output_and_now_is_the_end():
    assert find("+99s") == (160, 60)


def test_a_recording_without_output_has_one_place():
    empty = RECORDING | {"first_byte": 0, "next_byte": 0, "entries": []}
    places = Places(empty, START + 100)
    assert [places.find(parse(text)).seq for text in ("0", "+1s", "-1s")] == [0, 0, 0]


@pytest.mark.parametrize(
    ("text", "seconds_ago"),
    [("90s", 90), ("-90s", 90), ("2h", 7200), ("2h ago", 7200), ("1d12h", 129_600), ("1h 30m", 5400)],
)
def test_a_duration_is_a_time_before_now(text, seconds_ago):
    assert parse_time(text, START) == START - seconds_ago


def test_days_and_dates_begin_at_midnight_in_local_time():
    today = datetime.fromtimestamp(START).replace(hour=0, minute=0, second=0, microsecond=0)  # noqa: DTZ006  local time
    assert parse_time("today", START) == today.timestamp()
    assert parse_time("Yesterday", START) == (today - timedelta(days=1)).timestamp()
    assert parse_time(f"{today:%Y-%m-%d}", 0) == today.timestamp()
    assert time_of(today) == today.timestamp()


@pytest.mark.parametrize("value", ["", "soon", "-", "2 fortnights", "tomorrow", True, None, object()])
def test_other_values_are_not_times(value):
    with pytest.raises(BadRequestError):
        time_of(value)
