"""The environment to train and evaluate agents: actions, outcomes, episodes, and Gymnasium's interface."""

from __future__ import annotations

import importlib.util
import inspect
import os
import re
import textwrap
from pathlib import Path

import pytest

from phux_client.gym import TerminalEnv
from phux_core.errors import BadRequestError

ROOT = Path(__file__).parents[2]
# As documented for gymnasium.Env since 0.26.
SIGNATURES = {
    "reset": {"seed": None, "options": None},
    "step": {"action": inspect.Parameter.empty},
    "render": {},
    "close": {},
}


@pytest.fixture(scope="module")
def env():
    with TerminalEnv(shell="bash", timeout_s=20) as env:
        yield env


def use(env):
    """Return the descriptors of this process, the keeper and the service, and the memory of this and the service."""
    status = env.pane._phux.status()
    pids = (os.getpid(), status.keeper_pid, status.service_pid)
    descriptors = [len(os.listdir(f"/proc/{pid}/fd")) for pid in pids]
    own = re.search(r"VmRSS:\s+(\d+)", Path("/proc/self/status").read_text())[1]
    return descriptors, status.panes, (int(own) * 1024, status.memory.service_bytes)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_a_thousand_steps_leave_no_panes_descriptors_or_memory():
    with TerminalEnv(max_steps=100) as env:

        def play(episodes):
            for seed in range(episodes):
                env.reset(seed=seed)
                for step in range(100):
                    observation, _reward, terminated, truncated, info = env.step(f"echo {step}")
                    assert (info["output"], observation["exit_code"], terminated) == (str(step), 0, False)
                    assert truncated == (step == 99)

        play(1)
        env.reset()
        descriptors, panes, memory = use(env)
        play(10)
        env.reset()
        assert (use(env)[:2], panes) == ((descriptors, panes), 1)
        grown = [after - before for before, after in zip(memory, use(env)[2], strict=True)]
        assert max(grown) < 4 * 1024 * 1024, grown
        directory = Path(env.directory)
        socket = Path(env.pane._phux.socket)
    assert not directory.exists()
    assert not socket.exists()


def test_commands_keys_and_acts_have_exit_codes_and_changes(env):
    first, info = env.reset(seed=1)
    assert (first["state"], first["outcome"], first["exit_code"], info) == ("prompt", "reset", None, {})
    assert len(first["changed"]) == 24
    observation, reward, terminated, truncated, info = env.step("seq 100; (exit 3)")
    assert (observation["exit_code"], observation["outcome"]) == (3, "met")
    assert "100" in observation["screen"].split("\n")
    assert info["output"].split() == [str(number) for number in range(1, 101)]
    assert observation["changed"][0]["text"] == observation["screen"].split("\n")[0]
    assert (reward, terminated, truncated) == (0.0, False, False)
    typed = env.step(["false", "Enter"])[0]
    assert (typed["exit_code"], typed["outcome"], typed["state"]) == (1, "met", "prompt")
    assert env.step(["echo part"])[0]["exit_code"] is None
    acted = env.step({"keys": ["ial", "Enter"], "until": "partial", "timeout_s": 5})[0]
    assert (acted["outcome"], acted["exit_code"]) == ("met", 0)
    assert env.step([])[0]["changed"] == []


def test_what_goes_wrong_is_an_outcome_of_the_step(env):
    env.reset()
    observation, *_rest, info = env.step("cat")
    assert (observation["outcome"], observation["state"], observation["exit_code"]) == (
        "waiting",
        "awaiting_input",
        None,
    )
    assert info["command_id"].endswith(".1")
    observation, *_rest, info = env.step("true")
    assert (observation["outcome"], "cat is in the foreground" in info["error"]) == ("refused", True)
    stopped = env.step({"keys": ["error 5", "Enter"], "until": "never", "stop": "^error"})[0]
    assert (stopped["outcome"], stopped["exit_code"]) == ("stopped", None)
    assert env.step({"keys": ["x"], "until": "never", "timeout_s": 0.1})[0]["outcome"] == "timed_out"
    assert env.step(["C-c"])[0]["exit_code"] == 130
    ended, _reward, terminated, truncated, _info = env.step("exit 4")
    assert (ended["state"], ended["exit_code"], terminated, truncated) == ("dead", 4, True, False)
    ended, _reward, terminated, *_rest = env.step(["Enter"])
    assert (ended["outcome"], ended["exit_code"], terminated) == ("ended", 4, True)


