#!/usr/bin/env python3
"""A model of the time of a training step with N processes: fitted to what is measured here, checked on what was held
out, and used for numbers of processes that are not to be had here. What it prints for those is a simulation.

    ./dev bench scaling [ROUNDS]

    step(N)  = first + each * batch / N * busy(N) + sum(N, bytes)
    ring     = (2 (N - 1) * latency + 2 (N - 1) / N * bytes / bandwidth) * busy(N)
    tree     = 2 ceil(log2 N) * (latency + bytes / bandwidth) * busy(N)
    busy(N)  = max(1, processes of a host / its cores)

There are two bandwidths on one host: of what fits into its cache, 4 MiB here, and of more.

gloo, and so ptp, sums in a ring. That gradients are sent while the backward pass still runs is not part of the model: it
is an upper bound. The batch stays the same: N processes share it.
"""

import json
import math
import os
import pathlib
import socket
import subprocess
import sys
import tempfile

DATA = "/usr/share/datasets/fashion-mnist"
CORES = os.cpu_count()
CACHE = 4 << 20
NET = (
    '[pipeline.flat]\ntype = "ReshapeTensor"\ninput_dims = [-1, 1, 28, 28]\noutput_dims = [-1, 784]\n'
    'streams = { outputs = "flat" }\n'
    '[pipeline.net]\ntype = "FeedForwardNetwork"\nhidden_sizes = [1024, 1024]\n'
    'streams = { inputs = "flat" }\nglobals = { prediction_size = "num_classes" }\n'
)
NET_BYTES = 4 * (784 * 1024 + 1024 + 1024 * 1024 + 1024 + 1024 * 10 + 10)


def busy(processes, cores=CORES):
    return max(1.0, processes / cores)


def per_byte(size, link):
    return link[1] if size <= CACHE else link[2]


def ring(processes, size, link, crowd=1.0):
    """Seconds of the sum of these bytes. A link: seconds of latency, for each byte of few, and for each of many."""
    return (2 * (processes - 1) * link[0] + 2 * (processes - 1) / processes * size * per_byte(size, link)) * crowd


def tree(processes, size, link, crowd=1.0):
    return 2 * math.ceil(math.log2(processes)) * (link[0] + size * per_byte(size, link)) * crowd


