#!/usr/bin/env bash
# The folder of bench/many_cores.sh measures here, with nothing in its environment: every row begins, none fails, the JSON is one, and a
# browser, where there is one, draws every row. Then by the glibc of the folder, and so briefly that rows are cut.
#
#     tests/bench/many_cores.sh BUILD FOLDER
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
command -v patchelf > /dev/null || { echo "skipped: there is no patchelf; runtime/package/prepare.sh --many-cores installs it"; exit 77; }

folder=$2
"$root/bench/many_cores.sh" "$folder" "$1"
# The search needs more cores than stages: threads of a synthetic machine.
"$folder/stages" --machine "core:8 pu:1" --program des --rounds 1 --seconds 6 --run-seconds 0.1
mv "$folder" "$folder.moved"
folder=$folder.moved
trap 'rm -rf "$folder"' EXIT
env -i "$folder/run.sh" --quick --minutes 4 || { cat "$folder/results/log.txt"; exit 1; }
cat > "$folder/check.cmake" << 'CHECK'
file(READ ${FOLDER}/results/results.json text)
string(JSON count LENGTH "${text}" rows)
execute_process(COMMAND ${FOLDER}/run.sh --list OUTPUT_VARIABLE listed)
string(REGEX MATCHALL "\n" lines "${listed}")
list(LENGTH lines wanted)
if(NOT count EQUAL wanted)
  message(FATAL_ERROR "${count} rows of ${wanted}")
endif()
string(JSON glibc GET "${text}" machine glibc)
message(STATUS "${count} rows, glibc ${glibc}")
CHECK
cmake -DFOLDER="$folder" -P "$folder/check.cmake"

if command -v chromium > /dev/null; then
  chromium --headless --no-sandbox --disable-gpu --dump-dom "file://$folder/results/results.html" 2> /dev/null > "$folder/dom.html"
  drawn=$(tr '\n' ' ' < "$folder/dom.html" | grep -o '<div id="page">.*<footer>' || true)
  while read -r name title; do
    [[ $drawn == *"<h2>$name: $title</h2>"* ]] || { echo "the page has no row $name" >&2; exit 1; }
  done < <("$folder/run.sh" --list | tr -d '"')
  ! grep -qE '>[^<>]*(NaN|undefined|Infinity)[^<>]*<' <<< "$(sed 's/<pre>[^<]*//g' <<< "$drawn")" || { echo "the page draws numbers that are none" >&2; exit 1; }
fi

echo 99 > "$folder/glibc_needed"  # newer than any
begin=$SECONDS
"$folder/run.sh" --minutes 1 --rows documents,paper,moves
(( SECONDS - begin <= 60 )) || { echo "a minute took $(( SECONDS - begin )) s" >&2; exit 1; }
grep -q '"glibc": "[^"]*by that of the folder"' "$folder/results/results.json" || { echo "the programs did not run by the folder's glibc" >&2; exit 1; }
