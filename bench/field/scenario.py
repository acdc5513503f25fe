"""Writes a scenario for `weir simulate` from what a run has learnt.

    scenario.py REPORT.json.. --name NAME --from TEXT [--records N] [--serial BOX,BOX] [--back BOX=BOX,..]

REPORT.json is the report of a run: --report of field_dedup, field_ferret, `weir corpus run` and `weir run`. Costs are
the models of the first one. Invocations of the others count for how a box gains from cores. --from says where and when
it was learnt; --serial names the boxes of one lane. --back names a box from which records go
back to others in a feedback, which the links of a report do not have.

- Tseq(x) is the learnt one times a factor, by which the mean of the last invocations is right; noise is their scatter.
- x is one of 24 quantiles of those invocations, or of all if they are fewer.
- A box of which no invocation had several cores gains nothing from them here (sequential): this was not measured.
- The stream before a short box holds a millisecond of its work, as in a run.
- Sources and boxes outside the cores are left out: what follows them is fed from outside.
"""

import argparse
import json
import math
import statistics
import sys

QUANTILES = 24
STREAM_SECONDS = 1e-3  # of work, which a stream of a run holds at least


def report_of(path):
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError) as error:
        sys.exit(f"scenario.py: {path} is no report of a run: {error}")
    if not isinstance(found, dict):
        found = {}
    if found.get("format") == "weir page" and found.get("runs"):
        found = found["runs"][0]["report"]
    if not {"components", "links"} <= found.keys():
        sys.exit(f"scenario.py: {path} is no report of a run: it has no components and links")
    return found


def rounded(value):
    number = float(f"{value:.5g}")
    return int(number) if number == int(number) else number


class Law:
    """Tseq(x) of a component, as it was learnt."""

    def __init__(self, component):
        powers = component["powers"] or range(len(component["coefficients"]))
        if any(p != int(p) for p in powers) or component["serial_coefficients"]:
            self.coefficients = None  # no polynomial of whole powers
        else:
            self.coefficients = [0.0] * (int(max(powers, default=0)) + 1)
            for p, c in zip(powers, component["coefficients"]):
                self.coefficients[int(p)] = c
            while len(self.coefficients) > 1 and self.coefficients[-1] == 0:
                self.coefficients.pop()

    def at(self, x):
        return sum(c * x**i for i, c in enumerate(self.coefficients))


def points_of(reports, name):
    """(x, cores, seconds) of the last invocations, of the first report first."""
    return [
        [tuple(p) for c in r["components"] if c["name"] == name and c["curves"] for p in c["curves"]["points"]]
        for r in reports
    ]


def alpha_of(law, points):
    """The parallel share by all invocations of several cores; None where there was none."""
    alone = [s / law.at(x) for x, p, s in points if p == 1 and law.at(x) > 0]
    unit = statistics.fmean(alone) if alone else 1.0
    shares = [(1 - s / law.at(x) / unit) / (1 - 1 / p) for x, p, s in points if p > 1 and law.at(x) > 0]
    return min(max(statistics.fmean(shares), 0.0), 1.0) if len(shares) >= 3 else None


def component_of(component, reports, serial):
    name = component["name"]
    first, *others = points_of(reports, name)
    points = first or [(1.0, 1, component["mean_seconds"])]
    law = Law(component)
    if law.coefficients is None or not any(law.at(x) > 0 for x, _, _ in points):
        mean = statistics.fmean(s for _, p, s in points if p == 1 or len(points) == 1)
        law.coefficients, points = [mean], [(1.0, p, s) for _, p, s in points]
        others = [[(1.0, p, s) for _, p, s in more] for more in others]
    alpha = alpha_of(law, points + [p for more in others for p in more])
    expected = lambda x, p: law.at(x) * (1 if p == 1 or alpha is None else alpha / p + 1 - alpha)
    used = [(s, expected(x, p)) for x, p, s in points if expected(x, p) > 0]
    factor = sum(s for s, _ in used) / sum(e for _, e in used)
    noise = statistics.pstdev([math.log(s / e) for s, e in used])
    xs = sorted(x for x, _, _ in points)
    count = min(QUANTILES, len(xs))
    values = [rounded(xs[int((i + 0.5) / count * len(xs))]) for i in range(count)]
    made = {
        "name": name,
        "cost": {"coefficients": [rounded(c * factor) for c in law.coefficients], "alpha": rounded(alpha or 0.0)},
        "x": values[0] if values[0] == values[-1] else {"values": values},
        "degree": len(law.coefficients) - 1,
        "noise": rounded(min(noise, 2.0)),
    }
    if alpha is None:
        made["sequential"] = True
    if STREAM_SECONDS / component["mean_seconds"] > 4:
        made["capacity"] = int(STREAM_SECONDS / component["mean_seconds"])
    if name in serial:
        made["width"] = 1
    return made


