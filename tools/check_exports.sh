#!/usr/bin/env bash
# usage: check_exports.sh BUILD_DIR
# Every built module exports edgefw_plugin and nothing else, no plugin takes memory from the C
# library, and libedgefw exports only its own names.
set -euo pipefail
build=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

faults=0
fault() {
  printf 'check_exports: %s\n' "$*" >&2
  faults=$((faults + 1))
}

# Names defined for others; sanitizers add their own.
exported() {
  nm -D --defined-only "$1" | awk '{print $NF}' | grep -vE '^__(odr_)?(asan|ubsan|tsan|sanitizer)' || true
}

count=0
for module in "$build"/lib/edgefw/edgefw_*.so "$build"/lib/edgefw/*/edgefw_*.so; do
  [[ -e $module ]] || continue
  count=$((count + 1))
  names=$(exported "$module" | tr '\n' ' ')
  [[ $names == "edgefw_plugin " ]] ||
    fault "$module exports '${names% }'; expected 'edgefw_plugin' alone"
done
((count)) || fault "no module in $build/lib/edgefw"

for source in "$root"/plugins/*/*.c; do
  module=$build/lib/edgefw/edgefw_$(basename "$source" .c).so
  if [[ $source == */communicators/* ]]; then
    module=$build/lib/edgefw/communicators/$(basename "$module")
    [[ -e $module ]] || continue # its library is not installed
  fi
  [[ -e $module ]] || { fault "$module was not built"; continue; }
  taken=$(nm -D --undefined-only "$module" | awk '{print $NF}' | sed 's/@.*//' |
    grep -xE 'malloc|calloc|realloc|free|aligned_alloc|posix_memalign' | tr '\n' ' ' || true)
  [[ -z $taken ]] || fault "$module uses ${taken% }; plugins get memory from edgefw only"
done

foreign=$(exported "$build/lib/libedgefw.so" | grep -v '^edgefw_' | tr '\n' ' ' || true)
[[ -z $foreign ]] || fault "libedgefw.so exports ${foreign% }; its names begin with edgefw_"

((faults == 0))
