#!/usr/bin/env bash
# runtime/package/deb.sh [--lintian]: builds Debian's packages into build/deb: libweir0.1, libweir-live0.1, libweir-dev and
# weir, and where Open MPI is installed libweir-mpi0.1 and libweir-mpi-dev, for the Debian or Ubuntu that it runs on.
#
# They are built as Debian builds: its compiler flags, /usr, and the time of the last commit as their time, so that the
# same sources give the same packages. DEBFULLNAME and DEBEMAIL say who made them.
# --lintian installs lintian and has it check them: an error or a warning fails.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
case ${1:-} in
  '' | --lintian) ;;
  *) echo "usage: runtime/package/deb.sh [--lintian]" >&2; exit 2 ;;
esac
"$root/runtime/package/prepare.sh" --command --page --deb ${1:+"$1"}

build=$root/build/deb
SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct 2> /dev/null || date +%s)
export SOURCE_DATE_EPOCH
cd "$root"
eval "$(dpkg-buildflags --export=sh)"
mkdir -p "$build"
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=-DNDEBUG" \
  -DCMAKE_CXX_FLAGS="$CXXFLAGS $CPPFLAGS" -DCMAKE_EXE_LINKER_FLAGS="$LDFLAGS" -DCMAKE_SHARED_LINKER_FLAGS="$LDFLAGS" \
  -DCMAKE_INSTALL_PREFIX=/usr -DBUILD_SHARED_LIBS=ON -DWEIR_DEBIAN_PACKAGES=ON \
  -DWEIR_BUILD_BENCH=ON -DWEIR_BUILD_TESTS=OFF -DWEIR_BUILD_EXAMPLES=OFF -DWEIR_CORPUS=OFF \
  -DWEIR_DEBIAN_MAINTAINER="${DEBFULLNAME:-The weir authors} <${DEBEMAIL:-authors@weir.invalid}>" > "$build/configure.log"
NINJA_STATUS='[%f/%t] ' cmake --build "$build" --parallel "$(nproc)" --target weir_packaged |
  "$root/runtime/package/progress.sh" "Building what is packaged" 6
rm -f "$build"/*.deb
(cd "$build" && cpack -G DEB > cpack.log) || { cat "$build/cpack.log" >&2; exit 1; }

# Packed again: without cpack's scripts, which only call ldconfig, and with no time later than SOURCE_DATE_EPOCH.
unpacked=$build/unpacked
for package in "$build"/*.deb; do
  rm -rf "$unpacked"
  dpkg-deb --raw-extract "$package" "$unpacked"
  rm -f "$unpacked"/DEBIAN/{postinst,postrm}
  dpkg-deb --root-owner-group --build "$unpacked" "$package" > /dev/null
done
rm -rf "$unpacked"
ls "$build"/*.deb

if [[ ${1:-} == --lintian ]]; then
  # These packages do not go to Debian, so no report of its has asked for them.
  lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "$build"/*.deb
  echo "lintian accepts them"
fi
