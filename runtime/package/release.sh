#!/usr/bin/env bash
# Makes a release of HEAD in build/dist: an archive of the sources, Debian's packages, and SHA256SUMS of these files.
#
#     runtime/package/release.sh [--sources]
#
# The archive, weir-VERSION.tar.gz, is that of git with what the page of a run draws with, in runtime/page/libraries; so it builds without a
# network. The same commit gives the same archive. --sources makes the archive and its checksum alone. VERSION is CMakeLists.txt's.
# Before it: tests/run.sh --full, which tries the archive and the packages. runtime/package/site.sh makes the reference to publish with it.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
case ${1:-} in
  '' | --sources) [[ $# -le 1 ]] || { echo "release.sh: unknown option $2 (try --help)" >&2; exit 2; } ;;
  --help | -h) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 0 ;;
  *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 2 ;;
esac
cd "$root"
if ! git rev-parse --verify --quiet HEAD > /dev/null; then
  echo "release.sh: a release is made of a commit, and $root is no repository of git" >&2
  exit 1
fi
if [[ -z ${1:-} && -n $(git status --porcelain) ]]; then
  echo "release.sh: these changes are not committed, and a release is made of HEAD:" >&2
  git status --short >&2
  exit 1
fi
"$root/runtime/package/prepare.sh" --page
version=$(git show HEAD:CMakeLists.txt | sed -n 's/^project(weir VERSION \([0-9.]*\).*/\1/p')
libraries=()
for file in dygraph.min.js dagre.min.js; do
  [[ -e build/page/$file ]] || { echo "release.sh: build/page/$file is missing, so the archive would have no page" >&2; exit 1; }
  libraries+=("--add-file=build/page/$file")
done

to=$root/build/dist
rm -rf "$to"
mkdir -p "$to"
git archive --prefix="weir-$version/runtime/page/libraries/" "${libraries[@]}" --prefix="weir-$version/" HEAD |
  gzip -9 --no-name > "$to/weir-$version.tar.gz"
if [[ -z ${1:-} ]]; then
  "$root/runtime/package/deb.sh" > /dev/null
  cp build/deb/*.deb "$to"
fi
cd "$to"
sha256sum -- * > SHA256SUMS
du --human-readable -- * | sed "s|\t|\tbuild/dist/|"
