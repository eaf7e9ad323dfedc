"""The table of tools: their parameters, results and side effects.

A model reads the catalog at every turn, so it is small: descriptions are short, and output schemas are those of
schemas/ without their descriptions.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from phux_core import kinds
from phux_core import schema as schemas
from phux_core.errors import BadRequestError
from phux_mcp.answers import compact
from phux_mcp.arguments import accepted
from phux_mcp.brief import brief

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

    from phux_core.kinds import Param
    from phux_mcp.answers import Answer
    from phux_mcp.revisions import Revision

    Schema = dict[str, Any]
    Run = Callable[..., Awaitable[Answer | Schema]]

SAFETY = ("read-only", "mutating", "destructive")
"""The safety levels of a host, each including the ones before it."""

STRING: Schema = {"type": "string"}
INTEGER: Schema = {"type": "integer"}
STRINGS: Schema = {"type": "array", "items": STRING}
HINT: Schema = {"hint": STRING}

_NOT_SHOWN = ("socket", "host", "cells")  # of no use to most models
_RANGES = ("minimum", "maximum", "multipleOf", "minItems")
_PROSE = ("$schema", "$id", "title", "description")


class Tool(NamedTuple):
    """One tool.

    Attributes:
        title: The title, for people.
        description: The description, for the model.
        run: The implementation, which gets a ``Call`` and the arguments by name.
        seed: The names of the parameters in the first revision; None if that revision lacks the tool.
        tasks: Whether it can be called as a task.
        renamed: The new names of arguments by their old names, which are accepted for one release.
        details: The names of fields of the result that are not part of its text; None if the tool makes the text.
        destructive: Whether the tool can destroy something.
        error_prefix: The beginning of errors about arguments.
        runs_programs: Whether it runs commands or types into programs, which can have any effect.
    """

    name: str
    title: str
    description: str
    run: Run
    params: Sequence[Param]
    safety: str = "mutating"
    seed: tuple[str, ...] | None = None
    output: Callable[[], Schema] | None = None
    idempotent: bool = False
    tasks: bool = False
    renamed: Mapping[str, str] = {}
    details: tuple[str, ...] | None = None
    destructive: bool = False
    runs_programs: bool = False
    error_prefix: str = ""

    def is_in(self, revision: Revision) -> bool:
        """Return whether a revision includes the tool."""
        return not revision.seed or self.seed is not None

    def check(self, arguments: Mapping[str, object], revision: Revision) -> dict[str, Any]:
        """Check arguments, and add omitted defaults. JSON has one type for numbers, so 2.0 is an integer.

        Except in the first revision, arguments of another type are accepted if their meaning is obvious.
        """
        given = {
            self.renamed.get(name, name): int(value) if isinstance(value, float) and value.is_integer() else value
            for name, value in arguments.items()
        }
        params = self._params_in(revision)
        if not revision.seed:
            given = {name: accepted(params[name], value) if name in params else value for name, value in given.items()}
        try:
            checked = kinds.check(self.name, params, given)
        except BadRequestError as error:
            error.message = f"{self.error_prefix}{error.message}"
            raise
        complete = {name: params[name].default if value is None else value for name, value in checked.items()}
        return {name: value for name, value in complete.items() if value is not None}

    def text_for(self, arguments: Mapping[str, object], revision: Revision) -> Callable[[Schema], str] | None:
        """Return a function that makes the text of a result; None if the text is the whole document."""
        details = self.details
        if details is None or revision.seed:
            return None
        # Without structured content, the text has the cells that were asked for.
        details = (*details, "cells") if revision.structured else details
        return lambda result: compact(brief(result, arguments, details))

    def _params_in(self, revision: Revision) -> dict[str, Param]:
        names = self.seed if revision.seed else None
        return {param.name: param for param in self.params if names is None or param.name in names}

    def _schema(self, revision: Revision) -> Schema:
        params = self._params_in(revision)
        if self.details is not None and not revision.seed:  # models read the catalog in every turn
            shown = {name: _shown(param) for name, param in params.items() if name not in _NOT_SHOWN}
            required = [name for name, param in params.items() if param.required]
            return {"type": "object", "properties": shown, **({"required": required} if required else {})}
        schema: Schema = {"type": "object", "properties": {name: _schema(param) for name, param in params.items()}}
        required = [name for name, param in params.items() if param.required]
        return {**schema, **({"required": required} if required else {}), "additionalProperties": False}

    def listing(self, revision: Revision) -> Schema:
        """Return the tool's entry in ``tools/list``."""
        entry: Schema = {"name": self.name, "description": self.description, "inputSchema": self._schema(revision)}
        if revision.structured:
            entry["title"] = self.title
            if self.output is not None:
                entry["outputSchema"] = self.output()
        if revision.tasks and self.tasks:
            entry["execution"] = {"taskSupport": "optional"}
        if revision.annotations:
            title = {} if revision.structured else {"title": self.title}
            entry["annotations"] = {**title, **self._hints(), "openWorldHint": self.runs_programs}
        return entry

    def _hints(self) -> Schema:
        """Return the tool's annotations about its effects."""
        if self.safety == "read-only":
            return {"readOnlyHint": True}
        idempotent = {"idempotentHint": True} if self.idempotent else {}
        return {"destructiveHint": self.destructive or self.runs_programs or self.safety == "destructive", **idempotent}


