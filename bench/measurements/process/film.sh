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
folder=${1:-$root/build/film}
weir=${2:-}
if [[ -z $weir ]]; then
  { "$root/runtime/package/prepare.sh" --command --film --many-cores && "$root/runtime/package/build.sh" release weir; } >&2
  weir=$root/build/release/weir
fi

made=$folder.new
rm -rf "$made"
mkdir -p "$made/bin" "$made/lib" "$made/stub"
cp "$here"/film/* "$made/"
cp "$weir" "$(command -v ffmpeg)" "$(command -v x265)" "$(command -v SvtAv1EncApp)" "$made/bin/"

# ffmpeg links 200 libraries for formats and devices that are never used here, 230 MB. All but these are stood for by libraries of
# the functions that it links, which return 0.
glibc='^(libc|libm|libdl|librt|libpthread|libresolv|libutil|libmvec|libanl|ld-linux.*)\.so'
real='^lib(av[a-z]+|sw[a-z]+|postproc|x264|x265|SvtAv1Enc|dav1d|gme|numa|tbb|tbbmalloc|hwloc|boost.*|spdlog|fmt|stdc\+\+|gcc_s|z|bz2|lzma|udev|cap)\.so'
needed_by() { objdump --private-headers "$@" | awk '$1 == "NEEDED" { print $2 }' | sort -u; }
paths=$(ldd "$made"/bin/* | awk '$2 == "=>" { print $1, $3 }' | sort -u)
stubs=()
add() {
  local name
  for name; do
    [[ ! $name =~ $glibc && ! -e $made/lib/$name ]] || continue
    if [[ $name =~ $real ]]; then
      cp --dereference "$(awk -v name="$name" '$1 == name { print $2; exit }' <<< "$paths")" "$made/lib/"
      add $(needed_by "$made/lib/$name")
    else
      stubs+=("$name")
    fi
  done
}
add $(needed_by "$made"/bin/*)
chmod -R u+w "$made"
readelf --dyn-syms --wide "$made"/bin/* "$made"/lib/* | awk '$7 == "UND" && $8 != "" { sub(/@.*/, "", $8); print $8 }' | sort -u > "$made/stub/wanted"
for name in $(printf '%s\n' "${stubs[@]}" | sort -u); do
  readelf --dyn-syms --wide "$(awk -v name="$name" '$1 == name { print $2; exit }' <<< "$paths")" |
    awk -v script="$made/stub/map" 'FNR == NR { wanted[$1] = 1; next }
      $7 == "UND" || $7 == "ABS" || !($4 ~ /^(FUNC|OBJECT|IFUNC)$/) { next }
      { name = $8; version = ""
        if (name ~ /[^@]@[^@]/) next
        if (split(name, part, "@@") == 2) { name = part[1]; version = part[2] }
        if (!(name in wanted) || name in seen) next
        seen[name] = 1
        if (version != "") of[version] = of[version] name ";"
        if ($4 == "OBJECT") print "char " name "[" $3 " + 1];"; else print "long " name "(void) { return 0; }" }
      END { for (v in of) print v " {" of[v] "};" > script; close(script) }' "$made/stub/wanted" - > "$made/stub/of.c"
  script=()
  [[ ! -s $made/stub/map ]] || script=(-Wl,--version-script="$made/stub/map")
  gcc -shared -fPIC -fno-builtin -w -nostdlib -Wl,-soname,"$name" "${script[@]}" -o "$made/lib/$name" "$made/stub/of.c"
  rm -f "$made/stub/map"
done
rm -r "$made/stub"
strip --strip-unneeded "$made"/bin/* "$made"/lib/*
for program in "$made"/bin/*; do patchelf --force-rpath --set-rpath '$ORIGIN/../lib' "$program"; done
for library in "$made"/lib/*; do patchelf --remove-rpath "$library"; done
if outside=$(ldd "$made"/bin/* | awk -v lib="$(realpath "$made")/lib/" '$2 == "=>" && index($3, lib) != 1 && index($3, "/bin/../lib/") == 0 { print $1 }' |
  grep -vE "$glibc" | sort -u); then
  echo "film.sh: found outside the folder:" $outside >&2
  exit 1
fi

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
rm -rf "$folder" "$folder.tar.gz"
mv "$made" "$folder"
tar --create --gzip --file "$folder.tar.gz" --directory "$(dirname "$folder")" "$(basename "$folder")"
echo "$folder and $folder.tar.gz: $(du -sm "$folder" | cut -f 1) MB, packed $(du -m "$folder.tar.gz" | cut -f 1)"
