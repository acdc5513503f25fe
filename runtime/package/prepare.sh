#!/usr/bin/env bash
# Installs with apt what weir is built and tested with: on Debian 12, Ubuntu 24.04 and later ones. Elsewhere it names what it cannot find.
#
#     runtime/package/prepare.sh [--print] --SET...
#
#     --library     what the library and a project that uses it are built with
#     --command     --library, and what the command weir needs
#     --page        what the page of a run draws with, into build/page (1.8 MB to fetch)
#     --tests       --command, --page, and what the tests need; numpy of it for workers in Python (5 MB to fetch, 27 MB on the disk)
#     --mpi         Open MPI, for weir::mpi and its tests (20 MB to fetch, 90 MB on the disk)
#     --corpus      what weir-corpus reads documents with: poppler, tesseract
#     --browser     what opens the page in the tests: Chromium, Node.js, playwright-core (300 MB on the disk, and 100 MB without Node.js)
#     --threads     libraries with threads of their own: OpenBLAS, OpenCV, zstd (30 MB to fetch, 240 MB on the disk)
#     --film        video encoders, which an example runs: x264, x265, SVT-AV1, ffmpeg (53 MB to fetch, 150 MB on the disk)
#     --opencl      OpenCL for devices: its loader and headers, PoCL, which runs it on cores, and oclgrind, which checks kernels (52 MB to fetch, 300 MB on the disk)
#     --prometheus  Prometheus, which reads the metrics of a live page in the full tests; its service is not started (23 MB to fetch)
#     --clang       clang 16, by which a full test compiles everything once more (200 MB on the disk)
#     --format      clang-format 14, by which a quick test compares the layout of sources (33 MB to fetch, 165 MB on the disk)
#     --linker      mold, by which programs of the presets ci and asan-quick are linked where it is (2 MB to fetch, 18 MB on the disk)
#     --figures     gnuplot, for bench/paper.sh
#     --many-cores  patchelf, for bench/many_cores.sh and bench/field/film/pack.sh
#     --coverage, --memcheck    lcov for tests/coverage.sh, valgrind for tests/memcheck.sh
#     --site        doxygen, for runtime/package/site.sh
#     --deb         what runtime/package/deb.sh makes Debian's packages with; --lintian: what checks them
#     --debootstrap    what makes the empty Debian in which tests install these packages, and weir from its sources
#
# --print lists the packages of the sets and installs nothing. Sets that are installed cost a few milliseconds and say nothing.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# A tool is `command:package` and counts as installed when there is such a command, whatever installed it. A library is its package.
library=(g++:g++ cmake:cmake ninja:ninja-build pkg-config:pkg-config libtbb-dev libhwloc-dev libboost-dev libspdlog-dev libfmt-dev
  libeigen3-dev nlohmann-json3-dev)
command=("${library[@]}" libcli11-dev libcpp-httplib-dev)
tests=("${command[@]}" spin:spin libgtest-dev libbenchmark-dev libgmp-dev libjpeg-dev libssl-dev
  python3-numpy python3-threadpoolctl)
mpi=(libopenmpi-dev openmpi-bin)
corpus=(libtesseract-dev libleptonica-dev libpoppler-cpp-dev tesseract-ocr-eng libzstd-dev zlib1g-dev libcairo2-dev fonts-dejavu-core)
browser=(chromium:chromium node:nodejs npm:npm)
threads=(libopenblas-pthread-dev libopenblas-openmp-dev libopencv-imgproc-dev libzstd-dev)
film=(x264:x264 x265:x265 SvtAv1EncApp:svt-av1 ffmpeg:ffmpeg)
opencl=(ocl-icd-opencl-dev opencl-clhpp-headers pocl-opencl-icd oclgrind:oclgrind)
prometheus=(prometheus:prometheus)
clang=(clang++-16:clang-16)
format=(clang-format-14:clang-format-14)
linker=(mold:mold)
figures=(gnuplot:gnuplot-nox)
many_cores=(patchelf:patchelf)
coverage=(lcov:lcov)
memcheck=(valgrind:valgrind)
site=(cmake:cmake doxygen:doxygen doxygen-awesome-css)
deb=(dpkg-shlibdeps:dpkg-dev)
lintian=(lintian:lintian)
debootstrap=(debootstrap:debootstrap)

# The page draws charts with dygraphs and lays networks out with dagre. Each is one file of a package of Debian, fetched without what
# the package depends on: 2 packages, 1.8 MB, 2 s, and no root. npm would need 369 packages and 30 MB before its first; uPlot, which
# is smaller than dygraphs, is in no release of Debian.
page_packages=(libjs-dygraphs node-dagre-layout)
page_files=(usr/share/javascript/dygraphs/dygraph.min.js usr/share/nodejs/dagre/dist/dagre.min.js)

# missing NAME...: the packages of these tools and libraries that are not installed.
missing() {
  local installed name
  installed=$(dpkg-query --show --showformat='${Package} ${db:Status-Status}\n' "${@##*:}" 2> /dev/null || true)
  for name in "$@"; do
    case $name in
      *:*) command -v "${name%%:*}" > /dev/null || echo "${name##*:}" ;;
      *) grep --quiet --line-regexp --fixed-strings "$name installed" <<< "$installed" || echo "$name" ;;
    esac
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

