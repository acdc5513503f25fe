# score.sh THREADS CODED CLIP: how near a coded clip is to the drawn one, as PSNR in hundredths of a decibel.
ffmpeg -nostdin -hide_banner -nostats -filter_complex_threads "$1" -threads "$1" -i "$2" -threads "$1" -i "$3" -lavfi psnr \
  -f null - 2>&1 | sed -n 's/.*average:\([0-9]*\)[.]\([0-9][0-9]\).*/\1\2/p; s/.*average:inf.*/10000/p'
