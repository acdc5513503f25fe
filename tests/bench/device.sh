#!/usr/bin/env bash
# The folder of bench/device.sh measures here in short, with nothing in its environment, by OpenCL on a core of this machine.
#
#     tests/bench/device.sh BUILD FOLDER
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
command -v patchelf > /dev/null || { echo "skipped: there is no patchelf; runtime/package/prepare.sh --many-cores installs it"; exit 77; }
compgen -G '/etc/OpenCL/vendors/*.icd' > /dev/null || { echo "skipped: there is no OpenCL platform; runtime/package/prepare.sh --opencl installs one"; exit 77; }

folder=$2
# A folder of others stays as it is, and the error names it.
rm -rf "$folder" && mkdir -p "$folder" && echo mine > "$folder/file"
! refused=$("$root/bench/device.sh" "$folder/" "$1" 2>&1) || { echo "a folder with a file was replaced"; exit 1; }
[[ $refused == *"$folder is there and not of this script"* && $(< "$folder/file") == mine ]] || { echo "refused by: $refused"; exit 1; }
rm -r "$folder"
"$root/bench/device.sh" "$folder" "$1"
rm -rf "$folder.moved"
mv "$folder" "$folder.moved"
trap 'rm -rf "$folder.moved" "$folder.tar.gz"' EXIT
options=(--repeat 1 --thresholds 2)
(( $(nproc) < 2 )) || options+=(--cpus "$(taskset -cp $$ | sed 's/.*[ ,-]//')")
env -i PATH=/usr/bin:/bin "$folder.moved/run.sh" --seconds 8 -- "${options[@]}" || { cat "$folder.moved/results/log.txt"; exit 1; }
cat > "$folder.moved/check.cmake" << 'CHECK'
file(READ ${FOLDER}/results/results.json text)
foreach(i RANGE 1)
  string(JSON costs LENGTH "${text}" opencl workloads ${i} costs)
  string(JSON overlaps LENGTH "${text}" opencl workloads ${i} overlap)
  string(JSON sizes LENGTH "${text}" opencl workloads ${i} batches rows)
  string(JSON together GET "${text}" opencl workloads ${i} batches rows 2 together)
  if(NOT sizes EQUAL 5 OR together LESS 15)
    message(FATAL_ERROR "workload ${i}: ${sizes} sizes of batches, ${together} records in those of 16")
  endif()
  foreach(case RANGE 1)
    string(JSON ways LENGTH "${text}" opencl workloads ${i} cases ${case} rows)
    if(costs LESS 2 OR NOT overlaps EQUAL 3 OR ways LESS 2)
      message(FATAL_ERROR "workload ${i}: ${costs} costs, ${overlaps} numbers of slots, ${ways} ways")
    endif()
  endforeach()
endforeach()
string(JSON stays GET "${text}" opencl chain stays_copies)
string(JSON copied GET "${text}" opencl chain copied_copies)
if(NOT stays EQUAL 2 OR NOT copied EQUAL 4)
  message(FATAL_ERROR "a chain of two boxes copies ${stays} times where its value stays, and ${copied} times where it does not")
endif()
CHECK
cmake -DFOLDER="$folder.moved" -P "$folder.moved/check.cmake"
echo 99 > "$folder.moved/glibc_needed"  # newer than any: by the glibc of the folder
env -i PATH=/usr/bin:/bin "$folder.moved/run.sh" --seconds 2 -- "${options[@]}" > /dev/null || { cat "$folder.moved/results/log.txt"; exit 1; }
grep --quiet '^| learnt | ' "$folder.moved/results/results.md"
