#!/usr/bin/env bash
# The batched PyTorch model that benches compare with computes what the golden model does; skipped
# without PyTorch.
set -euo pipefail
for python in python3 /usr/bin/python3; do
  "$python" -c 'import numpy, torch' 2>/dev/null || continue
  "$python" "$EDGEFW_SOURCE_DIR/tests/golden/bench_torch.py" --check
  exit 0
done
exit 77
