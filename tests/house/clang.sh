#!/usr/bin/env bash
# tests/house/clang.sh VERSION FOLDER: compiles everything in FOLDER with that clang, where each warning is an error, then runs the
# quick tests of the programs that came of it. Skipped, with exit code 77 and the reason, where there is no such clang.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
version=${1:?the version of clang} folder=${2:?a folder to build in}

if ! command -v "clang++-$version" > /dev/null; then
  echo "there is no clang++-$version; runtime/package/prepare.sh --clang installs it"
  exit 77
fi
cmake -S "$root" --preset "clang-$version" -B "$folder"
cmake --build "$folder" --parallel "$(nproc)" --target all full_tests -- --quiet
# Checks of the house, its models and its texts have no other answer here.
ctest --test-dir "$folder" --parallel 2 --output-on-failure --label-regex '^quick' --exclude-regex '^(house|compile|model|page)\.'
