# The machine code of the device cuda: kernels that multiply matrices use the tensor cores (HMMA). That
# none spills registers is the compiler's own warning. Needs edgefw_cuda.so and cuobjdump; else skipped.
set -euo pipefail
library=$EDGEFW_BUILD_DIR/lib/edgefw/edgefw_cuda.so
[[ -e $library ]] || { echo "no $library"; exit 77; }
command -v cuobjdump >/dev/null || { echo "no cuobjdump"; exit 77; }

faults=0
# Functions by name, and whether HMMA occurs in them.
tensor=$(cuobjdump --dump-sass "$library" |
  awk '/Function :/ { name = $3 } /HMMA/ { if (!seen[name]++) print name }')
for kernel in decode_kernel attention_kernel attention_backward mixed_attention_kernel \
  mixed_attention_backward; do
  grep -q "$kernel" <<<"$tensor" || { echo "no tensor-core instruction in $kernel"; faults=1; }
done
exit $faults
