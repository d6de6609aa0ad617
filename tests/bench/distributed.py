#!/usr/bin/env python3
"""How fast two processes of one thread train, beside one of two threads and beside PyTorch's own DDP.

    ./dev bench distributed [ROUNDS]

The same nets, batches and optimizer, in turns that begin with another one in each round; prints a table of medians, and
JSON. PyTorch's is left out unless PTP_PEERS_PYTHON names a Python with the package torch. What is compared is the time
of an episode: the difference between two lengths of the same training, so that starting and ending do not count. A
round takes about 40 s on two cores that nothing else uses; no round begins after five minutes.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

NETS = {
    "LeNet-5, 62 thousand parameters, batch 64": {
        "batch": 64,
        "episodes": [100, 500],
        "resize": 32,
        "pipeline": '[pipeline.net]\ntype = "LeNet5"\nglobals = { prediction_size = "num_classes" }\n',
    },
    "3 layers of 1024, 2.9 million parameters, batch 256": {
        "batch": 256,
        "episodes": [20, 80],
        "resize": 28,
        "pipeline": '[pipeline.flat]\ntype = "ReshapeTensor"\ninput_dims = [-1, 1, 28, 28]\noutput_dims = [-1, 784]\n'
        'streams = { outputs = "flat" }\n'
        '[pipeline.net]\ntype = "FeedForwardNetwork"\nhidden_sizes = [1024, 1024, 1024]\n'
        'streams = { inputs = "flat" }\nglobals = { prediction_size = "num_classes" }\n',
    },
}
LIMIT = 300  # seconds, after which no round begins
DATA = "/usr/share/datasets/fashion-mnist"


def experiment(net, episodes):
    return f"""name = "distributed"
seed = 1
[training]
optimizer = {{ type = "Adam", lr = 0.001 }}
terminal_conditions = {{ epoch_limit = 1000000, episode_limit = {episodes}, loss_stop_threshold = 0.0 }}
[training.task]
type = "FashionMNIST"
batch_size = {net["batch"]}
data_folder = "{DATA}"
resize_image = [{net["resize"]}, {net["resize"]}]
{net["pipeline"]}[pipeline.loss]
type = "NLLLoss"
"""


def train(ptprun, net, processes, threads, episodes, options=()):
    """Seconds of training, without the start."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "experiment.toml"
        file.write_text(experiment(net, episodes))
        run = pathlib.Path(folder) / "run"
        said = subprocess.run(
            [ptprun, file, "--run-dir", run, "--nproc", str(processes), *options],
            env={**os.environ, "OMP_NUM_THREADS": str(threads)},
            check=True,
            capture_output=True,
            text=True,
        )
        return json.loads((run / "status.json").read_text())["seconds"], said.stdout


def train_with_ddp(python, net, episodes):
    with tempfile.NamedTemporaryFile() as store:
        os.unlink(store.name)
        ranks = [
            subprocess.Popen(
                [python, __file__, "--rank", str(rank), store.name, json.dumps(net), str(episodes)],
                env={**os.environ, "OMP_NUM_THREADS": "1"},
                stdout=subprocess.PIPE,
                text=True,
            )
            for rank in range(2)
        ]
        said = [rank.communicate()[0] for rank in ranks]
        pathlib.Path(store.name).touch()
        if any(rank.returncode for rank in ranks):
            raise SystemExit("DDP has failed")
        return max(float(text) for text in said)


