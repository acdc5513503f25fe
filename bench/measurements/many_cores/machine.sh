# Sourced by run.sh: describes the machine, and how steadily it computes.

glibc_version() { getconf GNU_LIBC_VERSION | cut -d ' ' -f 2; }

first_of() { { cat "$@" 2> /dev/null || true; } | head -n 1; }

# A line each: key, tabulator, value.
machine_facts() {
  local cpu=/sys/devices/system/cpu
  printf '%s\t%s\n' \
    processor "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" \
    cores "$(nproc)" \
    cores_online "$(nproc --all)" \
    topology "$("$here/weir" topology 2> /dev/null | tr '\n' ';' | tr -s ' ')" \
    smt "$(case $(first_of $cpu/smt/active) in 1) echo active ;; 0) echo "not active" ;; *) echo unknown ;; esac)" \
    numa_nodes "$(ls -d /sys/devices/system/node/node[0-9]* 2> /dev/null | wc -l)" \
    governor "$(first_of $cpu/cpu0/cpufreq/scaling_governor | grep . || echo unknown)" \
    quota "$(first_of /sys/fs/cgroup/cpu.max /sys/fs/cgroup/cpu/cpu.cfs_quota_us | grep . || echo unknown)" \
    hypervisor "$(hypervisor)" \
    memory_kb "$(sed -n 's/^MemTotal: *\([0-9]*\).*/\1/p' /proc/meminfo)" \
    kernel "$(uname -sr)" \
    glibc "$(glibc_version)" \
    system "$(. /etc/os-release 2> /dev/null && echo "${PRETTY_NAME:-}")" \
    folder "$(first_of "$here/version")" \
    load_at_the_end "$(cut -d ' ' -f 1-3 /proc/loadavg)" \
    stolen_percent "$(stolen)"
}

hypervisor() {
  local vendor
  vendor=$(first_of /sys/hypervisor/type /sys/class/dmi/id/sys_vendor)
  if grep -qw hypervisor /proc/cpuinfo; then echo "yes, ${vendor:-unknown}"; else echo "none seen, ${vendor:-unknown}"; fi
}

# The share of all cores' time that the hypervisor kept since run.sh began.
cpu_ticks() { awk '/^cpu / { for (i = 2; i <= 9; ++i) all += $i; print $9, all }' /proc/stat; }
ticks_before=$(cpu_ticks)
stolen() { echo "$ticks_before $(cpu_ticks)" | awk '{ printf "%.2f\n", ($4 > $2) ? 100 * ($3 - $1) / ($4 - $2) : 0 }'; }

# The calibration: a fixed loop, alone and on all cores together. A drift means that the machine, not weir, changed.
calibrations=()
loop() { local i; for (( i = 0; i < 100000; ++i )); do :; done; }
timed() {
  local from=${EPOCHREALTIME/[.,]/}
  "$@"
  echo $(( ${EPOCHREALTIME/[.,]/} - from ))
}
on_all() {
  local i
  for (( i = 0; i < cores; ++i )); do loop & done
  wait
}
calibrate() {
  load=$(cut -d ' ' -f 1 /proc/loadavg)
  calibrations+=("{\"second\": $(( EPOCHSECONDS - begin )), \"load\": $load, \"alone_us\": $(timed loop), \"all_cores_us\": $(timed on_all)}")
}

machine_json() {
  machine_facts | sed 's/[\\"]/\\&/g' | awk -F '\t' 'BEGIN { printf "{" } { printf("%s\"%s\": \"%s\"", (NR > 1 ? ", " : ""), $1, $2) }'
  (IFS=,; echo ", \"calibration\": [${calibrations[*]}]}")
}

machine_text() {
  printf '\n| | |\n|---|---|\n'
  machine_facts | awk -F '\t' '{ gsub(/\|/, "/", $2); printf "| %s | %s |\n", $1, $2 }'
  printf '\nCalibration, a fixed loop, in us: alone / on all cores together; a drift is the machine.\n\n'
  printf '%s\n' "${calibrations[@]}" |
    sed 's/.*"second": \([0-9]*\), "load": \([0-9.]*\), "alone_us": \([0-9]*\), "all_cores_us": \([0-9]*\).*/- \1 s, load \2: \3 \/ \4/'
}
