#!/usr/bin/env bash
# Measures weir on this machine, which needs no compiler, no network and nothing else of weir: bench/many_cores.sh made the folder.
#
#     run.sh [--minutes N] [--quick] [--out FOLDER] [--rows A,B,..] [--list]
#
# --minutes (12) bounds everything; the most telling rows come first, and a row that is cut says so. --quick shortens all rows, for a
# machine of two cores. FOLDER (results) gets results.json, results.md and log.txt. README.md says how to read them.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

minutes=12 quick=false out=$here/results wanted=
while (( $# > 0 )); do
  case $1 in
    --minutes) minutes=${2:?--minutes needs a number}; shift 2 ;;
    --quick) quick=true; shift ;;
    --out) out=${2:?--out needs a folder}; shift 2 ;;
    --rows) wanted=${2:?--rows needs names}; shift 2 ;;
    --list) grep -oP '^row [0-9]+ \K.*' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 2 ;;
  esac
done
[[ $minutes =~ ^[1-9][0-9]{0,3}$ ]] || { echo "run.sh: --minutes: $minutes is not 1 to 9999" >&2; exit 2; }

. "$here/machine.sh"
needed=$(< "$here/glibc")
[[ $(printf '%s\n' "$needed" "$(glibc_version)" | sort -V | head -n 1) == "$needed" ]] ||
  { echo "run.sh: this folder needs glibc $needed or later; here is $(glibc_version)" >&2; exit 2; }

begin=$EPOCHSECONDS
deadline=$(( begin + 60 * minutes - 18 ))  # for a program that does not end at SIGINT, and to write the results
mkdir -p "$out" || exit 1
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
exec 2>> "$out/log.txt"
say() { echo "[$(( EPOCHSECONDS - begin )) s] $*" | tee -a "$out/log.txt"; }

cores=$(nproc)
half=$(( (cores + 1) / 2 ))
export TESSDATA_PREFIX=$here/tessdata FONTCONFIG_FILE=$work/fonts.conf HOME=$work TMPDIR=$work
printf '<?xml version="1.0"?><fontconfig><dir>%s</dir><cachedir>%s</cachedir></fontconfig>\n' "$here/fonts" "$work/fonts" > "$FONTCONFIG_FILE"

# Powers of two up to LIMIT, and LIMIT, by commas.
powers() {
  local n list=
  for (( n = 1; n < $1; n *= 2 )); do list+=$n,; done
  echo "$list$1"
}

# within COMMAND...: a command of the row that runs, until the row's time is up. SIGINT lets it report what it has.
within() {
  local left=$(( until - EPOCHSECONDS )) code
  (( left > 0 )) || return 124
  timeout --signal=INT --kill-after=12 "$left" "$@" < /dev/null >> "$work/text"
  code=$?
  (( code != 130 )) || code=124
  return $code
}

