"""Run a command per item on several hosts, wherever there is room; `{}` is the item."""

import sys

import anyio

import phux_client


async def main(hosts: str, command: str, items: list[str]) -> int:
    async def run(phux: phux_client.Phux, item: str) -> phux_client.RunResult:
        words = [word.replace("{}", item) for word in command.split()]
        async with await phux.new_session() as session:
            return await session.pane.run(words, timeout_s=3600)

    failed = 0
    async with phux_client.fleet(hosts.split(","), start=True) as fleet:
        async for result in fleet.map(run, items, per_host=2):
            if result.value is not None and result.value.exit_code == 0:
                print(f"{result.item} on {result.host}: {result.value.output}")
            else:
                failed += 1
                print(f"{result.item} failed: {result.error or result.value}", file=sys.stderr)
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(anyio.run(main, sys.argv[1], sys.argv[2], sys.argv[3:]))
