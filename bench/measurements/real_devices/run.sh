#!/usr/bin/env bash
# Measures weir with the device of this machine, which needs its driver, no compiler, no network and nothing else of weir.
# bench/device.sh made the folder.
#
#     run.sh [--seconds N] [--out FOLDER] [-- OPTIONS]
#
# --seconds (200) is for both programs, by OpenCL and by CUDA; each ends after half of it and 15 s. FOLDER (results) gets results.json,
# results.md and log.txt. OPTIONS go to the programs; `device_by_opencl --help` lists them.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
refuse() { echo "run.sh: $*" >&2; exit 2; }

seconds=200 out=$here/results
while (( $# > 0 )); do
  case $1 in
    --seconds) seconds=${2:?--seconds needs a number}; shift 2 ;;
    --out) out=${2:?--out needs a folder}; shift 2 ;;
    --) shift; break ;;
    *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 2 ;;
  esac
done
[[ $seconds =~ ^[1-9][0-9]{0,3}$ ]] || refuse "--seconds: $seconds is not 1 to 9999"
glibc=$(ldd --version 2> /dev/null | sed -n '1s/.* //p' || true)
# Where the machine's glibc is too old, programs and driver run by that of the folder.
loader=()
[[ $(printf '%s\n' "$(< "$here/glibc_needed")" "$glibc" | sort -V | head -n 1) == "$(< "$here/glibc_needed")" ]] ||
  loader=("$here/glibc/ld-linux-x86-64.so.2" --library-path "$here/lib:$here/glibc")
mkdir -p "$out" && out=$(cd "$out" && pwd)
rm -f "$out"/{results.json,results.md,log.txt,opencl.json,cuda.json}

export HOME=${HOME:-$out}  # PoCL has no devices without it
# Containers often have NVIDIA's driver without the file that tells OpenCL's loader of it.
if [[ -z ${OCL_ICD_VENDORS:-} ]] && ! compgen -G '/etc/OpenCL/vendors/*.icd' > /dev/null; then
  mkdir -p "$out/vendors"
  echo libnvidia-opencl.so.1 > "$out/vendors/nvidia.icd"
  export OCL_ICD_VENDORS=$out/vendors
fi

each=$(( (seconds + 1) / 2 ))
measured=0
for interface in opencl cuda; do
  code=0 program=$here/device_by_$interface
  if [[ -x $program ]]; then
    timeout --kill-after=5 $(( each + 15 )) "${loader[@]}" "$program" --seconds "$each" --json "$out/$interface.json" "$@" > "$out/$interface.md" 2> "$out/error.txt" || code=$?
    cat "$out/error.txt" >> "$out/log.txt"
  else
    code=1
    echo "this folder has no program for it" > "$out/error.txt"
  fi
  if (( code == 0 )); then
    measured=$(( measured + 1 ))
  else
    (( code != 124 && code != 137 )) || echo "cut after $(( each + 15 )) s" > "$out/error.txt"
    printf '\nBy %s not measured: %s\n' "$interface" "$(tail -n 1 "$out/error.txt")" >> "$out/$interface.md"
  fi
  cat "$out/$interface.md" | tee -a "$out/results.md"
  rm -f "$out/$interface.md" "$out/error.txt"
done
{
  printf '{"version": "%s", "kernel": "%s", "driver": "%s"' "$(< "$here/version")" "$(uname -r)" \
    "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2> /dev/null | head -n 1 | tr -d '"\\' || true)"
  for interface in opencl cuda; do
    printf ',\n"%s": ' "$interface"
    cat "$out/$interface.json" 2> /dev/null || echo null
    rm -f "$out/$interface.json"
  done
  echo "}"
} > "$out/results.json"
echo
echo "$out/results.json, results.md: $measured of 2 interfaces were measured"
(( measured > 0 ))
