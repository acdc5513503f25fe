weir check archive.snet --boxes archive.json
mkdir archive
weir run archive.snet --boxes archive.json --input logs --ending .log --output sums.jsonl --resume name
cat sums.jsonl
gzip --decompress --stdout archive/tuesday.log.gz | head -n 1
