"""The targets of the benchmarks: each ratio is printed beside its target, and a missed target makes the exit status 1."""

from __future__ import annotations


class Targets:
    """The targets of one run of a benchmark."""

    def __init__(self) -> None:
        self._missed: list[str] = []

    def check(self, name: str, ratio: float, *, at_most: float | None = None, at_least: float | None = None) -> str:
        """Compare a ratio with its target, and return it as text, with the target."""
        is_met = (at_most is None or ratio <= at_most) and (at_least is None or ratio >= at_least)
        target = f"at most {at_most:g}" if at_most is not None else f"at least {at_least:g}"
        if not is_met:
            self._missed.append(f"{name}: {ratio:.2f} ({target})")
        return f"{ratio:6.2f} ({target}{'' if is_met else ', missed'})"

    def finish(self) -> int:
        """Print the missed targets; return the exit status."""
        for missed in self._missed:
            print(f"missed: {missed}")
        return 1 if self._missed else 0