def test_episodes_are_prepared_judged_and_separate():
    def prepare(env):
        Path(env.directory, "number").write_text(str(env.random.randrange(10**9)))

    def judge(env, observation):
        is_done = Path(env.directory, "done").exists()
        return (1.0 if is_done else -0.1), is_done

    numbers = []
    with TerminalEnv(setup=prepare, judge=judge, size=(40, 5), env={"TASK": "7"}, render_mode="ansi") as env:
        for seed in (1, 1, None):
            env.reset(seed=seed)
            numbers.append(env.step("cat number")[4]["output"])
            assert env.step("ls; echo $TASK")[4]["output"].split() == ["number", "7"]
            assert env.step("true")[1:4] == (-0.1, False, False)
            assert env.step("touch done")[1:4] == (1.0, True, False)
        assert "touch done" in env.render()
        env.close()
        assert env.reset()[0]["state"] == "prompt"
    assert numbers[0] == numbers[1] != numbers[2]


def test_a_program_is_played_with_keys():
    command = ["sh", "-c", "read a; echo got $a; exit 6"]
    with TerminalEnv(command) as env:
        assert env.reset()[0]["state"] == "awaiting_input"
        observation, _reward, terminated, *_rest = env.step({"keys": ["word", "Enter"], "until": "got word"})
        assert "got word" in observation["screen"]
        while not terminated:
            observation, _reward, terminated, *_rest = env.step({"keys": [], "idle_ms": 1})
        assert observation["exit_code"] == 6


@pytest.mark.parametrize(
    ("action", "problem"),
    [
        (5, "5 is no action"),
        (None, "is no action"),
        ({}, "either a command or keys"),
        ({"keys": ["a"], "command": "b"}, "either a command or keys"),
        ({"keys": ["a"], "wait": 1}, "has no 'wait'"),
        ({"command": "a", "until": "b"}, "conditions are for keys"),
        ({"command": ["a"]}, "is text"),
    ],
)
def test_an_action_without_meaning_raises_and_types_nothing(env, action, problem):
    seen = env.reset()[0]["screen"]
    with pytest.raises(BadRequestError, match=problem):
        env.step(action)
    assert env.pane.snapshot().text == seen


def test_actions_that_cannot_be_executed_are_refused(env):
    seen = env.reset()[0]["screen"]
    for action, problem in (
        ("", "no command"),
        ("echo a\0b", "NUL"),
        ("echo \ud800", "command"),
        (["\ud800"], "items"),
        ([5], "must be a string"),
        ({"keys": ["a"], "state": "asleep"}, "asleep"),
        ({"keys": ["a"], "regex": "("}, "("),
        ({"keys": ["a"], "timeout_s": "soon"}, "timeout_s"),
    ):
        observation, *_rest, info = env.step(action)
        assert (observation["outcome"], observation["screen"]) == ("refused", seen), action
        assert problem in info["error"]


def test_a_step_before_the_first_episode_raises():
    env = TerminalEnv()
    with pytest.raises(BadRequestError, match="no episode has begun") as caught:
        env.step("true")
    assert "reset()" in caught.value.remedy
    env.close()


def test_the_methods_have_the_documented_signatures_of_gymnasium():
    for name, expected in SIGNATURES.items():
        _self, *parameters = inspect.signature(getattr(TerminalEnv, name)).parameters.values()
        assert {each.name: each.default for each in parameters} == expected
        assert name != "reset" or all(each.kind is each.KEYWORD_ONLY for each in parameters)
    assert {"metadata", "render_mode"} <= set(vars(TerminalEnv))


@pytest.mark.skipif(importlib.util.find_spec("gymnasium") is None, reason="needs gymnasium")
@pytest.mark.filterwarnings("ignore")  # of gymnasium, which advises
def test_the_documented_environment_passes_the_check_of_gymnasium():
    from gymnasium.utils import env_checker

    (block,) = re.findall(r"```py\n(.*?)```", (ROOT / "docs" / "training.md").read_text(), re.DOTALL)
    names = {}
    exec(textwrap.dedent(block), names)
    with names["Shell"](max_steps=10) as env:
        env_checker.check_env(env)
