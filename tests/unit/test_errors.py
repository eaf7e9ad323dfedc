"""The family of errors: drawn once, one class a code, and back from the wire."""

from __future__ import annotations

import builtins
import re

import pytest

import phux_client
from phux_core import errors
from phux_core.errors import PhuxError
from validation import validate


def family(base=PhuxError):
    # Classes of other modules (the CLI's usage error) belong to them.
    children = [child for child in base.__subclasses__() if child.__module__ == errors.__name__]
    return [base, *(leaf for child in children for leaf in family(child))]


def drawn():
    """Read the tree out of the module's docstring: name, parent and code, if one stands there."""
    lines = re.findall(r"^    ([│ ├└─]*)(\w+Error)\b +(\S.*)?$|^    (PhuxError)$", errors.__doc__, re.MULTILINE)
    found, path = {}, []
    for edge, name, rest, root in lines:
        depth = len(edge) // 4
        path[depth:] = [root or name]
        code = re.match(r"([a-z_]+) {1,}\S", rest or "")
        found[root or name] = (path[depth - 1] if depth else None, code and code.group(1))
    return found


LEAVES = [kind for kind in family() if not kind.__subclasses__() or kind is errors.ProtocolError]


def test_the_tree_in_the_docstring_is_the_tree_of_classes():
    assert {name: parent for name, (parent, _code) in drawn().items()} == {
        kind.__name__: None if kind is PhuxError else kind.__base__.__name__ for kind in family()
    }


@pytest.mark.parametrize("kind", LEAVES, ids=lambda kind: kind.__name__)
def test_the_code_in_the_docstring_is_the_code_of_the_class(kind):
    assert drawn()[kind.__name__][1] == kind.code


def test_every_code_belongs_to_one_class():
    # The base is never raised as itself; whatever else has a code has it alone.
    codes = [kind.code for kind in family() if kind is not PhuxError]
    assert len(codes) == len(set(codes))


@pytest.mark.parametrize("kind", family()[1:], ids=lambda kind: kind.__name__)
def test_an_error_comes_back_from_the_wire_as_what_it_was(kind):
    made = errors.from_wire({"code": kind.code, "message": "what", "remedy": "do"})
    assert type(made) is kind
    assert (made.code, made.message, made.remedy, str(made)) == (kind.code, "what", "do", "what")


@pytest.mark.parametrize("kind", family(), ids=lambda kind: kind.__name__)
def test_every_error_is_documented_named_and_exported(kind):
    assert kind.__doc__
    assert kind.__name__.endswith("Error")
    assert re.fullmatch("[a-z_]+", kind.code)
    assert kind.exit_code in {1, 2}
    assert getattr(phux_client, kind.__name__) is kind
    assert not hasattr(builtins, kind.__name__)


def test_an_unknown_code_of_a_newer_server_is_a_request_error_that_keeps_it():
    made = errors.from_wire({"code": "from_the_future", "message": "what", "remedy": ""})
    assert type(made) is errors.RequestError
    assert (made.code, made.message, made.remedy) == ("from_the_future", "what", "")
    assert errors.RequestError.code == "request"
    assert made.to_document()["error"]["code"] == "from_the_future"


def test_a_poor_error_from_the_wire_is_still_an_error():
    assert errors.from_wire({}).code == "internal"
    assert errors.from_wire({"code": "no_server"}).message == "no_server"
    assert errors.from_wire({"code": "no_server"}).remedy == errors.NoServerError.default_remedy
    assert errors.from_wire({"code": 7, "message": 8, "remedy": 9}).message == "8"


def test_a_remedy_is_the_classes_unless_given_and_may_be_empty():
    assert errors.BadSizeError("x").remedy == errors.BadSizeError.default_remedy
    assert errors.BadSizeError("x", remedy="y").remedy == "y"
    assert errors.BadSizeError("x", remedy="").remedy == ""


@pytest.mark.parametrize("kind", family(), ids=lambda kind: kind.__name__)
def test_every_error_makes_a_valid_document(kind):
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
def test_what_a_user_can_cause_says_what_to_do_about_it(kind):
    assert kind("what").remedy
