#!/usr/bin/env bash
# Makes a folder, and FOLDER.tar.gz of it, that measures films by programs on another machine: any Linux on x86-64 with a glibc as new as
# the one here, without compiler or network. film/run.sh in it, and README.md, say what it measures.
#
#     bench/measurements/process/film.sh [FOLDER [WEIR]]    default: build/film; WEIR: a weir of a release build, else it is built
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
  { "$root/runtime/package/prepare.sh" --command --film --many-cores && "$root/runtime/package/build.sh" release weir; } >&2
  weir=$root/build/release/weir
fi

made=$folder.new
rm -rf "$made"
mkdir -p "$made/bin"
cp "$here"/film/* "$made/"
cp "$weir" "$(command -v ffmpeg)" "$(command -v x265)" "$(command -v SvtAv1EncApp)" "$made/bin/"

# ffmpeg links 200 libraries for formats and devices that are never used here, 230 MB. All but these are stood for by libraries of
# the functions that it links, which return 0.
real='^lib(av[a-z]+|sw[a-z]+|postproc|x264|x265|SvtAv1Enc|dav1d|gme|numa|tbb|tbbmalloc|hwloc|boost.*|spdlog|fmt|stdc\+\+|gcc_s|z|bz2|lzma|udev|cap)\.so'
is_stubbed() { [[ ! $1 =~ $real ]]; }
outside=$(pack_libraries "$made/lib" "return 0;" "$made"/bin/*)
[[ -z $outside ]] || { echo "film.sh: found outside the folder:" $outside >&2; exit 1; }

# The programs do there what they do here, without the libraries of this machine.
tried=$(mktemp -d)
for codec in 1 265; do
  if ! (cd "$made" && env --ignore-environment PATH="$made/bin:/usr/bin:/bin" sh clip.sh 1 tried $codec 3 testsrc2=size=128x96) > "$tried/said" ||
    ! grep --quiet '"<psnr>": [0-9]' "$tried/said"; then
    echo "film.sh: the programs in $made do not work: $(cat "$tried/said")" >&2
    exit 1
  fi
done
rm -r "$tried"
pack_folder "$folder"
echo "$folder and $folder.tar.gz: $(du -sm "$folder" | cut -f 1) MB, packed $(du -m "$folder.tar.gz" | cut -f 1)"
