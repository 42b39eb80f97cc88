#!/usr/bin/env python3
"""Reference costs from several searches of the same instances: of each instance the least cost. Takes files with
the columns instance and cost, whose first lines may be comments; a reference file comes first, and its set line is
kept. data/README.md says how it is run."""
import argparse
import csv
import sys
from decimal import ROUND_HALF_UP, Decimal


def costs_of(path):
    """Costs by instance, as decimal numbers, so that none is rounded on the way."""
    with open(path, encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {int(row["instance"]): Decimal(row["cost"]) for row in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("settings", help="what the third line is to say: the searches and their settings")
    parser.add_argument("files", nargs="+", help="a reference file, then further files of the same instances")
    a = parser.parse_args()
    with open(a.files[0], encoding="utf-8") as file:
        print(file.readline().rstrip())
        print(file.readline().rstrip())
    print(f"# {a.settings}")
    print("instance,cost")
    found = [costs_of(path) for path in a.files]
    if any(costs.keys() != found[0].keys() for costs in found):
        sys.exit("the files do not have the same instances")
    for instance in sorted(found[0]):
        least = min(costs[instance] for costs in found)
        print(f"{instance},{least.quantize(Decimal('0.000001'), ROUND_HALF_UP)}")


if __name__ == "__main__":
    main()