def links_of(report, kept, back):
    """Links between components that stay, per invocation of their start; what follows others is fed from outside."""
    # The report counts records for each one that enters.
    flow = [(l["from"], l["to"], l["records"]) for l in report["links"] if l["records"] > 0]
    fed = {}
    for start, to, records in flow:
        if start not in kept and to in kept:
            fed[to] = fed.get(to, 0.0) + records
    entering = sum(fed.values())
    invocations = {c["name"]: c["invocations"] for c in report["components"]}
    links = [{"from": "input", "to": to, "records": rounded(n / entering)} for to, n in fed.items()]
    for name in kept:
        visits = sum(records for _, to, records in flow if to == name)
        out = [(to, records / visits) for start, to, records in flow if start == name and (to in kept or to == "output")]
        out = out or [("output", 1.0)]
        if name in back:
            entered = sum(invocations[to] for to in fed) / entering
            again = []
            for to in back[name]:
                first = entered * sum(records for _, reached, records in flow if reached == to)
                again.append((to, max(invocations[to] - first, 0.0) / invocations[name]))
            on = (1 - sum(n for _, n in again)) / sum(n for _, n in out)
            out = [(to, n * on) for to, n in out] + again
        links += [{"from": name, "to": to, "records": rounded(n)} for to, n in out]
    return links


def chooses(name, links):
    out = [link.get("records", 1) for link in links if link["from"] == name]
    return len(out) > 1 and abs(sum(out) - 1) < 0.001


def main():
    parser = argparse.ArgumentParser(prog="scenario.py")
    parser.add_argument("reports", nargs="+")
    parser.add_argument("--name", required=True)
    parser.add_argument("--from", dest="learnt", required=True)
    parser.add_argument("--records", type=int, default=20000)
    parser.add_argument("--serial", default="")
    parser.add_argument("--back", default="=")
    asked = parser.parse_args()
    reports = [report_of(path) for path in asked.reports]
    serial = set(filter(None, asked.serial.split(",")))
    start, _, ends = asked.back.partition("=")
    back = {start: ends.split(",")} if start else {}
    of_run = {c["name"]: c for c in reports[0]["components"]}
    for name in serial | back.keys() | set(sum(back.values(), [])):
        if name not in of_run:
            sys.exit(f"scenario.py: there is no box {name}; there are {', '.join(of_run)}")
    kept = [
        n for n, c in of_run.items()
        if not c["place"].startswith("outside") and c["model"] != "nothing observed yet" and c["invocations"] > 0
    ]
    links = links_of(reports[0], kept, back)
    components = [component_of(of_run[name], reports, serial) for name in kept]
    for component in components:
        if chooses(component["name"], links):
            component["chooses"] = True
    rows = lambda items: "[\n" + ",\n".join("    " + json.dumps(item) for item in items) + "\n  ]"
    print(f"// Learnt by {asked.learnt}; written by bench/field/scenario.py.")
    print(f'{{\n  "name": {json.dumps(asked.name)},\n  "cores": 16,\n  "records": {asked.records},')
    print(f'  "move_cost": 0.0005,\n  "width": 1024,\n  "components": {rows(components)},\n  "links": {rows(links)}\n}}')


try:
    main()
except (ValueError, ZeroDivisionError, KeyError) as why:  # a law, a time or a link that a scenario cannot have
    sys.exit(f"scenario.py: the reports do not make a scenario: {type(why).__name__}: {why}")
