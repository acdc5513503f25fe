"""score.py CODED CLIP: prints how near a coded clip is to the drawn one, as PSNR in hundredths of a decibel."""

import re
import subprocess
import sys

coded, clip = sys.argv[1:]
said = subprocess.run(
    ["ffmpeg", "-nostdin", "-hide_banner", "-nostats", "-i", coded, "-i", clip, "-lavfi", "psnr", "-f", "null", "-"],
    stderr=subprocess.PIPE, text=True, check=True).stderr
average = re.search(r"average:(\S+)", said).group(1)
print(10000 if average == "inf" else round(100 * float(average)))
