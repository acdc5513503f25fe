#!/usr/bin/env bash
# Every workload of `weir compare`: equal and fixed shares, adaptive, and what one would write without weir, in
# interleaved runs. bench/compare.sh [OUT_DIR [ROUNDS]] prints one table and writes to OUT_DIR (build/compare), for each
# workload, all that the command says, its JSON and a page (.txt, .json, .html; without what the page draws with, its data). With 11 rounds, the default, about
# an hour. Needs nothing but a clone: what is missing is installed (runtime/package/prepare.sh).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

out=${1:-$root/build/compare}
rounds=${2:-11}
mkdir -p "$out"
{  # standard output is the table's alone
  "$root/runtime/package/prepare.sh" --command --page
  "$root/runtime/package/build.sh" release weir
} >&2

page=page.json
[[ ! -e $root/build/page/dygraph.min.js ]] || page=html
workloads=(matmul swap openmp mixed emulated phases fanout sykora)
run=0
for workload in "${workloads[@]}"; do
  echo "Running $workload, $((++run)) of ${#workloads[@]}, $rounds rounds" >&2
  "$root/build/release/weir" compare --workload "$workload" --repeat "$rounds" \
    --out "$out/$workload.json" --report "$out/$workload.$page" > "$out/$workload.txt"
  if [[ $workload == matmul ]]; then
    grep -E '^  (machine|measured) ' "$out/$workload.txt"
    grep '^workload ' "$out/$workload.txt"
  fi
  grep "^$workload " "$out/$workload.txt"
done
echo "emulated, phases and fanout: 48 emulated cores; sykora: 4. More in $out."
