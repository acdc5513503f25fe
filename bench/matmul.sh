#!/usr/bin/env bash
# The main job: generate >> multiply on real matrices, with fixed, equal and adaptive shares of the cores in interleaved
# runs; a row each with ratios, then the table of what the model learnt. Needs nothing but a clone: what is missing is
# installed (see tests/setup.sh). Further options go to the command; build/release/weir matmul --help lists them.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../tests/setup.sh"

{ install_missing; build release weir; } >&2  # standard output is the command's alone
exec "$root/build/release/weir" matmul --policy fixed:generate=1,multiply=1 --policy equal --policy adaptive \
  --sizes-list 400,600,800,1000 --repeat 10 --order shuffled --rounds 3 "$@"
