#!/usr/bin/env bash
# Measures the clips of film.snet: `weir run`, which is told no number, and every division of the cores into lanes and threads of the
# same programs by `xargs -P`. The ways take turns. Prints a table: seconds, the ratio to weir within a round, the largest memory.
#
#     run.sh [--clips 30] [--rounds 3] [--minutes 7.5] [--cores N] [--out FOLDER]
#
# Begins no round that would not end in its time. --cores: as on so many cores (taskset). The programs are those of this folder where
# it has a bin (film.sh makes one), else those of PATH.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
clips=30 rounds=3 minutes=7.5 cores=$(nproc) out=$PWD/film_results
while (( $# > 0 )); do
  case $1 in
    --clips) clips=$2 ;; --rounds) rounds=$2 ;; --minutes) minutes=$2 ;; --cores) cores=$2 ;; --out) out=$2 ;;
    *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 2 ;;
  esac
  shift 2
done
[[ ! -d $here/bin ]] || PATH=$here/bin:$PATH
for program in weir ffmpeg x265 SvtAv1EncApp xargs taskset; do
  command -v "$program" > /dev/null || { echo "run.sh: there is no $program" >&2; exit 2; }
done
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$here"

# Clips of several lengths and sizes, whose cost is not to be seen from either: noise needs more tries than a pattern.
: > "$out/clips.jsonl"
: > "$out/clips"
for (( i = 0; i < clips; ++i )); do
  size=640x360
  if (( i % 5 == 2 )); then size=1280x720; fi
  frames=$(( 24 + i * 29 % 60 ))
  case $(( i * 5 % 3 )) in
    0) source=testsrc2=size=$size:rate=25 ;;
    1) source=testsrc2=size=$size:rate=25,noise=alls=$(( 4 + i % 7 )):allf=t:all_seed=$i ;;
    2) source=mandelbrot=size=$size:rate=25:start_scale=$(( 1 + i % 3 )) ;;
  esac
  codec=$(( i % 2 ? 1 : 265 ))
  printf '{"name": "clip %02d", "source": "%s", "<codec>": %d, "<frames>": %d}\n' "$i" "$source" "$codec" "$frames" >> "$out/clips.jsonl"
  printf '%s\0' "clip $(printf %02d "$i")" "$codec" "$frames" "$source" >> "$out/clips"
done

on_cores=(taskset --cpu-list "$(taskset --cpu-list --pid $$ | sed 's/.*: //' | awk -v n="$cores" -F, '{
  for (i = 1; i <= NF; ++i) { split($i, range, "-"); to = range[2] == "" ? range[1] : range[2]
    for (c = range[1]; c <= to && n > 0; ++c) { list = list (list == "" ? "" : ",") c; --n } } print list }')")

by_weir() { weir run film.snet --boxes film.json --input "$out/clips.jsonl" --output "$1" --report "$out/weir.html"; }
by_hand() { xargs -0 -n 4 -P "$2" sh clip.sh "$3" < "$out/clips" > "$1"; }

# The largest sum of the resident sets of a process and all below it, in megabytes, seen every fifth of a second.
watch_memory() {
  local most=0 now page=$(( $(getconf PAGESIZE) / 1024 ))
  while kill -0 "$1" 2> /dev/null; do
    now=$({ cat /proc/[0-9]*/stat 2> /dev/null || true; } | awk -v top="$1" -v page="$page" '{
      pid = $1; sub(/^.*\) /, ""); of[pid] = $2; size[pid] = $22 }
      END { for (p in of) { for (q = p; q in of && q != top; q = of[q]); if (q == top) sum += size[p] } printf "%d", sum * page / 1024 }')
    if (( now > most )); then most=$now; fi
    sleep 0.2
  done
  echo "$most" > "$2"
}

# one WAY ROUND: WAY is weir, or lanes x threads.
one() {
  local way=$1 began ended results=$out/results.$1.$2.jsonl run
  local -a call=(by_weir "$results")
  [[ $way == weir ]] || call=(by_hand "$results" "${way%x*}" "${way#*x}")
  rm -f "$results"
  began=$(date +%s.%N)
  "${on_cores[@]}" bash -c "$(declare -f by_weir by_hand); out=$(printf %q "$out"); \"\$@\"" way "${call[@]}" 2> "$out/errors.$way.$2" &
  run=$!
  watch_memory "$run" "$out/memory" &
  local watch=$! status=0
  wait "$run" || status=$?
  ended=$(date +%s.%N)
  wait "$watch"
  sed 's/.*"name": "\([^"]*\)".*"<crf>": \([0-9]*\).*"<psnr>": \([0-9]*\).*/\1 \2 \3/' "$results" | sort > "$out/sorted"
  [[ -e $out/expected ]] || cp "$out/sorted" "$out/expected"
  if (( status != 0 )) || ! cmp --quiet "$out/sorted" "$out/expected"; then
    echo "run.sh: $way gave other results, or ended with $status: see $out/errors.$way.$2, $results" >&2
    exit 1
  fi
  awk -v way="$way" -v round="$2" -v from="$began" -v to="$ended" -v memory="$(cat "$out/memory")" \
    'BEGIN { printf "%s %d %.2f %d\n", way, round, to - from, memory }' | tee -a "$out/runs" >&2
}

# Every division that leaves no core over which one more thread for each lane would take.
ways=(weir)
for (( lanes = 1; lanes <= cores; ++lanes )); do
  threads=$(( cores / lanes ))
  if (( lanes == cores || cores / (lanes + 1) < threads )); then ways+=("${lanes}x$threads"); fi
done
: > "$out/runs"
rm -f "$out/expected"
echo "$clips clips, $cores cores: ${ways[*]}" >&2
began=$SECONDS
for (( round = 1; round <= rounds; ++round )); do
  for (( i = 0; i < ${#ways[@]}; ++i )); do one "${ways[(i + round) % ${#ways[@]}]}" "$round"; done
  spent=$(( SECONDS - began ))
  if awk -v spent="$spent" -v round="$round" -v minutes="$minutes" 'BEGIN { exit !(spent * (round + 1) / round > minutes * 60) }'; then
    break
  fi
done

awk '{ seconds[$1, $2] = $3; memory[$1, $2] = $4; if (!($1 in n)) order[++ways] = $1; n[$1] = $2 > n[$1] ? $2 : n[$1] }
  function median(list, count,   i, j, v) {
    for (i = 2; i <= count; ++i) for (j = i; j > 1 && list[j] < list[j - 1]; --j) { v = list[j]; list[j] = list[j - 1]; list[j - 1] = v }
    return count % 2 ? list[(count + 1) / 2] : (list[count / 2] + list[count / 2 + 1]) / 2 }
  END {
    print "| lanes x threads | seconds | of weir | peak memory, MB | of weir |\n|---|---|---|---|---|"
    for (w = 1; w <= ways; ++w) {
      way = order[w]; count = n[way]
      for (r = 1; r <= count; ++r) {
        s[r] = seconds[way, r]; m[r] = memory[way, r]; sr[r] = s[r] / seconds["weir", r]; mr[r] = m[r] / (memory["weir", r] ? memory["weir", r] : 1) }
      printf "| %s | %.1f | %.2f | %.0f | %.2f |\n", way, median(s, count), median(sr, count), median(m, count), median(mr, count) }
    print "\nMedians; rounds: " n["weir"] "."
  }' "$out/runs" | tee "$out/table.md"
