"""Properties of the core that hold for any input."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from phux_client import event_buffer
from phux_core import calls, selector, wire
from phux_core.errors import BadNameError, BadRequestError, BadSelectorError, NoSuchTargetError, ProtocolError
from phux_core.keys import KEY_NAMES, Key, parse_key
from phux_core.server.pane_record import PaneRecord
from phux_core.server.tree.records import Tree

EXAMPLES = settings(deadline=None, max_examples=150)

any_text = st.text(st.characters(), max_size=40)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | any_text,
    lambda children: st.lists(children, max_size=4) | st.dictionaries(any_text, children, max_size=4),
    max_leaves=12,
)
headers = st.dictionaries(any_text, json_values, max_size=4)
frames = st.lists(st.tuples(headers, st.binary(max_size=60)), max_size=5)


# The wire


@EXAMPLES
@given(frames, st.data())
def test_decoded_frames_do_not_depend_on_how_the_bytes_are_split(sent, data):
    stream = b"".join(wire.encode(header, payload) for header, payload in sent)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=12)))
    decoder = wire.Decoder(max_header=100_000, max_payload=1000)
    got = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        got += decoder.feed(stream[start:end])
    assert got == sent


def decode(pieces):
    """Feed pieces until the end or the first error; return the frames and whether there was an error."""
    decoder = wire.Decoder(max_header=200, max_payload=200)
    got = []
    try:
        for piece in pieces:
            for frame in decoder.feed(piece):
                got.append(frame)
                assert isinstance(frame[0], dict)
    except ProtocolError:
        return got, True
    assert len(decoder._buffer) <= 8 + 400
    return got, False


# Almost valid frames reach code in the decoder that arbitrary bytes rarely reach.
almost_frames = st.lists(
    st.binary(max_size=20)
    | st.builds(
        lambda body, payload: len(body).to_bytes(4, "big") + len(payload).to_bytes(4, "big") + body + payload,
        st.binary(max_size=20)
        | st.sampled_from([b"{}", b"[]", b"1", b'{"a":', b'{"a":1}', b"\xff", b'"\xed\xa0\x80"']),
        st.binary(max_size=10),
    ),
    max_size=4,
).map(b"".join)


@EXAMPLES
@given(st.binary(max_size=200) | almost_frames)
def test_any_bytes_decode_to_frames_or_a_protocol_error_regardless_of_splitting(stream):
    whole = decode([stream])
    assert decode([bytes([byte]) for byte in stream]) == whole


# Selectors

a_pane = st.fixed_dictionaries({"id": st.integers(0, 5), "index": st.integers(0, 2), "active": st.booleans()})
a_window = st.fixed_dictionaries(
    {
        "id": st.integers(0, 5),
        "index": st.integers(0, 2),
        "name": st.sampled_from(["sh", "a.b", "1", "v1.2", ""]),
        "active": st.booleans(),
        "panes": st.lists(a_pane, min_size=1, max_size=3),
    }
)
a_session = st.fixed_dictionaries(
    {
        "id": st.integers(0, 5),
        "name": st.sampled_from(["work", "0", "a.b"]),
        "windows": st.lists(a_window, min_size=1, max_size=3),
    }
)
a_tree = st.fixed_dictionaries(
    {
        "focused_session": st.none() | st.sampled_from(["work", "0"]),
        "focused_pane": st.none() | st.integers(0, 5),
        "sessions": st.lists(a_session, max_size=3),
    }
)
selectors = any_text | st.lists(
    st.sampled_from(["work", "0", "a.b", ":", ".", "=", "@", "1", "sh", "-", "/", "2", "٣", "4294967296", " ", "\0"]),
    max_size=6,
).map("".join)


@EXAMPLES
@given(selectors)
def test_any_text_parses_as_a_selector_or_raises_bad_selector(text):
    try:
        parsed = selector.parse(text)
    except BadSelectorError:
        return
    assert (text in {".", "="}) + (parsed.pane_id is not None) + (parsed.session is not None) == 1
    if parsed.session is not None:
        assert text == parsed.session + (f":{parsed.locus}" if parsed.locus is not None else "")


@EXAMPLES
@given(a_tree, selectors, st.none() | st.integers(0, 6))
def test_any_selector_resolves_to_an_object_of_the_tree_or_raises_a_phux_error(tree, text, here):
    try:
        kind, node = selector.resolve_object(tree, text, here)
        pane = selector.narrow(tree, *selector.resolve_object(tree, text, here))
    except (BadSelectorError, NoSuchTargetError):
        return
    windows = [window for session in tree["sessions"] for window in session["windows"]]
    panes = [pane for window in windows for pane in window["panes"]]
    assert any(node is each for each in {"session": tree["sessions"], "window": windows, "pane": panes}[kind])
    assert any(pane is each for each in panes)
    if kind == "pane":
        assert pane is node
    else:
        inside = node["windows"] if kind == "session" else [node]
        assert any(pane is each for window in inside for each in window["panes"])


@EXAMPLES
@given(any_text)
def test_any_valid_session_name_selects_that_session(name):
    try:
        selector.check_name("session", name)
    except BadNameError:
        return
    assert selector.parse(name).session == name
    assert selector.parse(f"{name}:0.0").locus == "0.0"


@EXAMPLES
@given(any_text | st.text("ab1.0 é", min_size=1, max_size=6))
def test_any_valid_window_name_selects_that_window(name):
    try:
        selector.check_name("window", name)
    except BadNameError:
        return
    pane = {"id": 1, "index": 0, "active": True}
    window = {"id": 2, "index": 77, "name": name, "active": True, "panes": [pane]}
    sessions = [{"id": 3, "name": "work", "windows": [window]}]
    tree = {"focused_session": None, "focused_pane": None, "sessions": sessions}
    assert selector.resolve_object(tree, f"work:{name}") == ("window", window)
    assert selector.resolve_object(tree, f"work:{name}.0") == ("pane", pane)


# Keys

modifiers = st.fixed_dictionaries({"ctrl": st.booleans(), "alt": st.booleans(), "shift": st.booleans()})


@EXAMPLES
@given(st.sampled_from(KEY_NAMES), modifiers)
def test_a_named_key_is_unchanged_after_formatting_and_parsing(name, held):
    key = Key(name, **held)
    assert str(parse_key(str(key))) == str(key)


@EXAMPLES
@given(st.characters().filter(str.isprintable), modifiers.filter(lambda held: any(held.values())))
def test_a_character_with_a_modifier_is_unchanged_after_formatting_and_parsing(character, held):
    key = Key(character, **held)
    read = parse_key(str(key))
    assert str(read) == str(key)
    assert read.name == character


@EXAMPLES
@given(any_text | st.lists(st.sampled_from(["C-", "m-", "S-", "Enter", "F1", "-", "c", " "]), max_size=5).map("".join))
def test_a_key_parsed_from_any_word_is_valid_and_parses_again(word):
    key = parse_key(word)
    if key is not None:
        assert str(parse_key(str(key))) == str(key)
        assert key.name in KEY_NAMES or len(key.name) == 1


# Calls


@EXAMPLES
@given(st.sampled_from(sorted(calls.CALLS)) | json_values, st.data())
def test_any_request_is_validated_or_refused(name, data):
    known = calls.CALLS[name].params if isinstance(name, str) and name in calls.CALLS else ()
    names = st.sampled_from(list(known)) | any_text if known else any_text
    params = data.draw(json_values | st.dictionaries(names, json_values, max_size=4))
    try:
        call, checked = calls.check(name, params)
    except BadRequestError:
        return
    assert list(checked) == list(call.params)
    for param in call.params.values():
        value = checked[param.name]
        assert (value is None and not param.required) or param.kind.fits(value)


# The tree

changes = st.lists(
    st.tuples(st.just("add"), st.sampled_from("abcdef"))
    | st.tuples(st.just("remove"), st.integers(0, 12))
    | st.tuples(st.just("focus"), st.integers(0, 12)),
    max_size=25,
)


@EXAMPLES
@given(changes)
def test_the_tree_is_consistent_after_any_changes(steps):
    tree = Tree()
    used_ids = set()
    for verb, value in steps:
        if verb == "add":
            pane = tree.take_pane_id()
            assert pane not in used_ids
            used_ids.add(pane)
            tree.add_session(value, "sh", PaneRecord(pane, 80, 24, "sh", "/", 1, 0.5))
            assert tree.focused_pane() == pane
        elif verb == "remove":
            tree.remove_pane(value)
            assert tree.find_pane(value) is None
        elif value in tree.sessions:
            tree.focus(value)
            assert tree.focused_session().id == value
        _check_consistency(tree)
        again = Tree.load(tree.dump())
        assert again == tree
        tree = again


def _check_consistency(tree):
    assert sorted(tree.focus_order) == sorted(tree.sessions)
    panes = [pane.id for pane in tree.panes()]
    windows = [window for session in tree.sessions.values() for window in session.windows]
    assert len(panes) == len(set(panes))
    assert len(windows) == len({window.id for window in windows})
    assert all(pane < tree.next_pane_id for pane in panes)
    assert all(window.id < tree.next_window_id for window in windows)
    assert all(id_ == session.id < tree.next_session_id for id_, session in tree.sessions.items())
    for session in tree.sessions.values():
        assert session.active_window in {window.id for window in session.windows}
        for window in session.windows:
            assert window.active_pane in {pane.id for pane in window.panes}
    assert (tree.focused_pane() in panes) if panes else (tree.focused_pane() is None)


# The event buffer


@EXAMPLES
@given(st.integers(1, 5), st.lists(st.sampled_from(["put", "put", "take"]), max_size=40))
def test_buffered_events_are_ordered_and_bounded_and_dropped_ones_are_counted(limit, steps):
    old, event_buffer.MAX_EVENTS = event_buffer.MAX_EVENTS, limit
    try:
        buffer = event_buffer.EventBuffer()
        put, accounted = 0, 0
        for step in steps:
            if step == "put":
                buffer.put({"event": "bell", "seq": put})
                put += 1
            elif buffer:
                taken = buffer.take()
                if taken["event"] == "dropped":
                    assert taken["count"] > 0
                    accounted += taken["count"]
                else:
                    assert taken["seq"] == accounted
                    accounted += 1
            assert len(buffer) <= limit + 1
        while buffer:
            taken = buffer.take()
            accounted += taken.get("count", 1)
        assert accounted == put
    finally:
        event_buffer.MAX_EVENTS = old
