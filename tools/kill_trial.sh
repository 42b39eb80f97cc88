#!/usr/bin/env bash
# Kills a rank of a small run at random moments, lets the same command go on, and compares with a run
# that nobody killed: parameters and results must be the same, bit for bit. The run must end within
# a minute of each kill, with the rank's number in its message.
#
#   tools/kill_trial.sh [TRIALS [EPOCHS [BUILD]]]     default: 20 trials of 40 epochs, build/release
#
# Exit status 1 names the trial that failed; its folder stays.
set -euo pipefail
trials=${1:-20} epochs=${2:-40} build=${3:-$(dirname "$0")/../build/release}
edgefw=$(realpath "$build")/edgefw
scratch=$(mktemp -d)

# Processes that work without pause on the same cores share them out.
launch=(mpirun --oversubscribe --bind-to none)
((EUID != 0)) || launch+=(--allow-run-as-root)

fault() {
  echo "kill_trial: $*; see $scratch" >&2
  exit 1
}

cat >"$scratch/tiny.ini" <<EOF
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
epochs = $epochs
instances_per_epoch = 60
batch = 10
slice = 3
milestones = 3
checkpoint_every = 1
ema = 0.9
[eval]
sizes = 6
instances = 600
batch = 16
[variant small]
EOF

# What a run has found, without the seconds that it took.
found() {
  "$edgefw" model export "$1/small/checkpoint-$epochs.h5" -o "$1/model.safetensors" >"$1/export.log" 2>&1 ||
    fault "$1 has no last checkpoint"
  cut -d, -f1-8 "$1/results.csv" >"$1/found"
  cut -d, -f1-4,6 "$1/results/small-6.csv" >>"$1/found"
}

# rank_of PROCESS: its number; empty where it has none yet.
rank_of() {
  tr '\0' '\n' 2>/dev/null <"/proc/$1/environ" | sed -n 's/^OMPI_COMM_WORLD_RANK=//p' || true
}

# ends_within SECONDS PROCESS: false if it does not, and is ended then.
ends_within() {
  local left=$(($1 * 10))
  while ((left-- > 0)); do
    kill -0 "$2" 2>/dev/null || return 0
    sleep 0.1
  done
  kill -9 "$2" 2>/dev/null || true
  return 1
}

begin=${EPOCHREALTIME/./}
"${launch[@]}" -n 2 "$edgefw" run "$scratch/tiny.ini" --out "$scratch/unhurt" >"$scratch/unhurt.log" 2>&1 ||
  fault "the run that nobody kills fails"
whole=$(((${EPOCHREALTIME/./} - begin) / 1000)) # milliseconds
found "$scratch/unhurt"
late=0
for ((trial = 1; trial <= trials; ++trial)); do
  folder=$scratch/trial-$trial log=$scratch/trial-$trial.log
  ranks=$((RANDOM % 3 + 2)) rank=$((RANDOM % ranks)) moment=$((RANDOM % whole))
  "${launch[@]}" -n $ranks "$edgefw" run "$scratch/tiny.ini" --out "$folder" >"$log" 2>&1 &
  job=$!
  sleep "$((moment / 1000)).$(printf %03d $((moment % 1000)))"
  victim=
  while [[ -z $victim ]] && kill -0 $job 2>/dev/null; do
    for process in $(pgrep -P $job || true); do
      if [[ $(rank_of "$process") == "$rank" ]]; then victim=$process; fi
    done
  done
  if [[ -n $victim ]] && kill -9 "$victim" 2>/dev/null; then
    ends_within 60 $job || fault "trial $trial: rank $rank of $ranks killed after $moment ms: no end in a minute"
    if wait $job; then
      late=$((late + 1)) # it was about to end
    else
      grep -Eq "rank $rank\b.*(exited|PID)" "$log" || fault "trial $trial: the message does not name rank $rank"
    fi
  else
    wait $job || fault "trial $trial: it failed by itself"
    late=$((late + 1))
  fi
  timeout 120 "${launch[@]}" -n $((RANDOM % 4 + 1)) "$edgefw" run "$scratch/tiny.ini" --out "$folder" >>"$log" 2>&1 ||
    fault "trial $trial: rank $rank of $ranks killed after $moment ms: it does not go on"
  found "$folder"
  for file in model.safetensors found; do
    cmp -s "$scratch/unhurt/$file" "$folder/$file" ||
      fault "trial $trial: rank $rank of $ranks killed after $moment ms: another $file"
  done
done
echo "kill_trial: $trials trials of runs of $whole ms, $late of them after the end: all the same"
rm -rf "$scratch"
