"""The schema files match the shapes, are valid, and are found by name."""

from __future__ import annotations

import json
import re
from pathlib import Path

import attrs
import jsonschema
import pytest

from phux_core import schema
from phux_core.shapes import events, logs, results, screen, tree

FILES = sorted((Path(__file__).parents[2] / "schemas").glob("*.json"))
MODULES = [events, logs, results, screen, tree]
SHAPES = [kind for module in MODULES for kind in vars(module).values() if isinstance(kind, type) and attrs.has(kind)]


def test_the_schema_files_equal_those_generated_from_the_shapes():
    generated = {
        name: json.dumps(document, indent=2, ensure_ascii=False) + "\n" for name, document in schema.generate().items()
    }
    found = {path.name: path.read_text(encoding="utf-8") for path in FILES}
    assert found == generated, "run `python -m phux_core.schema schemas`"


def test_the_writer_writes_the_generated_schemas(tmp_path):
    schema._write(str(tmp_path))
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        path.name: path.read_text() for path in FILES
    }


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_file_is_a_valid_2020_12_schema_with_its_own_id(path):
    document = json.loads(path.read_text())
    assert document["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema.Draft202012Validator.check_schema(document)
    name, version = re.fullmatch(r"([a-z-]+)\.v(\d+)", path.stem).groups()
    assert document["$id"] == f"urn:phux:schema:{name}:{version}"
    versions = document.get("properties", {}).get("schema_version")
    assert versions is None or versions["const"] == int(version)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_reference_has_a_definition_and_every_definition_is_used(path):
    text = path.read_text()
    document = json.loads(text)
    assert set(re.findall(r'"#/\$defs/(\w+)"', text)) == set(document.get("$defs", {}))


@pytest.mark.parametrize("kind", SHAPES, ids=lambda kind: kind.__name__)
def test_the_docstring_of_a_shape_documents_exactly_its_fields(kind):
    summary = schema._read_docstring(kind.__doc__)[0]
    notes = schema.descriptions(kind)
    assert summary.endswith(".")
    assert "\n" not in summary
    assert set(notes) == {field.name for field in attrs.fields(kind)}
    assert all(note.endswith(".") for note in notes.values())


def test_the_promised_schema_versions_exist():
    names = schema.names()
    assert names == sorted(path.stem for path in FILES)
    assert {
        "screen-state.v3",
        "session-list.v1",
        "run-result.v1",
        "event.v1",
        "tree.v1",
        "status.v1",
        "error.v1",
    } <= set(names)


@pytest.mark.parametrize(
    "name",
    ["screen-state.v3", "screen-state", "ScreenState", "screenstate", "SCREEN_STATE", "Screen State", "screenStateV3"],
)
def test_a_schema_is_found_by_any_spelling_of_its_name(name):
    assert json.loads(schema.read(name))["title"] == "ScreenState"


@pytest.mark.parametrize("name", schema.names())
def test_every_listed_name_can_be_read_with_and_without_its_version(name):
    assert schema.read(name) == schema.read(name.partition(".")[0])


@pytest.mark.parametrize("name", ["", ".", "screen", "screen-state.v2", "state", "../pyproject", "/etc/passwd", "v3"])
def test_an_unknown_name_raises_key_error(name):
    with pytest.raises(KeyError):
        schema.read(name)


def test_the_newest_version_is_read_by_default(tmp_path, monkeypatch):
    for version in (1, 2, 9, 10):
        (tmp_path / f"thing.v{version}.json").write_text(str(version))
    monkeypatch.setattr(schema, "_PLACES", (str(tmp_path),))
    assert schema.read("thing") == "10"
    assert schema.read("thing.v9") == "9"


def test_optional_fields_are_not_nullable_and_nullable_fields_are_required():
    properties = schema.generate()["screen-state.v3.json"]
    assert {"title", "cells", "exit_status", "foreground"}.isdisjoint(properties["required"])
    assert properties["properties"]["title"]["type"] == "string"
    assert {"type": "null"} in properties["properties"]["cursor"]["anyOf"]
    assert "cursor" in properties["required"]
