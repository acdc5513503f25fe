#!/usr/bin/env bash
# How long a user's file takes to compile: one that only includes <weir/weir.hpp>, and two that write a network of 100
# boxes, of the same few labels and of a field and a type each. bench/compile_time.sh [REPEATS]: medians of REPEATS (5) of
# the compiler's seconds, interleaved, at -O0 and -O2, with the compiler that CXX names (g++).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

repeats=${1:-5}
cxx=${CXX:-g++}
{  # <weir/version.hpp> is made by the build
  "$root/runtime/package/prepare.sh" --command
  "$root/runtime/package/build.sh" release weir
} >&2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
include=(-I "$root/build/release/include" -I "$root/model/include" -I "$root/scheduler/include" -I "$root/runtime/include")

printf '#include <weir/weir.hpp>\nint main() {}\n' > "$work/include.cpp"
{
  printf '#include <cstdint>\n#include <tuple>\n#include <weir/weir.hpp>\nusing namespace weir;\n'
  printf 'struct image { double pixels[64]; };\ninline constexpr field<image> f{"f"};\ninline constexpr tag n{"n"};\n'
  printf 'int main() {\n  network net = bypass();\n'
  for ((i = 0; i < 100; ++i)); do
    printf '  net = net >> box("box %d", takes(f, n), gives(f, n), [](const image& a, std::int64_t x) {\n' "$i"
    printf '    return std::tuple(image{{a.pixels[0] + double(x)}}, x + %d);\n  });\n' "$i"
  done
  printf '  execution run = start(net);\n  run.send(f = image{}, n = 1);\n  run.close();\n'
  printf '  for (const record& r : run) return int(r[n]);\n}\n'
} > "$work/same.cpp"
{
  printf '#include <cstdint>\n#include <string>\n#include <vector>\n#include <weir/weir.hpp>\nusing namespace weir;\n'
  printf 'inline constexpr tag n{"n"};\n'
  for ((i = 0; i <= 100; ++i)); do
    printf 'struct value%d { std::vector<double> v; };\ninline constexpr field<value%d> f%d{"f%d"};\n' "$i" "$i" "$i" "$i"
  done
  printf 'int main() {\n  network net = box("box 0", takes(n), gives(f0), [](std::int64_t x) { return value0{{double(x)}}; });\n'
  for ((i = 1; i < 100; ++i)); do
    printf '  net = net >> box("box %d", takes(f%d, n), gives(f%d), [](const value%d& a, std::int64_t x) {\n' \
      "$i" $((i - 1)) "$i" $((i - 1))
    printf '    return value%d{{a.v[0] + double(x)}};\n  });\n' "$i"
  done
  printf '  execution run = start(net);\n  run.send(n = 1);\n  run.close();\n  for (const record& r : run) return int(r[f99].v[0]);\n}\n'
} > "$work/boxes.cpp"

seconds_of() {  # seconds_of FLAG FILE: user and system time of one compilation
  local TIMEFORMAT='%U %S'
  { time "$cxx" -std=c++20 "$1" "${include[@]}" -c "$work/$2.cpp" -o "$work/out.o" > "$work/said" 2>&1; } 2> "$work/times" ||
    { cat "$work/said" >&2; exit 1; }
  awk '{ print $1 + $2 }' "$work/times"
}

for ((round = 0; round < repeats; ++round)); do
  echo "Round $((round + 1)) of $repeats" >&2
  for flag in -O0 -O2; do
    for file in include same boxes; do seconds_of "$flag" "$file" >> "$work/$file$flag"; done
  done
done

echo "$("$cxx" --version | head -n 1); CPU seconds of a compilation, median of $repeats (min .. max)"
for flag in -O0 -O2; do
  for file in include same boxes; do
    what='#include <weir/weir.hpp> alone'
    [[ $file == same ]] && what='100 boxes of the same labels'
    [[ $file == boxes ]] && what='100 boxes, a field and type each'
    sort -g "$work/$file$flag" | awk -v what="$what" -v flag="$flag" '{ t[NR] = $1 } END {
      m = NR % 2 ? t[(NR + 1) / 2] : (t[NR / 2] + t[NR / 2 + 1]) / 2
      printf "  %-32s %s  %.2f (%.2f .. %.2f)\n", what, flag, m, t[1], t[NR] }'
  done
done
