"""Selectors, resolved in one tree."""

from __future__ import annotations

import pytest

from phux_core import errors, selector


def resolve_pane(tree, text, here=None):
    return selector.narrow(tree, *selector.resolve_object(tree, text, here))


def pane(id_, index, *, active=False):
    return {"id": id_, "index": index, "active": active}


def window(id_, index, name, panes, *, active=False):
    return {"id": id_, "index": index, "name": name, "active": active, "panes": panes}


def session(id_, name, windows):
    return {"id": id_, "name": name, "windows": windows}


@pytest.fixture
def tree():
    """Return a tree with two sessions; the second pane of the second window of 'work' has the focus."""
    return {
        "focused_session": "work",
        "focused_pane": 5,
        "sessions": [
            session(
                1,
                "work",
                [
                    window(1, 0, "editor", [pane(1, 0), pane(2, 1, active=True)]),
                    window(2, 1, "logs", [pane(4, 0), pane(5, 1, active=True)], active=True),
                    window(3, 7, "my.app", [pane(6, 0, active=True), pane(7, 1)]),
                ],
            ),
            session(
                2,
                "бюро 2",
                [
                    window(4, 0, "sh", [pane(8, 0, active=True)]),
                    window(5, 1, "v1", [pane(9, 0), pane(10, 1), pane(11, 2, active=True)], active=True),
                    window(6, 2, "v1.2", [pane(12, 0, active=True)]),
                    window(7, 3, "0", [pane(13, 0, active=True)]),
                    window(8, 4, "3.11", [pane(14, 0, active=True)]),
                ],
            ),
        ],
    }


EMPTY = {"focused_session": None, "focused_pane": None, "sessions": []}


@pytest.mark.parametrize(
    ("text", "kind", "id_"),
    [
        ("work", "session", 1),
        ("бюро 2", "session", 2),
        ("=", "session", 1),
        (".", "pane", 5),
        ("@1", "pane", 1),
        ("@01", "pane", 1),
        ("@14", "pane", 14),
        ("work:0", "window", 1),
        ("work:00", "window", 1),
        ("work:editor", "window", 1),
        ("work:1", "window", 2),
        ("work:7", "window", 3),
        ("work:my.app", "window", 3),
        ("work:0.0", "pane", 1),
        ("work:0.1", "pane", 2),
        ("work:editor.1", "pane", 2),
        ("work:my.app.0", "pane", 6),
        ("work:my.app.1", "pane", 7),
        ("work:7.1", "pane", 7),
        ("бюро 2:v1", "window", 5),
        ("бюро 2:v1.1", "pane", 10),
        ("бюро 2:v1.0", "pane", 9),
        ("бюро 2:v1.2", "window", 6),  # a window's name takes precedence over a pane of another window
        ("бюро 2:v1.2.0", "pane", 12),
        ("бюро 2:1.2", "pane", 11),  # the index of the other window selects that pane
        ("бюро 2:0", "window", 4),  # a number is an index, even if it is the name of a window
        ("бюро 2:3.11", "window", 8),
        ("бюро 2:3.11.0", "pane", 14),
        ("бюро 2:3.0", "pane", 13),
    ],
)
def test_a_selector_resolves_to_a_session_a_window_or_a_pane(tree, text, kind, id_):
    found, node = selector.resolve_object(tree, text)
    assert (found, node["id"]) == (kind, id_)


@pytest.mark.parametrize(
    ("text", "id_"),
    [
        ("work", 5),  # the focused pane is in this session
        ("=", 5),
        ("work:1", 5),
        ("work:logs", 5),
        ("work:0", 2),  # the active pane of the window
        ("work:editor", 2),
        ("work:my.app", 6),
        ("бюро 2", 11),  # the active pane of the current window
        ("бюро 2:v1", 11),
        ("work:1.0", 4),  # a pane is never narrowed to another pane
        ("@4", 4),
    ],
)
def test_a_selector_narrows_to_the_focused_or_active_pane(tree, text, id_):
    assert resolve_pane(tree, text)["id"] == id_


