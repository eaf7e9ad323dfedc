"""The pace of a replay: speed, idle time, pauses and steps, without waiting."""

from hypothesis import given
from hypothesis import strategies as st

from phux_client.replay.pacing import Pacing

START = 1_750_000_000.0


def pacing(*cues, **options):
    made = Pacing(START, 100.0, **options)
    made.add(START + cue for cue in cues)
    return made


def test_cues_are_reached_in_real_time():
    paced = pacing(0, 1, 3)
    assert paced.tick(100.0) == 1
    assert paced.due_s == 1.0
    assert paced.tick(100.5) == 0
    assert (paced.due_s, paced.position) == (0.5, START + 0.5)
    assert paced.tick(101.25) == 1
    assert (paced.due_s, paced.position) == (1.75, START + 1.25)
    assert paced.tick(200.0) == 1
    assert (paced.due_s, paced.position) == (None, START + 3)


def test_speed_scales_the_time():
    paced = pacing(0, 10, speed=4)
    assert paced.tick(101.0) == 1
    assert (paced.due_s, paced.position) == (1.5, START + 4)
    assert paced.tick(102.5) == 1


def test_longer_idle_time_is_skipped():
    paced = pacing(0, 100, 100.5, max_idle_s=2, speed=2)
    assert paced.tick(100.0) == 1
    assert paced.due_s == 1.0
    assert paced.tick(101.0) == 1
    assert paced.position == START + 100
    assert paced.due_s == 0.25


def test_no_time_passes_during_a_pause():
    paced = pacing(0, 2)
    assert paced.pause(101.0, on=True) == 1
    assert paced.due_s is None
    assert paced.tick(500.0) == 0
    assert paced.position == START + 1
    assert paced.pause(600.0, on=False) == 0
    assert paced.due_s == 1.0


def test_a_skip_reaches_one_cue_and_works_during_a_pause():
    paced = pacing(5, 5, 11)
    paced.pause(100.0, on=True)
    assert paced.skip() == 1
    assert paced.position == START + 5
    paced.pause(100.0, on=False)
    assert paced.tick(100.0) == 1
    assert paced.due_s == 6.0
    assert [paced.skip(), paced.skip()] == [1, 0]


def test_waiting_for_cues_does_not_make_later_ones_rush_by():
    paced = pacing(0)
    assert paced.tick(100.0) == 1
    assert paced.tick(130.0) == 0
    paced.add([START + 1, START + 2])
    assert paced.tick(130.0) == 1
    assert paced.due_s == 1.0


def test_a_restart_forgets_the_cues():
    paced = pacing(0, 1, 2)
    paced.restart(START + 50)
    assert (paced.position, paced.due_s) == (START + 50, None)
    paced.add([START + 50, START + 51])
    assert paced.tick(100.0) == 1


@given(
    st.lists(st.floats(0, 1000), min_size=1, max_size=20).map(sorted),
    st.lists(st.floats(0, 50), max_size=30),
    st.sampled_from([0.5, 1, 16]),
    st.sampled_from([None, 0.5, 5]),
)
def test_every_cue_is_reached_once_and_the_position_never_goes_back(cues, waits, speed, max_idle_s):
    paced = pacing(*cues, speed=speed, max_idle_s=max_idle_s)
    now, reached, before = 100.0, 0, START
    for wait in [*waits, 1e6]:
        now += wait
        reached += paced.tick(now)
        assert paced.position >= before
        before = paced.position
    assert reached == len(cues)
    assert paced.position == START + cues[-1]
