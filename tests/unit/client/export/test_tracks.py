"""Commands, states and titles by time."""

from phux_client.export.material import Material, Output
from phux_client.export.tracks import tracks_of
from phux_client.moments import Place

START = 1_750_000_000.0
ENTRIES = [
    (START + after, seq, kind, fields)
    for after, seq, kind, fields in (
        (0, 0, "state_changed", {"state": "prompt", "command": None}),
        (1, 10, "title_changed", {"title": "one"}),
        (2, 20, "command_started", {"command": "true", "command_id": "1.1"}),
        (3, 30, "command_finished", {"exit_code": 0, "command_id": "1.1"}),
        (4, 40, "command_started", {"command": "make", "command_id": "1.2"}),
        (4, 40, "state_changed", {"state": "running", "command": "make"}),
        (5, 50, "state_changed", {"state": "running", "command": "cc"}),
        (6, 60, "title_changed", {"title": "two"}),
        (8, 80, "command_finished", {"exit_code": 2, "command_id": "1.2"}),
        (9, 90, "command_started", {"command": None, "command_id": "1.3"}),
    )
]


def tracks(first, last, live=True):
    places = (Place(seconds * 10, START + seconds) for seconds in (first, last))
    return tracks_of(Material({"live": live}, *places, ENTRIES))


def test_a_whole_recording_has_all_of_them():
    found = tracks(0, 10)
    assert found["commands"] == [
        {"start": 2000, "end": 3000, "line": "true", "exit": 0},
        {"start": 4000, "end": 8000, "line": "make", "exit": 2},
        {"start": 9000, "end": None, "line": None, "exit": None},
    ]
    assert found["states"] == [[0, "prompt"], [4000, "running"]]
    assert found["titles"] == [[1000, "one"], [6000, "two"]]


def test_a_part_begins_with_what_is_going_on():
    found = tracks(5, 7)
    assert found["commands"] == [{"start": 0, "end": None, "line": "make", "exit": None}]
    assert found["states"] == [[0, "running"]]
    assert found["titles"] == [[0, "one"], [1000, "two"]]


def test_the_end_of_a_command_whose_server_was_killed_is_unknown():
    assert [command.get("lost") for command in tracks(0, 10, live=False)["commands"]] == [None, None, True]


def test_missing_output_is_found():
    output = Output()
    output.add(0, b"abc")
    output.add(3, b"def")
    output.add(10, b"xyz")
    assert output.between(1, 5) == b"bcde"
    assert output.between(4, 12) == b"efxy"
    assert output.hole(0, 6) is None
    assert output.hole(2, 12) == (6, 10)
    assert output.hole(10, 20) == (13, 20)
