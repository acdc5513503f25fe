#!/usr/bin/env bash
# The main job: generate >> multiply on real matrices, with fixed, equal and adaptive shares of the cores in interleaved
# runs; a row each with ratios, then the table of what the model learnt. Needs nothing but a clone: what is missing is
# installed (runtime/package/prepare.sh). Further options go to the command; build/release/weir matmul --help lists them.
set -euo pipefail
case ${1:-} in --help | -h) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 0 ;; esac
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

{  # standard output is the command's alone
  "$root/runtime/package/prepare.sh" --command --page
  "$root/runtime/package/build.sh" release weir
  echo "Running weir matmul: three policies in three rounds take about a minute on two cores"
} >&2
exec "$root/build/release/weir" matmul --policy fixed:generate=1,multiply=1 --policy equal --policy adaptive \
  --sizes-list 400,600,800,1000 --repeat 10 --order shuffled --rounds 3 "$@"
