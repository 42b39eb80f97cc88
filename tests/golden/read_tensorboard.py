#!/usr/bin/env python3
"""Reads event files of edgefw with the tensorboard package, which no test needs.

    pip install tensorboard
    python tests/golden/read_tensorboard.py RUN    every event file of a run directory is read, its
                                                   scalars are compared with metrics.csv and
                                                   results.csv, and are printed
    python tests/golden/read_tensorboard.py --write FILE
                                                   write the small file that test_event_file.c expects
                                                   (tests/core/report/tensorboard.tfevents), by the
                                                   package's own writer

Exit status 1 if anything differs.
"""
import csv
import math
import pathlib
import struct
import sys

from tensorboard.backend.event_processing import event_accumulator
from tensorboard.compat.proto import event_pb2, summary_pb2
from tensorboard.summary.writer.record_writer import RecordWriter

TAGS = {"train/score": "score", "train/loss": "loss", "grad_norm": "gradient_norm", "lr": "learning_rate"}


def write(path):
    """The events that test_event_file.c writes, too."""
    def scalar(wall_time, step, tag, value):
        summary = summary_pb2.Summary(value=[summary_pb2.Summary.Value(tag=tag, simple_value=value)])
        return event_pb2.Event(wall_time=wall_time, step=step, summary=summary)

    events = [
        event_pb2.Event(wall_time=1700000000.25, file_version="brain.Event:2"),
        scalar(1700000001.5, 1, "train/score", 3.25),
        scalar(1700000002.0, 300, "lr", 1e-4),
        scalar(1700000003.0, 0, "val/gap/100", 0.0),
        scalar(1700000004.0, 2, "val/gap/é", -1.5),
    ]
    with open(path, "wb") as stream:
        writer = RecordWriter(stream)
        for event in events:
            writer.write(event.SerializeToString())
        writer.flush()


def rows_of(path):
    if not path.exists():
        return []
    with open(path, newline="") as stream:
        return list(csv.DictReader(stream))


def float32(value):
    return struct.unpack("f", struct.pack("f", float(value)))[0]


def expected_of(run, variant):
    """What the tables say: {tag: [(step, value)]}; the step of gaps is not in them (None)."""
    expected = {}
    for row in rows_of(run / variant / "metrics.csv"):
        for tag, column in TAGS.items():
            expected.setdefault(tag, []).append((int(row["epoch"]), float32(row[column])))
    for row in rows_of(run / "results.csv"):
        if row["variant"] == variant and row["gap_percent"]:
            expected["val/gap/" + row["set"]] = [(None, float32(row["gap_percent"]))]
    return expected


def check(run, path):
    """Compare one event file; returns the number of faults."""
    accumulator = event_accumulator.EventAccumulator(
        str(path), size_guidance={event_accumulator.SCALARS: 0})
    accumulator.Reload()
    found = {tag: [(e.step, e.value) for e in accumulator.Scalars(tag)]
             for tag in accumulator.Tags()["scalars"]}
    times = [e.wall_time for tag in found for e in accumulator.Scalars(tag)]
    expected = expected_of(run, path.parent.name)
    faults = 0
    for tag in sorted(set(found) | set(expected)):
        wanted, got = expected.get(tag), found.get(tag)
        same = wanted is not None and got is not None and len(wanted) == len(got) and all(
            (w[0] is None or w[0] == g[0]) and (w[1] == g[1] or math.isnan(w[1]) and math.isnan(g[1]))
            for w, g in zip(wanted, got))
        faults += not same
        last = f"{len(got)} values, the last {got[-1][1]:.6g} at step {got[-1][0]}" if got else "missing"
        print(f"{path.parent.name} {tag}: {last}{'' if same else f'; expected {wanted}'}")
    if not found or accumulator.file_version != 2 or min(times) < accumulator.FirstEventTimestamp():
        print(f"{path}: no scalars, no version, or a time before the first one")
        faults += 1
    return faults


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--write":
        write(sys.argv[2])
        return 0
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    run = pathlib.Path(sys.argv[1])
    paths = sorted(run.glob("*/events.out.tfevents.*"))
    if not paths:
        print(f"{run}: no event file", file=sys.stderr)
        return 1
    return 1 if sum(check(run, path) for path in paths) else 0


if __name__ == "__main__":
    sys.exit(main())
