#!/usr/bin/env bash
# docs/configuration.md is what `edgefw help config` prints. Plugins that the page describes and whose
# source has been taken out of the tree are passed over.
set -euo pipefail

unset EDGEFW_PLUGIN_PATH
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The page without the parts "### KIND `NAME`" of plugins that have no source.
present=$(find "$EDGEFW_SOURCE_DIR/plugins" -name '*.c' -exec basename {} .c \; | tr '\n' ' ')
awk -v present=" $present" '
  /^##/ { drop = 0 }
  /^### / { split($0, part, "`"); drop = !index(present, " " part[2] " ") }
  !drop' "$EDGEFW_SOURCE_DIR/docs/configuration.md" >"$scratch/page"

"$EDGEFW_BUILD_DIR/edgefw" help config >"$scratch/printed"
diff -B "$scratch/page" "$scratch/printed" || {
  echo "docs/configuration.md is out of date: edgefw help config > docs/configuration.md" >&2
  exit 1
}
