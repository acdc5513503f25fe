#!/usr/bin/env bash
# check_survival.sh MPIRUN SURVIVE kill|stop|pause [RANKS]: one of two or three ranks, or of RANKS, dies at each of ten
# moments, or of WEIR_MPI_DEATHS. The others learn of it in time and end.
set -euo pipefail
mpirun=$1 survive=$2 how=$3 all=${4:-}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for seed in $(seq 1 "${WEIR_MPI_DEATHS:-10}"); do
  ranks=${all:-$((seed % 5 == 0 ? 2 : 3))}
  rm -f "$work"/died*
  status=0
  timeout 60 "$here/run_ranks.sh" "$mpirun" "--enable-recovery $ranks" "$survive" "$how" "$seed" "$work/died" \
    > "$work/said" 2>&1 || status=$?
  (( status != 77 )) || { cat "$work/said"; exit 77; }
  # Those who live say so at their end; who was stopped for a while, as well.
  expected=$((ranks - 1))
  [[ $how != pause ]] || expected=$ranks
  if (( status != 0 )) || (( $(grep --count '^end 0$' "$work/said") != expected )); then
    echo "$how at moment $seed of $ranks ranks: status $status"
    cat "$work/said"
    exit 1
  fi
done
