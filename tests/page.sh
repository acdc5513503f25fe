#!/usr/bin/env bash
# Opens the page of a run in Chromium and checks it. Needs nothing but a clone: the script installs missing packages,
# Chromium too (runtime/package/prepare.sh).
#
#     tests/page.sh [--only NAME]       all checks, or those of one saved page: moves, large, run, ...
#     tests/page.sh --live URL          checks the live page of a program that runs
#     tests/page.sh --picture FILE.png  writes a picture of the main part of a run's page
#
# Screenshots, light and dark, wide and narrow, are left in build/release/page-screenshots. The exit code is 0 when nothing failed.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

built=$root/build/release
checks=$root/tests/runtime/page/check.mjs
screenshots=$built/page-screenshots
case ${1-} in
  --help | -h) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 0 ;;
  "" | --only | --live | --picture) [[ -z ${1-} || -n ${2-} ]] || { echo "tests/page.sh: $1 needs a value (try --help)" >&2; exit 2; } ;;
  *) echo "tests/page.sh: unknown option $1 (try --help)" >&2; exit 2 ;;
esac

"$root/runtime/package/prepare.sh" --tests --browser
if [[ ${1-} == --live ]]; then
  exec node "$checks" live "$2" --out "$screenshots"
fi
"$root/runtime/package/build.sh" release write_page write_run test_statistics weir
case ${1-} in
  --only)
    node "$checks" saved --only "$2" --programs "$built" --out "$screenshots"
    ;;
  --picture)
    folder=$(mktemp -d)
    trap 'rm -r "$folder"' EXIT
    "$built/write_run" "$folder/run" 8
    node "$checks" picture "$folder/run.html" "$2"
    ;;
  *)
    status=0
    ctest --test-dir "$built" --tests-regex '^(page\.|a_page\.|a_build_without_the_page)' --output-on-failure --no-tests=error || status=$?
    echo "Screenshots are in $screenshots"
    exit "$status"
    ;;
esac
