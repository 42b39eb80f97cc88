#!/usr/bin/env bash
# usage: gpu_check.sh BUNDLE OUTDIR MINUTES [CONFIG [CHECKPOINT]]
#
# Tries a bundle (cmake --build build/release --target bundle) on a machine with a GPU and nothing
# installed but its driver and CUDA's libraries: tests, compute-sanitizer, bench beside PyTorch, equal
# tours, and then training of CONFIG for the minutes that remain. Prints a table last, a line for each
# step: ok, FAILED, or "not run" and why. Exit status 1 if any failed.
#
#   BUNDLE      edgefw-VERSION-linux-x86_64.tar.gz, or the folder that it was unpacked to
#   OUTDIR      logs, JSON, table.txt, and run/VARIANT/checkpoint-N.h5; no file above 15 MB: a larger
#               one is cut into FILE.part-00, FILE.part-01, ...
#   CONFIG      a path, or the name of one in the bundle's share/edgefw/configs
#   CHECKPOINT  VARIANT/checkpoint-N.h5 of an earlier run of CONFIG, whole or in parts, to go on from
#
# Environment:
#   EDGEFW_GPU_CHECK_DEVICE   the device to try (default: cuda); cpu tries this script itself
#   EDGEFW_GPU_CHECK_QUICK    if set: small models and sizes, for the same purpose
set -u

if (($# < 3 || $# > 5)) || [[ ! $3 =~ ^[0-9]+$ ]]; then
  sed -n '2s/^# //p' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
started=$SECONDS
minutes=$3
config=${4:-}
checkpoint=${5:-}
device=${EDGEFW_GPU_CHECK_DEVICE:-cuda}
quick=${EDGEFW_GPU_CHECK_QUICK:-}
mkdir -p "$2" || exit 2
out=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMP_WAIT_POLICY=passive

# --- results --------------------------------------------------------------------------------------
failures=0
table=()

note() { # note STEP RESULT WORDS...
  local step=$1 result=$2
  shift 2
  [[ $result != FAILED ]] || failures=$((failures + 1))
  table+=("$(printf '%-22s %-8s %s' "$step" "$result" "$*")")
  printf 'gpu_check: %s: %s %s\n' "$step" "$result" "$*" >&2
}

finish() {
  {
    printf '%-22s %-8s %s\n' step result remarks
    printf '%s\n' "${table[@]}"
  } | tee "$out/table.txt"
  exit $((failures > 0))
}

left() { echo $((started + 60 * minutes - SECONDS)); }

# bounded SECONDS COMMAND...: ended by an interrupt after SECONDS, or when all time is used up.
bounded() {
  local seconds=$1 most
  shift
  most=$(left)
  ((seconds < most)) || seconds=$most
  ((seconds > 0)) || return 124
  timeout --signal=INT --kill-after=20 "$seconds" "$@"
}

# step NAME SECONDS LOG COMMAND...: runs it and notes how it went.
step() {
  local name=$1 seconds=$2 log=$3 begin=$SECONDS status=0
  shift 3
  bounded "$seconds" "$@" >>"$out/$log" 2>&1 || status=$?
  case $status in
  0) note "$name" ok "$((SECONDS - begin)) s" ;;
  124 | 137) note "$name" FAILED "not done after $((SECONDS - begin)) s ($log)" ;;
  *) note "$name" FAILED "exit status $status ($log): $(grep -E '^edgefw: |rror' "$out/$log" | tail -n 1 | cut -c1-120)" ;;
  esac
  return $status
}

# --- the bundle and the machine -------------------------------------------------------------------
if [[ -d $1 ]]; then
  bundle=$(cd "$1" && pwd)
else
  tar -C "$work" -xzf "$1" || exit 2
  bundle=$(find "$work" -mindepth 1 -maxdepth 1 -type d)
fi
edgefw=$bundle/bin/edgefw
tests=$bundle/libexec/edgefw/tests
configs=$bundle/share/edgefw/configs

