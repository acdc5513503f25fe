#!/usr/bin/env bash
# Makes a folder, and FOLDER.tar.gz of it, that measures weir on another machine: any Linux on x86-64 of the last five years, without compiler
# or network. There, run.sh takes 12 minutes at most. bench/measurements/many_cores/README.md says what it measures.
#
#     bench/many_cores.sh [FOLDER [BUILD]]    default: build/many_cores; BUILD: a release build that has all targets, nothing is built
#
# What is missing here is installed (runtime/package/prepare.sh).
set -euo pipefail
case ${1:-} in -*) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 2 ;; esac
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$root/bench/support/pack.sh"

folder=${1:-$root/build/many_cores}
build=${2:-}
programs=(weir weir-corpus paper overhead moves stages component_costs allocation_cost)
if [[ -z $build ]]; then
  {
    "$root/runtime/package/prepare.sh" --command --corpus --many-cores
    "$root/runtime/package/build.sh" release "${programs[@]}"
  } >&2
  build=$root/build/release
fi
command -v patchelf > /dev/null || { echo "many_cores.sh: patchelf is missing; runtime/package/prepare.sh --many-cores installs it" >&2; exit 1; }

made=$folder.new
rm -rf "$made"
mkdir -p "$made/tessdata" "$made/fonts"
for program in "${programs[@]}"; do  # tests leave folders with programs of these names
  cp "$(find "$build" -path "$build/tests" -prune -o -name "$program" -type f -executable -print -quit)" "$made/"
done
here=$root/bench/measurements/many_cores
cp "$here/run.sh" "$here/machine.sh" "$here/README.md" "$root/LICENSE" "$made/"
# The page draws with parts of the page of a run.
assets=$root/runtime/page/assets
awk -v style="$assets/page.css $here/page.css" -v script="$assets/dom.js $assets/format.js $here/page.js" '
  function put(files, n, i, of) { n = split(files, of, " "); for (i = 1; i <= n; ++i) while ((getline line < of[i]) > 0) print line }
  /^@STYLE@$/ { put(style); next } /^@SCRIPT@$/ { put(script); next } { print }' "$here/page.html" > "$made/page.html"
git -C "$root" describe --always --dirty > "$made/version" 2> /dev/null || echo unknown > "$made/version"

# tesseract reads URLs by libcurl, and its libarchive one kind of archive by libxml2. They bring 60 MB and are never called here.
is_stubbed() { [[ $1 =~ ^lib(curl|xml2)\.so ]]; }
outside=$(pack_libraries "$made/lib" "__builtin_trap();" "${programs[@]/#/$made/}")
[[ -z $outside ]] || { echo "many_cores.sh: found outside the folder:" $outside >&2; exit 1; }

cp "$(find /usr/share/tesseract-ocr /usr/share/tessdata -name eng.traineddata 2> /dev/null | head -n 1)" "$made/tessdata/"
cp /usr/share/fonts/truetype/dejavu/DejaVuS{erif,ans}.ttf "$made/fonts/"

# The newest version of glibc that anything here asks for.
objdump --dynamic-syms "${programs[@]/#/$made/}" "$made"/lib/* | grep -oE 'GLIBC_[0-9.]+' | cut -d _ -f 2 | sort -Vu | tail -n 1 > "$made/glibc_needed"

pack_glibc "$made/glibc" "${programs[@]/#/$made/}"
pack_folder "$folder"
size=$(du -m "$folder.tar.gz" | cut -f 1)
(( size < 50 )) || { echo "many_cores.sh: $folder.tar.gz has $size MB" >&2; exit 1; }
echo "$folder.tar.gz: $size MB, with glibc for a machine older than $(< "$folder/glibc_needed"); there: tar -xzf it, $(basename "$folder")/run.sh"
