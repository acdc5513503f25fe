# whole.sh THREADS NAME CODEC FILM PARTS: a film by ffmpeg alone, without scenes: encoded again until the whole is near enough.
set -e
crf=46
while :; do
  case $3 in
    264) ending=264 options="-c:v libx264" ;;
    265) ending=hevc options="-c:v libx265 -x265-params log-level=none:frame-threads=2:pools=$1" ;;
    *) ending=ivf options="-c:v libsvtav1 -preset 8 -svtav1-params lp=$1" ;;
  esac
  SVT_LOG=1 ffmpeg -nostdin -y -loglevel error -threads "$1" -i "$4" $options -crf $crf -threads "$1" "$5/$2.$ending" 2> "$5/said"
  psnr=$(sh score.sh "$1" "$5/$2.$ending" "$4")
  if [ "$psnr" -ge 3600 ] || [ $crf -le 16 ]; then break; fi
  crf=$((crf - 6))
done
mv "$5/$2.$ending" "$5/$2-00000-all"
echo "{\"name\": \"$2\", \"at\": \"all\", \"<crf>\": $crf, \"<psnr>\": $psnr}"
