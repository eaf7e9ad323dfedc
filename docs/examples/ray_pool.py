"""Run a command per item in a pool of terminals on Ray; `{}` is the item."""

import sys

import ray

from phux_client import Phux, RunResult
from phux_client.integrations.ray import TerminalPool


def main(command: str, items: list[str]) -> int:
    async def run(phux: Phux, item: str) -> RunResult:
        words = [word.replace("{}", item) for word in command.split()]
        async with await phux.new_session() as session:
            return await session.pane.run(words, timeout_s=3600)

    ray.init(log_to_driver=False)
    with TerminalPool(min(len(items), 8)) as pool:
        for result in pool.map(run, items):
            print(result.item, result.value.output if result.value else result.error)
        print(f"{pool.metrics.done} done, {pool.metrics.failed} failed")
        return min(pool.metrics.failed, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
