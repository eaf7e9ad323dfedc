"""The error classes: their documented tree, their codes and their wire format."""

from __future__ import annotations

import builtins
import re

import pytest

import phux_client
from phux_core import errors
from phux_core.errors import PhuxError
from validation import validate


def error_classes(base=PhuxError):
    # Exclude classes of other modules, such as the usage error of the CLI.
    children = [child for child in base.__subclasses__() if child.__module__ == errors.__name__]
    return [base, *(leaf for child in children for leaf in error_classes(child))]


def documented_tree():
    """Parse the tree in the module docstring: a line with ``──`` names a branch, and the lines below name its leaves."""
    found = {"PhuxError": None}
    branch = ""
    for line in errors.__doc__.splitlines():
        for name in re.findall(r"\w+Error\b", line if line.startswith("    ") else ""):
            if "──" in line:
                branch, found[name] = name, "PhuxError"
            elif name != "PhuxError":
                found[name] = branch
    return found


def test_the_tree_in_the_docstring_matches_the_classes():
    assert documented_tree() == {
        kind.__name__: None if kind is PhuxError else kind.__base__.__name__ for kind in error_classes()
    }


def test_every_code_belongs_to_one_class():
    # PhuxError itself is never raised.
    codes = [kind.code for kind in error_classes() if kind is not PhuxError]
    assert len(codes) == len(set(codes))


@pytest.mark.parametrize("kind", error_classes()[1:], ids=lambda kind: kind.__name__)
def test_a_wire_error_is_loaded_as_the_class_of_its_code(kind):
    made = errors.from_wire({"code": kind.code, "message": "what", "remedy": "do"})
    assert type(made) is kind
    assert (made.code, made.message, made.remedy, str(made)) == (kind.code, "what", "do", "what")


@pytest.mark.parametrize("kind", error_classes(), ids=lambda kind: kind.__name__)
def test_every_error_is_documented_named_and_exported(kind):
    assert kind.__doc__
    assert kind.__name__.endswith("Error")
    assert re.fullmatch("[a-z_]+", kind.code)
    assert kind.exit_code in {1, 2}
    assert getattr(phux_client, kind.__name__) is kind
    assert not hasattr(builtins, kind.__name__)


def test_an_unknown_code_is_loaded_as_a_request_error_with_that_code():
    made = errors.from_wire({"code": "from_the_future", "message": "what", "remedy": ""})
    assert type(made) is errors.RequestError
    assert (made.code, made.message, made.remedy) == ("from_the_future", "what", "")
    assert errors.RequestError.code == "request"
    assert made.to_document()["error"]["code"] == "from_the_future"


def test_an_incomplete_or_malformed_wire_error_is_loaded_with_defaults():
    assert errors.from_wire({}).code == "internal"
    assert errors.from_wire({"code": "no_server"}).message == "no_server"
    assert errors.from_wire({"code": "no_server"}).remedy == errors.NoServerError.default_remedy
    assert errors.from_wire({"code": 7, "message": 8, "remedy": 9}).message == "8"


def test_the_default_remedy_is_that_of_the_class_and_a_remedy_may_be_empty():
    assert errors.BadSizeError("x").remedy == errors.BadSizeError.default_remedy
    assert errors.BadSizeError("x", remedy="y").remedy == "y"
    assert errors.BadSizeError("x", remedy="").remedy == ""


@pytest.mark.parametrize("kind", error_classes(), ids=lambda kind: kind.__name__)
def test_the_document_of_every_error_matches_the_schema(kind):
    document = kind("what").to_document()
    validate("error", document)
    assert document["error"] == {"code": kind.code, "message": "what"}
    assert document["exit_code"] == kind.exit_code


@pytest.mark.parametrize(
    "kind",
    [
        *(errors.BadSelectorError, errors.BadNameError, errors.BadSizeError, errors.BadCwdError),
        *(errors.NoSuchTargetError, errors.NameInUseError, errors.CannotExecuteError, errors.PaneClosedError),
        *(errors.InputTooLongError, errors.InputBlockedError, errors.NoServerError),
        *(errors.DisconnectedError, errors.ServiceRestartingError, errors.TimedOutError),
    ],
    ids=lambda kind: kind.__name__,
)
def test_errors_that_users_can_cause_have_a_remedy(kind):
    assert kind("what").remedy
