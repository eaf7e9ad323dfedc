"""Evaluate expressions in a REPL that keeps its state, and get exact results, not pieces of a screen."""

import json

from phux_client import StoppedError, blocking


class Repl:
    """A Python REPL in a pane that has just started it."""

    def __init__(self, pane: blocking.Pane) -> None:
        self._pane = pane
        pane.wait(state="awaiting_input", timeout_s=20)
        self.run("import json")

    def run(self, statement: str) -> int:
        """Execute a statement, and return the sequence number before it."""
        return self._pane.act(statement, "Enter", state="awaiting_input", stop="^[A-Za-z]+Error:", timeout_s=60).since

    def value(self, expression: str) -> object:
        """Return the value of an expression, also if it does not fit on the screen."""
        since = self.run(f"print('=', json.dumps({expression}))")
        written = self._pane.logs(since=since).content.splitlines()
        return json.loads(next(line for line in written if line.startswith("= "))[2:])


def main() -> None:
    with blocking.connect(start=True) as phux, phux.new_session(command=["python3", "-q"]) as session:
        repl = Repl(session.pane)
        repl.run("squares = [n * n for n in range(1000)]")
        print(repl.value("squares[:5]"), repl.value("sum(squares)"))
        assert repl.value("squares") == [n * n for n in range(1000)]
        try:
            repl.value("squares['x']")
        except StoppedError as error:
            print(error.message)


if __name__ == "__main__":
    main()