may_be_root() { [[ $(id -u) == 0 ]] || command -v sudo > /dev/null; }

# with_lists COMMAND...: runs it; a new machine has no lists of packages, an old one has stale ones: then they are fetched, and
# it is run once more, and what it says then is shown if it fails.
with_lists() {
  local log status=0
  "$@" > /dev/null 2>&1 && return
  may_be_root || return 1
  log=$(mktemp)
  { as_root apt-get update --quiet=2 && "$@"; } > "$log" 2>&1 || status=$?
  (( status == 0 )) || cat "$log" >&2
  rm -f "$log"
  return "$status"
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

install_packages() {
  local absent
  mapfile -t absent < <(missing "$@")
  (( ${#absent[@]} > 0 )) || return 0
  if ! command -v apt-get > /dev/null || ! command -v dpkg-query > /dev/null; then
    mapfile -t absent < <(for name in "$@"; do [[ $name != *:* ]] || command -v "${name%%:*}" > /dev/null || echo "${name%%:*}"; done)
    (( ${#absent[@]} > 0 )) || return 0  # without dpkg only tools can be looked for; CMake names the libraries
    cat >&2 << EOF
Missing: ${absent[*]}. This script installs on Debian and Ubuntu only. weir needs a C++20 compiler (g++ 12 or later), CMake 3.25 or later, Ninja,
pkg-config, oneTBB, hwloc, Boost, spdlog, fmt, Eigen 3 and nlohmann-json; for weir::live cpp-httplib, for the command CLI11; for the tests
GoogleTest, and for some of them Google Benchmark, GMP, libjpeg-turbo, OpenSSL and spin.
EOF
    exit 1
  fi
  if ! may_be_root; then
    echo "These packages are missing, and there is no sudo. As root: apt-get install ${absent[*]}" >&2
    exit 1
  fi
  echo "Installing with apt, a minute or two: ${absent[*]}"
  with_lists apt_install "${absent[@]}"
}

# What the page draws with, into build/page. Without it weir is built all the same, and says what its page lacks.
fetch_page() {
  local into=$root/build/page work file
  [[ ! -d $root/runtime/page/libraries ]] || return 0  # the archive of a release holds it
  for file in "${page_files[@]}"; do [[ -e $into/${file##*/} ]] || break; done
  [[ ! -e $into/${file##*/} ]] || return 0
  if ! command -v apt-get > /dev/null || ! command -v dpkg-deb > /dev/null; then
    echo "weir is built without the page of a run: put ${page_files[*]##*/} of dygraphs 2.2 and dagre 0.8 into $into" >&2
    return
  fi
  work=$(mktemp -d)
  chmod 755 "$work"
  mkdir -p "$into"
  if ! (cd "$work" && with_lists apt-get download "${page_packages[@]}" && printf '%s\n' ./*.deb | xargs -I{} dpkg-deb --extract {} . &&
    cp "${page_files[@]}" "$into/"); then
    echo "apt cannot fetch ${page_files[*]##*/} of ${page_packages[*]}: weir is built without the page of a run" >&2
  fi
  rm -rf "$work"
}

# playwright-core, which no Debian has, by npm and the hashes of its lock file, into build/page-tests/node_modules.
fetch_playwright() {
  local from=$root/tests/runtime/page into=$root/build/page-tests log
  cmp --quiet "$from/package-lock.json" "$into/installed-lock.json" && return
  mkdir -p "$into"
  log=$into/npm.log
  cp "$from/package.json" "$from/package-lock.json" "$into"
  if ! (cd "$into" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) > "$log" 2>&1; then
    echo "npm cannot install what $from/package-lock.json lists, so no browser opens the page in the tests:" >&2
    cat "$log" >&2
    return
  fi
  cp "$from/package-lock.json" "$into/installed-lock.json"
}

chosen=() also=() fetched=() print=
for option in "$@"; do
  set_name=${option#--} set_name=${set_name//-/_}
  case $option in
    --help | -h) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 0 ;;
    --print) print=1 ;;
    --page) also+=(fetch_page) fetched+=("${page_packages[@]}") ;;
    --tests) also+=(fetch_page) fetched+=("${page_packages[@]}") ;;&
    --browser) also+=(fetch_playwright) ;;&
    --library | --command | --tests | --mpi | --corpus | --browser | --threads | --film | --opencl | --prometheus | --clang | --format | --linker | --figures | --many-cores | --coverage | --memcheck | --site | --deb | --lintian | --debootstrap)
      declare -n of_set=$set_name
      chosen+=("${of_set[@]}")
      ;;
    *) echo "prepare.sh: there is no set $option (try --help)" >&2; exit 2 ;;
  esac
done
if (( ${#chosen[@]} + ${#also[@]} == 0 )); then
  echo "prepare.sh: name what is to be installed (try --help)" >&2
  exit 2
fi
if [[ -n $print ]]; then
  printf '%s\n' "${chosen[@]##*:}" "${fetched[@]}" | awk '$0 != "" && !seen[$0]++'
  exit 0
fi
if [[ " $* " == *" --prometheus "* ]]; then
  without_services install_packages "${chosen[@]}"
elif (( ${#chosen[@]} > 0 )); then
  install_packages "${chosen[@]}"
fi
for step in "${also[@]}"; do "$step"; done
