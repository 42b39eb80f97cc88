#!/usr/bin/env bash
# The batched PyTorch model that benches compare with computes what the golden model does, and `edgefw bench`
# takes its times; skipped without PyTorch.
# needs plugins: atsp radar
set -euo pipefail
for python in python3 /usr/bin/python3; do
  "$python" -c 'import numpy, torch' 2>/dev/null || continue
  bench_torch=$EDGEFW_SOURCE_DIR/tests/golden/bench_torch.py
  "$python" "$bench_torch" --check
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  "$python" "$bench_torch" --device cpu --sizes '' --train-size 10 --train-batch 1 --width 16 --layers 1 --repeat 1 \
    --threads 1 --json >"$work/torch.json"
  "$EDGEFW_BUILD_DIR/edgefw" bench --problem atsp --backbone radar --terms none --device reference --only train \
    --sizes 10 --width 16 --set backbone.layers=1 --repeat 1 --batch 1 --compare "$work/torch.json" >"$work/table"
  grep -q "^Compared with '.*/torch.json' (torch " "$work/table"
  grep -q '^train, n = 10: 1 at once then, 1 now$' "$work/table"
  exit 0
done
exit 77