def ddp_rank(rank, store, net, episodes):
    """One process of DDP: the loop that PyTorch's documentation shows, all images in memory."""
    import torch
    from torch import nn

    torch.manual_seed(1)
    torch.distributed.init_process_group("gloo", f"file://{store}", rank=rank, world_size=2)

    class LeNet5(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.ModuleList([nn.Conv2d(1, 6, 5), nn.Conv2d(6, 16, 5), nn.Conv2d(16, 120, 5)])
            self.linear = nn.ModuleList([nn.Linear(120, 84), nn.Linear(84, 10)])

        def forward(self, x):
            x = torch.max_pool2d(torch.relu(self.conv[0](x)), 2)
            x = torch.max_pool2d(torch.relu(self.conv[1](x)), 2)
            x = torch.relu(self.conv[2](x)).flatten(1)
            return torch.log_softmax(self.linear[1](torch.relu(self.linear[0](x))), 1)

    wide = [nn.Flatten()]
    for width in (784, 1024, 1024):
        wide += [nn.Linear(width, 1024), nn.ReLU()]
    wide += [nn.Linear(1024, 10), nn.LogSoftmax(1)]
    model = LeNet5() if "LeNet5" in net["pipeline"] else nn.Sequential(*wide)
    model = nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
    share = net["batch"] // 2
    images = torch.rand(60000, 1, net["resize"], net["resize"])
    targets = torch.randint(10, (60000,))
    order = torch.randperm(60000)
    began = time.perf_counter()
    for episode in range(episodes):
        at = episode * net["batch"] % (60000 - net["batch"]) + rank * share
        chosen = order[at : at + share]
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.nll_loss(model(images[chosen]), targets[chosen])
        loss.backward()
        optimizer.step()
        loss.item()
    print(time.perf_counter() - began)


def wait_of_profile(text):
    """The lines of the profile that are about the other processes."""
    return [" ".join(line.split()) for line in text.splitlines() if "process" in line or "gradients" in line]


def milliseconds(net, seconds_of):
    """Of an episode, by the seconds that a training with this many takes."""
    fewer, more = net["episodes"]
    return 1e3 * (seconds_of(more) - seconds_of(fewer)) / (more - fewer)


def measure(net, ways, rounds, deadline):
    """Milliseconds of an episode in each round, for each way."""
    times = {way: [] for way in ways}
    for number in range(rounds):
        if number > 0 and time.monotonic() > deadline:
            break
        order = list(ways)
        for way in order[number % len(order) :] + order[: number % len(order)]:
            times[way].append(milliseconds(net, ways[way]))
    return times


def table(results):
    rows = [["", "ms for each episode", "beside ptprun with 2 processes"]]
    for result in results:
        rows.append([result["net"], "", ""])
        for way, median in result["median"].items():
            beside = result["time_beside_2_processes"][way]
            rows.append(["  " + way, f"{median:.3f}", f"{beside:.2f}"])
        rows += [["  " + line, "", ""] for line in result["profile"] if line.startswith("sums of gradients:")]
    width = max(len(row[0]) for row in rows if row[1])
    return "\n".join(f"{row[0]:<{width}}  {row[1]:>20}  {row[2]:>32}".rstrip() for row in rows)


def main():
    if sys.argv[1:2] == ["--rank"]:
        ddp_rank(int(sys.argv[2]), sys.argv[3], json.loads(sys.argv[4]), int(sys.argv[5]))
        return
    ptprun = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    python = os.environ.get("PTP_PEERS_PYTHON")
    began = time.monotonic()
    results = []
    for place, (name, net) in enumerate(NETS.items()):
        ways = {
            "ptprun, 2 processes of 1 thread": lambda n, net=net: train(ptprun, net, 2, 1, n)[0],
            "ptprun, 1 process of 2 threads": lambda n, net=net: train(ptprun, net, 1, 2, n)[0],
        }
        if python:
            ways["PyTorch's DDP, 2 processes of 1 thread"] = lambda n, net=net: train_with_ddp(python, net, n)
        times = measure(net, ways, rounds, began + LIMIT * (place + 1) / len(NETS))
        medians = {way: statistics.median(each) for way, each in times.items()}
        own = next(iter(medians.values()))
        results.append(
            {
                "net": name,
                "rounds": len(next(iter(times.values()))),
                "milliseconds_of_an_episode": times,
                "median": medians,
                "time_beside_2_processes": {way: each / own for way, each in medians.items()},
                "profile": wait_of_profile(train(ptprun, net, 2, 1, net["episodes"][1], ["--profile"])[1]),
            }
        )
    print(table(results))
    print(json.dumps({"seconds": round(time.monotonic() - began), "results": results}, indent=2))


main()
