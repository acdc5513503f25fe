"""Writes a scenario for `weir simulate` whose records arrive by a pattern of common/arrivals.hpp, evenly in each of 40 steps.

    arrivals.py SCENARIO.json --pattern spike --rate RECORDS_A_SECOND [--seconds 20]

SCENARIO.json may have // comments. All but name, records and arrivals stays as it is.
"""

import argparse
import json
import math
import pathlib
import re

STEPS = 40
# The rate over its mean, at a part of the run in [0, 1].
PATTERNS = {
    "constant": lambda part: 1,
    "wave": lambda part: 1 + 0.5 * math.sin(8 * math.pi * part),
    "spike": lambda part: 2.8 if 0.45 <= part < 0.55 else 0.8,
    "binary": lambda part: 1.5 if int(8 * part) % 2 else 0.5,
    "increasing": lambda part: 0.5 + part,
    "decreasing": lambda part: 1.5 - part,
}


def main():
    parser = argparse.ArgumentParser(description="Lets the records of a scenario arrive by a pattern")
    parser.add_argument("scenario", help="A scenario of weir simulate")
    parser.add_argument("--pattern", choices=sorted(PATTERNS), required=True)
    parser.add_argument("--rate", type=float, required=True, help="Records a second, the mean")
    parser.add_argument("--seconds", type=float, default=20)
    asked = parser.parse_args()
    if not (asked.rate > 0 and asked.seconds > 0):
        parser.error("--rate and --seconds must be more than 0")
    with open(asked.scenario, encoding="utf-8") as file:
        text = re.sub(r'("(?:[^"\\]|\\.)*")|//[^\n]*', lambda found: found.group(1) or "", file.read())
    scenario = json.loads(text)
    middle = [(step + 0.5) / STEPS for step in range(STEPS)]
    steps = [[asked.seconds * step / STEPS, asked.rate * PATTERNS[asked.pattern](part)] for step, part in enumerate(middle)]
    scenario["name"] = f"{scenario.get('name', pathlib.Path(asked.scenario).stem)} {asked.pattern}"
    scenario["records"] = max(1, round(asked.rate * asked.seconds))
    scenario["arrivals"] = {"steps": steps, "poisson": False}
    print(json.dumps(scenario, indent=2))


if __name__ == "__main__":
    main()
