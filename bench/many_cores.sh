#!/usr/bin/env bash
# Makes a folder, and FOLDER.tar.gz of it, that measures weir on another machine: any Linux on x86-64 with a glibc as new as the one
# here, without compiler or network. There, run.sh takes 12 minutes at most. bench/measurements/many_cores/README.md says what it measures.
#
#     bench/many_cores.sh [FOLDER [BUILD]]    default: build/many_cores; BUILD: a release build that has all targets, nothing is built
#
# What is missing here is installed (runtime/package/prepare.sh).
set -euo pipefail
case ${1:-} in -*) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 2 ;; esac
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

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
mkdir -p "$made/lib" "$made/tessdata" "$made/fonts"
for program in "${programs[@]}"; do cp "$(find "$build" -name "$program" -type f -executable -print -quit)" "$made/"; done
here=$root/bench/measurements/many_cores
cp "$here/run.sh" "$here/machine.sh" "$here/README.md" "$root/LICENSE" "$made/"
git -C "$root" describe --always --dirty > "$made/version" 2> /dev/null || echo unknown > "$made/version"

# add NAME...: copies these libraries and what they link, all but glibc, which comes with its loader, and `stubs`.
glibc='^(libc|libm|libdl|librt|libpthread|libresolv|libutil|libmvec|libanl|ld-linux.*)\.so'
stubs=(libcurl libxml2)
needed_by() { objdump --private-headers "$@" | awk '$1 == "NEEDED" { print $2 }' | sort -u; }
add() {
  local name
  for name; do
    [[ ! $name =~ $glibc && ! -e $made/lib/$name ]] || continue
    if [[ " ${stubs[*]} " == *" ${name%%.so*} "* ]]; then
      stubbed+=("$name")
    else
      cp --dereference "$(ldd "${programs[@]/#/$made/}" | awk -v name="$name" '$1 == name { print $3; exit }')" "$made/lib/"
      add $(needed_by "$made/lib/$name")
    fi
  done
}
stubbed=()
add $(needed_by "${programs[@]/#/$made/}")

# tesseract reads URLs by libcurl, and its libarchive one kind of archive by libxml2. They bring 60 MB and are never called here, so
# what stands for them has their symbols, which abort.
for name in $(printf '%s\n' "${stubbed[@]}" | sort -u); do
  from=$(ldd "$made/weir-corpus" | awk -v name="$name" '$1 == name { print $3; exit }')
  objdump --dynamic-syms "$from" | awk -v script="$made/stub.map" '
    $0 ~ /\.text/ && $(NF - 1) ~ /^[(]?[A-Z]/ && $NF !~ /^_/ {
      version = $(NF - 1); gsub(/[()]/, "", version); of[version] = of[version] $NF ";"; print "void " $NF "(void) { __builtin_trap(); }" }
    END { for (v in of) print v " {" of[v] "};" > script }' > "$made/stub.c"
  gcc -shared -fPIC -fno-builtin -w -Wl,-soname,"$name" -Wl,--version-script="$made/stub.map" -o "$made/lib/$name" "$made/stub.c"
  rm "$made/stub.c" "$made/stub.map"
done
chmod -R u+w "$made"
strip --strip-unneeded "${programs[@]/#/$made/}" "$made"/lib/*
# The old kind, which also holds for libraries of libraries.
for program in "${programs[@]}"; do patchelf --force-rpath --set-rpath "\$ORIGIN/lib" "$made/$program"; done
for library in "$made"/lib/*; do patchelf --remove-rpath "$library"; done

cp "$(find /usr/share/tesseract-ocr /usr/share/tessdata -name eng.traineddata 2> /dev/null | head -n 1)" "$made/tessdata/"
cp /usr/share/fonts/truetype/dejavu/DejaVuS{erif,ans}.ttf "$made/fonts/"

# The newest version of glibc that anything here asks for.
objdump --dynamic-syms "${programs[@]/#/$made/}" "$made"/lib/* | grep -oE 'GLIBC_[0-9.]+' | cut -d _ -f 2 | sort -Vu | tail -n 1 > "$made/glibc"

if outside=$(ldd "${programs[@]/#/$made/}" | awk -v lib="$(realpath "$made")/lib/" '$2 == "=>" && index($3, lib) != 1 { print $1 }' |
  grep -vE "$glibc" | sort -u); then
  echo "many_cores.sh: found outside the folder:" $outside >&2
  exit 1
fi
rm -rf "$folder" "$folder.tar.gz"
mv "$made" "$folder"
tar --create --gzip --owner=0 --group=0 --file "$folder.tar.gz" --directory "$(dirname "$folder")" "$(basename "$folder")"
size=$(du -m "$folder.tar.gz" | cut -f 1)
(( size < 50 )) || { echo "many_cores.sh: $folder.tar.gz has $size MB" >&2; exit 1; }
echo "$folder.tar.gz: $size MB, for glibc $(< "$folder/glibc") and later; there: tar -xzf it, $(basename "$folder")/run.sh"
