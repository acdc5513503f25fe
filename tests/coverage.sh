#!/usr/bin/env bash
# Line coverage of model/, scheduler/ and runtime/ by the tests. Needs nothing but a clone: the script installs missing
# packages, lcov too.
#
#     tests/coverage.sh [OPTIONS of tests/run.sh]
#
# Builds the preset coverage, runs its tests (--full: all), and prints the part of lines run, by folder and for the
# files with the least. Each line is in build/coverage/lines/index.html. The exit code is that of the tests.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

if [[ ${1-} == --help || ${1-} == -h ]]; then
  sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
  exit 0
fi
"$root/runtime/package/prepare.sh" --coverage
built=$root/build/coverage
[[ -d $built ]] && find "$built" -name '*.gcda' -delete  # the counts of earlier runs
status=0
"$root/tests/run.sh" --preset coverage "$@" || status=$?

cd "$root"
lcov --quiet --capture --directory "$built" --include "$root/model/*" --include "$root/scheduler/*" \
  --include "$root/runtime/*" --output-file "$built/lines.info" 2> "$built/lcov.log" || { cat "$built/lcov.log" >&2; exit 1; }
genhtml --quiet --prefix "$root" --output-directory "$built/lines" "$built/lines.info" > "$built/genhtml.log" 2>&1 ||
  { cat "$built/genhtml.log" >&2; exit 1; }

# A line for each file and folder: the percentage, lines not run, lines, name. A line stands there once for each
# function that is made of it.
counts=$(awk -F '[:,]' -v root="$root/" '
  $1 == "SF" { file = substr($0, 4 + length(root)) }
  $1 == "DA" { count[file, $2] += $3 }
  END {
    for (at in count) {
      split(at, part, SUBSEP); folder = file = part[1]; sub("/.*", "", folder)
      of[file]++; of[folder]++
      if (count[at] > 0) { run[file]++; run[folder]++ }
    }
    for (f in of) printf "%5.1f %5d %5d %s\n", 100 * run[f] / of[f], of[f] - run[f], of[f], f
  }' "$built/lines.info")
echo "    %  not run  of lines"
for folder in model scheduler runtime; do grep " $folder\$" <<< "$counts"; done
echo "Files of which least was run, three lines or more not"
grep / <<< "$counts" | awk '$2 >= 3' | sort -n | head -n 20
exit "$status"
