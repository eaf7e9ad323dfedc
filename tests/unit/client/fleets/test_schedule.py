"""Which item of a map runs next."""

from __future__ import annotations

from phux_client.fleets.schedule import Schedule


def test_items_are_read_when_they_are_taken():
    read = []
    schedule = Schedule((read.append(number) or number for number in range(3)), 1)
    assert read == []
    first = schedule.take()
    assert (first.index, first.item, read) == (0, 0, [0])
    assert [schedule.take().item, schedule.take().item, schedule.take()] == [1, 2, None]
    assert not schedule.is_over
    for _number in range(3):
        schedule.finish()
    assert schedule.is_over


def test_an_item_of_a_lost_host_begins_again_before_others_and_not_too_often():
    schedule = Schedule("ab", 1)
    job = schedule.take()
    job.attempts = 1
    assert schedule.move(job, OSError())
    assert schedule.take() is job
    job.attempts = 2
    assert not schedule.move(job, OSError())
    assert schedule.take().item == "b"
    schedule.finish()
    assert schedule.take() is None
    assert schedule.is_over
