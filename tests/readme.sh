#!/usr/bin/env bash
# Follows README.md as a new user would: each of its sections with commands in an empty Debian of its own.
#
#     tests/readme.sh [--install] [--only SECTION]
#
# The commands are the indented lines, run in the order in which they stand, from a clone of HEAD with the uncommitted files of the working
# tree on top. Each ends with 0, or the test fails. After `Try it` the page of a run is drawn, all tests have passed or were skipped, and
# a second build says nothing. After `Install and use` the project of examples/guide/installing.md is built against the
# installed copy.
#
# It takes as long as all that does, an hour on two cores, and 4 GB on the disk. It skips, with exit code 77 and the reason, where it does
# not run as root or there is no debootstrap; --install installs that. tests/bare.sh says how a cache of the compiler is lent to it.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$root/tests/bare.sh"

only=
while (( $# > 0 )); do
  case $1 in
    --install) "$root/runtime/package/prepare.sh" --debootstrap ;;
    --only) only=${2:?--only needs the name of a section}; shift ;;
    *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 2 ;;
  esac
  shift
done

place=$(mktemp -d)
trap 'rm -rf --one-file-system "$place"' EXIT

# commands_of FILE SECTION: the indented lines outside of blocks.
commands_of() {
  awk -v section="## $2" '/^```/ { block = !block } /^## / { here = $0 == section } here && !block && /^    / { print substr($0, 5) }' "$1"
}

bare_system "$place/empty"
clone=$place/empty/root/weir
git clone --quiet "$root" "$clone"
(cd "$root" && git ls-files -z --deleted) | (cd "$clone" && xargs --null --no-run-if-empty rm -f)
(cd "$root" && git ls-files -z --modified --others --exclude-standard | while IFS= read -r -d '' file; do
  [[ ! -e $file ]] || printf '%s\0' "$file"
done | tar --create --null --files-from -) | tar --extract --directory "$clone"

tried=0
while IFS= read -r section; do
  commands_of "$root/README.md" "$section" > "$place/commands"
  [[ -s $place/commands ]] || continue
  [[ -z $only || $section == "$only" ]] || continue
  tried=$((tried + 1))
  echo "$section"
  rm -rf --one-file-system "$place/system"
  cp --archive --reflink=auto "$place/empty" "$place/system"
  {
    cat << 'BEGIN'
set -euo pipefail
cd /root/weir
run() {  # what it says goes on; its time is below it
  local began=$SECONDS
  echo "  \$ $1"
  bash -c "$1" < /dev/null 2>&1 | tee /root/said | sed -u 's/^/      /'
  echo "  ended with 0 after $((SECONDS - began)) s"
}
BEGIN
    while IFS= read -r command; do printf 'run %q\n' "${command/#apt-get install/apt-get update; apt-get install --yes --quiet=2}"; done < "$place/commands"
    case $section in
      'Try it')
        cat << 'CHECK'
grep --quiet --extended-regexp '^[1-9][0-9]{3,} passed, 0 failed$' /root/said || { echo "the last command ran no tests"; exit 1; }
run "build/release/weir matmul --kernel emulated --sizes 100:100:1 --repeat 2 --report /root/page.html > /dev/null"
grep --quiet Dygraph /root/page.html || { echo "the page of a run is not drawn"; exit 1; }
run "runtime/package/prepare.sh --tests && runtime/package/build.sh release"
[[ ! -s /root/said ]] || { echo "a second build, with nothing to do, said something"; exit 1; }
CHECK
        ;;
      'Install and use')
        echo 'mkdir /root/errors; cp examples/count_errors.cpp examples/data/monday.log /root/errors; cp examples/count_errors.expected /root; cd /root/errors'
        printf 'cat > CMakeLists.txt << "LISTS"\n%s\nLISTS\n' "$(awk '/^```/ { here = use && /cmake/; use = 0; next } here { print } /<!-- use -->/ { use = 1 }' "$root/examples/guide/installing.md")"
        commands_of "$root/examples/guide/installing.md" 'A project that uses it' | while IFS= read -r command; do printf 'run %q\n' "$command"; done
        echo 'cmp /root/said /root/count_errors.expected'
        ;;
    esac
  } > "$place/system/try.sh"
  in_bare_system "$place/system" /try.sh
done < <(sed -n 's/^## //p' "$root/README.md")
(( tried > 0 )) || { echo "README.md has no commands${only:+ under $only}"; exit 1; }
echo "$tried sections of README.md work in an empty Debian"
