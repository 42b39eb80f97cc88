#!/usr/bin/env bash
# docs/plugin-tutorial.md is true: its files are those of docs/example, and its commands, run in a
# scratch folder against an installed copy, build, check and train the plugin.
# labels: e2e
set -euo pipefail

# Sanitizers need their run-time library first in every process; the plain build covers this.
[[ -z ${EDGEFW_SANITIZE:-} ]] || exit 77

page=$EDGEFW_SOURCE_DIR/docs/plugin-tutorial.md
example=$EDGEFW_SOURCE_DIR/docs/example
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
  printf 'test_tutorial: %s\n' "$*" >&2
  exit 1
}

# blocks MARK: the code blocks that follow a line <!-- MARK -->, without their fences.
blocks() {
  awk -v mark="<!-- $1 -->" '
    $0 == mark { wanted = 1; next }
    /^```/ { if (inside) inside = wanted = 0; else if (wanted) inside = 1; next }
    inside { print }' "$page"
}

echo "--- files"
shown=0
for file in "$example"/*; do
  [[ -f $file ]] || continue # folders are other examples
  name=$(basename "$file")
  diff "$file" <(blocks "file: $name") ||
    fail "docs/plugin-tutorial.md does not show docs/example/$name as it is"
  shown=$((shown + 1))
done
((shown >= 4)) || fail "docs/example has $shown files"

echo "--- commands"
mkdir "$scratch/work"
find "$example" -maxdepth 1 -type f -exec cp {} "$scratch/work/" \;
blocks run >"$scratch/commands"
grep -q 'edgefw run' "$scratch/commands" || fail "no commands are marked to be run"
cd "$scratch/work"
unset EDGEFW_PLUGIN_PATH
export OMP_WAIT_POLICY=passive # other tests run at the same time
BUILD=$EDGEFW_BUILD_DIR PREFIX=$scratch/prefix bash -euo pipefail "$scratch/commands" \
  >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "a command of the page failed"; }

# expect PATTERN FILE: some line of the file matches.
expect() {
  grep -qE "$1" "$2" || { cat "$2"; fail "$(basename "$2"): no line matches '$1'"; }
}

echo "--- outcome"
expect '^term regret 1\.0\.0' "$scratch/log" # plugins info
expect '^ok ' "$scratch/log"                 # plugins check
if grep -q '^FAILED' "$scratch/log"; then
  cat "$scratch/log"
  fail "plugins check found a fault"
fi
for variant in without lookups with; do
  for size in 10 20; do
    expect "^$variant,$size,$size,[0-9]+,greedy," runs/regret/results.csv
  done
  expect "^\| $variant \|" runs/regret/table.md
  [[ -s runs/regret/$variant/checkpoint-3.h5 ]] || fail "no checkpoint of variant $variant"
done
expect '^atsp +- +insertion +yes' "$scratch/log"
expect '^acvrp +- +insertion +no: insertion: it makes one closed tour' "$scratch/log"
for size in 10 20; do
  expect "^insertion,$size,$size,100,insertion,,$size,1," runs/insertion/results.csv
  expect "^improved,$size,$size,100,insertion\\+local,,$size,1," runs/insertion/results.csv
done
for module in regret_by_hand.so build/edgefw_regret.so build/edgefw_regret_lookups.so \
  build/edgefw_insertion.so; do
  [[ $(nm -D --defined-only "$module" | awk '{print $NF}') == edgefw_plugin ]] ||
    fail "$module exports more than edgefw_plugin"
done
