#!/usr/bin/env bash
# The folder of bench/field/film/pack.sh measures here, with nothing in its environment: all ways give equal results.
#
#     tests/bench/film.sh WEIR FOLDER
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
for program in patchelf ffmpeg x264 x265 SvtAv1EncApp; do
  command -v "$program" > /dev/null ||
    { echo "skipped: there is no $program; runtime/package/prepare.sh --film --many-cores installs it"; exit 77; }
done

"$root/bench/field/film/pack.sh" "$2" "$1"
rm -rf "$2.results"
env -i PATH=/usr/bin:/bin "$2/run.sh" --scenes 2 --rounds 1 --out "$2.results" --cores "$(( $(nproc) < 2 ? 1 : 2 ))"
grep --quiet '^| weir | [0-9.]* | 1.00 (1.00 .. 1.00) | [1-9][0-9]* | 1.00 |$' "$2.results/table.md"
[[ ! -e $2/bin/field_film ]] || grep --quiet '^| pipeline-' "$2.results/table.md"
