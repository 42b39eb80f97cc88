#!/usr/bin/env bash
# usage: gpu_check.sh a|b BUNDLE OUTDIR [MINUTES [CONFIG [VARIANT [CHECKPOINT]]]]
#
# Tries a bundle (cmake --build build/release --target bundle) on a machine with a GPU and nothing
# installed but its driver and CUDA's libraries, in two calls of at most 9 minutes each:
#
#   a   tests, greedy tours against the device cpu in every precision, compute-sanitizer, two runs
#       that must be equal in every bit, bench in tf32
#   b   the same model in PyTorch, bench in bf16 and fp32, then training of CONFIG for the rest
#
# Prints a table last, a line for each step: ok, FAILED, or "not run" and why. Exit status 1 if any
# failed.
#
#   BUNDLE      edgefw-VERSION-linux-x86_64.tar.gz, or the folder that it was unpacked to
#   OUTDIR      gets gpu_check-a.tar or gpu_check-b.tar: the table, logs, JSON and the newest
#               checkpoint. It is written anew after every step, so that it is there whenever the
#               machine goes. Above 15 MB it is in parts: cat gpu_check-b.tar.part-* | tar -x
#   MINUTES     for the whole call (default: 9)
#   CONFIG      a path, or the name of one in the bundle's share/edgefw/configs
#   VARIANT     the one to train, or "all"
#   CHECKPOINT  VARIANT/checkpoint-N.h5 of an earlier run of CONFIG, to go on from
#
# Environment:
#   EDGEFW_GPU_CHECK_DEVICE   the device to try (default: cuda); cpu tries this script itself
#   EDGEFW_GPU_CHECK_QUICK    if set: small models and sizes, for the same purpose
set -u

