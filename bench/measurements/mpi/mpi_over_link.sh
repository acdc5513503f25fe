#!/usr/bin/env bash
# mpi_over_link.sh MPIRUN FOLDER LINK [ARGUMENT...]: runs mpi_over_link of a folder, with these arguments, as two ranks in
# network namespaces of their own. Between these is mpi_link with the options LINK, and a wire by which mpirun starts
# them. Ends with code 77, which is skipped, where that cannot be. Needs root.
set -euo pipefail
mpirun=$1 folder=$2 link=$3
shift 3
skip() {
  echo "skipped: $1"
  exit 77
}
version=$("$mpirun" --version 2>&1) || true
[[ $version == *"Open MPI"* || $version == *OpenRTE* ]] || skip "$mpirun is not Open MPI's"
[[ $(id -u) == 0 ]] || skip "network namespaces need root"
[[ -c /dev/net/tun ]] || skip "there is no /dev/net/tun"
type ip > /dev/null 2>&1 || skip "there is no ip (iproute2)"
near=weir-near-$$ far=weir-far-$$ work=$(mktemp -d) carrier=
clean_up() {
  [[ -z $carrier ]] || kill "$carrier" || true
  ip netns del "$near" 2> /dev/null || true
  ip netns del "$far" 2> /dev/null || true
  rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 1' TERM INT
ip netns add "$near" 2> "$work/why" && ip netns add "$far" 2> "$work/why" || skip "$(cat "$work/why")"
ip -n "$near" link add control type veth peer name control netns "$far" 2> "$work/why" || skip "$(cat "$work/why")"
for at in "$near 1" "$far 2"; do
  read -r space number <<< "$at"
  ip -n "$space" tuntap add dev data mode tun 2> "$work/why" || skip "$(cat "$work/why")"
  ip -n "$space" addr add "10.77.1.$number/24" dev control
  ip -n "$space" addr add "10.77.2.$number/24" dev data
  ip -n "$space" link set data mtu 1500 txqueuelen 10000
  for device in lo control data; do ip -n "$space" link set "$device" up; done
done
read -ra options <<< "$link"
mkfifo "$work/ready"
"$folder/mpi_link" "$near" "$far" data "${options[@]}" > "$work/ready" &
carrier=$!
read -r _ < "$work/ready" || exit 1

printf '#!/bin/sh\nshift\nexec ip netns exec %s sh -c "$*"\n' "$far" > "$work/start"
chmod +x "$work/start"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 WEIR_LINK=$carrier
status=0
ip netns exec "$near" "$mpirun" --host 10.77.1.1,10.77.1.2 -n 2 --bind-to none --enable-recovery -x WEIR_LINK \
  --mca plm_rsh_agent "$work/start" --mca oob_tcp_if_include control \
  --mca pml ob1 --mca btl self,tcp --mca btl_tcp_if_include data \
  "$folder/mpi_over_link" "$@" > "$work/said" 2>&1 || status=$?
cat "$work/said"
[[ $(grep --count '^end 0$' "$work/said") == 2 ]]
