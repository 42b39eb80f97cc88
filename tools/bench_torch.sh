#!/usr/bin/env bash
# usage: bench_torch.sh [SIZES [THREADS [WIDTH [LAYERS]]]]
#
# How many times as fast build/release/edgefw is as PyTorch on the processors of this machine: the same model,
# batched as a PyTorch user writes it (tests/golden/bench_torch.py), then `edgefw bench --compare` with it. The
# versions are named. Training is compared up to 100 nodes.
#
#   SIZES       nodes (default: 20,100)
#   THREADS     of both (default: all processors)
#   WIDTH       of the model (default: 256), of LAYERS layers (default: 5)
#
# Environment:
#   PYTHON      one that has torch and numpy (default: python3)
#   EDGEFW      the program (default: build/release/edgefw)
#   TORCH_JSON  keep what PyTorch took in this file; if it is there, it is not measured again
set -euo pipefail

if (($# > 4)) || [[ ! ${1:-20,100}/${2:-1}/${3:-256}/${4:-5} =~ ^[0-9,]+(/[1-9][0-9]*){3}$ ]]; then
  sed -n '2s/^# //p' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
sizes=${1:-20,100} threads=${2:-$(nproc)} width=${3:-256} layers=${4:-5}
python=${PYTHON:-python3} edgefw=${EDGEFW:-$root/build/release/edgefw}
"$python" -c 'import numpy, torch' || { echo "bench_torch.sh: $python has no torch or no numpy; set PYTHON" >&2; exit 1; }
[[ -x $edgefw ]] || { echo "bench_torch.sh: no program '$edgefw'; run ./dev build or set EDGEFW" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
json=${TORCH_JSON:-$work/torch.json}
if [[ ! -s $json ]]; then
  train=0
  for n in ${sizes//,/ }; do
    ((n > 100)) || train+=,$n
  done
  "$python" "$root/tests/golden/bench_torch.py" --device cpu --precision fp32 --sizes "$sizes" --train-size "$train" \
    --threads "$threads" --width "$width" --layers "$layers" --json >"$work/new.json"
  mv "$work/new.json" "$json"
fi
# An environment that pins OpenBLAS's kernels would halve every figure.
env -u OPENBLAS_CORETYPE -u OPENBLAS_L2_SIZE "$edgefw" bench --problem atsp --backbone radar \
  --terms edge,closure,lookahead --only eval,train --sizes "$sizes" --threads "$threads" --width "$width" \
  --set "backbone.layers=$layers" --set "backbone.ff_hidden=$((2 * width))" --compare "$json"
