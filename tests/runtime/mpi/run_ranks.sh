#!/usr/bin/env bash
# run_ranks.sh MPIRUN [OPTION...] RANKS PROGRAM [ARGUMENT...]: runs a program as RANKS ranks on this machine, which may
# have fewer cores. Ends with code 77, which is skipped, where mpirun is not Open MPI's: others have other options.
set -euo pipefail
mpirun=$1
shift
version=$("$mpirun" --version 2>&1)
if [[ $version != *"Open MPI"* && $version != *OpenRTE* ]]; then
  echo "skipped: $mpirun is not Open MPI's"
  exit 77
fi
read -ra how <<< "$1"  # options, then the number of ranks
shift
# For builds with -fsanitize=address. The whole stack, since Open MPI's modules are gone when leaks are looked for.
export LSAN_OPTIONS="suppressions=$(dirname "$0")/leaks.supp" ASAN_OPTIONS="fast_unwind_on_malloc=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
exec "$mpirun" --oversubscribe --bind-to none "${how[@]:0:${#how[@]}-1}" -n "${how[-1]}" "$@"
