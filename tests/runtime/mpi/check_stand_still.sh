#!/usr/bin/env bash
# check_stand_still.sh MPIRUN STAND_STILL stop|kill VICTIM MICROSECONDS...: of three ranks one stands still for three
# seconds, or is killed, at each of these moments of a session's making. Every rank that lives ends, and says how.
set -euo pipefail
mpirun=$1 program=$2 how=$3 victim=$4
shift 4
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
said=$(mktemp)
trap 'rm -f "$said"' EXIT
for moment in "$@"; do
  status=0
  timeout 100 "$here/run_ranks.sh" "$mpirun" "--enable-recovery 3" "$program" "$how" "$victim" "$moment" 3 > "$said" 2>&1 || status=$?
  (( status != 77 )) || { cat "$said"; exit 77; }
  # A rank that is killed late may have ended before.
  least=$([[ $how == kill ]] && echo 2 || echo 3)
  if (( status != 0 )) || (( $(grep --count '^end 0$' "$said") < least )) || grep --quiet '^end 1$' "$said"; then
    echo "$how rank $victim after $moment us: status $status"
    cat "$said"
    exit 1
  fi
done
