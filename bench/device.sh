#!/usr/bin/env bash
# Makes a folder, and FOLDER.tar.gz of it, that measures weir with a device on another machine: Linux on x86-64 with the driver of a GPU, without
# compiler or network. There, run.sh takes less than four minutes. bench/measurements/real_devices/README.md says what it measures.
#
#     bench/device.sh [FOLDER [BUILD]]    default: build/device; BUILD: a release build that has all targets, nothing is built
#
# runtime/package/prepare.sh installs missing packages, except nvcc: without it the folder has no program by CUDA. With it the release build is
# configured by WEIR_CUDA=ON, and by OFF again afterwards. This script replaces a FOLDER that it made; another one must be empty.
set -euo pipefail
case ${1:-} in -*) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 2 ;; esac
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$root/bench/support/pack.sh"

folder=${1:-$root/build/device}
while [[ $folder == */ ]]; do folder=${folder%/}; done
[[ -n $folder ]] || { echo "device.sh: the folder cannot be /" >&2; exit 2; }
for there in "$folder" "$folder.new"; do
  [[ ! -e $there ]] || { [[ -d $there ]] && { [[ -z $(ls -A "$there") ]] || grep -qs '^# bench/device.sh made' "$there/run.sh"; }; } ||
    { echo "device.sh: $there is there and not of this script; expected an empty folder, or none" >&2; exit 2; }
done
build=${2:-}
if [[ -z $build ]]; then
  {
    "$root/runtime/package/prepare.sh" --tests --opencl --many-cores
    "$root/runtime/package/build.sh" release device_by_opencl
    rm -f "$root/build/release/device_by_cuda"
    if command -v nvcc > /dev/null; then
      { cmake -DWEIR_CUDA=ON "$root/build/release" > /dev/null && "$root/runtime/package/build.sh" release device_by_cuda; } ||
        echo "device.sh: nvcc fails, so the folder has no program by CUDA"
      cmake -DWEIR_CUDA=OFF "$root/build/release" > /dev/null
    fi
  } >&2
  build=$root/build/release
fi
command -v patchelf > /dev/null || { echo "device.sh: patchelf is missing; runtime/package/prepare.sh --many-cores installs it" >&2; exit 1; }

made=$folder.new
rm -rf "$made"
mkdir -p "$made"
here=$root/bench/measurements/real_devices
cp "$here/run.sh" "$here/README.md" "$root/LICENSE" "$made/"
programs=()
for program in device_by_opencl device_by_cuda; do
  [[ ! -x $build/$program ]] || { cp "$build/$program" "$made/" && programs+=("$made/$program"); }
done
(( ${#programs[@]} > 0 )) || { echo "device.sh: $build has neither device_by_opencl nor device_by_cuda" >&2; exit 1; }
git -C "$root" describe --always --dirty > "$made/version" 2> /dev/null || echo unknown > "$made/version"

is_stubbed() { false; }
outside=$(pack_libraries "$made/lib" "" "${programs[@]}")
[[ -z $outside ]] || { echo "device.sh: found outside the folder:" $outside >&2; exit 1; }
# The newest version of glibc that anything here asks for.
objdump --dynamic-syms "${programs[@]}" "$made"/lib/* | grep -oE 'GLIBC_[0-9.]+' | cut -d _ -f 2 | sort -Vu | tail -n 1 > "$made/glibc_needed"
pack_glibc "$made/glibc" "${programs[@]}"
pack_folder "$folder"
echo "$folder.tar.gz: $(du -m "$folder.tar.gz" | cut -f 1) MB, with glibc for a machine older than $(< "$folder/glibc_needed"); there: tar -xzf it, $(basename "$folder")/run.sh"
