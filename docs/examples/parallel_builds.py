"""Run ten builds in parallel; the first failure stops the others."""

import sys

import anyio

import phux_client


class BuildError(Exception):
    """A build failed."""


async def build(session: phux_client.Session, target: int) -> None:
    """Run one build in a window of its own."""
    window = await session.new_window(f"build-{target}")
    result = await window.pane.run(f"./build.sh {target}", timeout_s=3600)
    if result.exit_code != 0:
        raise BuildError(f"build {target} failed: {result.output}")
    print(f"build {target} took {result.duration_ms / 1000:.0f} s")


async def main() -> None:
    async with (
        phux_client.connect(start=True) as phux,
        await phux.new_session("builds") as session,
        anyio.create_task_group() as builds,
    ):
        for target in range(10):
            builds.start_soon(build, session, target)


if __name__ == "__main__":
    try:
        anyio.run(main)
    except* BuildError as failures:  # the session was killed, and with it every build that was still running
        sys.exit(str(failures.exceptions[0]))