def least_squares(rows):
    """x, y of a * x + b * y = t, with the smallest relative errors."""
    aa = ab = bb = at = bt = 0.0
    for a, b, t in rows:
        a, b = a / t, b / t
        aa, ab, bb, at, bt = aa + a * a, ab + a * b, bb + b * b, at + a, bt + b
    determinant = aa * bb - ab * ab
    return (at * bb - bt * ab) / determinant, (bt * aa - at * ab) / determinant


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def measured_sums(bench, processes, rounds):
    """The fewest seconds of the rounds, by bytes: what else the machine does only makes them more."""
    port = free_port()
    ranks = []
    for rank in range(processes):
        place = {"RANK": rank, "WORLD_SIZE": processes, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
        environment = {**os.environ, "OMP_NUM_THREADS": "1", **{key: str(value) for key, value in place.items()}}
        ranks.append(subprocess.Popen([bench, str(rounds)], env=environment, stdout=subprocess.PIPE, text=True))
    said = [rank.communicate()[0] for rank in ranks]
    if any(rank.returncode for rank in ranks):
        raise SystemExit(f"the sums of {processes} processes have failed")
    lines = [line.split() for line in said[0].splitlines()]
    return {int(size): float(seconds) for size, seconds in lines if int(size) > 4}  # gloo sends one number otherwise


def measured_step(ptprun, processes, batch, episodes=30):
    """Seconds of an episode of a training: between two lengths, so that the start does not count; the fastest of each."""

    def train(length):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "experiment.toml"
            file.write_text(
                f'name = "scaling"\nseed = 1\n[training]\noptimizer = {{ type = "SGD", lr = 0.01 }}\n'
                f"terminal_conditions = {{ epoch_limit = 1000000, episode_limit = {length}, loss_stop_threshold = 0.0 }}\n"
                f'[training.task]\ntype = "FashionMNIST"\nbatch_size = {batch}\ndata_folder = "{DATA}"\n'
                f'resize_image = [28, 28]\n{NET}[pipeline.loss]\ntype = "NLLLoss"\n'
            )
            run = pathlib.Path(folder) / "run"
            subprocess.run(
                [ptprun, file, "--run-dir", run, "--nproc", str(processes), "--quiet"],
                env={**os.environ, "OMP_NUM_THREADS": "1"},
                check=True,
            )
            return json.loads((run / "status.json").read_text())["seconds"]

    return (min(train(3 * episodes) for _ in range(2)) - min(train(episodes) for _ in range(2))) / (2 * episodes)


def table(first, each, batch, link, cores, name):
    print(f"\n{name}; batch {batch}, {NET_BYTES / 1e6:.1f} MB of gradients; simulated, not measured")
    print("processes   ring ms  efficiency    tree ms  efficiency")
    alone = first + each * batch
    for exponent in range(11):
        processes = 2**exponent
        compute = first + each * batch / processes * busy(min(processes, cores), cores)
        times = [
            compute + (kind(processes, NET_BYTES, link) if processes > 1 else 0) for kind in (ring, tree)
        ]
        cells = "".join(f"{1e3 * time:11.2f}{alone / time / processes:11.1%}" for time in times)
        print(f"{processes:9d}{cells}")


def main():
    bench, ptprun = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 21
    sums = {processes: measured_sums(bench, processes, rounds) for processes in (2, 3, 4)}
    few, many = [], []
    for processes in (2, 4):  # 3 is held out, and so is every second size
        for number, (size, seconds) in enumerate(sums[processes].items()):
            if number % 2 == 0:
                crowd = busy(processes)
                row = (2 * (processes - 1) * crowd, 2 * (processes - 1) / processes * size * crowd, seconds)
                (few if size <= CACHE else many).append(row)
    latency, each_of_few = least_squares(few)
    each_of_many = sum((seconds - steps * latency) / size for steps, size, seconds in many) / len(many)
    link = (latency, each_of_few, each_of_many)
    print(
        f"a ring on this host, {CORES} cores: {1e6 * latency:.0f} us of latency, {1e-9 / each_of_few:.2f} GB/s of up to "
        f"4 MiB and {1e-9 / each_of_many:.2f} GB/s of more"
    )
    print("processes     bytes  measured ms   model ms   error  fitted")
    for processes, by_size in sums.items():
        for number, (size, seconds) in enumerate(by_size.items()):
            model = ring(processes, size, link, busy(processes))
            fitted = "yes" if processes != 3 and number % 2 == 0 else "no"
            print(
                f"{processes:9d}{size:10d}{1e3 * seconds:13.3f}{1e3 * model:11.3f}{model / seconds - 1:8.0%}  {fitted}"
            )

    steps = {batch: measured_step(ptprun, 1, batch) for batch in (64, 128, 256, 512)}
    first, each = least_squares([(1, batch, steps[batch]) for batch in (64, 256)])
    print(f"\na step of 1 process: {1e3 * first:.2f} ms, and {1e6 * each:.1f} us for each sample")
    print("processes  batch  measured ms   model ms   error  fitted")
    for processes, batch in [(1, 64), (1, 128), (1, 256), (1, 512), (2, 128), (2, 512), (3, 512), (4, 512)]:
        seconds = steps[batch] if processes == 1 else measured_step(ptprun, processes, batch)
        model = first + each * batch / processes * busy(processes)
        model += ring(processes, NET_BYTES, link, busy(processes)) if processes > 1 else 0
        fitted = "yes" if processes == 1 and batch in (64, 256) else "no"
        print(
            f"{processes:9d}{batch:7d}{1e3 * seconds:13.2f}{1e3 * model:11.2f}{model / seconds - 1:8.0%}  {fitted}"
        )

    table(first, each, 512, link, 1, "a core of this host for each process, its loopback between them")
    table(first, each, 8192, (25e-6, 8 / 10e9, 8 / 10e9), 1, "assumed: 25 us and 10 Gbit/s between any two")
    table(first, each, 8192, (5e-6, 8 / 100e9, 8 / 100e9), 1, "assumed: 5 us and 100 Gbit/s between any two")


main()