# Ends the programs of this folder that a row left running: the children of a program that was killed would run on into the next row.
end_programs() {
  local process
  for process in /proc/[0-9]*; do
    [[ $(readlink "$process/exe") != "$here"/* ]] || kill -KILL "${process#/proc/}"
  done 2> /dev/null
}

# row WEIGHT NAME TITLE: runs row_NAME, which writes its table to $work/text and JSON to files that it names in `parts`. Rows share the
# time that is left by their weights.
row() {
  local weight=$1 name=$2 title=$3 status code=0 started=$EPOCHSECONDS part first=true
  if [[ -n $wanted && ,$wanted, != *,$name,* ]]; then return; fi
  until=$(( EPOCHSECONDS + (deadline - EPOCHSECONDS) * weight / weights ))
  weights=$(( weights - weight ))
  parts=()
  : > "$work/text"
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
  {
    printf '\n## %s: %s\n\n%s after %d s of %d; load %s before\n\n' "$name" "$title" "$status" $(( EPOCHSECONDS - started )) \
      $(( until - started )) "$load"
    printf '```text\n'; cat "$work/text"; printf '```\n'
  } >> "$work/page"
  {
    [[ ! -s $work/rows ]] || echo ,
    printf '{"row": "%s", "title": "%s", "status": "%s", "seconds": %d, "seconds_allowed": %d, "load": %s, "results": {' "$name" "$title" \
      "$status" $(( EPOCHSECONDS - started )) $(( until - started )) "$load"
    for part in "${parts[@]}"; do
      [[ -s $work/$part.json ]] || continue
      $first || echo ,
      first=false
      printf '"%s": ' "$part"
      cat "$work/$part.json"
    done
    echo '}}'
  } >> "$work/rows"
  write_results
}

# Files appear complete or not at all, after each row: who stops this script early has them, too.
write_results() {
  { echo '{"machine": '; machine_json; echo ', "rows": ['; cat "$work/rows"; echo ']}'; } > "$work/results.json"
  { echo '# weir on many cores'; machine_text; cat "$work/page"; } > "$work/results.md"
  mv "$work/results.json" "$work/results.md" "$out/"
}

documents() {  # documents NAME ROUNDS WAY...: `weir corpus compare`
  local name=$1 rounds=$2 way ways=()
  shift 2
  for way; do ways+=(--way "$way"); done
  parts+=("$name")
  within "$here/weir" corpus compare "$work/$name" --rounds "$rounds" --out "$work/$name.json" \
    --seconds $(( until - EPOCHSECONDS - 2 )) "${ways[@]}"
}

rounds=3
! $quick || rounds=1

draw_documents() {
  local every=240 uniform=36 mixed=120 job
  ! $quick || every=12 uniform=12 mixed=24
  "$here/weir" corpus generate "$work/every_third" --pages $every --scan-every 3 > /dev/null &
  "$here/weir" corpus generate "$work/uniform" --pages $uniform --scan-every 1 > /dev/null &
  "$here/weir" corpus generate "$work/mixed" --pages $mixed > /dev/null &
  for job in $(jobs -p); do wait "$job" || say "documents could not be drawn"; done
}

row_documents() { documents every_third $rounds "weir adaptive" "pipeline limited" "flow-graph limited" "weir shared"; }

row_shipped() { documents mixed $rounds "weir adaptive" "pipeline limited" pipeline flow-graph "xargs limited"; }

row_lanes() {  # of `read`: lanes x threads
  local ways=("weir adaptive" "pipeline limited") given lanes
  for given in $(powers "$cores" | tr , ' '); do
    for (( lanes = 1; lanes <= given; lanes *= 2 )); do
      (( lanes * 4 < cores )) || ways+=("weir fixed:read=${given}x$lanes")
    done
  done
  documents uniform $rounds "${ways[@]}"
}

# Learns on up to half of the cores and predicts all: naive and blocked products of the paper.
row_paper() {
  local kernel round=0 code=0 kernels=(naive blocked16 blocked32 blocked64) sizes=100:1000:100 last=10
  ! $quick || sizes=100:400:100 last=2
  mkdir -p "$work/all"
  local keep=$until
  until=$(( until - 3 ))  # the models
  while (( code == 0 && round < last )); do
    round=$(( round + 1 ))
    for kernel in "${kernels[@]}"; do
      rm -f "$work/one.csv"
      within "$here/weir" matmul --kernel "$kernel" --cores "$(powers "$cores")" --sizes $sizes --repeat 1 --order shuffled \
        --seed $round --out "$work/one.csv" > /dev/null || code=$?
      [[ -s $work/one.csv ]] || break
      if [[ -s $work/all/$kernel.csv ]]; then sed 1d "$work/one.csv"; else cat "$work/one.csv"; fi >> "$work/all/$kernel.csv"
    done
  done
  until=$keep
  : > "$work/text"
  echo "learnt on up to $half of $cores cores, predicted on all; $round rounds" >> "$work/text"
  for kernel in "${kernels[@]}"; do
    [[ -s $work/all/$kernel.csv ]] || continue
    awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i } NR == 1 || $at["component"] == "multiply"' "$work/all/$kernel.csv" \
      > "$work/$kernel.csv"
    awk -F, -v half="$half" 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i } NR == 1 || $at["cores"] <= half' "$work/$kernel.csv" \
      > "$work/learnt.csv"
    awk -F, -v half="$half" 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i } NR == 1 || $at["cores"] > half' "$work/$kernel.csv" \
      > "$work/predicted.csv"
    parts+=("$kernel")
    echo "$kernel:" >> "$work/text"
    within "$here/weir" fit "$work/learnt.csv" --estimator all --degree 3 --test "$work/predicted.csv" || code=$?
    "$here/weir" fit "$work/learnt.csv" --estimator all --degree 3 --test "$work/predicted.csv" --json > "$work/$kernel.json"
  done
  (( code != 0 )) || within "$here/paper" compute "$work/all" "$work/figures"
  return $code
}

row_speed() {
  local repeat=3
  ! $quick || repeat=1
  parts=(pipe choice data_parallel latency)
  local group code=0
  for group in "${parts[@]}"; do
    within "$here/overhead" --group $group --repeat $repeat --out "$work/$group.json" || { code=$?; break; }
  done
  return $code
}

stages() {  # stages NAME CORES PROGRAMS: chains of real kernels
  local rounds=5 seconds=2
  ! $quick || rounds=1 seconds=0.3
  parts+=("$1")
  within "$here/stages" --cores "$2" --program "$3" --rounds $rounds --run-seconds $seconds --seconds $(( until - EPOCHSECONDS - 4 )) \
    --out "$work/$1.json"
}

row_stages() { stages stages 0 products,phases,jpeg; }

row_hurts() { stages hurts 0 hurts,tails,des; }

row_eight() { stages eight "$(( cores < 8 ? cores : 8 ))" products,phases; }

row_moves() {
  local seconds=3 code=0
  ! $quick || seconds=1
  parts=(moves decisions)
  (( cores < 2 )) || within "$here/moves" --seconds $seconds --repeat 2 --out "$work/moves.json" || code=$?
  # It writes its JSON line by line: half of it is none.
  within "$here/allocation_cost" --benchmark_filter='^run/.*/(3|10)/(48|256)$' --benchmark_min_time=0.02 \
    --benchmark_out="$work/half.json" --benchmark_out_format=json && mv "$work/half.json" "$work/decisions.json" || code=$?
  return $code
}

: > "$work/rows"; : > "$work/page"
weights=$(awk -v rows=",$wanted," '/^row [0-9]+ / && (rows == ",," || index(rows, "," $3 ",")) { sum += $2 } END { print sum + 0 }' \
  "${BASH_SOURCE[0]}")
(( weights > 0 )) || { echo "run.sh: --rows $wanted names no row; --list shows them"; exit 2; }
say "weir on $cores cores, at most $minutes minutes"
[[ -n $wanted && ! ,$wanted, =~ ,(documents|shipped|lanes), ]] || draw_documents
row 30 documents "documents to text, every third page a scan of 200 dpi"
row 40 stages "real kernels: adaptive beside one core a stage, equal, best fixed, work stealing"
row 15 shipped "documents to text, as programs are shipped and limited by hand"
row 15 lanes "uniform scans: lanes and threads of the reader"
row 20 hurts "a memory-bound and a lock-bound stage; late records; DES"
row 25 paper "learn on half of the cores, predict all"
row 20 eight "real kernels on 8 cores"
row 15 speed "what coordination costs on many cores"
row 8 moves "moves and decisions"
calibrate
write_results
say "written: $out/results.json, results.md, log.txt"
! grep -q '"status": "failed' "$work/rows"
