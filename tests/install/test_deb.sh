#!/usr/bin/env bash
# The Debian packages hold, together and each once, what an installation does; they name what they
# depend on, and what they unpack runs.
# labels: e2e
# needs plugins: atsp radar
set -euo pipefail

# Sanitizers need their run-time library first in every process; the plain build covers this.
[[ -z ${EDGEFW_SANITIZE:-} ]] || exit 77
for tool in dpkg-deb dpkg-shlibdeps; do
  command -v "$tool" >/dev/null || { echo "SKIPPED: $tool is not installed"; exit 77; }
done
if [[ -e $EDGEFW_BUILD_DIR/lib/edgefw/edgefw_cuda.so ]]; then
  echo "SKIPPED: libraries of CUDA are in no Debian package"
  exit 77
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cpack -G DEB --config "$EDGEFW_BUILD_DIR/CPackConfig.cmake" -B "$scratch" >"$scratch/log" 2>&1 ||
  { cat "$scratch/log"; exit 1; }

echo "--- packages"
root=$scratch/root
mkdir "$root"
for package in "$scratch"/*.deb; do
  dpkg-deb -f "$package" Package Version Depends
  dpkg-deb -x "$package" "$root"
  dpkg-deb -c "$package" | awk '!/^d/ {print $6}' >>"$scratch/files"
done
packages=$(cd "$scratch" && printf '%s ' *.deb)
[[ $packages == "edgefw-models_"*"_all.deb edgefw_"*".deb libedgefw-dev_"*".deb libedgefw"[0-9]*".deb " ]] ||
  { echo "other packages than expected: $packages"; exit 1; }
dpkg-deb -f "$scratch"/edgefw_*.deb Depends | grep -q 'libedgefw[0-9]* (= '
dpkg-deb -f "$scratch"/libedgefw[0-9]*.deb Depends | grep -q 'libhdf5.*libinih.*libjansson'

echo "--- files"
[[ -z $(sort "$scratch/files" | uniq -d) ]] || { echo "in two packages:"; sort "$scratch/files" | uniq -d; exit 1; }
# Documentation of distributions lies by package: a licence each.
grep -v '/copyright$' "$scratch/files" | sed 's|^\./usr/||' | sort >"$scratch/packed"
cmake --install "$EDGEFW_BUILD_DIR" --prefix "$scratch/prefix" >"$scratch/log" 2>&1
(cd "$scratch/prefix" && find . ! -type d | sed 's|^\./||' | sort) >"$scratch/installed"
diff "$scratch/installed" "$scratch/packed"

echo "--- runs"
program=$root/usr/bin/edgefw
"$program" plugins list 2>/dev/null | grep -q '^device *cpu '
if [[ -e $EDGEFW_SOURCE_DIR/models/atsp.h5 ]]; then
  "$program" solve "$EDGEFW_SOURCE_DIR/data/atsplib/br17.atsp" 2>"$scratch/log" || { cat "$scratch/log"; exit 1; }
  grep -q "the model is $root/usr/.*/models/.*h5" "$scratch/log"
fi
