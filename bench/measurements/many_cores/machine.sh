# Sourced by run.sh: describes the machine, and how steadily it computes.

glibc_version() { getconf GNU_LIBC_VERSION 2> /dev/null | cut -d ' ' -f 2; }

# The programs run from a copy, by the glibc of this folder: the path of its loader replaces the one that they have, with slashes to its length.
use_own_glibc() {
  local program from="/lib64$(printf '/%.0s' {1..150})ld-linux-x86-64.so.2" to=$work/programs/lib/ld-linux-x86-64.so.2
  programs=$work/programs
  mkdir -p "$programs/lib"
  ln -s "$here"/lib/* "$here"/glibc/* "$programs/lib/"
  (( ${#to} <= ${#from} )) || refuse "TMPDIR: $work is too long a name"
  while (( ${#to} < ${#from} )); do to=/$to; done
  for program in weir weir-corpus paper overhead moves stages component_costs allocation_cost; do
    LC_ALL=C sed "s|$from|$to|" "$here/$program" > "$programs/$program"
    chmod +x "$programs/$program"
  done
}

first_of() { { cat "$@" 2> /dev/null || true; } | head -n 1; }

# The cores that weir uses: those of the process, and as many as its CPU quota pays for.
weir_cores() { "$programs/weir" topology | sed -n '1s/^\([0-9][0-9]*\) cores\{0,1\}.*/\1/p' | grep . || nproc; }

# first_units COUNT: the first processing unit of each of the first cores, by commas.
first_units() { "$programs/weir" topology | awk -v count="$1" '/^core / { in_table = 1; next } in_table && NF >= 5 && n++ < count { printf("%s%s", (n > 1 ? "," : ""), $5 + 0) }'; }

# Reads lines, writes a JSON array of strings.
as_strings() {
  sed 's/[\\"]/\\&/g; s/\t/    /g' | tr -d '\000-\011\013-\037' |
    awk 'BEGIN { printf "[" } { printf("%s\"%s\"", (NR > 1 ? ", " : ""), $0) } END { printf "]" }'
}

# A line each: key, tabulator, value.
machine_facts() {
  local cpu=/sys/devices/system/cpu
  printf '%s\t%s\n' \
    processor "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" \
    cores_of_weir "$("$programs/weir" topology | head -n 1)" \
    quota_and_limits "$("$programs/weir" topology | sed -n '2,$p' | grep -vE '^ *[0-9 ,]*$|^core ' | tr '\n' ' ' | grep . || echo "none seen")" \
    units_online "$(nproc --all), of them for this process $(nproc)" \
    smt "$(case $(first_of $cpu/smt/active) in 1) echo active ;; 0) echo "not active" ;; *) echo unknown ;; esac)" \
    numa_nodes "$(for node in /sys/devices/system/node/node[0-9]*; do printf '%s: %s; ' "${node##*/}" "$(first_of "$node/cpulist")"; done)" \
    governor "$(cat $cpu/cpu*/cpufreq/scaling_governor 2> /dev/null | sort -u | tr '\n' ' ' | grep . || echo unknown)" \
    hypervisor "$(hypervisor)" \
    memory_kb "$(sed -n 's/^MemTotal: *\([0-9]*\).*/\1/p' /proc/meminfo)" \
    kernel "$(uname -sr)" \
    glibc "$(glibc_version)$([[ $programs == "$here" ]] || echo ", the programs run by that of the folder")" \
    system "$(. /etc/os-release 2> /dev/null && echo "${PRETTY_NAME:-}")" \
    folder "$(first_of "$here/version")" \
    load_at_the_end "$(cut -d ' ' -f 1-3 /proc/loadavg)" \
    throttled "$(throttled)" \
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

# How often the quota stopped the process's control group so far, where that can be read.
throttled() {
  local group
  group=$(sed -n 's/^0:://p; s/^[0-9]*:\(cpu\|cpu,cpuacct\)://p' /proc/self/cgroup | head -n 1)
  { cat "/sys/fs/cgroup$group/cpu.stat" "/sys/fs/cgroup/cpu$group/cpu.stat" "/sys/fs/cgroup/cpu.stat" 2> /dev/null || true; } |
    sed -n 's/^nr_throttled //p' | head -n 1 | grep . || echo unknown
}

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
