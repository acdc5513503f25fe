#!/usr/bin/env bash
# COMMAND | runtime/package/progress.sh WHAT [SECONDS]: how far Ninja or CTest is, of whose lines those that say so are taken out.
#
# On a terminal it is one line that changes, elsewhere a line every 15 seconds: twice in the half minute after which people begin to
# wonder. SECONDS are those of a step on one core, for a first estimate; later ones follow from the steps so far. It says nothing
# where there is nothing to do. Lines of failures, warnings and skipped tests stay.
set -euo pipefail
what=$1 per_step=${2:-}
every=15
width=
[[ ! -t 1 ]] || width=$(tput cols 2> /dev/null || echo 80)

# roughly SECONDS: "40 s", "3 min", "2 h".
roughly() {
  if (( $1 < 60 )); then echo "$1 s"; elif (( $1 < 5400 )); then echo "$((($1 + 30) / 60)) min"; else echo "$((($1 + 1800) / 3600)) h"; fi
}

began=$SECONDS last=$SECONDS first=0 finished=0 total=0
show() {
  (( total > 0 )) || return 0
  local rest="" line
  (( finished - first < 3 || finished >= total )) ||
    rest=", about $(roughly $(((SECONDS - began) * (total - finished) / (finished - first)))) left"
  line="$what: [$finished/$total]$rest"
  if [[ -n $width ]]; then
    printf '\r%.*s\033[K' "$((width - 1))" "$line"
  elif (( SECONDS - last >= every && finished < total )); then
    echo "$line"
    last=$SECONDS
  fi
}

while true; do
  status=0
  IFS= read -r -t "$every" line || status=$?
  if (( status > 128 )); then  # nothing for a while: a step takes long
    show
    continue
  fi
  (( status == 0 )) || [[ -n $line ]] || break
  if [[ $line =~ ^\[([0-9]+)/([0-9]+)\]' ' || $line =~ ^' '*([0-9]+)/([0-9]+)' Test '.*\ Passed ]]; then
    [[ ${BASH_REMATCH[1]} != 0 ]] || continue  # Ninja looks at its own files
    finished=${BASH_REMATCH[1]}
    if (( total == 0 )); then
      total=${BASH_REMATCH[2]} first=$finished
      [[ -z $per_step ]] ||
        echo "$what: $total steps, about $(roughly $((total * per_step / $(nproc) + 1))) where nothing else runs"
    fi
    total=${BASH_REMATCH[2]}
    show
  elif [[ $line =~ ^' '+Start' '+[0-9]+: || $line == 'ninja: no work to do.' || $line == 'ninja: Entering directory'* ]]; then
    continue
  else
    [[ -z $width ]] || printf '\r\033[K'
    printf '%s\n' "$line"
  fi
done
[[ -z $width ]] || printf '\r\033[K'
