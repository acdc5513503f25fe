#!/usr/bin/env bash
# Checks a model with spin, every state that it can reach: check_model.sh MODEL WORK [OPTIONS OF SPIN...]
# WORK is a folder of its own. The last line is "errors: N, S states". A model has 0 errors; with a -DBROKEN_ variant of
# it among the options 1 is expected: the search ends at the first. Exits with 0 when it is as expected.
set -euo pipefail
if ! command -v spin > /dev/null; then
  echo "there is no spin; runtime/package/prepare.sh --tests installs it"
  exit 77
fi
model=$(realpath "$1")
work=$2
shift 2

expected=0
[[ "$*" == *BROKEN_* ]] && expected=1
mkdir -p "$work"
cd "$work"
rm -f pan* ./*.trail
spin -a "$@" "$model"
# SAFETY: assertions and invalid end states, no cycles. VECTORSZ: of one state. MEMLIM: MB.
gcc -O2 -w -DSAFETY -DCOLLAPSE -DVECTORSZ=1024 -DMEMLIM=6000 -o pan pan.c
./pan -m100000 > pan.log  # m: the longest path that is followed to its end; pan says when one was cut off
if grep -E '^error: max search depth|out of memory' pan.log; then
  exit 1
fi
errors=$(sed -n 's/.*errors: \([0-9]*\).*/\1/p' pan.log)
states=$(sed -n 's/ *\([0-9]*\) states, stored.*/\1/p' pan.log)
grep '^pan:1:' pan.log || true
if [[ $errors != 0 && $expected == 0 ]]; then
  spin -t -p "$@" -k ./*.trail "$model" | tail -n 60
fi
echo "errors: $errors, $states states"
[[ $errors == "$expected" ]]
