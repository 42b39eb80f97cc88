#!/usr/bin/env bash
# A bundle has every library that it needs: packs one, unpacks it, and finds all libraries of all its
# objects in it, except the C library's and CUDA's. Then it runs.
# labels: e2e
set -euo pipefail

# Sanitizers need their run-time library first in every process; the plain build covers this.
[[ -z ${EDGEFW_SANITIZE:-} ]] || exit 77

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cpack --config "$EDGEFW_BUILD_DIR/CPackConfig.cmake" -B "$scratch" >"$scratch/log" 2>&1 ||
  { cat "$scratch/log"; exit 1; }
package=$(find "$scratch" -maxdepth 1 -name 'edgefw-*.tar.gz')
tar -C "$scratch" -xzf "$package"
bundle=${package%.tar.gz}
echo "$(stat -c %s "$package") bytes"

echo "--- libraries"
libc='linux-vdso|ld-linux-x86-64|lib(c|m|mvec|dl|pthread|rt|resolv|util|anl)'
cuda='lib(cublas|cublasLt|cusolver|cusparse|nvJitLink|nvrtc|cuda)'
env -u LD_LIBRARY_PATH ldd "$bundle"/bin/edgefw "$bundle"/lib/edgefw/*.so \
  "$bundle"/libexec/edgefw/tests/test_* >"$scratch/ldd"
outside=$(grep '=>' "$scratch/ldd" | grep -vE "=> $bundle/|^\s*($libc|$cuda)\.so" || true)
[[ -z $outside ]] || { echo "not from the bundle:"; sort -u <<<"$outside"; exit 1; }

echo "--- runs"
cd "$bundle"
bin/edgefw version
bin/edgefw plugins list 2>/dev/null | grep -q '^device *cpu '
bin/edgefw run share/edgefw/configs/quickstart.ini --dry-run --set experiment.device=cpu >/dev/null
EDGEFW_TEST_DATA=$PWD/libexec/edgefw/tests EDGEFW_TEST_DEVICES=$PWD/lib/edgefw \
  libexec/edgefw/tests/test_golden_ops >/dev/null 2>&1
