#!/usr/bin/env bash
# Real processes, started by mpirun: the same bits on any number of them, one that dies, and going on.
# needs plugins: atsp radar edge
# labels: train
set -euo pipefail
edgefw=$EDGEFW_BUILD_DIR/edgefw

skip() {
  echo "SKIPPED: $*"
  exit 77
}
[[ -e $EDGEFW_BUILD_DIR/lib/edgefw/communicators/edgefw_mpi.so ]] ||
  skip "built without MPI (libopenmpi-dev, EDGEFW_MPI)"
command -v mpirun >/dev/null || skip "there is no mpirun (openmpi-bin)"
[[ $EDGEFW_SANITIZE != thread ]] || skip "ThreadSanitizer does not know MPI's own locks"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# What MPI keeps is named by its callers alone.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}fast_unwind_on_malloc=0
export LSAN_OPTIONS=suppressions=$EDGEFW_SOURCE_DIR/tests/core/group/lsan_mpi.supp:print_suppressions=0

launch=(mpirun --oversubscribe --bind-to none)
((EUID != 0)) || launch+=(--allow-run-as-root)

fault() {
  echo "mpirun: $*" >&2
  tail -n 40 "$scratch"/*.log >&2
  exit 1
}

# ranks N FOLDER [ARG...]: the run on N processes, into FOLDER.
ranks() {
  local count=$1 folder=$2
  shift 2
  timeout 120 "${launch[@]}" -n "$count" "$edgefw" run "$scratch/tiny.ini" --out "$scratch/$folder" "$@" \
    >"$scratch/$folder.log" 2>&1
}

cat >"$scratch/tiny.ini" <<'EOF'
[problem]
name = atsp
[backbone]
name = radar
embedding_dim = 8
layers = 1
heads = 2
ff_hidden = 8
mix_hidden = 4
svd_rank = 3
[decoder]
terms = edge
heads = 2
edge_hidden = 4
[experiment]
threads = 1
[train]
size = 6
epochs = 3
instances_per_epoch = 20
batch = 10
slice = 3
milestones = 3
checkpoint_every = 1
ema = 0.9
[eval]
sizes = 6
instances = 200
batch = 16
[variant small]
EOF

# same FOLDER FOLDER CHECKPOINT: the same parameters, bit for bit.
same() {
  local folder
  for folder in "$1" "$2"; do
    "$edgefw" model export "$scratch/$folder/small/$3" -o "$scratch/$folder.safetensors" >/dev/null 2>&1
  done
  cmp "$scratch/$1.safetensors" "$scratch/$2.safetensors" || fault "$1 and $2 have other parameters"
}

"$edgefw" run "$scratch/tiny.ini" --out "$scratch/alone" >"$scratch/alone.log" 2>&1 || fault "alone"

# --- four ranks do what one does ---
ranks 4 four || fault "four ranks"
same alone four checkpoint-3.h5
cut -d, -f1-8 "$scratch/alone/results.csv" >"$scratch/expected"
cut -d, -f1-8 "$scratch/four/results.csv" | cmp - "$scratch/expected" || fault "other results"
grep -q '^4 ranks, started by mpirun' "$scratch/four.log" || fault "the log does not name the ranks"
[[ $(grep -c 'epoch 3/3' "$scratch/four.log") == 1 ]] || fault "more than one rank speaks"

# --- a configuration that cannot be is refused once ---
if ranks 2 bad --set train.nonsense=1; then fault "nonsense was taken"; fi
[[ $(grep -c "unknown key 'nonsense'" "$scratch/bad.log") == 1 ]] || fault "not said once"

# --- a rank with another configuration is named, and nothing is written ---
sed 's/^ema = .*/ema = 0.8/' "$scratch/tiny.ini" >"$scratch/other.ini"
if timeout 60 "${launch[@]}" -n 1 "$edgefw" run "$scratch/tiny.ini" --out "$scratch/mixed" \
  : -n 1 "$edgefw" run "$scratch/other.ini" --out "$scratch/mixed" >"$scratch/mixed.log" 2>&1; then
  fault "two configurations were taken for one"
fi
grep -q 'rank 1 on .*: it has another configuration than rank 0' "$scratch/mixed.log" ||
  fault "rank 1 is not named"
[[ ! -e $scratch/mixed ]] || fault "something was written"

# --- a rank that dies ends the run, and the same command goes on ---
"$EDGEFW_SOURCE_DIR/tools/kill_trial.sh" 2 4 "$EDGEFW_BUILD_DIR" >"$scratch/kill.log" 2>&1 || fault "killed ranks"