# CUDA's libraries, where the loader does not find them by itself: a toolkit, or Python's packages.
for folder in /usr/local/cuda/lib64 /usr/local/cuda/targets/x86_64-linux/lib \
  /usr/lib/python3*/site-packages/nvidia/*/lib /usr/local/lib/python3*/*-packages/nvidia/*/lib \
  "${HOME:-/root}"/.local/lib/python3*/site-packages/nvidia/*/lib; do
  [[ -d $folder ]] && LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$folder
done
[[ -z ${LD_LIBRARY_PATH:-} ]] || export LD_LIBRARY_PATH

{
  uname -a
  nproc
  nvidia-smi || true
  "$edgefw" version
} >"$out/machine.txt" 2>&1
described=$(grep "^device $device: " "$out/machine.txt")
if [[ -z $described || $described == *"not usable here"* ]]; then
  note device FAILED "${described:-the bundle has no device $device}"
  finish
fi
note device ok "$described"

is_gpu=true
[[ $device != cpu ]] || is_gpu=
precisions=fp32
[[ -z $is_gpu ]] || precisions="fp32 tf32 bf16"
model=(--problem atsp --backbone radar --terms "edge,closure,lookahead")
sizes=100,1000
torch=(--sizes '100,1000')
if [[ -n $quick ]]; then
  sizes=10,20
  model+=(--width 32 --set backbone.layers=2 --repeat 1)
  torch=(--sizes 20 --train-size 10 --train-batch 4 --width 32 --layers 2 --repeat 1)
fi

# --- 1. parity: tests of operations, and whole policies, against the oracle -----------------------
run_tests() {
  local devices=$work/devices until=$((SECONDS + 20 * minutes)) test failed=() count=0 late=0
  mkdir -p "$devices"
  ln -sf "$bundle"/lib/edgefw/edgefw_{reference,reference64,"$device"}.so "$devices"
  for test in "$tests"/*test_*; do
    [[ -f $test && -x $test ]] || continue
    ((SECONDS < until)) || { late=$((late + 1)); continue; }
    count=$((count + 1))
    printf -- '--- %s\n' "${test##*/}" >>"$out/tests.log"
    EDGEFW_TEST_DEVICES=$devices EDGEFW_TEST_DATA=$tests bounded $((until - SECONDS)) "$test" \
      >>"$out/tests.log" 2>&1 || failed+=("${test##*/}")
  done
  if ((${#failed[@]})); then
    note tests FAILED "${#failed[@]} of $count (tests.log): ${failed[*]}"
  elif ((count)); then
    note tests ok "$count programs"
  else
    note tests "not run" "the bundle has no tests"
  fi
  ((late == 0)) || note "tests, the rest" "not run" "$late programs, for lack of time"
}
run_tests
step "plugins check" $((6 * minutes)) check.log \
  "$edgefw" plugins check "$bundle/lib/edgefw/edgefw_$device.so"

# --- a small experiment, for what follows ---------------------------------------------------------
cat >"$work/small.ini" <<'INI'
[experiment]
name = small
[problem]
name = atsp
[backbone]
name = radar
embedding_dim = 32
layers = 2
heads = 4
svd_rank = 4
[decoder]
terms = edge, closure, lookahead
heads = 4
[train]
size = 10
epochs = 2
instances_per_epoch = 64
batch = 32
milestones = 2
[eval]
sizes = 10
instances = 32
INI
small() { # small FOLDER SET...: run it there
  local folder=$1
  shift
  "$edgefw" run "$work/small.ini" --out "$folder" --fresh --set "experiment.device=$device" "$@"
}

# --- 2. compute-sanitizer -------------------------------------------------------------------------
sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
for tool in memcheck racecheck; do
  if [[ -z $is_gpu ]]; then
    note "$tool" "not run" "device $device is no GPU"
  elif [[ -z $sanitizer ]]; then
    note "$tool" "not run" "compute-sanitizer is not here"
  else
    step "$tool" $((9 * minutes)) "$tool.log" "$sanitizer" --tool "$tool" --error-exitcode 9 \
      "$edgefw" run "$work/small.ini" --out "$work/$tool" --set "experiment.device=$device"
  fi
done

# --- 3. bench, tours, bits ------------------------------------------------------------------------
# rates FILE: "n=100: 123" for each rate of evaluation and of training steps in a JSON of bench.
rates() {
  tr -d '\n' <"$1" | sed 's/{"nodes"/\n&/g; s/"train": \[/\n&/' | awk -F'"' '
    /"train"/ { what = "train" }
    match($0, /"nodes": [0-9]+/) {
      n = substr($0, RSTART + 9, RLENGTH - 9)
      row = what == "train" ? "\"name\": \"step\"" : "\"name\": \"evaluate\""
      at = index($0, row)
      if (at && match(substr($0, at), /"instances_per_second": [0-9.e+-]+/))
        printf "%s n=%s %.4g/s; ", what ? what : "eval", n, substr(substr($0, at), RSTART + 24, RLENGTH - 24)
    }'
}

bench() { # bench DEVICE PRECISION SECONDS
  local name=bench-$1-$2
  if bounded "$3" "$edgefw" bench --device "$1" --precision "$2" --only eval,train --sizes "$sizes" \
    "${model[@]}" --json >"$out/$name.json" 2>"$out/$name.log"; then
    note "bench $1 $2" ok "$(rates "$out/$name.json")"
  else
    note "bench $1 $2" FAILED "$(tail -n 1 "$out/$name.log" | cut -c1-120)"
  fi
}
for precision in $precisions; do bench "$device" "$precision" $((6 * minutes)); done
[[ -z $is_gpu ]] || bench cpu fp32 $((6 * minutes))

bench_torch() { # with the first Python that has PyTorch
  local python name status=0
  for python in python3 /usr/bin/python3 /opt/conda/bin/python3; do
    "$python" -c 'import numpy, torch' 2>/dev/null && break
    python=
  done
  if [[ -z $python ]]; then
    note "bench torch" "not run" "no Python here has torch and numpy"
    return
  fi
  for precision in ${precisions/ bf16/}; do
    name=bench-torch-$precision
    bounded $((9 * minutes)) "$python" "$tests/golden/bench_torch.py" --device "$device" \
      --precision "$precision" "${torch[@]}" --json >"$out/$name.json" 2>"$out/$name.log" || status=$?
    if ((status == 0)); then
      note "bench torch $precision" ok "$(tr '\n' ';' <"$out/$name.log")"
    else
      note "bench torch $precision" FAILED "exit status $status ($name.log)"
    fi
  done
}
bench_torch

# Greedy rollouts from one start each, on both devices in fp32: near ties may turn out otherwise.
greedy_files() {
  local i n=$1 count=$2
  mkdir -p "$work/files"
  for ((i = 0; i < count; ++i)); do
    awk -v n="$n" -v seed="$i" 'BEGIN {
      srand(seed + 1)
      printf "NAME: r%03d\nTYPE: ATSP\nDIMENSION: %d\nEDGE_WEIGHT_TYPE: EXPLICIT\n", seed, n
      printf "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n"
      for (i = 0; i < n; ++i) {
        for (j = 0; j < n; ++j) printf " %d", i == j ? 0 : 1 + int(1000000 * rand())
        print ""
      }
      print "EOF"
    }' >"$work/files/r$(printf %03d "$i").atsp"
  done
}
solve() { # solve DEVICE NAME: the tours of all files
  bounded $((6 * minutes)) "$edgefw" solve "$work/files" --model "$model_file" --device "$1" \
    --precision fp32 --starts 1 --json 2>>"$out/tours.log" |
    sed 's/"seconds": [^,]*, //' >"$work/$2.json"
}
names_and_tours() { sed 's/.*"name": "\([^"]*\)".*"tour": \(.*\)}/\1 \2/' "$work/$1.json"; }
compare_tours() {
  local nodes=100 count=200 equal all
  [[ -z $quick ]] || { nodes=20 count=20; }
  model_file=$work/bits-1/radar/checkpoint-2.h5
  if [[ ! -f $model_file ]]; then
    note "tours" "not run" "nothing was trained"
    return
  fi
  greedy_files $nodes $count
  solve cpu tours-cpu
  solve "$device" tours-1
  solve "$device" tours-2
  all=$(wc -l <"$work/tours-cpu.json")
  equal=$(names_and_tours tours-cpu | grep -cxFf <(names_and_tours tours-1))
  if ((all < count)); then
    note "tours as on cpu" FAILED "$all of $count were found (tours.log)"
  elif ((10 * equal < 9 * all)); then
    note "tours as on cpu" FAILED "$equal of $all rollouts of n=$nodes are equal in fp32"
  else
    note "tours as on cpu" ok "$equal of $all rollouts of n=$nodes are equal in fp32"
  fi
  if cmp -s "$work/tours-1.json" "$work/tours-2.json"; then
    note "tours run to run" ok "equal"
  else
    note "tours run to run" FAILED "two runs on $device differ"
  fi
}

# Metrics without the last column, seconds.
metrics() { sed 's/,[^,]*$//' "$work/bits-$1/radar/metrics.csv"; }
for run in 1 2; do small "$work/bits-$run" >>"$out/bits.log" 2>&1; done
if [[ -f $work/bits-2/radar/metrics.csv ]] && diff <(metrics 1) <(metrics 2) >>"$out/bits.log"; then
  note "training run to run" ok "same metrics in all digits"
else
  note "training run to run" FAILED "two runs on $device differ (bits.log)"
fi
compare_tours

# --- 4. training ----------------------------------------------------------------------------------
# A checkpoint in parts becomes whole again.
whole() {
  if [[ -f $1 ]]; then cp "$1" "$2"; else cat "$1".part-* >"$2"; fi
}

# A run directory of CONFIG whose variant stands at the checkpoint: begin a run, and exchange its own.
prepare_run() {
  local variant process wait=0
  variant=$(basename "$(dirname "$checkpoint")")
  "${train[@]}" >>"$out/train.log" 2>&1 &
  process=$!
  while [[ ! -f $work/run/config.ini ]] && ((wait++ < 60)) && kill -0 $process 2>/dev/null; do sleep 1; done
  kill -TERM $process 2>/dev/null
  wait $process
  [[ -f $work/run/config.ini ]] || return 1
  mkdir -p "$work/run/$variant"
  rm -f "$work/run/$variant"/checkpoint-*.h5
  whole "$checkpoint" "$work/run/$variant/$(basename "$checkpoint")"
}

keep_run() { # what was trained, in files of at most 15 MB
  local file folder
  for folder in "$work"/run/*/; do
    mkdir -p "$out/run/$(basename "$folder")"
    file=$(find "$folder" -maxdepth 1 -name 'checkpoint-*.h5' | sort -V | tail -n 1)
    cp "$folder"metrics.csv "$out/run/$(basename "$folder")/" 2>/dev/null
    [[ -n $file ]] || continue
    if (($(stat -c %s "$file") > 15000000)); then
      split -b 15000000 -d "$file" "$out/run/$(basename "$folder")/${file##*/}.part-"
    else
      cp "$file" "$out/run/$(basename "$folder")/"
    fi
  done
  cp "$work"/run/config.ini "$work"/run/log.txt "$out/run/" 2>/dev/null
}

train_config() {
  local status=0 begin=$SECONDS seconds
  [[ -f $config ]] || config=$configs/$config
  [[ -f $config ]] || config=$config.ini
  train=("$edgefw" run "$config" --only train --out "$work/run" --set "experiment.device=$device")
  if [[ -n $checkpoint ]] && ! prepare_run; then
    note training FAILED "cannot go on from $checkpoint (train.log)"
    return
  fi
  seconds=$(($(left) - 30))
  ((seconds > 10)) || { note training "not run" "no time is left"; return; }
  bounded "$seconds" "${train[@]}" >>"$out/train.log" 2>&1 || status=$?
  keep_run
  case $status in
  0) note training ok "complete after $((SECONDS - begin)) s: $(grep -E 'epoch [0-9]+/' "$out/train.log" | tail -n 1)" ;;
  124 | 130) note training ok "stopped after $((SECONDS - begin)) s: $(grep -E 'epoch [0-9]+/' "$out/train.log" | tail -n 1)" ;;
  *) note training FAILED "exit status $status: $(grep '^edgefw: ' "$out/train.log" | tail -n 1 | cut -c1-160)" ;;
  esac
}
if [[ -z $config ]]; then
  note training "not run" "no CONFIG is given"
else
  train_config
fi
finish
