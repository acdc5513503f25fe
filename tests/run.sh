#!/usr/bin/env bash
# Builds and runs the tests. Needs nothing but a clone: the script installs missing packages
# (runtime/package/prepare.sh).
#
#     tests/run.sh [--full] [--preset NAME] [--corpus] [--browser] [--mpi] [--film] [--opencl] [--format] [--built] [-- CTEST OPTIONS]
#
# The quick tests are built and run, and all else is built; with --full, all tests are. --preset is one of
# CMakePresets.json: release (the default), dev, asan, tsan, coverage; ci and asan-quick, between which .ci/run divides the
# tests. --corpus also installs the packages of weir-corpus, --browser a browser for the page of a run, --mpi Open MPI, --film video encoders,
# --opencl OpenCL on cores, --format clang-format 14; without them their tests are skipped. --built tests what is built already,
# and installs nothing. It reports progress, and the reason of each skipped test. The last line is `N passed, N failed`;
# the exit code is 0 when nothing failed.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

preset=release
targets=()
selection=(--label-regex '^quick')
packages=()
build=true
while (( $# > 0 )); do
  case $1 in
    --full) targets=(all full_tests) selection=() ;;
    --corpus | --browser | --mpi | --film | --opencl | --format) packages+=("$1") ;;
    --built) build=false ;;
    --preset) preset=${2:?--preset needs a name}; shift ;;
    --help | -h) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 0 ;;
    --) shift; break ;;
    *) echo "tests/run.sh: unknown option $1 (try --help)" >&2; exit 2 ;;
  esac
  shift
done

if "$build"; then "$root/runtime/package/prepare.sh" --tests "${packages[@]}"; fi
if "$build" && ! "$root/runtime/package/build.sh" "$preset" "${targets[@]}"; then
  echo "The build of $preset failed."
  echo "0 passed, 1 failed"
  exit 1
fi
built=$SECONDS

# Two at a time: more would only wait for each other, since many use every core.
log=$root/build/$preset/tests.log
status=0
ctest --test-dir "$root/build/$preset" --parallel 2 --output-on-failure --no-tests=error "${selection[@]}" "$@" |
  tee "$log" | "$root/runtime/package/progress.sh" "Testing $preset" || status=$?

# Why tests were skipped: the line below "Skipped" of a test program, else the last line that the test printed.
awk 'FNR == NR { if (/\*\*\*Skipped/) { sub(/^.*Test +#[0-9]+: /, ""); sub(/ \.*\*\*\*Skipped.*/, ""); is_skipped[$0] = 1 } next }
  /^[0-9]+\/[0-9]+ Testing: / { sub(/^[^:]*: /, ""); name = $0; reason = ""; in_output = is_found = 0; next }
  /^<end of output>/ { if (name in is_skipped) ++of[reason]; in_output = 0 }
  in_output && NF && !is_found { reason = $0; is_found = is_next; sub(/^ *(skipped: )?/, "", reason) }
  in_output { is_next = /: Skipped$/ }
  /^Output:/ { in_output = 1 }
  END { for (reason in of) printf "Skipped %d: %s\n", of[reason], reason }' \
  "$log" "$root/build/$preset/Testing/Temporary/LastTest.log" 2> /dev/null | sort || true

tested="tested in $((SECONDS - built)) s ($preset)."
if "$build"; then echo "Built in $built s, $tested"; else echo "${tested^}"; fi
summary=$(grep 'tests passed' "$log" | tail -n 1 || true)  # "95% tests passed, 2 tests failed out of 40"
if [[ $summary =~ out\ of\ ([0-9]+) ]]; then
  total=${BASH_REMATCH[1]}
  failed=0
  [[ $summary =~ ([0-9]+)\ tests?\ failed ]] && failed=${BASH_REMATCH[1]}
  skipped=$(grep --count --fixed-strings '***Skipped' "$log" || true)
  echo "$((total - failed - skipped)) passed, $failed failed"
else
  echo "0 passed, 1 failed"
fi
exit "$status"
