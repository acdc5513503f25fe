#!/usr/bin/env bash
# Installs Debian's packages of weir (runtime/package/deb.sh) in an empty Debian and uses them there.
#
#     tests/packages.sh [--install]
#
# debootstrap makes the empty Debian, 1 GB on the disk for the time: this machine's release, from the mirror and by the
# proxy of apt here. In it
#   - `weir` alone is enough for the command, its manual and its completion,
#   - `libweir-dev` is enough for the project of tests/house/consumer, by find_package and by pkg-config, without MPI,
#   - `libweir-mpi-dev`, where Open MPI is here, adds what the project runs on two ranks,
#   - all can be removed again.
# It skips, with exit code 77 and the reason, where it does not run as root or there is no debootstrap; --install installs that.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

. "$root/tests/bare.sh"
case ${1:-} in
  '' | --install) ;;
  *) echo "usage: tests/packages.sh [--install] (see its first lines)" >&2; exit 2 ;;
esac
[[ -z ${1:-} ]] || "$root/runtime/package/prepare.sh" --debootstrap

place=$(mktemp -d)
trap 'rm -rf --one-file-system "$place"' EXIT
system=$place/system
bare_system "$system"
"$root/runtime/package/deb.sh"

mkdir "$system/packages" "$system/project"
cp "$root"/build/deb/*.deb "$system/packages"
cp "$root"/tests/house/consumer/* "$system/project"
cp "$root/examples/factorial.cpp" "$system/project/main.cpp"
cp "$root/examples/factorial.expected" "$system/project"

cat > "$system/try.sh" << 'TRY'
set -euo pipefail
install() { apt-get install --yes --quiet=2 --no-install-recommends "$@" > /log 2>&1 || { cat /log; exit 1; }; }
# is NAME WANTED GOT: or it ends.
is() {
  if [[ $2 != "$3" ]]; then
    printf '%s\nis not what was wanted:\n%s\ngot:\n%s\n' "$1" "$2" "$3"
    exit 1
  fi
  echo "  $1"
}

apt-get update --quiet=2
install /packages/weir_*.deb
version=$(dpkg-query --show --showformat='${Version}' weir)
is "weir alone: the command runs" "weir ${version%-*}" "$(weir --version)"
weir topology > /dev/null
weir matmul --kernel emulated --sizes 100:100:1 --repeat 2 > /dev/null
is "  its man page is there" /usr/share/man/man1/weir.1.gz "$(dpkg --listfiles weir | grep man1/)"
. /usr/share/bash-completion/completions/weir
COMP_WORDS=(weir matmul --ker) COMP_CWORD=2
_weir
is "  its completion completes" --kernel "${COMPREPLY[*]}"

mapfile -t without_mpi < <(ls /packages/*.deb | grep --invert-match libweir-mpi)
install "${without_mpi[@]}" g++ cmake make pkg-config
ldconfig -p | grep --quiet 'libweir\.so\.0' || { echo "the linker does not know libweir"; exit 1; }
cd /project
{ cmake -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build; } > /log 2>&1 || { cat /log; exit 1; }
is "libweir-dev, by find_package: an example" "$(cat factorial.expected)" "$(build/consumer)"
is "  weir::live serves" served "$(build/live)"
is "  weir::snet reads texts" "{<n>=81}" "$(build/snet | head --lines 1)"
is "  types and exceptions cross the libraries' borders" "all crossed" "$(build/boundary)"
g++ -std=c++20 main.cpp -o example $(pkg-config --cflags --libs weir)
is "libweir-dev, by pkg-config: the example" "$(cat factorial.expected)" "$(./example)"
g++ -std=c++20 live.cpp -o page $(pkg-config --cflags --libs weir-live)
is "  weir-live" served "$(./page)"
g++ -std=c++20 snet.cpp -o text $(pkg-config --cflags --libs weir-snet)
is "  weir-snet" "{<n>=81}" "$(./text | head --lines 1)"
is "  neither has weir::mpi, nor Open MPI" "" "$(ls build/mpi 2> /dev/null; dpkg-query --list | grep --only-matching libopenmpi)"

if compgen -G '/packages/libweir-mpi*' > /dev/null; then
  install /packages/libweir-mpi*.deb openmpi-bin
  ranks=(mpirun --allow-run-as-root --oversubscribe --bind-to none -n 2)
  rm -r build
  { cmake -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build --target mpi; } > /log 2>&1 || { cat /log; exit 1; }
  is "libweir-mpi-dev, by find_package: two ranks" "{<n>=81}" "$("${ranks[@]}" build/mpi)"
  g++ -std=c++20 mpi.cpp -o several $(pkg-config --cflags --libs weir-mpi)
  is "  by pkg-config" "{<n>=81}" "$("${ranks[@]}" ./several)"
else
  echo "  libweir-mpi-dev is not tried: it was not built, without Open MPI"
fi

mapfile -t names < <(for package in /packages/*.deb; do dpkg-deb --field "$package" Package; done)
dpkg --purge "${names[@]}" > /log 2>&1 || { cat /log; exit 1; }
is "removed, nothing is left" "" "$(find /usr /etc /var/lib/dpkg/info -name '*weir*')"
TRY
in_bare_system "$system" /try.sh
echo "the packages work"
