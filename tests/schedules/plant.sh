#!/usr/bin/env bash
# Plants each fault of tests/schedules/faults in a copy of the sources and says after how many schedules it is found.
# A fault is one that a program of concurrent code might have: a wake-up left out, a look before instead of behind, two
# steps instead of one. The table goes to standard output; exit code 1 when one is not found.
#
#     tests/schedules/plant.sh [-n SCHEDULES of each program] [NAME ...]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
schedules=150  # more than 10,000 in all
while getopts n: option; do
  case $option in
    n) schedules=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))

copy=${WEIR_PLANTED:-$(mktemp -d)}  # to be used again, where it is named
mkdir -p "$copy"
(cd "$root" && git ls-files -z | while IFS= read -rd '' file; do
  cmp -s "$file" "$copy/$file" || install -D "$file" "$copy/$file"
done)
cd "$copy"
cmake --preset schedules >configure.log 2>&1 || { cat configure.log >&2; exit 2; }
cmake --build build/schedules --target schedules >build.log 2>&1 || { tail -n 30 build.log >&2; exit 2; }

missed=0
found=()
for patch in "$root"/tests/schedules/faults/*.patch; do
  name=$(basename "$patch" .patch)
  if (( $# )) && [[ " $* " != *" $name "* ]]; then continue; fi
  patch -sp1 <"$patch"
  if ! cmake --build build/schedules --target schedules >build.log 2>&1; then
    tail -n 30 build.log >&2
    patch -sRp1 <"$patch"
    exit 2
  fi
  if build/schedules/schedules --schedules "$schedules" --seconds 1000 >run.log 2>&1; then
    printf '%-34s not found in %s schedules\n' "$name" "$(grep -oP '^\d+(?= schedules of)' run.log)"
    (( ++missed ))
  else
    in_all=$(grep -oP 'schedules of it, \K\d+' run.log | head -n 1)
    program=$(grep -oP '^\S+(?= failed after)' run.log | head -n 1)
    printf '%-34s %7s  %s\n' "$name" "$in_all" "$program"
    found+=("$in_all")
  fi
  patch -sRp1 <"$patch"
done
if (( ${#found[@]} )); then
  median=$(printf '%s\n' "${found[@]}" | sort -n | sed -n "$(( (${#found[@]} + 1) / 2 ))p")
  echo "${#found[@]} found, after $median schedules in the median; $missed not found"
fi
(( missed == 0 ))
