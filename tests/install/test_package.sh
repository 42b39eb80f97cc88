#!/usr/bin/env bash
# The installed copy serves others: installs into a scratch prefix, builds a plugin outside of the
# tree with find_package(edgefw) and with pkg-config, and runs the installed binary on it. So does the
# program of docs/example, which solves with the installed library.
# labels: e2e
set -euo pipefail

# Sanitizers need their run-time library first in every process; the plain build covers this.
[[ -z ${EDGEFW_SANITIZE:-} ]] || exit 77

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix
cmake --install "$EDGEFW_BUILD_DIR" --prefix "$prefix" >"$scratch/log" 2>&1 ||
  { cat "$scratch/log"; exit 1; }
prefix_lib=$(dirname "$(find "$prefix" -name libedgefw.so)")

# A plugin that does not belong to this tree: the first term of the tree under another name.
mkdir "$scratch/plugin"
source=$(find "$EDGEFW_SOURCE_DIR/plugins/decoders" -maxdepth 1 -name '*.c' | sort | head -n 1)
name=$(basename "$source" .c)
sed "s/\"$name\"/\"foreign\"/" "$source" >"$scratch/plugin/foreign.c"
cp -r "$(dirname "$source")/shared" "$scratch/plugin/" # what plugins of a kind share
cat >"$scratch/plugin/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.25)
project(foreign LANGUAGES C)
find_package(edgefw REQUIRED)
edgefw_add_plugin(foreign foreign.c)
EOF

echo "--- find_package"
{
  cmake -S "$scratch/plugin" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$prefix" &&
    cmake --build "$scratch/build"
} >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
[[ $(nm -D --defined-only "$scratch/build/edgefw_foreign.so" | awk '{print $NF}') == edgefw_plugin ]]

echo "--- pkg-config"
export PKG_CONFIG_PATH=$prefix_lib/pkgconfig
# shellcheck disable=SC2046  # words are wanted
${CC:-cc} -std=c17 -fPIC -shared -fvisibility=hidden -Wl,--no-undefined "$scratch/plugin/foreign.c" \
  -o "$scratch/edgefw_foreign.so" $(pkg-config --cflags --libs edgefw)

echo "--- a program"
if [[ -e $EDGEFW_SOURCE_DIR/plugins/problems/atsp.c && -e $EDGEFW_SOURCE_DIR/plugins/heuristics/nearest.c ]]; then
  example=$(dirname "$(find "$prefix" -name solve.c)")
  {
    cmake -S "$example" -B "$scratch/solve" -DCMAKE_PREFIX_PATH="$prefix" &&
      cmake --build "$scratch/solve"
    # shellcheck disable=SC2046  # words are wanted
    ${CC:-cc} -std=c17 -Wall -Wextra -Werror "$example/solve.c" -o "$scratch/solve_pc" \
      $(pkg-config --cflags --libs edgefw)
  } >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
  # Plugins are found beside the library, from whatever folder.
  (cd / && env -u EDGEFW_PLUGIN_PATH "$scratch/solve/solve") | tee "$scratch/solved"
  grep -qx '45 minutes, no route takes less than [0-9]*: 0 1 3 4 2' "$scratch/solved"
  diff "$scratch/solved" <(LD_LIBRARY_PATH=$prefix_lib "$scratch/solve_pc")
fi

echo "--- the installed binary"
"$prefix/bin/edgefw" --version
EDGEFW_PLUGIN_PATH=$scratch/build "$prefix/bin/edgefw" plugins list >"$scratch/list"
cat "$scratch/list"
for expected in foreign "$name" reference cpu; do
  grep -qw "$expected" "$scratch/list" || { echo "plugins list lacks $expected"; exit 1; }
done

# The shipped models are where the installed program looks for them: one that is put there is found.
if [[ -e $EDGEFW_SOURCE_DIR/plugins/problems/atsp.c && -e $EDGEFW_SOURCE_DIR/plugins/backbones/radar.c ]]; then
  echo "--- a shipped model"
  models=$(dirname "$(find "$prefix" -path '*/share/edgefw/models/README.md')")
  cat >"$scratch/tiny.ini" <<'EOF'
[problem]
name = atsp
[backbone]
name = radar
embedding_dim = 8
layers = 1
heads = 2
ff_hidden = 8
svd_rank = 3
[decoder]
heads = 2
[train]
size = 5
epochs = 1
instances_per_epoch = 4
batch = 4
milestones = 1
[variant tiny]
decoder.terms =
EOF
  "$prefix/bin/edgefw" run "$scratch/tiny.ini" --only train --out "$scratch/run" 2>"$scratch/log" ||
    { cat "$scratch/log"; exit 1; }
  cp "$scratch/run/tiny/checkpoint-1.h5" "$models/0.h5" # the first by its name
  "$prefix/bin/edgefw" solve "$EDGEFW_SOURCE_DIR/data/atsplib/br17.atsp" 2>"$scratch/log"
  cat "$scratch/log"
  grep -q "the model is $prefix/bin/../share/edgefw/models/0.h5" "$scratch/log"
fi
