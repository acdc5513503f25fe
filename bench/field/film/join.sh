# join.sh NAME CODEC PARTS JOINED: the scenes of a film, in order, become the file JOINED. With --frames FILE: how many decode.
set -e
if [ "$1" = --frames ]; then
  ffmpeg -nostdin -loglevel error -nostats -progress - -i "$2" -f null - | sed -n 's/^frame=//p' | tail -n 1
elif [ "$2" = 1 ]; then
  printf "file '%s'\n" "$3/$1"-* > "$4.parts"
  ffmpeg -nostdin -y -loglevel error -f concat -safe 0 -i "$4.parts" -c copy -f ivf "$4"
else
  cat "$3/$1"-* > "$4"
fi
