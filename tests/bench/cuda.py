#!/usr/bin/env python3
"""How fast networks train on a CUDA device, beside loops of PyTorch written by hand.

    ./dev bench cuda [ROUNDS]

The same nets, batches, optimizer and precision; prints a table of medians, and JSON. PTP_PEERS_PYTHON names a Python whose
torch finds the device, best of the version that ptp was built with. ptp's times are of an episode: the difference between two
lengths of the same training, so that starting and ending do not count; once as it is, and once with
deterministic = false. PyTorch's loops have all images on the device: one looks at its loss each
episode, as ptp does, one at none, and one computes with deterministic algorithms, as ptp does by default.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

LENET = '[pipeline.net]\ntype = "LeNet5"\nglobals = { prediction_size = "num_classes" }\n[pipeline.loss]\ntype = "NLLLoss"\n'
WIDE = (
    '[pipeline.flat]\ntype = "ReshapeTensor"\ninput_dims = [-1, 1, 28, 28]\noutput_dims = [-1, 784]\nstreams = { outputs = "flat" }\n'
    '[pipeline.net]\ntype = "FeedForwardNetwork"\nhidden_sizes = [1024, 1024, 1024]\nstreams = { inputs = "flat" }\n'
    'globals = { prediction_size = "num_classes" }\n[pipeline.loss]\ntype = "NLLLoss"\n'
)
RESNET = (
    '[pipeline.color]\ntype = "ConcatenateTensor"\ninput_streams = ["inputs", "inputs", "inputs"]\ndim = 1\n'
    'output_dims = [-1, 3, 32, 32]\nstreams = { outputs = "images" }\nglobals = { output_size = "image_size" }\n'
    '[pipeline.encoder]\ntype = "GenericImageEncoder"\nmodel_type = "resnet18"\nglobals = { output_size = "num_classes" }\n'
    'streams = { inputs = "images", outputs = "scores" }\n'
    '[pipeline.loss]\ntype = "CrossEntropyLoss"\nstreams = { predictions = "scores" }\n'
)
NETS = {
    "LeNet-5, batch 64": ("lenet", LENET, 64, 32, [300, 1500], "float32"),
    "LeNet-5, batch 1024": ("lenet", LENET, 1024, 32, [200, 1000], "float32"),
    "3 layers of 1024, batch 256": ("wide", WIDE, 256, 28, [300, 1500], "float32"),
    "ResNet-18, 32 x 32, batch 256": ("resnet", RESNET, 256, 32, [50, 250], "float32"),
    "ResNet-18, 32 x 32, batch 256, bf16": ("resnet", RESNET, 256, 32, [50, 250], "bf16"),
}
DATA = "/usr/share/datasets/fashion-mnist"


def experiment(net, episodes, is_fast):
    _, pipeline, batch, size, _, precision = net
    return f"""name = "cuda"
seed = 1
device = "cuda"
deterministic = {"false" if is_fast else "true"}
[training]
optimizer = {{ type = "Adam", lr = 0.001 }}
precision = "{precision}"
terminal_conditions = {{ epoch_limit = 1000000, episode_limit = {episodes}, loss_stop_threshold = 0.0 }}
dataloader = {{ num_workers = 4 }}
[training.task]
type = "FashionMNIST"
batch_size = {batch}
data_folder = "{DATA}"
resize_image = [{size}, {size}]
{pipeline}"""


def train(ptprun, net, episodes, is_fast):
    """Seconds of training, without the start."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "experiment.toml"
        text = experiment(net, episodes, is_fast)
        file.write_text(text.replace('precision = "float32"\n', ""))
        run = pathlib.Path(folder) / "run"
        subprocess.run([ptprun, file, "--run-dir", run], check=True, capture_output=True, text=True)
        return json.loads((run / "status.json").read_text())["seconds"]


def loops(kind, batch, size, precision, episodes):
    """Loops of PyTorch: milliseconds of an episode, by the kind of loop, in rounds of so many episodes."""
    import torch
    from torch import nn

    torch.manual_seed(1)

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

    if kind == "resnet":
        import torchvision

        model = torchvision.models.resnet18(num_classes=10)
    elif kind == "wide":
        layers = [nn.Flatten()]
        for width in (784, 1024, 1024):
            layers += [nn.Linear(width, 1024), nn.ReLU()]
        model = nn.Sequential(*layers, nn.Linear(1024, 10), nn.LogSoftmax(1))
    else:
        model = LeNet5()
    model = model.cuda()
    judge = nn.functional.cross_entropy if kind == "resnet" else nn.functional.nll_loss
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
    images = torch.rand(60000, 1, size, size, device="cuda")
    targets = torch.randint(10, (60000,), device="cuda")
    order = torch.randperm(60000, device="cuda")

    def run(count, is_blind):
        for episode in range(count):
            at = episode * batch % (60000 - batch)
            chosen = order[at : at + batch]
            shown = images[chosen]
            if kind == "resnet":
                shown = torch.cat([shown, shown, shown], 1)
            optimizer.zero_grad(set_to_none=True)
            with torch.autocast("cuda", torch.bfloat16, enabled=precision == "bf16"):
                scores = model(shown)
            loss = judge(scores.float(), targets[chosen])
            loss.backward()
            optimizer.step()
            if not is_blind:
                loss.item()
        torch.cuda.synchronize()

    def measure(is_blind):
        run(20, is_blind)
        rounds = []
        for _ in range(3):
            began = time.perf_counter()
            run(episodes, is_blind)
            rounds.append(1e3 * (time.perf_counter() - began) / episodes)
        return rounds

    times = {"PyTorch": measure(False), "blind": measure(True)}
    torch.use_deterministic_algorithms(True)
    torch.utils.deterministic.fill_uninitialized_memory = False
    times["deterministic"] = measure(False)
    print(json.dumps(times))


def by_hand(python, net):
    kind, _, batch, size, lengths, precision = net
    said = subprocess.run(
        [python, __file__, "--loops", json.dumps([kind, batch, size, precision, lengths[1] // 4])],
        env={**os.environ, "CUBLAS_WORKSPACE_CONFIG": ":4096:8"},
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(said.stdout)


def by_ptp(ptprun, net, is_fast):
    fewer, more = net[4]
    return 1e3 * (train(ptprun, net, more, is_fast) - train(ptprun, net, fewer, is_fast)) / (more - fewer)


def main():
    if sys.argv[1:2] == ["--loops"]:
        loops(*json.loads(sys.argv[2]))
        return
    ptprun = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    python = os.environ.get("PTP_PEERS_PYTHON")
    if not python:
        raise SystemExit("./dev bench cuda: PTP_PEERS_PYTHON does not name a Python with PyTorch")
    results = []
    ways = ["ptp", "ptp, fast", "PyTorch", "blind", "deterministic"]
    print(f"{'milliseconds of an episode':<38}" + "".join(f"{way:>15}" for way in ways))
    for name, net in NETS.items():
        times = {way: [] for way in ways}
        for _ in range(rounds):
            times["ptp"].append(by_ptp(ptprun, net, False))
            times["ptp, fast"].append(by_ptp(ptprun, net, True))
            for way, each in by_hand(python, net).items():
                times[way] += each
        median = {way: statistics.median(each) for way, each in times.items()}
        print(f"{name:<38}" + "".join(f"{median[way]:>15.3f}" for way in ways), flush=True)
        results.append({"net": name, "milliseconds_of_an_episode": times, "median": median})
    print(json.dumps(results))


if __name__ == "__main__":
    main()
