#!/usr/bin/env bash
# Measures three films, encoded scene by scene: `weir run film.snet`, which is told no number, the same under a limit of memory, every
# division of the cores into lanes and threads of the same programs by `xargs -P` and by a oneTBB pipeline, and ffmpeg alone. The ways
# take turns. Prints a table: seconds, the ratio to weir within a round, the largest memory. Every scene has to be near enough to the
# film, and every joined film to have all frames.
#
#     run.sh [--scenes 8] [--rounds 3] [--minutes 7.5] [--cores N] [--memory MB] [--ways WAY,..] [--out FOLDER]
#
# Begins no round that would not end in its time. --cores: the number of cores to run on (taskset). --memory: of the limited way (default: 128).
# The programs are those of this folder where it has a bin (pack.sh makes one), else those of PATH; without field_film no pipeline runs.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scenes=8 rounds=3 minutes=7.5 cores=$(nproc) memory=128 asked='' out=$PWD/film_results
while (( $# > 0 )); do
  case $1 in
    --scenes) scenes=$2 ;; --rounds) rounds=$2 ;; --minutes) minutes=$2 ;; --cores) cores=$2 ;; --memory) memory=$2 ;;
    --ways) asked=${2//,/ } ;; --out) out=$2 ;;
    *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 2 ;;
  esac
  shift 2
done
[[ ! -d $here/bin ]] || PATH=$here/bin:$PATH
for program in weir ffmpeg x264 x265 SvtAv1EncApp xargs taskset; do
  command -v "$program" > /dev/null || { echo "run.sh: there is no $program" >&2; exit 2; }
done
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$here"

# Films of scenes of several lengths, whose cost is not to be seen from these: noise needs more tries than a pattern.
: > "$out/films.jsonl"
: > "$out/films"
frames_of() { echo $(( 12 + ($1 * 29 + $2 * 17) % 60 )); }
for (( film = 0; film < 3; ++film )); do
  graph='' names='' all=0
  for (( s = 0; s < scenes; ++s )); do
    frames=$(frames_of "$s" "$film")
    case $(( (s + film) % 3 )) in
      0) source=testsrc2=size=640x360:rate=25 ;;
      1) source=testsrc2=size=640x360:rate=25,negate,noise=alls=$(( 4 + s % 7 )):allf=t:all_seed=$(( s + 1 )) ;;
      2) source=mandelbrot=size=640x360:rate=25:start_scale=$(( 1 + s % 3 )) ;;
    esac
    graph+="$source,trim=end_frame=$frames,format=yuv420p[s$s];" names+="[s$s]" all=$(( all + frames ))
  done
  codecs=(264 265 1)
  path=$out/film$film.mkv
  ffmpeg -nostdin -y -loglevel error -f lavfi -i "$graph${names}concat=n=$scenes" -c:v ffv1 -g 1 "$path"
  printf '{"name": "film%d", "film": "%s", "<codec>": %d}\n' "$film" "$path" "${codecs[film]}" >> "$out/films.jsonl"
  echo "film$film ${codecs[film]} $path $all" >> "$out/films"
done
sed -e 's|"predictor": {"file_size": "[ahd]|"needs": {"memory": "learnt"}, &|' -e "s|{\"file\": \"|&$here/|" film.json > "$out/limited.json"

on_cores=(taskset --cpu-list "$(taskset --cpu-list --pid $$ | sed 's/.*: //' | awk -v n="$cores" -F, '{
  for (i = 1; i <= NF; ++i) { split($i, range, "-"); to = range[2] == "" ? range[1] : range[2]
    for (c = range[1]; c <= to && n > 0; ++c) { list = list (list == "" ? "" : ",") c; --n } } print list }')")

# Each makes the scenes of all films in $work/parts, joins them there, and says what it did in the file $1.
by_weir() { (cd "$work" && weir run "$here/film.snet" --boxes "$here/film.json" --input "$out/films.jsonl" --output "$1" --report "$out/weir.json") && joined; }
limited() {
  (cd "$work" && weir run "$here/film.snet" --boxes "$out/limited.json" --input "$out/films.jsonl" --output "$1" --resource memory="$memory"MB \
    --report "$out/limited.report.json") && joined
}
by_xargs() {
  while read -r name codec path _; do
    sh cut.sh "$path" | while read -r range; do printf '%s\0' "$name" "$codec" "$path" "$range" "$work/parts"; done
  done < "$out/films" | xargs -0 -n 5 -P "$2" sh chunk.sh "$3" > "$1"
  joined
}
by_pipeline() { field_film --films "$out/films" --parts "$work/parts" --lanes "$2" --threads "$3" > "$1" && joined; }
by_ffmpeg() {
  while read -r name codec path _; do sh whole.sh "$cores" "$name" "$codec" "$path" "$work/parts"; done < "$out/films" > "$1"
  joined
}
joined() { while read -r name codec _; do sh join.sh "$name" "$codec" "$work/parts" "$work/$name"; done < "$out/films"; }

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

fail() { echo "run.sh: $way $1: see $out/errors.$way.$round, $results" >&2; exit 1; }

