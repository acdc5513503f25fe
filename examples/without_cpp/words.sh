weir run words.snet --boxes words.json --input words.jsonl 2> failures || cat failures
