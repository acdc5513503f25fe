#!/usr/bin/env bash
# The kernels under oclgrind: no access outside a buffer, no race of work items, no call against the rules. Its check for values
# that were never written does not know an instruction (freeze) that the compiler emits here.
#
#     tests/components/opencl/oclgrind.sh TEST_OPENCL
set -euo pipefail
command -v oclgrind > /dev/null || { echo "skipped: there is no oclgrind; runtime/package/prepare.sh --opencl installs it"; exit 77; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT
oclgrind --check-api --data-races --uniform-writes --log "$log" \
  "$1" --gtest_filter='an_opencl_device.does_in_a_few_small_sizes_as_cores_do' | tee /dev/stderr | grep '\[  PASSED  \] 1 test' > /dev/null
if [[ -s $log ]]; then
  head -c 4000 "$log" >&2
  exit 1
fi
