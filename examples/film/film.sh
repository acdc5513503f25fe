mkdir parts
weir run film.snet --boxes film.json --input films.jsonl --output scenes.jsonl --resume name --report film.html
cat parts/early-* > early.264
cat parts/later-* > later.hevc
printf "file '%s'\n" "$PWD"/parts/now-* > parts.txt
ffmpeg -loglevel error -f concat -safe 0 -i parts.txt -c copy now.ivf
for film in early.264 later.hevc now.ivf; do
  ffprobe -loglevel error -count_frames -show_entries stream=codec_name,nb_read_frames -of csv=print_section=0 $film
done
