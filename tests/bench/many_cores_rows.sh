#!/usr/bin/env bash
# run.sh of bench/measurements/many_cores with stand-ins for the programs: whatever a row does, and whenever a signal comes, the results are
# one JSON object that has every row and its status, and a page that holds the same object.
#
#     tests/bench/many_cores_rows.sh FOLDER
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$1
rm -rf "$folder"
mkdir -p "$folder/tessdata" "$folder/fonts"
cp "$root"/bench/measurements/many_cores/{run.sh,machine.sh,page.html} "$folder/"
echo 2.1 > "$folder/glibc_needed"
echo test > "$folder/version"

# A program that prints what JSON and HTML must escape and writes an object to the file of --out.
cat > "$folder/stages" << 'STANDIN'
#!/usr/bin/env bash
here=$(dirname "$0") out=/dev/null
for (( i = 1; i < $#; ++i )); do
  next=$(( i + 1 ))
  case ${!i} in --out | --benchmark_out=*) out=${!next} ;; esac
done
for given; do case $given in --benchmark_out=*) out=${given#*=} ;; esac; done
[[ " $* " == *" --json "* ]] || printf 'a "word" \\ and \t a tabulator, \033[1m and </script>\n'
case $(basename "$0") in
  overhead) exit 3 ;;  # a row that fails
  moves) echo '{"half": {' > "$out"; exit ;;  # as one that was killed leaves
  component_costs) echo '{"whole": "}"}'; exit ;;
  stages)
    if [[ -e $here/pid ]]; then  # run.sh is stopped while this row runs; it passes SIGINT on
      trap 'kill $(jobs -p) 2> /dev/null; echo "{\"half\": true}" > "$out"; exit 130' INT
      kill -TERM "$(< "$here/pid")"
      sleep 60 &
      wait
      exit 4
    fi ;;
esac
echo '{}' > "$out"
STANDIN
cat > "$folder/weir" << 'STANDIN'
#!/usr/bin/env bash
here=$(dirname "$0")
case "$1 ${2:-}" in
  "topology ") printf '2 cores, 1 package, 1 NUMA node, 1 L3\n\ncore  package  node  L3  processing units\n   0        0     0   0  0\n   1        0     0   0  1\n' ;;
  "corpus generate") mkdir -p "$3" ;;
  "fit "*) if [[ $* == *--json* ]]; then echo '{}'; fi ;;
  *) exec "$here/other" "$@" ;;
esac
STANDIN
chmod +x "$folder/stages" "$folder/weir"
for program in other overhead moves paper component_costs allocation_cost; do cp "$folder/stages" "$folder/$program"; done

cat > "$folder/statuses.cmake" << 'CHECK'
file(READ ${FOLDER}/results/results.json text)
string(JSON count LENGTH "${text}" rows)
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON name GET "${text}" rows ${i} row)
  string(JSON status GET "${text}" rows ${i} status)
  string(JSON said LENGTH "${text}" rows ${i} text)
  message("${name}: ${status}")
endforeach()
file(READ ${FOLDER}/results/results.html page)
string(REGEX REPLACE ".*id=\"weir-data\">\n(.*)\n</script>\n<script>.*" "\\1" data "${page}")
string(REPLACE "\\u003c" "<" data "${data}")
string(JSON is_same EQUAL "${data}" "${text}")
if(NOT is_same)
  message(FATAL_ERROR "the page does not hold the results")
endif()
CHECK
statuses() { cmake -DFOLDER="$folder" -P "$folder/statuses.cmake" 2>&1; }

# expect WORDS GIVEN EXPECTED
expect() { [[ $2 == "$3" ]] || { printf '%s:\n%s\nexpected:\n%s\n' "$1" "$2" "$3" >&2; exit 1; }; }

code=0
env -i PATH="$PATH" "$folder/run.sh" --rows documents,paper,speed,moves,costs > "$folder/said" || code=$?
expect "the exit code with a row that fails" $code 1
expect "each row has its status, and one fails" "$(statuses)" \
  $'documents: done\npaper: done\nspeed: failed with code 3\nmoves: done\ncosts: done'
expect "a result that is half written is left out, a whole one is not" "$(grep -cE '"half"|"whole"' "$folder/results/results.json")" 1
expect "the page ends where its own script does" "$(grep -c '</script>' "$folder/results/results.html")" \
  "$(grep -c '</script>' "$folder/page.html")"

code=0
rm -rf "$folder/results"
bash -c 'echo $$ > "$0/pid"; exec "$0/run.sh" --rows moves,phases' "$folder" > "$folder/said" || code=$?
expect "the exit code after SIGTERM" $code 143
expect "the row that SIGTERM stopped is cut, a later one does not begin" "$(statuses)" $'phases: cut\nmoves: not begun'
expect "the row that was stopped reports what it has" "$(grep -c '"half": true' "$folder/results/results.json")" 1
rm "$folder/pid"

refused() {  # refused WORDS OPTION...
  local words=$1 said code=0
  shift
  said=$("$folder/run.sh" "$@" 2>&1) || code=$?
  expect "the exit code of $*" $code 2
  expect "what $* is told" "$said" "run.sh: $words"
}
refused "--minutes: 0 is not 1 to 9999" --minutes 0
refused "--rows: there is no row speedy; --list shows them" --rows moves,speedy
refused "no file can be written in /dev/null/results; --out FOLDER names another folder" --out /dev/null/results
printf '#!/bin/sh\nexit 1\n' > "$folder/weir"
refused "the programs of this folder do not run here; they are for x86-64"
