"""Terminals on a local Ray cluster of several nodes."""

from __future__ import annotations

import os
import threading

import pytest

from phux_core import errors
from servers import eventually

ray = pytest.importorskip("ray", reason="ray is not installed; .ci/run installs it")
# Ray itself warns about its defaults, and leaves files open.
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(240)]

from ray.cluster_utils import Cluster  # noqa: E402

from phux_client.integrations.ray import TerminalPool, Terminals  # noqa: E402


@pytest.fixture(scope="module")
def cluster():
    """A head that runs no actors of the tests, and two nodes with room."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"
    node = {"num_cpus": 1, "object_store_memory": 80 * 2**20, "resources": {"room": 2}}
    cluster = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 1, "object_store_memory": 80 * 2**20, "include_dashboard": False},
    )
    nodes = [cluster.add_node(**node) for _number in range(2)]
    ray.init(address=cluster.address, log_to_driver=False)
    cluster.wait_for_nodes()
    yield cluster, nodes
    ray.shutdown()
    cluster.shutdown()


def test_an_actor_has_the_surface_of_the_library(cluster):
    terminals = Terminals.options(num_cpus=0.1).remote("pyte")
    assert ray.get(terminals.sessions.remote()) == []
    assert ray.get(terminals.run.remote("echo hi; exit 3")).exit_code == 3
    assert ray.get(terminals.new_session.remote("work", command=["sh"])) == "work"
    assert ray.get(terminals.wait.remote("work", state="prompt", timeout_s=30)).met == "state"
    changes = ray.get(terminals.act.remote("work", "echo a''b", "Enter", until="ab"))
    assert any("ab" in row.text for row in changes.changed)
    assert ray.get(terminals.run.remote("echo in work", "work")).output == "in work"
    assert "in work" in "\n".join(ray.get(terminals.snapshot.remote("work")).lines)
    assert "in work" in ray.get(terminals.logs.remote("work", grep="in")).content
    assert [session.name for session in ray.get(terminals.sessions.remote())] == ["work"]
    with pytest.raises(errors.NoSuchTargetError, match="no session"):
        ray.get(terminals.snapshot.remote("other"))
    ray.kill(terminals)


def test_no_item_is_lost_and_none_is_reported_twice_if_a_node_is_killed(cluster, tmp_path):
    the_cluster, nodes = cluster
    doomed, reached = nodes[-1].node_id, tmp_path / "reached"

    async def task(phux, item):
        if item == 5:
            raise ValueError(item)
        async with await phux.new_session(command=["sh"]) as session:
            if ray.get_runtime_context().get_node_id() == doomed:
                reached.touch()
                await session.pane.run("sleep 1000")
            return (await session.pane.run(f"echo {item}", timeout_s=60)).output

    def kill():
        eventually(reached.exists, within_s=100)
        the_cluster.remove_node(nodes.pop(), allow_graceful=False)

    with TerminalPool(3, {"CPU": 0.1, "room": 1}, max_restarts=2, engine="pyte") as pool:
        killing = threading.Thread(target=kill)
        killing.start()
        found = list(pool.map(task, range(40), retries=3))
        killing.join()
        metrics = pool.metrics
    assert sorted(result.item for result in found) == list(range(40))
    failed = [result for result in found if result.error is not None]
    assert [(result.item, type(result.error)) for result in failed] == [(5, ValueError)]
    assert all(result.value == str(result.item) for result in found if result.error is None)
    assert (metrics.done, metrics.failed, metrics.running) == (39, 1, 0)
    assert metrics.moved == sum(result.attempts - 1 for result in found) >= 1


def test_a_pool_reads_items_when_there_is_room_and_can_be_used_again(cluster):
    async def task(phux, item):
        if item == 1:
            async with await phux.new_session(command=["sh"]) as session:
                await session.pane.run("sleep 1000")
        return len((await phux.ls()).sessions) if item == "count" else item

    def items():
        for number in range(1000):
            read.append(number)
            yield number

    read = []
    with TerminalPool(1, {"CPU": 0.1}, engine="pyte") as pool:
        results = pool.map(task, items(), per_terminal=2)
        assert next(results).item == 0
        assert len(read) <= 3
        with pytest.raises(errors.BusyError, match="another map"):
            next(pool.map(task, [1]))
        results.close()
        assert (pool.metrics.running, pool.metrics.done) == (0, 1)
        assert [result.value for result in pool.map(task, ["again"])] == ["again"]
        with pytest.raises(errors.BadRequestError):
            pool.map(task, [], retries=-1)
    with pytest.raises(errors.BadRequestError, match="is empty"):
        TerminalPool(0)


def test_items_are_errors_if_no_terminal_is_left(cluster):
    async def task(phux, item):
        os._exit(1)

    with TerminalPool(1, {"CPU": 0.1}, max_restarts=0, engine="pyte") as pool:
        found = list(pool.map(task, range(3), retries=0))
    assert [result.item for result in found] == [0, 1, 2]
    assert all(result.error is not None for result in found)
    assert "no terminal is left" in str(found[-1].error)
