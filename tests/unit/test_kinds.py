"""Kinds of values and parameters: accepted values, descriptions and errors."""

from __future__ import annotations

import jsonschema
import pytest

from phux_core import kinds
from phux_core.errors import BadRequestError
from phux_core.kinds import BOOLEAN, COUNT, TEXT, Param, check, list_of, number, one_of, whole

EVERY = {name: kind for name, kind in vars(kinds).items() if isinstance(kind, kinds.Kind) and not name.startswith("_")}


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (whole(1, 9), [1, 9], [0, 10, 1.0, "1", True, None]),
        (whole(-3, 3), [-3, 3], [-4, 4]),
        (whole(), [0, 2**53 - 1], [-1, 2**53]),
        (number(0, 2), [0, 0.5, 2], [-0.1, 2.1, True, "1", float("nan"), float("inf")]),
        (one_of("a", "b"), ["a", "b"], ["", "ab", "A", 1, ["a"], {"a": 1}]),
        (list_of(TEXT, "", most=2), [[], ["a", "b"]], [["a", "b", "c"], "a"]),
        (list_of(TEXT, "", least=1), [["a"], ["", "b"]], [[], [1], "a", {"a": 1}, ("a",)]),
        (TEXT, ["", "a\0", "\udcff"], ["\ud800", 1, None]),
    ],
)
def test_a_kind_accepts_only_valid_values(kind, good, bad):
    assert [value for value in good if not kind.fits(value)] == []
    assert [value for value in bad if kind.fits(value)] == []


@pytest.mark.parametrize("name", EVERY)
def test_every_kind_has_a_description_and_a_valid_schema(name):
    assert EVERY[name].words
    jsonschema.Draft202012Validator.check_schema(EVERY[name].schema)


def test_the_description_of_a_kind_contains_its_range_or_choices():
    assert whole(64, 128, of=" of bytes").words == "a whole number of bytes from 64 to 128"
    assert whole(1).words == "a whole number from 1 to 2^53 - 1"
    assert number(0, 7, of=" of days").words == "a number of days from 0 to 7"
    assert one_of("a", "b").words == '"a" or "b"'


@pytest.mark.parametrize(
    ("param", "meaning"),
    [
        (Param("x", COUNT, "rows"), "rows"),
        (Param("x", COUNT, "rows", default=24), "rows; 24 when omitted"),
        (Param("x", COUNT, "rows", default=0), "rows"),
        (Param("x", BOOLEAN, "wait", default=False), "wait"),
        (Param("x", COUNT, "rows", omitted="all"), "rows; all when omitted"),
        (Param("x", COUNT, "rows", omitted="all", required=True), "rows"),
    ],
)
def test_the_meaning_of_a_parameter_includes_its_default(param, meaning):
    assert param.meaning == meaning


def test_param_but_returns_a_changed_copy_of_the_parameter():
    param = Param("rows", COUNT, "rows", required=True)
    other = param.but(name="lines", required=False, default=7)
    assert (other.name, other.kind, other.meaning) == ("lines", COUNT, "rows; 7 when omitted")
    assert (param.name, param.required, param.default) == ("rows", True, None)


PARAMS = {
    param.name: param for param in (Param("id", COUNT, "its id", required=True), Param("on", BOOLEAN, "start it"))
}


def test_checked_parameters_that_were_omitted_are_none():
    assert check("thing", PARAMS, {"id": 1}) == {"id": 1, "on": None}
    assert check("thing", PARAMS, {"on": None, "id": 0}) == {"id": 0, "on": None}


@pytest.mark.parametrize(
    ("given", "message", "remedy"),
    [
        ({}, "thing needs the parameter `id`", "send a whole number from 0 to 2^53 - 1: its id"),
        ({"id": None}, "thing needs the parameter `id`", "send a whole number from 0 to 2^53 - 1: its id"),
        ({"id": 1, "of": 2}, "thing has no parameter 'of'", "it accepts id, on"),
        ({"id": 1, "on": 1}, "the parameter `on` of thing is 1", "send true or false: start it"),
        ({"id": True}, "the parameter `id` of thing is true", "send a whole number from 0 to 2^53 - 1: its id"),
    ],
)
def test_an_invalid_value_is_refused_with_the_accepted_values(given, message, remedy):
    with pytest.raises(BadRequestError) as caught:
        check("thing", PARAMS, given)
    assert (caught.value.message, caught.value.remedy) == (message, remedy)
