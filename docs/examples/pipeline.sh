#!/bin/sh
# A CI job in one shell: each step keeps the directory and the variables of the steps before. jq reads the results.
set -eu

session=ci-$$
phux new --json -s "$session" >/dev/null
trap 'phux kill "$session" >/dev/null' EXIT

# Run a step, and add its result to the report; a step that fails ends the job with its exit code.
step() {
  code=0
  result=$(phux run "$session" --timeout 600 --json "$1") || code=$?
  printf '%s\n' "$result" | jq -c '{command, exit_code, duration_ms}' >>report.jsonl
  if [ "$code" -ne 0 ]; then
    printf '%s\n' "$result" | jq -r '"failed: \(.command)\n\(.output)"' >&2
    exit "$code"
  fi
}

: >report.jsonl
step 'version=$(cat VERSION)'
step 'mkdir -p build && cd build'
step 'echo "release $version" >notes.txt'
step 'test -s notes.txt'
jq -rs '"\(length) steps, \(map(select(.exit_code == 0)) | length) succeeded"' report.jsonl
