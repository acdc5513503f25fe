#!/usr/bin/env bash
# check_mpich.sh ROOT INCLUDE...: MPICH's headers compile all that calls MPI. Ends with code 77, which is skipped, without MPICH.
set -euo pipefail
root=$1; shift
type mpicxx.mpich > /dev/null 2>&1 || { echo "skipped: there is no mpicxx.mpich (libmpich-dev)"; exit 77; }
for source in "$root"/runtime/mpi/*.cpp; do
  mpicxx.mpich -std=c++20 -fsyntax-only -Wall -Wextra -Werror -DMPICH_SKIP_MPICXX -I"$root" "${@/#/-I}" "$source"
done
