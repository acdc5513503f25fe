#!/usr/bin/env bash
# tests/release.sh: the library is built from the archive that runtime/package/release.sh makes of HEAD, and its page is the real one.
#
# As root it is built without a network. It skips, with exit code 77 and the reason, where there is no commit or the page's libraries
# cannot be fetched.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
skip() {
  echo "skipped: $*"
  exit 77
}
git -C "$root" rev-parse --verify --quiet HEAD > /dev/null || skip "a release is made of a commit, and this is no repository of git"
"$root/runtime/package/prepare.sh" --page || true
[[ -e $root/build/page/dagre.min.js ]] || skip "what the page draws with cannot be fetched here"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# From a clone of its own, so that nothing of this tree is replaced, nor in the archive.
git clone --quiet --shared "$root" "$work/clone"
mkdir -p "$work/clone/build"
cp -r "$root/build/page" "$work/clone/build/page"
"$work/clone/runtime/package/release.sh" --sources > "$work/first"
(cd "$work/clone/build/dist" && sha256sum --check --quiet SHA256SUMS)
cp "$work/clone/build/dist/SHA256SUMS" "$work"
"$work/clone/runtime/package/release.sh" --sources > "$work/second"
cmp "$work/SHA256SUMS" "$work/clone/build/dist/SHA256SUMS"
echo "the same commit gives the same archive"

touch "$work/clone/README.md.new"
if "$work/clone/runtime/package/release.sh" 2> "$work/said"; then
  echo "it made a release of a tree with changes that are not committed"
  exit 1
fi
grep --quiet 'README.md.new' "$work/said"

mkdir "$work/unpacked"
tar --extract --gzip --file "$work"/clone/build/dist/weir-*.tar.gz --directory "$work/unpacked"
sources=$(echo "$work"/unpacked/weir-*)
[[ ${sources##*/} == weir-$(sed -n 's/^project(weir VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt") ]]
rm -rf "$work/clone"
cat > "$work/page.cpp" << 'PROGRAM'
#include <iostream>
#include <weir/weir.hpp>
int main() { std::cout << weir::run_report{}.html("a run"); }
PROGRAM
offline=()
! unshare --net true 2> /dev/null || offline=(unshare --net)
"${offline[@]}" bash -c '
  set -euo pipefail
  cd "$1"
  cmake --preset library -DCMAKE_INSTALL_PREFIX="$2/installed" && cmake --build --preset library && cmake --install build/library
  PKG_CONFIG_PATH=$(dirname "$(find "$2/installed" -name weir.pc)") sh -c "g++ -std=c++20 $2/page.cpp -o $2/page \$(pkg-config --cflags --libs weir)"' \
  bash "$sources" "$work" > "$work/log" 2>&1 || { tail -n 50 "$work/log"; exit 1; }
"$work/page" > "$work/page.html"
grep --quiet 'Dygraph' "$work/page.html" || { echo "the page of a library built from the archive is not the real one"; exit 1; }
echo "the archive builds${offline:+ without a network}, and its page is the real one"