class Toolset:
    """The tools up to a safety level, and their common instructions.

    Args:
        beside_tools: Whether resources and prompts are also served.
    """

    def __init__(self, tools: Iterable[Tool], instructions: str, *, safety: str, beside_tools: bool) -> None:
        allowed = SAFETY.index(safety)
        self._tools = {tool.name: tool for tool in tools if SAFETY.index(tool.safety) <= allowed}
        self._listings: dict[str, list[Schema]] = {}
        self.instructions = instructions
        self.beside_tools = beside_tools

    def listing(self, revision: Revision) -> list[Schema]:
        """Return the result of ``tools/list``."""
        if revision.name not in self._listings:
            self._listings[revision.name] = [
                tool.listing(revision) for tool in self._tools.values() if tool.is_in(revision)
            ]
        return self._listings[revision.name]

    def find(self, name: str, revision: Revision) -> Tool | None:
        """Return a tool by its name."""
        tool = self._tools.get(name)
        return tool if tool is not None and tool.is_in(revision) else None


def _shown(param: Param) -> Schema:
    """Return the schema of a parameter without ranges, which errors name."""
    return {name: value for name, value in _schema(param).items() if name not in _RANGES}


def _schema(param: Param) -> Schema:
    text = param.meaning
    return {**param.kind.schema, **({"description": f"{text[0].upper()}{text[1:].rstrip('.')}."} if text else {})}


def document(name: str, *, deep: bool = False, more: Mapping[str, Schema] | None = None) -> Schema:
    """Return the schema of a document from schemas/, without its descriptions.

    Args:
        deep: Include the contents of nested objects and the values of enums.
        more: Properties that a tool adds or replaces.
    """
    schema: Schema = _plain(json.loads(schemas.read(name)), deep=deep)
    if not deep:
        schema.pop("$defs", None)
    # Present in every document, but of no use to a model.
    schema["properties"].pop("schema_version", None)
    schema["required"] = [name for name in schema["required"] if name != "schema_version"]
    schema["properties"] |= more or {}
    return schema


def _plain(value: Any, *, deep: bool) -> Any:
    """Return a schema without prose, and unless ``deep`` is true, without the details of nested objects and enums."""
    if isinstance(value, list):
        return [_plain(inner, deep=deep) for inner in value]
    if not isinstance(value, dict):
        return value
    if not deep and ("$ref" in value or "enum" in value):
        return {"type": "object" if "$ref" in value else "string"}
    prose = {name for name, inner in value.items() if name in _PROSE and isinstance(inner, str)}
    return {name: _plain(inner, deep=deep) for name, inner in value.items() if name not in prose}


def an_object(properties: Schema, **optional: Schema) -> Schema:
    """Return the schema of an object with these properties."""
    return {"type": "object", "properties": properties | optional, "required": list(properties)}
