#!/usr/bin/env bash
# A generated folder by `weir corpus run` and by ocrmypdf, in interleaved runs: pages a second and characters right. ocrmypdf
# writes PDFs with the text that it has read; `weir corpus` takes the text out of these and scores it by the same truth.
#
#     bench/corpus/ocrmypdf.sh FOLDER [ROUNDS]
#
# FOLDER is of `weir corpus generate FOLDER --scan-every 3`; without broken files. bench/field/setup.sh installs ocrmypdf.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
corpus=${WEIR_CORPUS:-$root/build/release/weir-corpus}
folder=${1:?ocrmypdf.sh: a generated folder is missing} rounds=${2:-3} cores=$(nproc)
[[ -f $folder/truth.jsonl ]] || { echo "ocrmypdf.sh: $folder has no truth.jsonl, so no run of weir corpus generate made it" >&2; exit 2; }
command -v ocrmypdf > /dev/null || { echo "ocrmypdf.sh: there is no ocrmypdf; bench/field/setup.sh installs it" >&2; exit 2; }
work=$(mktemp --directory)
trap 'rm -rf "$work"' EXIT

# Pages with text stay as they are; nothing is made smaller and no PDF/A is written, which would take more time.
export plain="--skip-text --output-type pdf --optimize 0 --quiet"
export input=$folder/documents output=$work/pdf/documents
by_weir() { "$corpus" run "$folder" "$work/text" --json > /dev/null; }
file_by_file() { for file in "$input"/*; do ocrmypdf -j "$cores" $plain "$file" "$output/${file##*/}"; done; }
files_in_parallel() {
  find "$input" -type f -printf '%f\0' | xargs -0 -P "$cores" -I {} sh -c 'ocrmypdf -j 1 $plain "$input/{}" "$output/{}"'
}

# measured WAY FUNCTION: runs it, checks the text, prints a row.
measured() {
  rm -rf "$work/text" "$work/pdf"
  mkdir -p "$output"
  cp "$folder/truth.jsonl" "$work/pdf"
  local begin end score
  begin=$(date +%s.%N)
  "$2"
  end=$(date +%s.%N)
  if [[ $2 != by_weir ]]; then "$corpus" run "$work/pdf" "$work/text" --json > /dev/null; fi
  # A finished run has nothing left to do but its score.
  score=$("$corpus" run "$([[ $2 == by_weir ]] && echo "$folder" || echo "$work/pdf")" "$work/text" --json)
  python3 - "$1" "$begin" "$end" "$score" << 'END'
import json, sys
way, begin, end, run = sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), json.loads(sys.argv[4])
right = run["accuracy"]
if right["pages_missing"]:
    sys.exit(f"ocrmypdf.sh: {way} lost {right['pages_missing']} of {right['pages']} pages")
print(f"| {way} | {right['pages'] / (end - begin):.2f} | {end - begin:.1f} | {100 * right['characters']:.3f} |", flush=True)
END
}

echo "| way | pages/s | seconds | characters right, % |"
echo "|---|---|---|---|"
for (( round = 1; round <= rounds; ++round )); do
  measured "weir adaptive" by_weir
  measured "ocrmypdf -j $cores, one file after the other" file_by_file
  measured "xargs -P $cores, ocrmypdf -j 1" files_in_parallel
done
