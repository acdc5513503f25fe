#!/usr/bin/env bash
# Plants the faults of tests/schedules/faults.patch in a copy of the sources, all in one build, and prints for each the
# number of schedules until it is found. A fault is one that a program of concurrent code might have: a wake-up left
# out, a look before instead of behind, two steps instead of one. The environment variable WEIR_FAULT switches one on.
# The table goes to standard output; exit code 1 when one is not found.
#
#     tests/schedules/plant.sh [-n SCHEDULES in all] [-j AT A TIME] [NAME ...]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
schedules=10000
jobs=1
while getopts n:j: option; do
  case $option in
    n) schedules=$OPTARG ;;
    j) jobs=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
patch=$root/tests/schedules/faults.patch
if (( $# )); then names=("$@"); else mapfile -t names < <(grep -oP 'PLANTED\(\K\w+(?=\))' "$patch" | grep -vx fault | sort -u); fi

copy=${WEIR_PLANTED:-$(mktemp -d)}  # to be used again, where it is named
mkdir -p "$copy"
patched=$(grep -oP '^\+\+\+ b/\K\S+' "$patch")
(cd "$root" && git ls-files -z | while IFS= read -rd '' file; do
  [[ -e $copy/$file ]] && grep -qxF "$file" <<<"$patched" && continue
  cmp -s "$file" "$copy/$file" || install -D "$file" "$copy/$file"
done)
# Files with faults are written only if they change, so that a copy that is used again is built again only as needed.
mkdir -p "$copy/.planted"
for file in $patched; do install -D "$root/$file" "$copy/.planted/$file"; done
(cd "$copy/.planted" && patch -sp1 <"$patch")
for file in $patched; do cmp -s "$copy/.planted/$file" "$copy/$file" || cp "$copy/.planted/$file" "$copy/$file"; done
cd "$copy"
cmake --preset schedules >configure.log 2>&1 || { cat configure.log >&2; exit 2; }
cmake --build build/schedules --target schedules >build.log 2>&1 || { tail -n 30 build.log >&2; exit 2; }

try() {
  local log=run.$1.log
  if WEIR_FAULT=$1 build/schedules/schedules --in-all "$2" --seconds 1000 >"$log" 2>&1; then
    printf '%-34s not found in %s schedules\n' "$1" "$(grep -oP '^\d+(?= schedules of)' "$log")"
  else
    printf '%-34s %7s  %s\n' "$1" "$(grep -oP 'schedules of it, \K\d+' "$log" | head -n 1)" \
      "$(grep -oP '^\S+(?= failed after)' "$log" | head -n 1)"
  fi
}
export -f try
table=$(mktemp)
printf '%s\n' "${names[@]}" | xargs -P "$jobs" -I{} bash -c 'try "$@"' _ {} "$schedules" | tee "$table"
found=$(grep -cv 'not found' "$table" || true)
if (( found )); then
  median=$(grep -v 'not found' "$table" | awk '{ print $2 }' | sort -n | sed -n "$(( (found + 1) / 2 ))p")
  echo "$found found, after $median schedules in the median; $(( ${#names[@]} - found )) not found"
fi
rm "$table"
(( found == ${#names[@]} ))
