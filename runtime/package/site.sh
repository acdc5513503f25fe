#!/usr/bin/env bash
# runtime/package/site.sh [--install]: the guide and the reference as one site of files, build/site/index.html.
#
# The reference is what the public headers say, by doxygen; every public name must say something. The guide is README.md,
# examples/README.md, examples/guide and what CHANGELOG.md, CONTRIBUTING.md and SECURITY.md say. The site needs no server.
# It ends with code 77 where there is no doxygen; --install installs that, and what the pages look like.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
case ${1:-} in
  '') ;;
  --install) "$root/runtime/package/prepare.sh" --site ;;
  *) echo "usage: runtime/package/site.sh [--install]" >&2; exit 2 ;;
esac
if ! command -v doxygen > /dev/null; then
  echo "skipped: there is no doxygen; runtime/package/site.sh --install installs it"
  exit 77
fi

site=$root/build/site
here=$root/runtime/package/site
staged=$root/build/site-input
rm -rf "$site" "$staged"
mkdir -p "$site" "$staged"
version=$(sed -n 's/^project(weir VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
cmake "-DROOT=$root" "-DVERSION=$version" "-DTO=$staged/include" -P "$here/stage_headers.cmake"

awesome=/usr/share/doxygen-awesome-css
style=
if [[ -e $awesome/doxygen-awesome.css ]]; then
  style="$awesome/doxygen-awesome.css $awesome/doxygen-awesome-sidebar-only.css"
else
  echo "without its style: there is no package doxygen-awesome-css"
fi
# The guide: what there is of these.
cd "$root"
pages=(README.md examples/README.md examples/guide/*.md CHANGELOG.md CONTRIBUTING.md SECURITY.md)
mkdir "$staged/pages" "$staged/images"
inputs=
for page in "${pages[@]}"; do
  [[ -e $page ]] || continue
  awk -f "$here/pages.awk" -v file="$page" -v pages="${pages[*]}" -v images="$staged/images.list" "$page" > "$staged/pages/${page//\//_}"
  inputs+=" $staged/pages/${page//\//_}"
  [[ ! -e $staged/images.list ]] || while read -r image; do
    cp "$image" "$staged/images/${image//\//_}"
  done < "$staged/images.list"
  rm -f "$staged/images.list"
done

cd "$staged"
doxygen - << EOF
$(cat "$here/Doxyfile")
PROJECT_NUMBER         = $version
OUTPUT_DIRECTORY       = $site
INPUT                  = $inputs $here/pages.dox $staged/include/weir
IMAGE_PATH             = $staged/images
STRIP_FROM_PATH        = $staged/include
STRIP_FROM_INC_PATH    = $staged/include
FILTER_PATTERNS        = "*.hpp=awk -f $here/comments.awk"
HTML_EXTRA_STYLESHEET  = $style
EOF

# Every link within the site leads to a file, and to a place in it that is there.
cd "$site"
[[ -e index.html ]]
links=$(grep --only-matching --with-filename 'href="[^"]*"' ./*.html | sed 's|^\./||; s|:href="|\t|; s|"$||' | sort --unique |
  grep --invert-match --perl-regexp '\t([a-z]+:|#$|$)')
ids=$(grep --only-matching --with-filename --perl-regexp '\b(id|name)="[^"]*"' ./*.html | sed 's|^\./||; s|:[a-z]*="|\t|; s|"$||')
dead=$(awk -F '\t' 'NR == FNR { is_there[$1] = is_there[$1 "#" $2] = 1; next }
  { target = $2 ~ /^#/ ? $1 $2 : $2; sub(/\?.*/, "", target); if (!(target in is_there)) print $1 ": " target }' \
  <(echo "$ids") <(echo "$links") | while IFS= read -r line; do [[ -e ${line#*: } ]] || echo "$line"; done)
if [[ -n $dead ]]; then
  printf 'links that lead nowhere:\n%s\n' "$dead" >&2
  exit 1
fi
echo "$(wc -l <<< "$links") links are right"
echo "The site is in $site/index.html"
