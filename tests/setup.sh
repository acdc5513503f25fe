#!/usr/bin/env bash
# Sourced by tests/run.sh, bench/matmul.sh and .ci/run: gets a bare machine ready and builds.
#
# On Debian 12, Ubuntu 24.04 and what comes after them, install_missing installs what is missing with apt. Elsewhere it
# says what to install. What the page of a run draws with comes from npm, by a lock file with the hash of each package;
# where there is no npm, weir is built without its page. All costs a few milliseconds when nothing is missing.
#
# Run by itself, as `tests/setup.sh --browser`, it installs that, and what opens the page in the tests: Chromium (300 MB on
# the disk) and playwright-core. As `tests/setup.sh --libraries`, it installs that, and the libraries that start threads by themselves and
# that only tests/runtime/machine/libraries uses: OpenBLAS in two flavours, OpenCV's core and imgproc, zstd. These are 30 MB
# to fetch and 240 MB on the disk, so they are not installed unless one asks for them; without them those tests are not built.
# As `tests/setup.sh --mpi`, it installs that, and Open MPI (20 MB to fetch, 90 MB on the disk), which weir::mpi and its tests need.
# As `tests/setup.sh --prometheus`, it installs that, and the Prometheus (23 MB to fetch) that reads the metrics of a live page in
# the full tests. Debian's package would start a service, which is kept from it. As `tests/setup.sh --clang`, it installs that, and
# clang 16 (some 200 MB on the disk), by which a full test compiles everything once more.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# A tool counts as there when its command is, wherever it came from; a library when its package is.
tools=(g++:g++ cmake:cmake ninja:ninja-build pkg-config:pkg-config spin:spin)
libraries=(libtbb-dev libhwloc-dev libboost-dev libspdlog-dev libfmt-dev libeigen3-dev libcli11-dev nlohmann-json3-dev
  libgtest-dev libbenchmark-dev libgmp-dev libjpeg-dev libssl-dev libcpp-httplib-dev)
mpi_libraries=(libopenmpi-dev openmpi-bin)
threading_libraries=(libopenblas-pthread-dev libopenblas-openmp-dev libopencv-imgproc-dev libzstd-dev)

# What opens pages in the tests, what reads metrics, and what compiles once more, where it is asked for.
browser=(chromium:chromium)
prometheus=(prometheus:prometheus)
clang=(clang++-16:clang-16)

# What weir-corpus needs besides, where it is asked for: install_missing --corpus.
corpus_libraries=(libtesseract-dev libleptonica-dev libpoppler-cpp-dev tesseract-ocr-eng libzstd-dev zlib1g-dev
  libcairo2-dev fonts-dejavu-core)

missing_tools() {
  local tool
  for tool in "${tools[@]}"; do
    command -v "${tool%%:*}" > /dev/null || echo "${tool##*:}"
  done
}

missing_libraries() {
  local installed package
  installed=$(dpkg-query --show --showformat='${Package} ${db:Status-Status}\n' "${libraries[@]}" 2> /dev/null || true)
  for package in "${libraries[@]}"; do
    grep --quiet --line-regexp --fixed-strings "$package installed" <<< "$installed" || echo "$package"
  done
}

# as_root COMMAND...: runs it as root, with sudo when that is needed.
as_root() {
  if [[ $(id -u) == 0 ]]; then
    "$@"
  else
    sudo "$@"
  fi
}

apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get --option DPkg::Lock::Timeout=120 \
    install --yes --quiet=2 --no-install-recommends "$@"
}

# without_services COMMAND...: runs it; packages that it installs start no service, now or later.
without_services() {
  local policy=/usr/sbin/policy-rc.d made= status=0
  if [[ ! -e $policy ]]; then
    made=1
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" > /dev/null
    as_root chmod +x "$policy"
  fi
  "$@" || status=$?
  [[ -z $made ]] || as_root rm -f "$policy"
  as_root rm -f /etc/systemd/system/multi-user.target.wants/prometheus{,-node-exporter}.service
  return "$status"
}

