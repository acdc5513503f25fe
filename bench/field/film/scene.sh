# scene.sh FILM FIRST-END CLIP: these frames of a film of 25 a second that has key frames only, as y4m.
ffmpeg -nostdin -y -loglevel error -threads 1 -ss "$(echo "$2" | awk -F - '{ print ($1 > 0 ? ($1 - 0.5) / 25 : 0) }')" -i "$1" \
  -frames:v "$(echo "$2" | awk -F - '{ print $2 - $1 }')" -threads 1 "$3"
