#!/usr/bin/env bash
# Every workload of `weir compare`: equal and fixed shares, adaptive, and what one would write without weir, in
# interleaved runs. bench/compare.sh [OUT_DIR [ROUNDS]] prints one table and writes to OUT_DIR (build/compare), for each
# workload, all that the command says, its JSON and a page (.txt, .json, .html; without npm, the data of the page). With 11 rounds, the default, about
# an hour. Needs nothing but a clone: what is missing is installed (see tests/setup.sh).
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../tests/setup.sh"

out=${1:-$root/build/compare}
rounds=${2:-11}
mkdir -p "$out"
{ install_missing; build release weir; } >&2  # standard output is the table's alone

page=page.json
[[ -d $root/build/page/node_modules ]] && page=html
for workload in matmul swap openmp mixed emulated phases fanout sykora; do
  "$root/build/release/weir" compare --workload "$workload" --repeat "$rounds" \
    --out "$out/$workload.json" --report "$out/$workload.$page" > "$out/$workload.txt"
  if [[ $workload == matmul ]]; then
    grep -E '^  (machine|measured) ' "$out/$workload.txt"
    grep '^workload ' "$out/$workload.txt"
  fi
  grep "^$workload " "$out/$workload.txt"
done
echo "emulated, phases and fanout: 48 emulated cores; sykora: 4. More in $out."
