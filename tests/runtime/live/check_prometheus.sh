#!/usr/bin/env bash
# check_prometheus.sh PROGRAM: a real Prometheus reads the metrics of PROGRAM's live page, and promtool finds nothing to
# complain of in them. Without these two it ends with 77, which is a test skipped.
set -euo pipefail
for tool in prometheus promtool; do
  if ! command -v "$tool" > /dev/null; then
    echo "there is no $tool: runtime/package/prepare.sh --prometheus installs it"
    exit 77
  fi
done

folder=$(mktemp -d)
pids=()
end() {
  (( ${#pids[@]} == 0 )) || kill "${pids[@]}" 2> /dev/null || true
  wait || true
  rm -rf "$folder"
}
trap end EXIT

mkfifo "$folder/input"
"$1" < "$folder/input" > "$folder/ports" &
pids+=($!)
exec 3> "$folder/input"
until [[ -s $folder/ports ]]; do
  kill -0 "${pids[0]}"
  sleep 0.05
done
read -r port prometheus_port < "$folder/ports"

# promtool checks the metrics.
exec 4<> "/dev/tcp/127.0.0.1/$port"
printf 'GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:%s\r\n\r\n' "$port" >&4
sed '1,/^\r$/d' <&4 > "$folder/metrics"
exec 4>&-
promtool check metrics < "$folder/metrics"

cat > "$folder/prometheus.yml" << EOF
scrape_configs:
  - job_name: weir
    scrape_interval: 1s
    static_configs:
      - targets: ["127.0.0.1:$port"]
EOF
prometheus --config.file="$folder/prometheus.yml" --storage.tsdb.path="$folder/data" \
  --web.listen-address="127.0.0.1:$prometheus_port" > "$folder/log" 2>&1 &
pids+=($!)
query='weir_records_sent_total{run="the \\ run"}'
for (( i = 0; i < 300; ++i )); do
  kill -0 "${pids[1]}" || { cat "$folder/log"; exit 1; }
  answer=$(promtool query instant "http://127.0.0.1:$prometheus_port" "$query" 2> /dev/null || true)
  if [[ $answer == *"=> 1234 "* ]]; then
    echo "$answer"
    promtool query instant "http://127.0.0.1:$prometheus_port" 'weir_component_lanes'
    exit 0
  fi
  sleep 0.2
done
cat "$folder/log"
echo "Prometheus does not have the value: $answer"
exit 1
