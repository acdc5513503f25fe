#!/usr/bin/env bash
# check_program.sh WEIR NODE SCREENSHOTS: opens the page of `weir matmul --live` in a browser while its cores move. Exits with
# 77 where that weir has no live page, or the programs that open it are missing.
set -euo pipefail
weir=$1 node=$2 screenshots=$3
folder=$(dirname "${BASH_SOURCE[0]}")
said=$(mktemp)
"$weir" matmul --kernel emulated --repeat 2000 --live 0 > /dev/null 2> "$said" < /dev/null &
program=$!
trap 'kill "$program" 2> /dev/null || true; kill "$program" 2> /dev/null || true; wait "$program" 2> /dev/null || true; rm -f "$said"' EXIT

url=
while [[ -z $url ]]; do
  if ! kill -0 "$program" 2> /dev/null; then
    cat "$said" >&2
    grep --quiet 'was built without' "$said" && exit 77
    exit 1
  fi
  url=$(sed -n 's/^live: //p' "$said")
  sleep 0.05  # until it says where; not how long that takes
done
"$node" "$folder/check.mjs" live "$url" --out "$screenshots"
