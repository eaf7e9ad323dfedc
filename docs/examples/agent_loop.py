"""An agent makes a failing test suite pass: the model chooses commands, and phux runs them in one shell."""

import sys

from phux_client import RunResult, blocking

TEST = "python3 -B -m unittest -b"


def model(transcript: list[RunResult]) -> str | None:
    """Return the next command, or None when the work is done; a real agent asks its model here."""
    if not transcript:
        return TEST
    last = transcript[-1]
    if last.command == TEST:
        return None if last.exit_code == 0 else "cat calculator.py"
    if last.command.startswith("cat") and "a - b" in last.output:
        return "sed -i.bak 's/a - b/a + b/' calculator.py"
    return TEST


def main(directory: str) -> int:
    transcript: list[RunResult] = []
    with blocking.connect(start=True) as phux, phux.new_session(cwd=directory) as session:
        while (command := model(transcript)) is not None and len(transcript) < 20:
            result = session.pane.run(command, timeout_s=300)
            transcript.append(result)
            print(f"{result.command}: exit {result.exit_code}")
    return transcript[-1].exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