def test_a_number_is_a_name_only_if_no_window_or_pane_has_that_index(tree):
    windows = tree["sessions"][0]["windows"]
    windows.append(window(20, 9, "5", [pane(20, 0, active=True)]))
    windows.append(window(21, 10, "1.0", [pane(21, 0, active=True)]))
    windows.append(window(22, 11, "1.7", [pane(22, 0, active=True)]))
    windows.append(window(23, 12, "9", [pane(23, 0, active=True)]))
    expected = {
        "5": ("window", 20),
        "5.0": ("pane", 20),
        "9": ("window", 20),
        "1.0": ("pane", 4),
        "1.7": ("window", 22),
    }
    for locus, found in expected.items():
        kind, node = selector.resolve_object(tree, f"work:{locus}")
        assert (kind, node["id"]) == found, locus


def test_a_name_that_several_windows_have_selects_the_first_window(tree):
    tree["sessions"][0]["windows"].append(window(20, 9, "editor", [pane(20, 0, active=True)]))
    assert selector.resolve_object(tree, "work:editor")[1]["id"] == 1


@pytest.mark.parametrize(
    ("text", "session_id", "index"),
    [("work:5", 1, 5), ("work:0005", 1, 5), ("бюро 2:77", 2, 77), ("work:4294967295", 1, 4294967295)],
)
def test_a_number_that_no_window_has_resolves_to_a_free_index(tree, text, session_id, index):
    session, found = selector.resolve_index(tree, text)
    assert (session["id"], found) == (session_id, index)
    assert selector.resolve_session(tree, text) == (session, index)


@pytest.mark.parametrize("text", ["work:0", "work:editor", "work:nope", "work:9.0", "work", "@1", ".", "=", "nobody:5"])
def test_other_selectors_do_not_resolve_to_a_free_index(tree, text):
    assert selector.resolve_index(tree, text) is None


@pytest.mark.parametrize(
    ("text", "id_"), [("work", 1), ("work:7", 1), ("work:editor.1", 1), ("@9", 2), ("=", 1), (".", 1)]
)
def test_a_selector_of_a_window_or_pane_resolves_to_its_session(tree, text, id_):
    session, index = selector.resolve_session(tree, text)
    assert (session["id"], index) == (id_, None)


def test_nodes_are_found_by_their_ids(tree):
    assert selector.node_by_id(tree, "session", 2)["name"] == "бюро 2"
    assert selector.node_by_id(tree, "window", 3)["name"] == "my.app"
    assert selector.node_by_id(tree, "pane", 12)["index"] == 0
    for kind in ("session", "window", "pane"):
        with pytest.raises(errors.NoSuchTargetError, match=f"there is no {kind} with the id 99"):
            selector.node_by_id(tree, kind, 99)
    session, found = selector.parents(tree, selector.node_by_id(tree, "pane", 7))
    assert (session["id"], found["id"]) == (1, 3)


@pytest.mark.parametrize("name", ["a", "0", "1.0", "my editor", "логи", "x" * 64])
def test_a_valid_window_name_is_returned(name):
    assert selector.check_name("window", name) == name


@pytest.mark.parametrize("name", ["", "a:b", "a/b", ".a", "a.", "=", "-n", "x" * 65, "a\tb", None])
def test_the_error_for_an_invalid_window_name_mentions_the_window_name(name):
    with pytest.raises(errors.BadNameError, match=r"^the window name"):
        selector.check_name("window", name)


def test_the_focused_pane_takes_precedence_over_the_active_window(tree):
    tree["focused_pane"] = 1
    assert resolve_pane(tree, "work")["id"] == 1
    assert resolve_pane(tree, "work:0")["id"] == 1
    assert resolve_pane(tree, "work:1")["id"] == 5


def test_a_selector_narrows_to_the_first_pane_if_none_is_active(tree):
    tree["focused_pane"] = None
    for one in tree["sessions"]:
        for each in one["windows"]:
            each["active"] = False
            for each_pane in each["panes"]:
                each_pane["active"] = False
    assert resolve_pane(tree, "work")["id"] == 1
    assert resolve_pane(tree, "work:logs")["id"] == 4


def test_the_dot_means_the_callers_pane_instead_of_the_focused_pane(tree):
    assert resolve_pane(tree, ".", here=8)["id"] == 8
    assert selector.resolve_object(tree, ".", here=8)[0] == "pane"


def test_the_dot_means_the_focused_pane_if_the_callers_pane_does_not_exist(tree):
    assert resolve_pane(tree, ".", here=99)["id"] == 5
    assert resolve_pane(tree, ".", here=None)["id"] == 5


def test_only_the_dot_means_the_callers_pane(tree):
    assert resolve_pane(tree, "=", here=8)["id"] == 5
    assert resolve_pane(tree, "work", here=8)["id"] == 5


