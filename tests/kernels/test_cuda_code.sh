# The machine code of the device cuda: no kernel spills registers to local memory, and those that
# multiply matrices use the tensor cores (HMMA). Needs edgefw_cuda.so and cuobjdump; else skipped.
set -euo pipefail
library=$EDGEFW_BUILD_DIR/lib/edgefw/edgefw_cuda.so
[[ -e $library ]] || { echo "no $library"; exit 77; }
command -v cuobjdump >/dev/null || { echo "no cuobjdump"; exit 77; }

faults=0
usage=$(cuobjdump --dump-resource-usage "$library" | grep -A1 '^ *Function ')
spills=$(paste -d ' ' - - - <<<"$usage" | grep -v 'STACK:0 .*LOCAL:0' || true)
if [[ -n $spills ]]; then
  printf 'local memory in use:\n%s\n' "$spills"
  faults=1
fi

# Functions by name, and whether HMMA occurs in them.
tensor=$(cuobjdump --dump-sass "$library" |
  awk '/Function :/ { name = $3 } /HMMA/ { if (!seen[name]++) print name }')
for kernel in decode_kernel attention_kernel mixed_attention; do
  grep -q "$kernel" <<<"$tensor" || { echo "no tensor-core instruction in $kernel"; faults=1; }
done
exit $faults
