"""The receipts of requests: a request with the same key is executed once, also by the next service."""

from __future__ import annotations

import asyncio

import pytest

from phux_core.errors import BusyError
from phux_core.server.receipts import MOST, Receipts


class Store:
    """The keeper's copy of the receipts."""

    def __init__(self):
        self.data = b""
        self.saved = 0
        self.receipts = self.next_service()

    def next_service(self):
        self.receipts = Receipts(self.data, self.save)
        return self.receipts

    def save(self):
        self.saved += 1
        self.data = self.receipts.dump()


@pytest.fixture
def store():
    return Store()


def refuse(_receipt):
    raise AssertionError("executed twice")


def test_a_repeated_request_returns_the_first_reply(store):
    assert store.receipts.execute("k", lambda _receipt: {"n": 1}) == {"n": 1}
    assert store.receipts.execute("k", refuse) == {"n": 1}
    assert store.next_service().execute("k", refuse) == {"n": 1}
    assert store.receipts.execute("other", lambda _receipt: {"n": 2}) == {"n": 2}


def test_the_tree_is_not_stored_while_a_call_without_a_receipt_is_executed(store):
    def call(_receipt):
        assert store.receipts.is_executing
        assert store.saved == 0
        return {}

    store.receipts.execute("k", call)
    assert (store.saved, store.receipts.is_executing) == (1, False)


def test_a_refused_request_is_executed_again(store):
    def busy(_receipt):
        raise BusyError("not now")

    with pytest.raises(BusyError):
        store.receipts.execute("k", busy)
    assert not store.receipts.is_executing
    assert store.receipts.execute("k", lambda _receipt: {"n": 1}) == {"n": 1}


def test_the_oldest_receipts_are_dropped(store):
    for number in range(MOST + 1):
        store.receipts.execute(str(number), lambda _receipt: {})
    assert store.receipts.execute("1", refuse) == {}
    assert store.receipts.execute("0", lambda _receipt: {"again": True}) == {"again": True}


def test_a_request_repeated_while_it_is_executed_gets_the_same_reply(store):
    async def main():
        done = asyncio.Event()

        async def wait():
            await done.wait()
            return {"n": 1}

        replies = [store.receipts.execute("k", lambda _receipt: wait()), store.receipts.execute("k", refuse)]
        done.set()
        assert await asyncio.gather(*replies) == [{"n": 1}, {"n": 1}]
        assert store.next_service().execute("k", refuse) == {"n": 1}

    asyncio.run(main())


def test_the_next_service_gets_the_progress_of_an_unfinished_request(store):
    async def die(receipt):
        receipt.record_progress({"step": 1})
        await asyncio.Event().wait()

    async def main():
        reply = store.receipts.execute("k", die)
        await asyncio.sleep(0)
        seen = []
        store.next_service().execute("k", lambda receipt: seen.append(receipt.progress) or {})
        assert seen == [{"step": 1}]
        reply.cancel()

    asyncio.run(main())


def test_the_error_of_a_request_with_progress_is_its_outcome(store):
    async def fail(receipt):
        receipt.record_progress({})
        raise BusyError("too late")

    async def main():
        with pytest.raises(BusyError):
            await store.receipts.execute("k", fail)
        with pytest.raises(BusyError, match="too late"):
            store.next_service().execute("k", refuse)

    asyncio.run(main())


def test_a_reply_that_was_stored_with_the_tree_is_not_stored_again(store):
    async def create(receipt):
        receipt.record({"pane": 1})
        store.save()  # the tree
        await asyncio.sleep(0)
        return {"pane": 1}

    async def main():
        await store.receipts.execute("k", create)
        assert store.saved == 1

    asyncio.run(main())
