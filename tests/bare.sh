#!/usr/bin/env bash
# Sourced by tests that need an empty Debian: they make it with debootstrap and run a user's commands in it.
#
#     bare_system FOLDER           an empty Debian of this machine's release in FOLDER, 200 MB, from the mirror and by the proxy of apt here
#     in_bare_system FOLDER FILE   runs FILE, a bash script in FOLDER, as root of that system; its mounts and processes end with it
#
# bare_system ends the test with code 77 and the reason where it does not run as root, mounts nothing, or there is no debootstrap.
# WEIR_BARE_BINDS names folders that the system shares with this machine, each `HERE:THERE`, between spaces, and WEIR_BARE_BEGIN
# a bash script that its shell reads first. So a cache of the compiler spares most of a build, whose time then tells nothing.

skip() {
  echo "skipped: $*"
  exit 77
}

bare_system() {
  local system=$1 codename mirror proxies log
  [[ $(id -u) == 0 ]] || skip "an empty Debian is made by root"
  command -v debootstrap > /dev/null || skip "there is no debootstrap; runtime/package/prepare.sh --debootstrap installs it"
  unshare --mount true 2> /dev/null || skip "nothing may be mounted here"

  # Where apt fetches this release from.
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  mirror=$(apt-get indextargets --format '$(SITE) $(CODENAME) $(COMPONENT)' "Identifier: Packages" |
    awk -v codename="$codename" '$2 == codename && $3 == "main" { print $1; exit }')
  [[ -n $mirror ]] || skip "apt has no source of $codename main"
  proxies=$(apt-config dump | grep --ignore-case '^Acquire::https\?::Proxy' || true)
  eval "$(apt-config shell http_proxy Acquire::http::Proxy https_proxy Acquire::https::Proxy)"
  [[ -z ${http_proxy:-} ]] || export http_proxy
  [[ -z ${https_proxy:-} ]] || export https_proxy

  log=$(mktemp)
  if ! debootstrap --variant=minbase "$codename" "$system" "$mirror" > "$log" 2>&1; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    return 1
  fi
  rm -f "$log"
  echo "$proxies" > "$system/etc/apt/apt.conf.d/proxy"
  echo "an empty $codename:"
}

in_bare_system() {
  local system=$1 script=$2
  cat "${WEIR_BARE_BEGIN:-/dev/null}" > "$system/here.sh"
  cat > "$system/begin.sh" << 'BEGIN'
set -euo pipefail
mount -t proc proc /proc
mount -t sysfs sysfs /sys
for name in $(compgen -e); do
  [[ $name =~ ^(PATH|HOME|TERM|https?_proxy)$ ]] || unset "$name"
done
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
. /here.sh
exec bash "$1"
BEGIN
  # Its root is no mount point, as in any chroot.
  unshare --mount --pid --fork bash -c '
    set -euo pipefail
    for pair in $3; do
      mkdir -p "$1/${pair##*:}"
      mount --bind "${pair%%:*}" "$1/${pair##*:}"
    done
    exec chroot "$1" bash /begin.sh "$2"' bash "$system" "$script" "${WEIR_BARE_BINDS:-}"
}
