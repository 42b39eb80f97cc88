#!/usr/bin/env bash
# Rules of the tree that a script can check; each prints what is wrong and where. Exit status 1 if
# any rule is broken. Needs a C and a C++ compiler (CC, CXX) and perl.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

faults=0
fault() {
  printf 'check_tree: %s\n' "$*" >&2
  faults=$((faults + 1))
}

# c_files PATH...: the C and CUDA sources and headers under the given folders.
c_files() {
  local folder
  for folder in "$@"; do
    if [[ -d $folder ]]; then find "$folder" -regex '.*\.\(c\|h\|cu\|cuh\)'; fi
  done | sort
}

# matches REGEX FILE...: "FILE:LINE: text" of every line of code, comments blanked, that matches the
# perl regular expression.
matches() {
  local regex=$1
  shift
  (($#)) || return 0
  perl -e '
    my $regex = shift;
    for my $file (@ARGV) {
      open my $in, "<", $file or die "$file: $!\n";
      local $/;
      my $code = <$in>;
      $code =~ s{("(?:\\.|[^"\\\n])*"|\x27(?:\\.|[^\x27\\\n])*\x27)|(/\*.*?\*/|//[^\n]*)}
                {defined $1 ? $1 : $2 =~ s/[^\n]//gr}gse;
      my $number = 0;
      for my $line (split /\n/, $code) {
        ++$number;
        print "$file:$number: $line\n" if $line =~ /$regex/;
      }
    }' "$regex" "$@"
}

# forbid WHAT REGEX FILE...: no line of code may match.
forbid() {
  local what=$1 hit
  shift
  while IFS= read -r hit; do
    fault "$what: $hit"
  done < <(matches "$@")
}

# --- no printing, no ending of the process --------------------------------------------------------
mapfile -t library < <(c_files core plugins kernels | grep -v '^core/cli/' || true)
forbid "the library never prints or ends the process" \
  '\b(exit|_exit|_Exit|quick_exit|abort|longjmp|siglongjmp|printf|vprintf|puts|putchar|perror)\s*\(' \
  "${library[@]}"
mapfile -t files < <(c_files kernels/cuda | grep -v runtime.cuh || true)
forbid "shared memory is dynamic, by shared_memory<T>()" '\b__shared__\b' "${files[@]}"
forbid "the library has no standard streams" '\b(stdout|stderr|stdin)\b' "${library[@]}"

# --- one place opens shared objects ---------------------------------------------------------------
mapfile -t files < <(c_files core plugins kernels | grep -v '^core/plugin/' || true)
forbid "only core/plugin/ opens shared objects" '\b(dlopen|dlsym|dlclose)\s*\(' "${files[@]}"

# --- plugins see public headers only --------------------------------------------------------------
mapfile -t files < <(c_files plugins)
forbid "a plugin includes public headers (edgefw/...), its kind's shared/ and the C library only" \
  '^\s*#\s*include\s*"(?!edgefw/|shared/[a-z0-9_]+\.h")' $(printf '%s\n' "${files[@]}" | grep -v /shared/)
forbid "a plugin's shared file includes public headers, its own folder's and the C library only" \
  '^\s*#\s*include\s*"(?!edgefw/|[a-z0-9_]+\.h")' $(printf '%s\n' "${files[@]}" | grep /shared/)

# --- core and devices name no plugin --------------------------------------------------------------
# As a whole string or as an identifier, or a part of one between underscores.
mapfile -t files < <(c_files core kernels)
for plugin in plugins/*/*.c; do
  [[ -e $plugin ]] || continue
  name=$(basename "$plugin" .c)
  # Words that mean something besides: a graph's edge, the table services rank and assignment, and
  # the split of an order.
  [[ $name == rank || $name == assignment || $name == split ]] && continue
  forbid "a plugin's name ($name) in core or kernels" "\"$name\"" "${files[@]}"
  [[ $name == edge || $name == nearest ]] && continue
  forbid "a plugin's name ($name) in core or kernels" \
    "^(?:[^\"]|\"(?:\\\\.|[^\"\\\\])*\")*?(?<![A-Za-z0-9\"])$name(?![A-Za-z0-9\"])" "${files[@]}"
done

# --- comparisons that a NaN passes ----------------------------------------------------------------
mapfile -t files < <(c_files tests | grep -v '^tests/support/' || true)
forbid "use tests/support/check.h" 'assert_(float|double)_(not_)?equal|assert_(true|false)\s*\(\s*fabsf?\s*\(' \
  "${files[@]}"

# --- who may include whom -------------------------------------------------------------------------
perl tools/check_layers.pl || fault "includes that tools/layers.txt does not allow (see above)"

# --- tests mirror sources -------------------------------------------------------------------------
# needs_test SOURCE FOLDER: tests/FOLDER has test_NAME.c.
needs_test() {
  local name
  name=$(basename "${1%.*}")
  [[ -e tests/$2/test_$name.c ]] || fault "$1: no test; expected tests/$2/test_$name.c"
}

# The sources in plugins/KIND/shared are part of every plugin there, and tested by their tests.
while IFS= read -r source; do
  [[ $source == *.c && $source != core/cli/main.c && $source != plugins/*/shared/* ]] && needs_test "$source" "$(dirname "$source")"
done < <(c_files core plugins)
while IFS= read -r source; do
  case $(basename "$source") in
  device.c | variant.c | blas.c | reference.c | *.h) ;;
  *) needs_test "$source" kernels ;;
  esac
done < <(c_files kernels/cpu kernels/reference)
# CUDA sources run, emulated, in the tests of their operation: decode_kernel.cu in test_decode.c.
while IFS= read -r source; do
  name=$(basename "$source" .cu)
  # What every product of every test goes through; its CUDA half needs a GPU.
  [[ $source == *.cu && $name != libraries ]] || continue
  [[ -e tests/kernels/cuda/cuda_$name.cc ]] && continue
  while [[ $name == *_* && ! -e tests/kernels/test_$name.c && ! -e tests/kernels/cuda/test_cuda_$name.c ]]; do
    name=${name%_*}
  done
  [[ -e tests/kernels/cuda/test_cuda_$name.c ]] || needs_test "kernels/cuda/$name.cu" kernels
done < <(c_files kernels/cuda)

# --- where Python is --------------------------------------------------------------------------------
# The package and its tests; scripts beside golden files and in tools. The program needs none of it.
while IFS= read -r file; do
  case $file in
  python/edgefw/*.py | tests/python/*.py | tests/golden/*.py | tools/*.py) ;;
  *) fault "$file: Python lies in python/edgefw, tests/python, tests/golden and tools" ;;
  esac
done < <(find core kernels plugins python tests tools cmake docs -name '*.py' | sort)

# --- sizes ----------------------------------------------------------------------------------------
while IFS= read -r file; do
  lines=$(wc -l <"$file")
  ((lines <= 500)) || fault "$file: $lines lines; the limit is 500"
done < <(c_files core kernels plugins tests; find python tests/python -name '*.py' | sort)

if git rev-parse --git-dir >/dev/null 2>&1; then
  while IFS= read -r -d '' file; do
    [[ -f $file ]] || continue
    bytes=$(wc -c <"$file")
    ((bytes <= 5 * 1024 * 1024)) || fault "$file: $bytes bytes; the limit for a file is 5 MiB"
  done < <(git ls-files -z)
fi

# --- shipped models -------------------------------------------------------------------------------
# Whoever clones the project gets each of them, in every version that there ever was.
for file in models/*; do
  case $file in
  models/README.md) ;;
  models/*.h5)
    bytes=$(wc -c <"$file")
    ((bytes < 5000000)) || fault "$file: $bytes bytes; a shipped model has less than 5000000"
    ;;
  *) fault "$file: expected models NAME.h5 and README.md alone" ;;
  esac
done

# --- public headers stand alone -------------------------------------------------------------------
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/edgefw"
cp core/include/edgefw/*.h kernels/kernels.h "$scratch/edgefw/"
for header in "$scratch"/edgefw/*.h; do
  name=edgefw/$(basename "$header")
  printf '#include "%s"\nextern int alone;\n' "$name" >"$scratch/alone.c"
  for language in "c c11" "c c17" "c++ c++17"; do
    read -r language standard <<<"$language"
    compiler=${CC:-cc}
    [[ $language == c++ ]] && compiler=${CXX:-c++}
    $compiler -x "$language" -std="$standard" -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
      -I"$scratch" "$scratch/alone.c" || fault "$name does not compile alone as $standard"
  done
done

((faults == 0)) || {
  printf 'check_tree: %d faults\n' "$faults" >&2
  exit 1
}
