"""The schemas work outside Python: npm's ajv validates documents of the CLI."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

VALIDATE = """
const fs = require("fs");
const Ajv = require("ajv/dist/2020");
const [schemaPath, documentPath] = process.argv.slice(2);
const ajv = new Ajv({strict: true, allErrors: true});
const validate = ajv.compile(JSON.parse(fs.readFileSync(schemaPath)));
const valid = validate(JSON.parse(fs.readFileSync(documentPath)));
if (!valid) console.log(JSON.stringify(validate.errors));
process.exit(valid ? 0 : 1);
"""


@pytest.fixture(scope="module")
def ajv(tmp_path_factory):
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("needs node and npm, which are not installed")
    home = tmp_path_factory.mktemp("ajv")
    installed = subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund", "--prefix", home, "ajv@8"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    if installed.returncode != 0:
        pytest.skip(f"npm could not install ajv: {installed.stderr.strip().splitlines()[-1:]}")
    (home / "validate.js").write_text(VALIDATE)

    def check(schema: str, document: object) -> subprocess.CompletedProcess[str]:
        (home / "document.json").write_text(json.dumps(document))
        return subprocess.run(
            ["node", home / "validate.js", ROOT / "schemas" / schema, home / "document.json"],
            capture_output=True,
            text=True,
            timeout=60,
        )

    return check


def test_ajv_accepts_the_documents_of_the_cli(ajv, cli):
    cli.json("new", "-s", "work", "--", "sh", "-c", r"printf '\033[1;34mblue\033[m'; exit 3")
    documents = {
        "screen-state.v3.json": cli.json("wait", "work", "--exit", "--timeout", "10"),
        "session-list.v1.json": cli.json("ls"),
        "status.v1.json": cli.json("status"),
        "error.v1.json": cli("snapshot", "nothere", "--json").error,
        "created.v1.json": cli.json("new", "-s", "more", "--", "cat"),
        "sent.v1.json": cli.json("send-keys", "more", "x"),
        "killed.v1.json": cli.json("kill", "more"),
    }
    for schema, document in documents.items():
        verdict = ajv(schema, document)
        assert verdict.returncode == 0, (schema, verdict.stdout, verdict.stderr)
    cells = cli.json("snapshot", "work", "--cells")
    assert cells["cells"]
    assert ajv("screen-state.v3.json", cells).returncode == 0


def test_ajv_rejects_invalid_documents(ajv, cli):
    cli.json("new", "-s", "work")
    screen = cli.json("snapshot", "work")
    for change in ({"schema_version": 2}, {"lines": "text"}, {"cursor": {"x": 1}}, {"pane": None}):
        assert ajv("screen-state.v3.json", screen | change).returncode == 1, change
