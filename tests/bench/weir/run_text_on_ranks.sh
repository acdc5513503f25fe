#!/usr/bin/env bash
# run_text_on_ranks.sh RUN_RANKS MPIRUN WEIR: `weir run FILE.snet --mpi` on three ranks gives the same results as on
# one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/n.snet" << 'END'
net x connect [{<n>} -> {<n = n + 1>}] @ 1 .. [{<n>} -> {<n = 2 * n>}] @ 2
  .. [{<n>} -> {<n>, <k = n % 5>}] .. ([{<n>, <k>} -> if <n % 3 == 0> then {<n>, <k>} else {<n = 0 - n>, <k>}] ! <k> !@ <k>);
END
for n in $(seq 1000); do echo "{<n>=$n, text=t$n}"; done > "$folder/in"
"$3" run "$folder/n.snet" --input "$folder/in" | sort > "$folder/alone"
code=0
"$1" "$2" 3 "$3" run "$folder/n.snet" --mpi --input "$folder/in" > "$folder/out" || code=$?
if [[ $code != 0 ]]; then
  cat "$folder/out"
  exit $code
fi
[[ $(wc -l < "$folder/alone") == 1000 ]]
diff <(sort "$folder/out") "$folder/alone"
