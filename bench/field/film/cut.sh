# cut.sh FILM: prints FIRST-END for each scene: a new one begins where a frame differs much from the one before it.
ffmpeg -nostdin -loglevel error -threads 1 -i "$1" -vf "select='gte(scene,0)',metadata=print:file=-" -f null - |
  awk -F '[:= ]+' '/^frame:/ { at = $2 } /scene_score/ && ($2 > 0.3 || at == 0) { begins[++n] = at }
    END { begins[n + 1] = at + 1; for (i = 1; i <= n; ++i) printf "%05d-%05d\n", begins[i], begins[i + 1] }'
