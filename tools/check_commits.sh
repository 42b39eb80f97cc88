#!/usr/bin/env bash
# usage: check_commits.sh [REVISION-RANGE]     (default: the last commit)
# Commits have a subject `area: what it does` of at most 60 columns and a trailer `Numerics: same` or
# `Numerics: changed...`; golden files change only under the latter.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

faults=0
fault() {
  printf 'check_commits: %s\n' "$*" >&2
  faults=$((faults + 1))
}

while read -r commit; do
  subject=$(git log -1 --format=%s "$commit")
  numerics=$(git log -1 --format='%(trailers:key=Numerics,valueonly)' "$commit")
  [[ $subject =~ ^[a-z0-9_/,\ -]+:\ [^\ ] ]] || fault "$commit: subject '$subject' is not 'area: what'"
  ((${#subject} <= 60)) || fault "$commit: subject of ${#subject} columns; the limit is 60"
  [[ $numerics =~ ^(same|changed) ]] || fault "$commit: no trailer 'Numerics: same' or 'changed'"
  # The first golden files change nothing.
  if [[ ! $numerics =~ ^changed ]] &&
    git show --format= --diff-filter=MD --name-only "$commit" -- 'tests/golden/*.h5' | grep -q .; then
    fault "$commit: tests/golden changes without 'Numerics: changed'"
  fi
done < <(if (($#)); then git rev-list --no-merges "$1"; else git rev-list -1 HEAD; fi)

((faults == 0))
