#!/usr/bin/env python3
"""What grows with the number of loader threads, of samples, of runs in a folder, and of components: tables of medians, as
Markdown.

    ./dev bench growth [ROUNDS]

A curve that is steeper than its work shows as a last column that rises.
"""

import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

EXPERIMENT = """name = "small"
seed = 1
[training]
optimizer = { type = "SGD", lr = 0.01 }
terminal_conditions = { epoch_limit = 1, loss_stop_threshold = 0.0 }
[training.task]
type = "Shapes"
batch_size = 4
size = 4
[pipeline.flat]
type = "ReshapeTensor"
input_dims = [-1, 3, 64, 64]
output_dims = [-1, 12288]
streams = { outputs = "flat" }
[pipeline.net]
type = "FeedForwardNetwork"
streams = { inputs = "flat" }
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "NLLLoss"
"""


def medians(command, rounds):
    """Of each number that the command prints."""
    printed = [
        [float(word) for word in subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()]
        for _ in range(rounds)
    ]
    return [statistics.median(column) for column in zip(*printed)]


def measured(command):
    """Seconds of CPU time, and MB of memory at most."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        child = subprocess.Popen(command, stdout=nowhere)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
    if status != 0:
        raise SystemExit(f"{command} has failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def table(title, columns, rows):
    print(f"\n{title}\n")
    print("| " + " | ".join(columns) + " |")
    print("|---" * len(columns) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")


def threads(bench, rounds):
    rows = []
    for count in (1, 2, 3, 4, 6, 8):
        rate, cpu = medians([bench, "threads", str(count)], rounds)
        rows.append([str(count), f"{rate:.0f}", f"{cpu:.2f}"])
    table(
        f"FashionMNIST through RandomAffine, {os.cpu_count()} cores",
        ["loader threads", "thousand samples/s, by the clock", "us of CPU time for each sample"],
        rows,
    )


def samples(bench, rounds):
    rows = []
    for power in range(3, 8):
        source, order, batch = medians([bench, "samples", str(10**power)], rounds)
        rows.append([f"{10**power:,}", f"{source:.2f}", f"{order:.2f}", f"{batch * 10**power / 1000:.1f}"])
    table(
        "An index of samples, shuffled",
        ["samples", "ns for each, once", "ns for each, of an epoch's order", "us of its last batch"],
        rows,
    )


def copy_of_run(run, to):
    """A folder with the files of the run; its checkpoints and plugins are links."""
    to.mkdir(parents=True)
    for entry in run.iterdir():
        if entry.is_dir():
            (to / entry.name).symlink_to(entry)
        else:
            os.link(entry, to / entry.name)


def runs(ptprun, rounds, counts=(10, 100, 1000, 10000)):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        experiment = pathlib.Path(folder) / "small.toml"
        experiment.write_text(EXPERIMENT, encoding="utf-8")
        first = pathlib.Path(folder) / "first"
        subprocess.run([ptprun, experiment, "--run-dir", first, "--quiet"], check=True)
        all_runs = pathlib.Path(folder) / "runs"
        made = 0
        for count in counts:
            while made < count:
                copy_of_run(first, all_runs / f"run_{made:05}")
                made += 1
            results = [measured([ptprun, "runs", all_runs]) for _ in range(rounds)]
            seconds = statistics.median(result[0] for result in results)
            memory = statistics.median(result[1] for result in results)
            rows.append([f"{count:,}", f"{seconds:.2f}", f"{memory:.0f}", f"{seconds / count * 1e6:.0f}"])
    table(
        "`ptprun runs`, of a folder",
        ["runs", "s of CPU time", "MB of memory", "us for each"],
        rows,
    )


def chain(count, samples):
    """An experiment with so many components that each reshape what the one before has written."""
    lines = [EXPERIMENT.split("[pipeline.flat]", maxsplit=1)[0].replace("\nsize = 4", f"\nsize = {samples}"), "[pipeline.flat]"]
    lines += ['type = "ReshapeTensor"', "input_dims = [-1, 3, 64, 64]", "output_dims = [-1, 12288]"]
    lines += ['streams = { outputs = "s0" }', 'globals = { output_size = "size_0" }']
    for i in range(1, count + 1):
        lines += [f"[pipeline.c{i}]", 'type = "ReshapeTensor"', "input_dims = [-1, 12288]", "output_dims = [-1, 12288]"]
        lines += [f'streams = {{ inputs = "s{i - 1}", outputs = "s{i}" }}', f'globals = {{ output_size = "size_{i}" }}']
    lines += ["[pipeline.net]", 'type = "FeedForwardNetwork"', f'streams = {{ inputs = "s{count}" }}']
    lines += [f'globals = {{ prediction_size = "num_classes", input_size = "size_{count}" }}', "[pipeline.loss]"]
    return "\n".join([*lines, 'type = "NLLLoss"', ""])


def components(ptprun, rounds, counts=(1000, 5000, 10000)):
    """Checking them; and one more of them in a step, from trainings of 10 and of 210 steps."""
    rows = []
    few_steps, more_steps = 10, 210
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def seconds_of_step(count):
            seconds = []
            for steps in (few_steps, more_steps):
                experiment = folder / f"{count}_{steps}.toml"
                experiment.write_text(chain(count, 4 * steps), encoding="utf-8")
                run = folder / "run"
                command = [ptprun, experiment, "--run-dir", run, "--quiet", "--threads", "1"]
                seconds.append(measured(command)[0])
                shutil.rmtree(run)
            return (seconds[1] - seconds[0]) / (more_steps - few_steps)

        for count in counts:
            experiment = folder / f"{count}_{few_steps}.toml"
            experiment.write_text(chain(count, 4 * few_steps), encoding="utf-8")
            checks = [measured([ptprun, "check", experiment]) for _ in range(rounds)]
            steps = [seconds_of_step(count) - seconds_of_step(0) for _ in range(rounds)]
            rows.append(
                [
                    f"{count:,}",
                    f"{statistics.median(check[0] for check in checks):.3f}",
                    f"{statistics.median(check[1] for check in checks):.0f}",
                    f"{statistics.median(steps) / count * 1e6:.2f}",
                ]
            )
    table(
        "A chain of components",
        ["components", "`ptprun check`, s of CPU time", "MB of memory", "us of CPU time of a step, each"],
        rows,
    )


def main():
    bench, ptprun = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    threads(bench, rounds)
    samples(bench, rounds)
    runs(ptprun, rounds)
    components(ptprun, rounds)


if __name__ == "__main__":
    main()
