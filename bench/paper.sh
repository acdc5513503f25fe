#!/usr/bin/env bash
# The experiment of Verstraaten and Scholz, "On Predicting the Impact of Resource Redistributions in Streaming
# Applications", on this machine's cores and on a drawn machine of 48: figures 1 to 14 as SVG, and tables of what is
# claimed and what was measured, as Markdown on standard output. bench/paper/README.md tells what they show.
#
#   bench/paper.sh [OUT_DIR]    default: build/paper. About five minutes; what is missing is installed (runtime/package/prepare.sh).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

out=${1:-$root/build/paper}
cores=1,2
kernels=(naive blocked16 blocked32 blocked64)
repeats=10

# Each kernel in each round, so that what disturbs the machine for a while disturbs all of them.
measure() {
  local round kernel
  mkdir -p "$out/real/observations"
  rm -f "$out"/real/observations/*.csv
  for (( round = 1; round <= repeats; ++round )); do
    for kernel in "${kernels[@]}"; do
      "$root/build/release/weir" matmul --kernel "$kernel" --cores "$cores" --sizes 50:1000:50 --repeat 1 \
        --order shuffled --seed "$round" --out "$out/one_run.csv" > /dev/null
      # One header line in all.
      if (( round > 1 )); then
        sed 1d "$out/one_run.csv"
      else
        cat "$out/one_run.csv"
      fi >> "$out/real/observations/$kernel.csv"
    done
    echo "round $round of $repeats measured"
  done
  rm -f "$out/one_run.csv"
}

# figures FOLDER TITLE OPTION...: from FOLDER/observations; FOLDER-cpu has no observations of its own.
figures() {
  local folder=$1 title=$2 file
  shift 2
  printf '## %s\n\n' "$title"
  mkdir -p "$out/$folder"
  rm -f "$out/$folder"/figure-*.svg
  "$root/build/release/paper" compute "$out/${folder%-cpu}/observations" "$out/$folder" "$@"
  gnuplot -e "folder='$out/$folder'" "$root/bench/paper/figures.gp" >&2
  for file in "$out/$folder"/figure-*.svg; do  # empty groups and indentation are a third of what gnuplot writes
    sed -z -E -i 's/<g [^>]*>\n<\/g>\n//g; s/\n[ \t]+/\n/g; s/\n+/\n/g; s/  +/ /g' "$file"
  done
  echo
}

{
  "$root/runtime/package/prepare.sh" --command --figures
  "$root/runtime/package/build.sh" release weir paper
  mkdir -p "$out"
  measure
  "$root/build/release/paper" draw "$out/cores48/observations"
} >&2
figures real "Real cores ($cores), wall-clock time"
figures real-cpu "Real cores ($cores), CPU time" --time cpu
figures cores48 "48 cores, drawn"
echo "The figures are in $out/real, $out/real-cpu and $out/cores48" >&2
