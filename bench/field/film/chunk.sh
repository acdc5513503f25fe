# chunk.sh THREADS NAME CODEC FILM RANGE PARTS: the work of film.snet on one scene, by hand, each program with THREADS threads.
set -e
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sh scene.sh "$4" "$5" "$work/clip.y4m"
crf=46
while :; do
  case $3 in
    264)
      coded=$work/coded.264
      x264 --quiet --no-progress --crf $crf --threads "$1" -o "$coded" "$work/clip.y4m"
      ;;
    265)
      coded=$work/coded.hevc
      x265 --log-level none --no-progress --frame-threads 2 --crf $crf --pools "$1" --input "$work/clip.y4m" -o "$coded"
      ;;
    *)
      coded=$work/coded.ivf
      SvtAv1EncApp --preset 8 --pin 0 --crf $crf --lp "$1" -i "$work/clip.y4m" -b "$coded" > "$work/said" 2>&1
      ;;
  esac
  psnr=$(sh score.sh "$1" "$coded" "$work/clip.y4m")
  if [ "$psnr" -ge 3600 ] || [ $crf -le 16 ]; then break; fi
  crf=$((crf - 6))
done
cp "$coded" "$6/$2-$5"
echo "{\"name\": \"$2\", \"at\": \"$5\", \"<crf>\": $crf, \"<psnr>\": $psnr}"