def test_the_equals_sign_means_the_focused_session(tree):
    tree["focused_session"] = "бюро 2"
    assert selector.resolve_object(tree, "=")[1]["id"] == 2


@pytest.mark.parametrize("text", [".", "=", "work", "work:0", "work:0.0", "@1"])
def test_every_selector_is_refused_if_there_are_no_sessions(text):
    with pytest.raises(errors.NoSuchTargetError) as caught:
        resolve_pane(EMPTY, text)
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("home", "'home'"),
        ("WORK", "'WORK'"),
        ("wor", "'wor'"),
        ("work:9", "'9'"),
        ("work:nope", "'nope'"),
        ("work:Editor", "'Editor'"),
        ("work:edit", "'edit'"),
        ("work:0.2", "pane 2"),
        ("work:editor.9", "pane 9"),
        ("work:nope.0", "'nope'"),
        ("work:my.other", "'my.other'"),
        ("work:.0", "'.0'"),
        ("work:a:b", "'a:b'"),
        ("work:4294967296", "'4294967296'"),
        ("@0", "@0"),
        ("@3", "@3"),
        ("@4294967295", "@4294967295"),
    ],
)
def test_the_error_names_the_missing_part_of_a_target(tree, text, names):
    with pytest.raises(errors.NoSuchTargetError) as caught:
        selector.resolve_object(tree, text)
    assert names in caught.value.message
    assert caught.value.exit_code == 1


@pytest.mark.parametrize(
    "text",
    [
        *("", "@", "@x", "@-1", "@+1", "@1.0", "@ 1", "@1 ", "@٣", "@²", "@4294967296", "@" + "9" * 5000, "@@1"),
        *(":", ":0", ":0.0", "work:", "work:0.", "work:.", "work:editor.", "work:0..", "..", "./x", ".work"),
        *("==", "=work", "=:0", "#1", "%3", "-", "-t", "--json"),
    ],
)
def test_an_invalid_selector_is_refused_without_a_tree(text):
    with pytest.raises(errors.BadSelectorError) as caught:
        selector.parse(text)
    assert caught.value.remedy
    assert len(caught.value.message) < 300


def test_a_malformed_selector_is_refused_before_the_lookup():
    with pytest.raises(errors.BadSelectorError):
        selector.resolve_object(EMPTY, "work:")


def test_parse_splits_a_selector_into_its_parts():
    parsed = selector.parse("work:my.app.1")
    assert (parsed.session, parsed.locus, parsed.pane_id) == ("work", "my.app.1", None)
    assert selector.parse("@7").pane_id == 7
    assert selector.parse("work").locus is None
    assert selector.parse("a.b:c").session == "a.b"


@pytest.mark.parametrize("name", ["a", "0", "build 2", "бюро ✓", "日本", "a.b", "a=b", "a@b", "x-", "x" * 64, "é" * 64])
def test_a_valid_session_name_is_returned_and_is_a_selector(name):
    assert selector.check_name("session", name) == name
    assert selector.parse(name).session == name


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "empty"),
        ("x" * 65, "65"),
        (".", "'.'"),
        (".a", "'.'"),
        ("=a", "'='"),
        ("@1", "'@'"),
        ("#a", "'#'"),
        ("%a", "'%'"),
        ("-a", "'-'"),
        ("a:b", "':'"),
        (":", "':'"),
        ("a/b", "'/'"),
        ("a\nb", "unprintable"),
        ("a\tb", "unprintable"),
        ("a\x00b", "unprintable"),
        ("a\x7f", "unprintable"),
        ("\x1b[31m", "unprintable"),
        ("a\u2028b", "unprintable"),
        ("a\u200bb", "unprintable"),
        ("a\u202eb", "unprintable"),
        ("a\ud800", "unprintable"),
    ],
)
def test_the_error_for_an_invalid_session_name_gives_the_reason(name, why):
    with pytest.raises(errors.BadNameError) as caught:
        selector.check_name("session", name)
    assert why in caught.value.message
    assert caught.value.remedy
    caught.value.message.encode()  # the message can be encoded even if the name cannot


def test_the_error_message_for_a_long_invalid_name_is_short():
    with pytest.raises(errors.BadNameError) as caught:
        selector.check_name("session", "x" * 100_000)
    assert len(caught.value.message) < 300
