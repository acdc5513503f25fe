#!/usr/bin/env bash
# The folder of bench/many_cores.sh measures here, with nothing in its environment: every row begins, none fails, the JSON is one.
#
#     tests/bench/many_cores.sh BUILD FOLDER
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
command -v patchelf > /dev/null || { echo "skipped: there is no patchelf; runtime/package/prepare.sh --many-cores installs it"; exit 77; }

"$root/bench/many_cores.sh" "$2" "$1"
rm -rf "$2/results"
# The search needs more cores than stages: threads of a synthetic machine.
"$2/stages" --machine "core:8 pu:1" --program des --rounds 1 --seconds 6 --run-seconds 0.1
env -i PATH=/usr/bin:/bin "$2/run.sh" --quick --minutes 4 || { cat "$2/results/log.txt"; exit 1; }
cat > "$2/check.cmake" << 'CHECK'
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
cmake -DFOLDER="$2" -P "$2/check.cmake"
