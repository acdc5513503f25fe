#!/usr/bin/env bash
# Installs with apt what the programs of bench/field, and pictures in bench/corpus, need beyond weir itself, on Debian 12, Ubuntu 24.04 and later ones.
#
#     bench/field/setup.sh [--print]
#
# --print lists the packages and installs nothing. Debian 12 has no package of Taskflow: there the headers of Debian 13's, checked by
# their sum, go to /usr/local.
set -euo pipefail
packages=(libbz2-dev libzstd-dev libssl-dev pbzip2 lbzip2 zstd libjxl-dev ocrmypdf)
case ${1:-} in
  --print) printf '%s\n' "${packages[@]}" libtaskflow-cpp-dev; exit 0 ;;
  "") ;;
  *) echo "setup.sh: there is no option $1 (only --print)" >&2; exit 2 ;;
esac
run=()
[[ $(id -u) == 0 ]] || run=(sudo)
"${run[@]}" apt-get update --quiet=2
if apt-cache show libtaskflow-cpp-dev > /dev/null 2>&1; then packages+=(libtaskflow-cpp-dev); fi
"${run[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet=2 --no-install-recommends "${packages[@]}"

# Headers alone, into /usr/local: for any processor, whose name is in the folder of their CMake files.
fetch_taskflow() {
  local made=$1 pool kind
  kind=$(gcc -print-multiarch)
  pool=$(cd "$made" && apt-get download --print-uris libbz2-dev | sed -n "s/^'\([^']*\)\/pool\/.*/\1\/pool/p") || return
  /usr/lib/apt/apt-helper --option APT::Sandbox::User=root download-file \
    "$pool/main/t/taskflow/libtaskflow-cpp-dev_3.9.0+ds-1+b1_amd64.deb" "$made/taskflow.deb" \
    SHA256:458054132b620d60b4eff093b4bbe899dab539eb72624c26c450a60e60fdba61 > /dev/null || return
  dpkg-deb --extract "$made/taskflow.deb" "$made/unpacked" || return
  "${run[@]}" mkdir -p "/usr/local/lib/$kind/cmake" || return
  "${run[@]}" cp -r "$made/unpacked/usr/include/taskflow" /usr/local/include/ || return
  "${run[@]}" cp -r "$made/unpacked/usr/lib/x86_64-linux-gnu/cmake/Taskflow" "/usr/local/lib/$kind/cmake/"
}
if ! dpkg-query --show libtaskflow-cpp-dev > /dev/null 2>&1 && [[ ! -d /usr/local/lib/$(gcc -print-multiarch)/cmake/Taskflow ]]; then
  made=$(mktemp -d)
  trap 'rm -rf "$made"' EXIT
  fetch_taskflow "$made" ||
    echo "setup.sh: Taskflow's headers cannot be fetched; field_dedup, field_ferret and overhead have no rows of it" >&2
fi
