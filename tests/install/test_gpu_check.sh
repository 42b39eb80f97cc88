#!/usr/bin/env bash
# Both calls of tools/gpu_check.sh on a bundle, with the device cpu in place of a GPU: every step that
# needs no GPU is ok, and the one file that comes out holds the table, the logs and a checkpoint that
# training goes on from.
# labels: e2e
set -euo pipefail

# Sanitizers need their run-time library first in every process; the plain build covers this.
[[ -z ${EDGEFW_SANITIZE:-} ]] || exit 77

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cpack --config "$EDGEFW_BUILD_DIR/CPackConfig.cmake" -B "$scratch" >"$scratch/log" 2>&1 ||
  { cat "$scratch/log"; exit 1; }
tar -C "$scratch" -xzf "$scratch"/edgefw-*.tar.gz
bundle=$(find "$scratch" -mindepth 1 -maxdepth 1 -type d -name 'edgefw-*')
cd "$scratch"
export EDGEFW_GPU_CHECK_DEVICE=cpu EDGEFW_GPU_CHECK_QUICK=1
check() { "$bundle/libexec/edgefw/gpu_check.sh" "$@"; }

# expect FILE LINE...: the table has these lines.
expect() {
  local file=$1 line
  shift
  for line; do
    grep -qE "^$line" "$file" || { echo "$file has no line '$line':"; cat "$file"; exit 1; }
  done
}

echo "--- call a"
check a "$bundle" a >a.txt
tar -xf a/gpu_check-a.tar
[[ $(ls -A a) == gpu_check-a.tar ]]
expect gpu_check-a/table.txt 'device +ok' 'tests +ok +[1-9]' 'plugins check +ok' 'greedy, training +ok' \
  'greedy fp32 +ok +20 of 20' 'run to run +ok' 'memcheck_staged +not run' 'racecheck +not run' 'bench cpu fp32 +ok +eval n=10'
diff a.txt gpu_check-a/table.txt

echo "--- call b, one variant of two"
cat >two.ini <<'INI'
[experiment]
name = two
[problem]
name = atsp
[backbone]
name = radar
embedding_dim = 16
layers = 1
heads = 2
svd_rank = 4
[decoder]
heads = 2
[train]
size = 8
epochs = 3
instances_per_epoch = 32
batch = 16
milestones = 3
checkpoint_every = 1
[variant plain]
decoder.terms =
[variant ours]
decoder.terms = edge, closure
INI
check b "$bundle" b 9 two.ini ours >b.txt
tar -xf b/gpu_check-b.tar
expect gpu_check-b/table.txt 'bench cpu fp32 +ok' 'training +ok +complete'
[[ -f gpu_check-b/run/ours/checkpoint-3.h5 && ! -e gpu_check-b/run/plain ]]

echo "--- call b, from a checkpoint"
"$bundle/bin/edgefw" run two.ini --only train --variant ours --out whole --set experiment.device=cpu 2>log
check b "$bundle" c 9 two.ini ours whole/ours/checkpoint-2.h5 >c.txt
rm -r gpu_check-b
tar -xf c/gpu_check-b.tar
expect gpu_check-b/table.txt 'training +ok +complete'
grep -q 'checkpoint-2.h5' gpu_check-b/train.log
diff <(cut -d, -f1-4 whole/ours/metrics.csv) <(cut -d, -f1-4 gpu_check-b/run/ours/metrics.csv)

echo "--- words that are missing"
status=0
check c "$bundle" d 2>usage.txt || status=$?
((status == 2)) && grep -q '^usage: gpu_check.sh a|b' usage.txt