# install_packages FOLDER NAME: what FOLDER/package-lock.json lists, into build/NAME/node_modules.
install_packages() {
  local into=$root/build/$2 log
  cmp --quiet "$1/package-lock.json" "$into/installed-lock.json" && return
  mkdir -p "$into"
  log=$into/npm.log
  cp "$1/package.json" "$1/package-lock.json" "$into"
  if ! (cd "$into" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) > "$log" 2>&1; then
    echo "npm cannot install what $1/package-lock.json lists, so weir goes on without:" >&2
    cat "$log" >&2
    return
  fi
  cp "$1/package-lock.json" "$into/installed-lock.json"
}

# install_missing [--corpus] [--browser] [--mpi] [--prometheus] [--clang]
install_missing() {
  local option with_browser=
  for option in "$@"; do
    case $option in
      --corpus) libraries+=("${corpus_libraries[@]}") ;;
      --mpi) libraries+=("${mpi_libraries[@]}") ;;
      --browser) with_browser=1 tools+=("${browser[@]}") ;;
      --prometheus) tools+=("${prometheus[@]}") ;;
      --clang) tools+=("${clang[@]}") ;;
    esac
  done
  install_debian
  if ! command -v npm > /dev/null; then
    echo "There is no npm: weir is built without the page of a run." >&2
    return
  fi
  install_packages "$root/runtime/page/assets" page
  [[ -z $with_browser ]] || install_packages "$root/tests/runtime/page" page-tests
}

install_debian() {
  local missing
  if ! command -v apt-get > /dev/null || ! command -v dpkg-query > /dev/null; then
    mapfile -t missing < <(missing_tools)
    if (( ${#missing[@]} > 0 )); then
      cat >&2 << EOF
Missing: ${missing[*]}. weir needs a C++20 compiler (g++ 12 or later), CMake 3.25 or later, Ninja, pkg-config,
oneTBB, hwloc, Boost, spdlog, fmt, Eigen 3, CLI11, nlohmann-json, cpp-httplib, GMP, libjpeg-turbo, OpenSSL, GoogleTest
and Google Benchmark.
EOF
      exit 1
    fi
    return
  fi

  mapfile -t missing < <(missing_tools; missing_libraries)
  (( ${#missing[@]} == 0 )) && return
  if [[ $(id -u) != 0 ]] && ! command -v sudo > /dev/null; then
    echo "Missing, and there is no sudo. As root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  echo "Installing ${missing[*]}"
  # A bare machine has no package lists, an old one has stale ones: then they are fetched, and it is tried once more.
  if ! apt_install "${missing[@]}" > /dev/null 2>&1; then
    as_root apt-get update --quiet=2
    apt_install "${missing[@]}" > /dev/null
  fi
}

# build PRESET [TARGET...]: configures and builds into build/PRESET; everything when no target is named.
build() {
  local preset=$1 log
  shift
  mkdir -p "$root/build/$preset"
  log="$root/build/$preset/configure.log"
  if ! (cd "$root" && cmake --preset "$preset") > "$log" 2>&1; then
    cat "$log" >&2
    return 1
  fi
  # Without output when all is up to date, so that a second run is as quiet as it is quick.
  cmake --build "$root/build/$preset" --parallel "$(nproc)" ${1:+--target "$@"} -- --quiet
}

if [[ "${BASH_SOURCE[0]}" == "$0" ]]; then
  set -euo pipefail
  case ${1:-} in
    --libraries) libraries+=("${threading_libraries[@]}") ;;
    --browser | --mpi | --prometheus | --clang) ;;
    *) echo "usage: tests/setup.sh --libraries | --mpi | --browser | --prometheus | --clang (see its first lines)" >&2; exit 2 ;;
  esac
  if [[ $1 == --prometheus ]]; then
    without_services install_missing "$1"
  else
    install_missing "$1"
  fi
fi