# Every scene once, and near enough; x265 and SVT-AV1 give the same with any threads, so there all ways agree; joined films have all frames.
check() {
  sed 's/.*"at": "\([^"]*\)".*"name": "\([^"]*\)".*/& \2 \1/; s/.*"name": "\([^"]*\)".*"at": "\([^"]*\)".*/& \1 \2/
    s/.*"<crf>": \([0-9]*\).*"<psnr>": \([0-9]*\).* \(.*\) \(.*\)/\3 \4 \1 \2/' "$results" | sort > "$out/sorted"
  awk '$4 < 3600 && $3 > 16 { exit 1 }' "$out/sorted" || fail "left a scene that is not near enough"
  if [[ $way != ffmpeg ]]; then
    awk '{ print $1 == "film0" ? $1 " " $2 : $0 }' "$out/sorted" > "$out/comparable"
    [[ -e $out/expected ]] || cp "$out/comparable" "$out/expected"
    cmp --quiet "$out/comparable" "$out/expected" || fail "gave other results"
  fi
  while read -r name _ _ frames; do
    [[ $(sh join.sh --frames "$work/$name") == "$frames" ]] || fail "joined $name without all of its $frames frames"
  done < "$out/films"
}

# one WAY ROUND: WAY is weir, limited, ffmpeg, or lanes x threads of xargs or, behind "pipeline-", of oneTBB.
one() {
  local way=$1 round=$2 began ended results=$out/results.$1.$2.jsonl run division=${1#pipeline-} work=$out/work
  local -a call=(by_xargs "$results" "${division%x*}" "${division#*x}")
  case $way in
    weir) call=(by_weir "$results") ;; limited) call=(limited "$results") ;; ffmpeg) call=(by_ffmpeg "$results") ;;
    pipeline-*) call[0]=by_pipeline ;;
  esac
  rm -rf "$results" "$work"
  mkdir -p "$work/parts"
  began=$(date +%s.%N)
  "${on_cores[@]}" bash -euo pipefail -c "$(declare -f by_weir limited by_xargs by_pipeline by_ffmpeg joined)
    $(declare -p out here work cores memory); \"\$@\"" way "${call[@]}" 2> "$out/errors.$way.$round" &
  run=$!
  watch_memory "$run" "$out/memory" &
  local watch=$! status=0
  wait "$run" || status=$?
  ended=$(date +%s.%N)
  wait "$watch"
  (( status == 0 )) || fail "ended with $status"
  check
  awk -v way="$way" -v round="$round" -v from="$began" -v to="$ended" -v memory="$(cat "$out/memory")" \
    'BEGIN { printf "%s %d %.2f %d\n", way, round, to - from, memory }' | tee -a "$out/runs" >&2
}

# Every division that leaves no core over which one more thread for each lane would take.
ways=(weir limited ffmpeg)
for (( lanes = 1; lanes <= cores; ++lanes )); do
  threads=$(( cores / lanes ))
  if (( lanes == cores || cores / (lanes + 1) < threads )); then
    ways+=("${lanes}x$threads")
    if command -v field_film > /dev/null; then ways+=("pipeline-${lanes}x$threads"); fi
  fi
done
[[ -z $asked ]] || read -r -a ways <<< "$asked"
: > "$out/runs"
rm -f "$out/expected"
echo "3 films of $scenes scenes, $cores cores: ${ways[*]}" >&2
began=$SECONDS
for (( round = 1; round <= rounds; ++round )); do
  for (( i = 0; i < ${#ways[@]}; ++i )); do one "${ways[(i + round) % ${#ways[@]}]}" "$round"; done
  spent=$(( SECONDS - began ))
  if awk -v spent="$spent" -v round="$round" -v minutes="$minutes" 'BEGIN { exit !(spent * (round + 1) / round > minutes * 60) }'; then
    break
  fi
done

awk '{ seconds[$1, $2] = $3; memory[$1, $2] = $4; if (!($1 in n)) order[++ways] = $1; n[$1] = $2 > n[$1] ? $2 : n[$1] }
  function sorted(list, count,   i, j, v) {
    for (i = 2; i <= count; ++i) for (j = i; j > 1 && list[j] < list[j - 1]; --j) { v = list[j]; list[j] = list[j - 1]; list[j - 1] = v } }
  function median(list, count) {
    sorted(list, count)
    return count % 2 ? list[(count + 1) / 2] : (list[count / 2] + list[count / 2 + 1]) / 2 }
  END {
    print "| way | seconds | over weir | peak memory, MB | over weir |\n|---|---|---|---|---|"
    for (w = 1; w <= ways; ++w) {
      way = order[w]; count = n[way]
      for (r = 1; r <= count; ++r) {
        s[r] = seconds[way, r]; m[r] = memory[way, r]
        sr[r] = seconds["weir", r] ? s[r] / seconds["weir", r] : 0; mr[r] = m[r] / (memory["weir", r] ? memory["weir", r] : 1) }
      middle = median(sr, count)
      printf "| %s | %.1f | %.2f (%.2f .. %.2f) | %.0f | %.2f |\n", way, median(s, count), middle, sr[1], sr[count], median(m, count), median(mr, count) }
    print "\nMedians; rounds: " n["weir"] "."
  }' "$out/runs" | tee "$out/table.md"
