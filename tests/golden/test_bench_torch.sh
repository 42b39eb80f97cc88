#!/usr/bin/env bash
# The batched PyTorch model that benches compare with computes what the golden model does; skipped
# without PyTorch.
set -euo pipefail
for python in python3 /usr/bin/python3; do
  "$python" -c 'import numpy, torch' 2>/dev/null || continue
  exec "$python" "$EDGEFW_SOURCE_DIR/tests/golden/bench_torch.py" --check
done
exit 77
