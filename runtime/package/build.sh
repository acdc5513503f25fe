#!/usr/bin/env bash
# runtime/package/build.sh PRESET [TARGET...]: configures and builds into build/PRESET; everything when no target is named.
#
# It says how many steps there are and how far it is, and nothing when all is up to date. PRESET is one of CMakePresets.json.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
case ${1:-} in
  '' | -*) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 2 ;;
esac
preset=$1
shift
folder=$root/build/$preset
mkdir -p "$folder"
if ! (cd "$root" && cmake --preset "$preset") > "$folder/configure.log" 2>&1; then
  cat "$folder/configure.log" >&2
  exit 1
fi
# A step of the release build takes one core for 6 s in the mean (59 steps of the command: 3 min on two cores).
NINJA_STATUS='[%f/%t] ' cmake --build "$folder" --parallel "$(nproc)" ${1:+--target "$@"} |
  "$root/runtime/package/progress.sh" "Building $preset" 6
