#!/usr/bin/env bash
# Installs with apt what the programs of bench/field, and pictures in bench/corpus, need beyond weir itself, on Debian 12, Ubuntu 24.04 and later ones.
#
#     bench/field/setup.sh [--print]
#
# --print lists the packages and installs nothing.
set -euo pipefail
packages=(libbz2-dev libzstd-dev libssl-dev pbzip2 lbzip2 zstd libjxl-dev ocrmypdf)
case ${1:-} in
  --print) printf '%s\n' "${packages[@]}"; exit 0 ;;
  "") ;;
  *) echo "setup.sh: there is no option $1 (only --print)" >&2; exit 2 ;;
esac
run=()
[[ $(id -u) == 0 ]] || run=(sudo)
"${run[@]}" apt-get update --quiet=2
"${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet=2 --no-install-recommends "${packages[@]}"
