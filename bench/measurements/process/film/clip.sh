# clip.sh THREADS NAME CODEC FRAMES SOURCE: the work of film.snet on one clip, by hand, each program with THREADS threads.
set -e
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ffmpeg -nostdin -y -loglevel error -filter_threads "$1" -f lavfi -i "$5" -frames:v "$4" -threads "$1" -pix_fmt yuv420p "$work/clip.y4m"
crf=46
while :; do
  if [ "$3" = 265 ]; then
    x265 --log-level none --no-progress --frame-threads 2 --crf $crf --pools "$1" --input "$work/clip.y4m" -o "$work/coded.hevc"
    coded=$work/coded.hevc
  else
    SvtAv1EncApp --preset 8 --pin 0 --crf $crf --lp "$1" -i "$work/clip.y4m" -b "$work/coded.ivf" > "$work/said" 2>&1
    coded=$work/coded.ivf
  fi
  psnr=$(sh score.sh "$1" "$coded" "$work/clip.y4m")
  if [ "$psnr" -ge 3600 ] || [ $crf -le 16 ]; then break; fi
  crf=$((crf - 6))
done
echo "{\"name\": \"$2\", \"<crf>\": $crf, \"<psnr>\": $psnr}"
