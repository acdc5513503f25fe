# Sourced by scripts that make a folder of programs for another machine: copies the libraries that the programs link, so that they need
# nothing there but a glibc that is new enough. Needs patchelf, objdump, readelf and gcc.

glibc='^(libc|libm|libdl|librt|libpthread|libresolv|libutil|libmvec|libanl|ld-linux.*)\.so'  # comes with its loader

needed_by() { objdump --private-headers "$@" | awk '$1 == "NEEDED" { print $2 }' | sort -u; }
path_of() { awk -v name="$1" '$1 == name { print $2; exit }' <<< "$pack_paths"; }

# add_libraries FOLDER NAME...: copies these and what they link. Names of which `is_stubbed` is true go to `pack_stubs`.
add_libraries() {
  local folder=$1 name
  shift
  for name; do
    [[ ! $name =~ $glibc && ! -e $folder/$name ]] || continue
    if is_stubbed "$name"; then
      pack_stubs+=("$name")
    else
      cp --dereference "$(path_of "$name")" "$folder/"
      add_libraries "$folder" $(needed_by "$folder/$name")
    fi
  done
}

# make_stub FOLDER NAME BODY WANTED: a library of the symbols in file WANTED that the real one has, with its versions; functions do BODY.
make_stub() {
  local folder=$1 name=$2 made script=()
  made=$(mktemp -d)
  readelf --dyn-syms --wide "$(path_of "$name")" |
    awk -v script="$made/map" -v body="$3" 'FNR == NR { wanted[$1] = 1; next }
      $7 == "UND" || $7 == "ABS" || !($4 ~ /^(FUNC|OBJECT|IFUNC)$/) { next }
      { name = $8; version = ""
        if (name ~ /[^@]@[^@]/) next
        if (split(name, part, "@@") == 2) { name = part[1]; version = part[2] }
        if (!(name in wanted) || name in seen) next
        seen[name] = 1
        if (version != "") of[version] = of[version] name ";"
        if ($4 == "OBJECT") print "char " name "[" $3 " + 1];"; else print "long " name "(void) { " body " }" }
      END { for (v in of) print v " {" of[v] "};" > script; close(script) }' "$4" - > "$made/of.c"
  [[ ! -s $made/map ]] || script=(-Wl,--version-script="$made/map")
  gcc -shared -fPIC -fno-builtin -w -nostdlib -Wl,-soname,"$name" "${script[@]}" -o "$folder/$name" "$made/of.c"
  rm -r "$made"
}

# pack_libraries FOLDER BODY PROGRAM...: gives the programs their libraries in FOLDER, which they find wherever both are moved to. Those of
# which the caller's `is_stubbed NAME` is true are stood for by libraries whose functions do BODY. Prints what would still be found outside.
pack_libraries() {
  local folder=$1 body=$2 name program wanted path
  shift 2
  pack_paths=$(ldd "$@" | awk '$2 == "=>" { print $1, $3 }' | sort -u)
  pack_stubs=()
  mkdir -p "$folder"
  add_libraries "$folder" $(needed_by "$@")
  chmod u+w "$@" "$folder"/*
  wanted=$(mktemp)
  readelf --dyn-syms --wide "$@" "$folder"/* | awk '$7 == "UND" && $8 != "" { sub(/@.*/, "", $8); print $8 }' | sort -u > "$wanted"
  for name in $(printf '%s\n' "${pack_stubs[@]}" | sort -u); do make_stub "$folder" "$name" "$body" "$wanted"; done
  rm "$wanted"
  strip --strip-unneeded "$@" "$folder"/*
  # The old kind of path, which also holds for libraries of libraries.
  for program; do
    patchelf --force-rpath --set-rpath "\$ORIGIN/$(realpath --relative-to="$(dirname "$program")" "$folder")" "$program"
  done
  for name in "$folder"/*; do patchelf --remove-rpath "$name"; done
  ldd "$@" | awk '$2 == "=>" { print $1, $3 }' | sort -u | while read -r name path; do
    [[ $name =~ $glibc || $(realpath "$path") == "$(realpath "$folder")"/* ]] || echo "$name"
  done
}

# pack_glibc FOLDER PROGRAM...: copies glibc and its loader, and gives the programs so long a path of the loader that another one fits in its
# place. It is used where a machine's own glibc is older than what the programs need.
pack_glibc() {
  local folder=$1 name
  shift
  mkdir -p "$folder"
  for name in $(ldd "$@" | awk '{ print ($2 == "=>") ? $3 : $1 }' | sort -u); do
    [[ ! ${name##*/} =~ $glibc ]] || cp --dereference "$name" "$folder/"
  done
  for name; do patchelf --set-interpreter "/lib64$(printf '/%.0s' {1..150})ld-linux-x86-64.so.2" "$name"; done
}

# pack_folder FOLDER: FOLDER.new becomes FOLDER, and FOLDER.tar.gz is made of it.
pack_folder() {
  rm -rf "$1" "$1.tar.gz"
  mv "$1.new" "$1"
  tar --create --gzip --owner=0 --group=0 --file "$1.tar.gz" --directory "$(dirname "$1")" "$(basename "$1")"
}
