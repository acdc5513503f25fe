#!/usr/bin/env bash
# Makes a folder, and FOLDER.tar.gz of it, that measures films by programs on another machine: any Linux on x86-64 with a glibc as new as
# the one here, without compiler or network. run.sh in it, and README.md here, say what it measures.
#
#     bench/field/film/pack.sh [FOLDER [WEIR]]    default: build/film; WEIR: a weir of a release build, else it is built, as is field_film
#
# What is missing here is installed (runtime/package/prepare.sh --film --many-cores).
set -euo pipefail
case ${1:-} in -*) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 2 ;; esac
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
. "$root/bench/support/pack.sh"
folder=${1:-$root/build/film}
weir=${2:-}
if [[ -z $weir ]]; then
  { "$root/runtime/package/prepare.sh" --command --film --many-cores && "$root/runtime/package/build.sh" release weir field_film; } >&2
  weir=$root/build/release/weir
fi

made=$folder.new
rm -rf "$made"
mkdir -p "$made/bin"
cp "$here"/{run,cut,scene,chunk,score,whole,join}.sh "$here"/film.* "$made/"
cp "$weir" $(command -v ffmpeg x264 x265 SvtAv1EncApp) "$made/bin/"
if [[ -e ${weir%/*}/field_film ]]; then cp "${weir%/*}/field_film" "$made/bin/"; fi

# ffmpeg links 200 libraries for formats and devices that are never used here, 230 MB. All but these are stood for by libraries of
# the functions that it links, which return 0.
real='^lib(av[a-z]+|sw[a-z]+|postproc|x264|x265|SvtAv1Enc|dav1d|gme|numa|tbb|tbbmalloc|hwloc|boost.*|spdlog|fmt|stdc\+\+|gcc_s|z|bz2|lzma|udev|cap)\.so'
is_stubbed() { [[ ! $1 =~ $real ]]; }
outside=$(pack_libraries "$made/lib" "return 0;" "$made"/bin/*)
[[ -z $outside ]] || { echo "pack.sh: found outside the folder:" $outside >&2; exit 1; }

# The programs do there what they do here, without the libraries of this machine.
tried=$(mktemp -d)
there() { (cd "$made" && env --ignore-environment PATH="$made/bin:/usr/bin:/bin" "$@"); }
there ffmpeg -loglevel error -f lavfi -i testsrc2=size=128x96 -frames:v 3 -pix_fmt yuv420p -c:v ffv1 -g 1 "$tried/film.mkv"
for codec in 1 264 265; do
  if ! there sh chunk.sh 1 tried $codec "$tried/film.mkv" 00000-00003 "$tried" > "$tried/said" || ! grep --quiet '"<psnr>": [0-9]' "$tried/said"; then
    echo "pack.sh: the programs in $made do not work: $(cat "$tried/said")" >&2
    exit 1
  fi
done
rm -r "$tried"
pack_folder "$folder"
echo "$folder and $folder.tar.gz: $(du -sm "$folder" | cut -f 1) MB, packed $(du -m "$folder.tar.gz" | cut -f 1)"
