#!/usr/bin/env bash
# Runs the examples under valgrind's memcheck. Needs nothing but a clone: the script installs missing packages, valgrind
# too.
#
#     tests/memcheck.sh [EXAMPLE...]
#
# All of examples/, or those named, in the release build. An error of memory, a block that is definitely lost, and other
# output than expected fail. They are the full tests memcheck.*; the exit code is 0 when none failed.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

if [[ ${1-} == --help || ${1-} == -h ]]; then
  sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
  exit 0
fi
names=("$@")
if (( $# == 0 )); then
  for file in "$root"/examples/*.expected; do names+=("$(basename "$file" .expected)"); done
fi
for name in "${names[@]}"; do
  [[ -f $root/examples/$name.expected ]] || { echo "tests/memcheck.sh: examples/ has no $name" >&2; exit 2; }
done

"$root/runtime/package/prepare.sh" --tests --memcheck
"$root/runtime/package/build.sh" release "${names[@]/#/example_}"
any=$(IFS='|'; echo "${names[*]}")
ctest --test-dir "$root/build/release" --tests-regex "^memcheck\.($any)\$" --output-on-failure --no-tests=error
