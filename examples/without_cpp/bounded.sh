weir run bounded.snet --boxes bounded.json --json --input inputs.jsonl 2> failures || LC_ALL=C sort failures