if (($# < 3 || $# > 7)) || [[ ! $1 =~ ^[ab]$ || ! ${4:-9} =~ ^[1-9][0-9]*$ ]]; then
  sed -n '2s/^# //p' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
started=$SECONDS
call=$1
whole=$((60 * ${4:-9}))
config=${5:-}
variant=${6:-all}
checkpoint=${7:-}
device=${EDGEFW_GPU_CHECK_DEVICE:-cuda}
quick=${EDGEFW_GPU_CHECK_QUICK:-}
mkdir -p "$3" || exit 2
out=$(cd "$3" && pwd)
work=$(mktemp -d)
process= # a training in the background: nothing goes on when this ends
trap '[[ -z $process ]] || kill -KILL $process 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 143' TERM INT HUP
kept=$work/gpu_check-$call # what the archive holds
mkdir "$kept"
export OMP_WAIT_POLICY=passive

# --- budgets --------------------------------------------------------------------------------------
# Of 540 seconds; other MINUTES scale them. Each list ends with what packing takes. What a step does
# not use is left to those behind it.
declare -A budget
if [[ $call == a ]]; then
  budgets="tests=150 plugins=15 greedy=105 bits=30 memcheck=25 memcheck_bf16=25 memcheck_staged=25
    memcheck_depot=25 memcheck_masked=25 racecheck=45 bench=55 packing=15"
else
  budgets="torch=120 bench=90 training=300 packing=30"
fi
sum=0
for entry in $budgets; do
  budget[${entry%=*}]=$((${entry#*=} * whole / 540))
  sum=$((sum + ${entry#*=}))
done
((sum == 540)) || { echo "gpu_check: the budgets of call $call are $sum seconds, not 540" >&2; exit 2; }

left() { echo $((started + whole - budget[packing] - SECONDS)); }

# bounded SECONDS COMMAND...: ended by an interrupt after SECONDS, or when all time is used up.
bounded() {
  local seconds=$1 most
  shift
  most=$(left)
  ((seconds < most)) || seconds=$most
  ((seconds > 0)) || return 124
  timeout --foreground --signal=INT --kill-after=10 "$seconds" "$@"
}

# --- results --------------------------------------------------------------------------------------
failures=0
table=()

# Everything so far in one archive, which is never half written.
pack() {
  {
    printf '%-22s %-8s %s\n' step result remarks
    printf '%s\n' "${table[@]}"
  } >"$kept/table.txt"
  local tar=$work/packed.tar name=gpu_check-$call.tar part count=0
  tar -C "$work" -cf "$tar" "gpu_check-$call" || return
  if (($(stat -c %s "$tar") > 15000000)); then
    split -b 15000000 -d "$tar" "$out/.new-$name.part-" || return
    for part in "$out/.new-$name".part-*; do
      mv "$part" "$out/${part#"$out/.new-"}"
      count=$((count + 1))
    done
    for part in "$out/$name".part-*; do ((10#${part##*-} < count)) || rm -f "$part"; done
    rm -f "$out/$name"
  else
    cp "$tar" "$out/.new-$name" && mv "$out/.new-$name" "$out/$name" && rm -f "$out/$name".part-*
  fi
}

note() { # note STEP RESULT WORDS...
  local step=$1 result=$2
  shift 2
  [[ $result != FAILED ]] || failures=$((failures + 1))
  table+=("$(printf '%-22s %-8s %s' "$step" "$result" "$*")")
  printf 'gpu_check: %s: %s %s\n' "$step" "$result" "$*" >&2
  pack
}

finish() {
  cat "$kept/table.txt"
  exit $((failures > 0))
}

# step NAME SECONDS LOG COMMAND...: runs it and notes how it went.
step() {
  local name=$1 seconds=$2 log=$3 begin=$SECONDS status=0
  shift 3
  (($(left) > 0)) || { note "$name" "not run" "no time is left"; return 1; }
  bounded "$seconds" "$@" >>"$kept/$log" 2>&1 || status=$?
  case $status in
  0) note "$name" ok "$((SECONDS - begin)) s" ;;
  124 | 137) note "$name" FAILED "not done after $((SECONDS - begin)) s ($log)" ;;
  *) note "$name" FAILED "exit status $status ($log): $(grep -E '^edgefw: |rror' "$kept/$log" | tail -n 1 | cut -c1-120)" ;;
  esac
  return $status
}

# --- the bundle and the machine -------------------------------------------------------------------
if [[ -d $2 ]]; then
  bundle=$(cd "$2" && pwd)
else
  mkdir "$work/bundle"
  tar -C "$work/bundle" -xzf "$2" || exit 2
  bundle=$(find "$work/bundle" -mindepth 1 -maxdepth 1 -type d)
fi
edgefw=$bundle/bin/edgefw
tests=$bundle/libexec/edgefw/tests
configs=$bundle/share/edgefw/configs
python=$(for each in python3 /usr/bin/python3; do
  "$each" -c 'import numpy, torch' 2>/dev/null && echo "$each" && break
done)

# CUDA's libraries, where the loader does not find them by itself: a toolkit, or the packages of the
# Python that has PyTorch, below its own prefix.
site=$("${python:-python3}" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])' 2>/dev/null)
for folder in /usr/local/cuda/lib64 /usr/local/cuda/targets/x86_64-linux/lib ${site:+"$site"/nvidia/*/lib}; do
  [[ -d $folder ]] && LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$folder
done
[[ -z ${LD_LIBRARY_PATH:-} ]] || export LD_LIBRARY_PATH

{
  uname -a
  nproc
  nvidia-smi || true
  echo "python with torch: ${python:-none}"
  echo "LD_LIBRARY_PATH: ${LD_LIBRARY_PATH:-}"
  "$edgefw" version
} >"$kept/machine.txt" 2>&1
described=$(grep "^device $device: " "$kept/machine.txt")
if [[ -z $described || $described == *"not usable here"* ]]; then
  note device FAILED "${described:-the bundle has no device $device}"
  finish
fi
note device ok "$described"

is_gpu=true
[[ $device != cpu ]] || is_gpu=

# A small experiment.
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
small_command() { # small_command FOLDER SET...: in the array `command`
  local set
  command=("$edgefw" run "$work/small.ini" --out "$1" --fresh --set "experiment.device=$device")
  shift
  for set in "$@"; do command+=(--set "$set"); done
}

# --- a: tests of operations, and whole policies, against the oracle -------------------------------
# Skipped tests are counted apart: a test that asks for a device that is not here shows nothing.
run_tests() {
  local devices=$work/devices until=$((SECONDS + budget[tests])) pattern='*test_*'
  local test failed=() count=0 late=0 skipped status
  [[ -z $quick ]] || pattern='test_golden_*'
  mkdir -p "$devices"
  ln -sf "$bundle"/lib/edgefw/edgefw_{reference,reference64,cpu,"$device"}.so "$devices"
  for test in "$tests"/$pattern; do
    [[ -f $test && -x $test ]] || continue
    ((SECONDS < until && $(left) > 0)) || { late=$((late + 1)); continue; }
    count=$((count + 1)) status=0
    printf -- '--- %s\n' "${test##*/}" >>"$kept/tests.log"
    EDGEFW_TEST_DEVICES=$devices EDGEFW_TEST_DATA=$tests bounded $((until - SECONDS)) "$test" \
      >>"$kept/tests.log" 2>&1 || status=$?
    case $status in
    0) ;;
    124 | 137) failed+=("${test##*/} (not done when time was up)") ;;
    *) failed+=("${test##*/}") ;;
    esac
  done
  skipped=$(grep -c '^\[  SKIPPED \] [^0-9]' "$kept/tests.log")
  if ((${#failed[@]})); then
    note tests FAILED "${#failed[@]} of $count (tests.log): ${failed[*]}"
  elif ((count + late)); then
    note tests ok "$count programs; $skipped skipped tests"
  else
    note tests "not run" "the bundle has no tests"
  fi
  ((late == 0)) || note "tests, the rest" "not run" "$late programs, for lack of time"
}

# --- a: greedy tours from one start each, on the device and on cpu --------------------------------
greedy_files() { # greedy_files NODES COUNT
  local i
  mkdir -p "$work/files"
  for ((i = 0; i < $2; ++i)); do
    awk -v n="$1" -v seed="$i" 'BEGIN {
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

solve() { # solve DEVICE PRECISION NAME: the tours of all files
  bounded $((greedy_until - SECONDS)) "$edgefw" solve "$work/files" --model "$model" --device "$1" \
    --precision "$2" --starts 1 --construct none --json 2>>"$kept/greedy.log" |
    sed 's/"seconds": [^,]*, //' >"$work/$3.json"
}
names_and_tours() { sed 's/.*"name": "\([^"]*\)".*"tour": \(.*\)}/\1 \2/' "$work/$1.json"; }
total_cost() { sed 's/.*"cost": \([^,]*\),.*/\1/' "$work/$1.json" | awk '{ sum += $1 } END { printf "%.9g", sum }'; }

# In fp32, 99 of 100 tours are to be equal: near ties may turn out otherwise. Shorter fractions turn
# more of them, but tours must be no more than one percent longer in all.
compare_greedy() { # compare_greedy PRECISION
  local name=greedy-$1 all equal ratio good
  solve "$device" "$1" "$name"
  all=$(wc -l <"$work/$name.json")
  if ((all < greedy_count)); then
    note "greedy $1" FAILED "$all of $greedy_count tours were found (greedy.log)"
    return
  fi
  equal=$(names_and_tours greedy-cpu | grep -cxFf <(names_and_tours "$name"))
  ratio=$(awk -v a="$(total_cost "$name")" -v b="$(total_cost greedy-cpu)" 'BEGIN { printf "%.5f", a / b }')
  if [[ $1 == fp32 ]]; then
    good=$((100 * equal >= 99 * all))
  else
    good=$(awk -v r="$ratio" 'BEGIN { print r ~ /^[0-9.]+$/ && r + 0 <= 1.01 }')
  fi
  ((good)) && good=ok || good=FAILED
  note "greedy $1" $good "$equal of $all tours equal to cpu's, total cost $ratio of cpu's (n=$greedy_nodes)"
}

greedy() {
  local width=256 layers=5 precisions="fp32 tf32 bf16" precision
  greedy_nodes=50 greedy_count=200 greedy_until=$((SECONDS + budget[greedy]))
  [[ -z $quick ]] || { width=32 layers=2 greedy_nodes=20 greedy_count=20; }
  [[ -n $is_gpu ]] || precisions=fp32
  small_command "$work/greedy" "backbone.embedding_dim=$width" "backbone.layers=$layers" \
    backbone.heads=8 backbone.svd_rank=10 decoder.heads=8 train.size=20 train.instances_per_epoch=512
  step "greedy, training" "${budget[greedy]}" greedy.log "${command[@]}" || return
  model=$work/greedy/radar/checkpoint-2.h5
  greedy_files $greedy_nodes $greedy_count
  solve cpu fp32 greedy-cpu
  if (($(wc -l <"$work/greedy-cpu.json") < greedy_count)); then
    note "greedy, on cpu" FAILED "not all tours were found (greedy.log)"
    return
  fi
  for precision in $precisions; do compare_greedy "$precision"; done
}

# --- a: two runs on one device --------------------------------------------------------------------
# Metrics without the last column, seconds.
metrics() { sed 's/,[^,]*$//' "$work/bits-$1/radar/metrics.csv"; }
bits() {
  local run
  for run in 1 2; do
    small_command "$work/bits-$run"
    bounded "${budget[bits]}" "${command[@]}" >>"$kept/bits.log" 2>&1
  done
  if [[ -f $work/bits-2/radar/metrics.csv ]] && diff <(metrics 1) <(metrics 2) >>"$kept/bits.log"; then
    note "run to run" ok "same metrics in all digits"
  else
    note "run to run" FAILED "two runs on $device differ (bits.log)"
  fi
}

# --- a: compute-sanitizer -------------------------------------------------------------------------
sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
sanitize() { # sanitize NAME TOOL SET...: the small experiment under it
  local name=$1 tool=$2
  shift 2
  if [[ -z $is_gpu ]]; then
    note "$name" "not run" "device $device is no GPU"
  elif [[ -z $sanitizer ]]; then
    note "$name" "not run" "compute-sanitizer is not here"
  else
    small_command "$work/$name" train.epochs=1 eval.instances=4 "$@"
    step "$name" "${budget[$name]}" "$name.log" "$sanitizer" --tool "$tool" --error-exitcode 9 "${command[@]}"
  fi
}

sanitize_all() {
  sanitize memcheck memcheck
  sanitize memcheck_bf16 memcheck experiment.precision=bf16
  # Matrices of 200 nodes and 128 columns do not fit in a block's memory: they come in pieces.
  sanitize memcheck_staged memcheck backbone.embedding_dim=128 train.instances_per_epoch=32 eval.sizes=200
  sanitize memcheck_depot memcheck problem.name=acvrp
  sanitize memcheck_masked memcheck term.lookahead.mode=masked
  sanitize racecheck racecheck term.lookahead.mode=masked experiment.precision=bf16 train.instances_per_epoch=32
}

# --- a and b: bench -------------------------------------------------------------------------------
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
  local name=bench-$1-$2 sizes=100,1000
  local composition=(--problem atsp --backbone radar --terms "edge,closure,lookahead")
  [[ -z $quick ]] || { sizes=10,20; composition+=(--width 32 --set backbone.layers=2 --repeat 1); }
  if bounded "$3" "$edgefw" bench --device "$1" --precision "$2" --only eval,train --sizes "$sizes" \
    "${composition[@]}" --json >"$kept/$name.json" 2>"$kept/$name.log"; then
    note "bench $1 $2" ok "$(rates "$kept/$name.json")"
  else
    note "bench $1 $2" FAILED "$(tail -n 1 "$kept/$name.log" | cut -c1-120)"
  fi
}

bench_torch() { # bench_torch PRECISION SECONDS: the same model as a PyTorch user writes it
  local name=bench-torch-$1 sizes=(--sizes '100,1000') status=0
  [[ -z $quick ]] || sizes=(--sizes 20 --train-size 10 --train-batch 4 --width 32 --layers 2 --repeat 1)
  if [[ -z $python ]]; then
    note "bench torch $1" "not run" "no Python here has torch and numpy"
    return
  fi
  bounded "$2" "$python" "$tests/golden/bench_torch.py" --device "$device" \
    --precision "$1" "${sizes[@]}" --json >"$kept/$name.json" 2>"$kept/$name.log" || status=$?
  if ((status == 0)); then
    note "bench torch $1" ok "$(tr '\n' ';' <"$kept/$name.log")"
  else
    note "bench torch $1" FAILED "exit status $status ($name.log)"
  fi
}

# --- b: training ----------------------------------------------------------------------------------
# The run directory's newest checkpoint of every variant goes into the archive.
keep_run() {
  local file folder
  rm -rf "$kept/run"
  for folder in "$work"/run/*/; do
    file=$(find "$folder" -maxdepth 1 -name 'checkpoint-*.h5' | sort -V | tail -n 1)
    [[ -n $file ]] || continue
    mkdir -p "$kept/run/$(basename "$folder")"
    cp "$file" "$folder"metrics.csv "$kept/run/$(basename "$folder")/" 2>/dev/null
  done
  cp "$work"/run/config.ini "$work"/run/log.txt "$kept/run/" 2>/dev/null
  pack
}
newest() { find "$work/run" -name 'checkpoint-*.h5' -printf '%T@ %p\n' 2>/dev/null | sort -n | tail -n 1; }

# End the training in the background, which saves its state first; its status.
end_training() {
  local wait=0 status
  kill -TERM "$process" 2>/dev/null
  while kill -0 "$process" 2>/dev/null && ((wait++ < 15)); do sleep 1; done
  kill -KILL "$process" 2>/dev/null
  wait "$process"
  status=$?
  process=
  return $status
}

# A run directory of CONFIG whose variant stands at the checkpoint: begin a run, and exchange its own.
prepare_run() {
  local wait=0 folder
  folder=$work/run/$(basename "$(dirname "$checkpoint")")
  "${train[@]}" >>"$kept/train.log" 2>&1 &
  process=$!
  while [[ ! -f $work/run/config.ini ]] && ((wait++ < 60 && $(left) > 0)) && kill -0 $process 2>/dev/null; do
    sleep 1
  done
  end_training
  [[ -f $work/run/config.ini ]] || return 1
  mkdir -p "$folder"
  rm -f "$folder"/checkpoint-*.h5
  cp "$checkpoint" "$folder/"
}

# Training goes on by itself; every new checkpoint is packed at once.
train_watched() {
  local seconds=$(left) until last='' file
  until=$((SECONDS + seconds))
  "${train[@]}" >>"$kept/train.log" 2>&1 &
  process=$!
  while kill -0 $process 2>/dev/null && ((SECONDS < until)); do
    sleep 1
    file=$(newest)
    [[ $file == "$last" ]] || { last=$file; keep_run; }
  done
  end_training
}

train_config() {
  local status=0 begin=$SECONDS reached
  [[ -f $config ]] || config=$configs/$config
  [[ -f $config ]] || config=$config.ini
  train=("$edgefw" run "$config" --only train --out "$work/run" --set "experiment.device=$device")
  [[ $variant == all ]] || train+=(--variant "$variant")
  if [[ -n $checkpoint ]] && ! prepare_run; then
    note training FAILED "cannot go on from $checkpoint (train.log)"
    return
  fi
  (($(left) > 10)) || { note training "not run" "no time is left"; return; }
  train_watched || status=$?
  keep_run
  reached=$(grep -aE 'epoch [0-9]+/' "$kept/train.log" | tail -n 1 | cut -c1-120)
  case $status in
  0) note training ok "complete after $((SECONDS - begin)) s: $reached" ;;
  130) note training ok "stopped after $((SECONDS - begin)) s: $reached" ;;
  *) note training FAILED "exit status $status: $(grep '^edgefw: ' "$kept/train.log" | tail -n 1 | cut -c1-160)" ;;
  esac
}

# --- the two calls --------------------------------------------------------------------------------
if [[ $call == a ]]; then
  run_tests
  step "plugins check" "${budget[plugins]}" check.log "$edgefw" plugins check "$bundle/lib/edgefw/edgefw_$device.so"
  greedy
  bits
  sanitize_all
  bench "$device" "$([[ -n $is_gpu ]] && echo tf32 || echo fp32)" "${budget[bench]}"
else
  # Half of a budget for each precision; training keeps its own, whatever these take.
  bench_torch fp32 $((budget[torch] / 2))
  [[ -z $is_gpu ]] || bench_torch tf32 $((budget[torch] / 2))
  bench "$device" fp32 $((budget[bench] / 2))
  [[ -z $is_gpu ]] || bench "$device" bf16 $((budget[bench] / 2))
  if [[ -z $config ]]; then
    note training "not run" "no CONFIG is given"
  else
    train_config
  fi
fi
finish
