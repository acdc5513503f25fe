#!/usr/bin/env bash
# Measures weir on this machine, which needs no compiler, no network and nothing else of weir: bench/many_cores.sh made the folder.
#
#     run.sh [--minutes N] [--quick] [--out FOLDER] [--rows A,B,..] [--list]
#
# --minutes (12) bounds everything; the most telling rows come first, and a row that is cut says so. --quick shortens all rows; fewer than
# four cores do so, too. FOLDER (results) gets results.html, results.json and log.txt, anew after each row. README.md says how to read them.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

refuse() { echo "run.sh: $*" >&2; exit 2; }

minutes=12 quick=false out=$here/results wanted=
while (( $# > 0 )); do
  case $1 in
    --minutes) minutes=${2:?--minutes needs a number}; shift 2 ;;
    --quick) quick=true; shift ;;
    --out) out=${2:?--out needs a folder}; shift 2 ;;
    --rows) wanted=${2:?--rows needs names}; shift 2 ;;
    --list) sed -n 's/^row [0-9]* //p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 2 ;;
  esac
done
[[ $minutes =~ ^[1-9][0-9]{0,3}$ ]] || refuse "--minutes: $minutes is not 1 to 9999"
for name in ${wanted//,/ }; do
  grep -qE "^row [0-9]+ $name " "${BASH_SOURCE[0]}" || refuse "--rows: there is no row $name; --list shows them"
done

. "$here/machine.sh"
{ mkdir -p "$out" && out=$(cd "$out" && pwd) && : >> "$out/log.txt"; } 2> /dev/null ||
  refuse "no file can be written in $out; --out FOLDER names another folder"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
programs=$here
[[ $(printf '%s\n' "$(< "$here/glibc_needed")" "$(glibc_version)" | sort -V | head -n 1) == "$(< "$here/glibc_needed")" ]] || use_own_glibc
"$programs/weir" topology > /dev/null || refuse "the programs of this folder do not run here; they are for x86-64"

begin=$EPOCHSECONDS
deadline=$(( begin + 60 * minutes - 18 ))  # for a program that does not end at SIGINT, and to write the results
trap 'end_programs; rm -rf "$work"' EXIT
exec 2>> "$out/log.txt"
say() { echo "[$(( EPOCHSECONDS - begin )) s] $*" | tee -a "$out/log.txt"; }

cores=$(weir_cores)
(( cores >= 4 )) || quick=true
rounds=3
! $quick || rounds=1
export TESSDATA_PREFIX=$here/tessdata FONTCONFIG_FILE=$work/fonts.conf HOME=$work TMPDIR=$work
printf '<?xml version="1.0"?><fontconfig><dir>%s</dir><cachedir>%s</cachedir></fontconfig>\n' "$here/fonts" "$work/fonts" > "$FONTCONFIG_FILE"

# The code with which this script will exit, once a signal has stopped it. A row that runs reports what it has; a second signal ends all.
stopped=0
stop() {
  (( stopped == 0 )) || exit "$stopped"
  stopped=$1
  (( ${#children[@]} == 0 )) || kill -INT "${children[@]}" 2> /dev/null
}
trap 'stop 130' INT; trap 'stop 143' TERM; trap 'stop 129' HUP

# run_for SECONDS COMMAND...: in the background, until SIGINT then. `all_done` waits for them and returns a code that is not 0 if one failed.
children=()
run_for() { timeout --signal=INT --kill-after=12 "$@" < /dev/null & children+=($!); }
all_done() {
  local child got code=0
  for child in "${children[@]}"; do
    wait "$child"; got=$?
    while kill -0 "$child" 2> /dev/null; do wait "$child"; got=$?; done  # a signal of ours ended the wait
    (( got == 0 )) || code=$got
  done
  children=()
  (( stopped == 0 && code != 130 )) || code=124
  return $code
}

# has_time SECONDS: whether the row has more than that left. Where load makes the calibration slow, it may have none.
has_time() { (( until - EPOCHSECONDS > $1 && stopped == 0 )); }

# within COMMAND...: a command of the row, until the row's time is up. It reports then what it has, and the code is 124.
within() {
  local left=$(( until - EPOCHSECONDS ))
  (( left > 0 && stopped == 0 )) || return 124
  run_for "$left" "$@" >> "$work/text"
  all_done
}

# Ends the programs of this folder that a row left running: the children of a program that was killed would run on into the next row.
end_programs() {
  local process
  for process in /proc/[0-9]*; do
    [[ $(readlink "$process/exe") != "$programs"/* ]] || kill -KILL "${process#/proc/}"
  done 2> /dev/null
}

# row WEIGHT NAME TITLE: runs row_NAME, which writes its table to $work/text and JSON to files that it names in `parts`. Rows share the
# time that is left by their weights.
row() {
  local weight=$1 name=$2 title=$3 status="not begun" code=0 started=$EPOCHSECONDS part first=true load=null
  if [[ -n $wanted && ,$wanted, != *,$name,* ]]; then return; fi
  until=$(( EPOCHSECONDS + (deadline - EPOCHSECONDS) * weight / weights ))
  weights=$(( weights - weight ))
  parts=()
  : > "$work/text"
  if (( stopped == 0 )); then
    calibrate
    say "$name: $title, at most $(( until - EPOCHSECONDS )) s"
    "row_$name" || code=$?
    end_programs
    case $code in
      0) if grep -qE "; interrupted|rounds of [0-9]" "$work/text"; then status=cut; else status=done; fi ;;
      124 | 137) status=cut ;;
      *) status="failed with code $code" ;;
    esac
    say "$name: $status after $(( EPOCHSECONDS - started )) s"
  fi
  {
    [[ ! -s $work/rows ]] || echo ,
    printf '{"row": "%s", "title": "%s", "status": "%s", "seconds": %d, "seconds_allowed": %d, "load": %s, "text": ' "$name" "$title" \
      "$status" $(( EPOCHSECONDS - started )) $(( until - started )) "$load"
    as_strings < "$work/text"
    printf ', "results": {'
    for part in "${parts[@]}"; do
      is_whole "$work/$part.json" || continue
      $first || echo ,
      first=false
      printf '"%s": ' "$part"
      cat "$work/$part.json"
    done
    echo '}}'
  } >> "$work/rows"
  write_results
}

# A program that was killed may leave half a file of JSON: its brackets do not match.
is_whole() {
  [[ -s $1 ]] && awk '{ gsub(/"([^"\\]|\\.)*"/, ""); open += gsub(/[{[]/, "") - gsub(/[]}]/, "") } END { exit open != 0 }' "$1"
}

# Files appear complete or not at all, after each row: who kills this script has them, too.
write_results() {
  {
    printf '{"format": "weir many cores", "cores": %d, "quick": %s, "seconds": %d, "machine": ' "$cores" "$quick" $(( EPOCHSECONDS - begin ))
    machine_json; echo ', "rows": ['; cat "$work/rows"; echo ']}'
  } > "$out/.results.json"
  { sed '/^@DATA@$/,$d' "$here/page.html"; sed 's/</\\u003c/g' "$out/.results.json"; sed '1,/^@DATA@$/d' "$here/page.html"; } > "$out/.results.html"
  mv "$out/.results.json" "$out/results.json" && mv "$out/.results.html" "$out/results.html"
}

# Powers of two up to LIMIT, and LIMIT, by commas.
powers() {
  local n list=
  for (( n = 1; n < $1; n *= 2 )); do list+=$n,; done
  echo "$list$1"
}

drawn=0  # the code of what drew the documents
draw_documents() {
  local every=240 uniform=36 mixed=120 allowed=$(( (deadline - EPOCHSECONDS) / 4 ))
  ! $quick || every=12 uniform=8 mixed=16
  run_for $allowed "$programs/weir" corpus generate "$work/every_third" --pages $every --scan-every 3 > /dev/null
  run_for $allowed "$programs/weir" corpus generate "$work/uniform" --pages $uniform --scan-every 1 > /dev/null
  run_for $allowed "$programs/weir" corpus generate "$work/mixed" --pages $mixed > /dev/null
  all_done || { drawn=$?; say "documents could not be drawn in $allowed s: code $drawn"; }
}

# documents NAME FOLDER WAY...: `weir corpus compare`, by the command in `on` where there is one.
on=()
documents() {
  local name=$1 folder=$2 way ways=()
  shift 2
  (( drawn == 0 )) || { echo "no documents were drawn; log.txt says why" >> "$work/text"; return $drawn; }
  for way; do ways+=(--way "$way"); done
  has_time 2 || return 124
  parts+=("$name")
  within "${on[@]}" "$programs/weir" corpus compare "$work/$folder" --rounds $rounds --out "$work/$name.json" \
    --seconds $(( until - EPOCHSECONDS - 2 )) "${ways[@]}"
}

row_documents() { documents every_third every_third "weir adaptive" "pipeline limited" "flow-graph limited" "weir shared"; }

row_shipped() { documents mixed mixed "weir adaptive" "pipeline limited" pipeline flow-graph "xargs limited"; }

row_lanes() {  # of `read`: lanes x threads
  local ways=("weir adaptive" "pipeline limited") given lanes
  for given in $(powers "$cores" | tr , ' '); do
    for (( lanes = 1; lanes <= given; lanes *= 2 )); do
      (( lanes * 4 < cores )) || ways+=("weir fixed:read=${given}x$lanes")
    done
  done
  documents uniform uniform "${ways[@]}"
}

stages() {  # stages NAME CORES PROGRAMS [SECONDS OF A RUN]: chains of real kernels
  local seconds=${4:-2}
  ! $quick || seconds=0.3
  has_time 4 || return 124
  parts+=("$1")
  within "$programs/stages" --cores "$2" --program "$3" --rounds $rounds --run-seconds $seconds --seconds $(( until - EPOCHSECONDS - 4 )) \
    --out "$work/$1.json"
}

# The six programs on the first COUNT cores; documents are the sixth, with a quarter of the time.
six_programs() {
  local count=$1 whole=$until share ways code=0
  until=$(( until - (until - EPOCHSECONDS) / 4 ))
  stages programs_on_"$count" "$count" matmul,blocked,gauss,jpeg,des 1 || code=$?
  until=$whole
  ways=("weir adaptive" "sequential limited" "pipeline limited" "weir best-fixed-by-model" "weir shared")
  for share in $(( count / 2 )) $(( count * 3 / 4 )) $(( count - 1 )); do
    (( share < 1 )) || [[ " ${ways[*]} " == *"=${share}x"* ]] || ways+=("weir fixed:read=${share}x$share")
  done
  ways+=("weir equal")
  if (( count < cores )); then on=(taskset --cpu-list "$(first_units "$count")"); fi
  documents documents_on_"$count" mixed "${ways[@]}" || code=$?
  on=()
  return $code
}

row_programs() { six_programs "$cores"; }

row_fewer() { six_programs $(( cores > 8 ? 8 : (cores + 1) / 2 )); }

row_phases() { stages phases 0 phases,tails; }

row_hurts() { stages hurts 0 memory,lock; }

# Learns on up to half of the cores and predicts all: naive and blocked products of the paper.
row_paper() {
  local kernel round=0 code=0 half=$(( (cores + 1) / 2 )) keep=$until kernels=(naive blocked16 blocked32 blocked64) sizes=100:1000:100 last=10
  ! $quick || sizes=100:400:100 last=2
  mkdir -p "$work/all"
  until=$(( until - 3 ))  # the models
  while (( code == 0 && round < last )); do
    round=$(( round + 1 ))
    for kernel in "${kernels[@]}"; do
      rm -f "$work/one.csv"
      within "$programs/weir" matmul --kernel "$kernel" --cores "$(powers "$cores")" --sizes $sizes --repeat 1 --order shuffled \
        --seed $round --out "$work/one.csv" || code=$?
      [[ -s $work/one.csv ]] || break
      if [[ -s $work/all/$kernel.csv ]]; then sed 1d "$work/one.csv"; else cat "$work/one.csv"; fi >> "$work/all/$kernel.csv"
    done
  done
  until=$keep
  echo "learnt on up to $half of $cores cores, predicted on all; $round rounds" > "$work/text"
  for kernel in "${kernels[@]}"; do
    [[ -s $work/all/$kernel.csv ]] || continue
    rows_of "$work/all/$kernel.csv" '$at["cores"] <= half' > "$work/learnt.csv"
    rows_of "$work/all/$kernel.csv" '$at["cores"] > half' > "$work/predicted.csv"
    parts+=("$kernel")
    echo "$kernel:" >> "$work/text"
    within "$programs/weir" fit "$work/learnt.csv" --estimator all --degree 3 --test "$work/predicted.csv" || code=$?
    "$programs/weir" fit "$work/learnt.csv" --estimator all --degree 3 --test "$work/predicted.csv" --json > "$work/$kernel.json"
  done
  (( code != 0 )) || within "$programs/paper" compute "$work/all" "$work/figures" || code=$?
  return $code
}

rows_of() {  # rows_of FILE CONDITION: the products of observations of which it holds
  awk -F, -v half="$half" 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; print; next } $at["component"] == "multiply" && '"$2" "$1"
}

row_speed() {
  local group code=0
  parts=(data_parallel choice pipe latency)
  for group in "${parts[@]}"; do
    local impl=()
    [[ $group != pipe ]] || impl=(--impl weir,weir_outside,flow_graph,flow_graph_outside,parallel_pipeline,three_threads_spin_park,loop)
    within "$programs/overhead" --group $group "${impl[@]}" --repeat $rounds --out "$work/$group.json" || { code=$?; break; }
  done
  return $code
}

row_moves() {  # between neighbours, and from the first core to the last: another cluster or NUMA node where there is one
  local seconds=3 code=0 far=$(( cores - 1 )) other
  ! $quick || seconds=1
  for other in 1 $(( far > 1 ? far : 0 )); do
    (( other > 0 && other < cores )) || continue
    parts+=("moves_0_$other")
    within "$programs/moves" --cores 0,$other --seconds $seconds --repeat 2 --out "$work/moves_0_$other.json" || code=$?
  done
  # It writes its JSON line by line: half of it is none.
  parts+=(decisions)
  within "$programs/allocation_cost" --benchmark_filter='^run/.*/(3|10)/(48|256)$' --benchmark_min_time=0.02 \
    --benchmark_out="$work/half.json" --benchmark_out_format=json && mv "$work/half.json" "$work/decisions.json" || code=$?
  return $code
}

row_costs() {
  parts=(costs)
  has_time 0 || return 124
  run_for $(( until - EPOCHSECONDS )) "$programs/component_costs" --cores "$(powers "$cores")" --repeat $rounds --json > "$work/half.json"
  all_done && mv "$work/half.json" "$work/costs.json"
}

: > "$work/rows"
weights=$(awk -v rows=",$wanted," '/^row [0-9]+ / && (rows == ",," || index(rows, "," $3 ",")) { sum += $2 } END { print sum + 0 }' \
  "${BASH_SOURCE[0]}")
say "weir, cores: $cores, at most $minutes minutes"
[[ -n $wanted && ! ,$wanted, =~ ,(documents|programs|shipped|lanes|fewer), ]] || draw_documents
row 30 documents "documents to text, each third page a scan of 200 dpi"
row 60 programs "six programs of real kernels on all cores"
row 20 phases "stages whose costs change (K1), and late records (K3)"
row 15 shipped "mixed documents to text, as programs are shipped and limited by hand"
row 12 lanes "uniform scans: lanes and threads of the reader"
row 20 hurts "cores that hurt: a stage bound by memory, one by a lock"
row 20 paper "learn on half of the cores, predict all"
row 40 fewer "the six programs on 8 cores, or on half of them"
row 15 speed "what a record costs"
row 8 moves "moves and decisions"
row 8 costs "each component on every number of cores, and what models learn of it"
calibrate
write_results
say "written: $out/results.html, results.json, log.txt"
(( stopped == 0 )) || exit "$stopped"
! grep -q '"status": "failed' "$work/rows"
