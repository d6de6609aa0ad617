#!/usr/bin/env python3
"""PyTorchPipe's own LeNet-5 experiment beside ptp, in turns, with 1 thread and with 2.

    ./dev bench pytorchpipe COMMAND [ROUNDS] [EPISODES]

COMMAND is a program that trains PyTorchPipe's mnist_classification_lenet5.yml: called with a number of episodes, it prints
the seconds from the end of the 50th to that of the last. ptp trains the same: the images of Fashion-MNIST in batches of 64,
resized to 32 x 32, Adam, the statistics of each batch in a CSV file, decoder and viewer. Prints medians and JSON.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

BATCH, FIRST = 64, 50
EXPERIMENT = """name = "lenet5"
seed = 1
[training]
optimizer = {{ type = "Adam", lr = 0.0001 }}
terminal_conditions = {{ epoch_limit = 1000000, episode_limit = {episodes}, loss_stop_threshold = 0.0 }}
sampler = {{ type = "SubsetRandomSampler", indices = [0, 55000] }}
[training.task]
type = "MNIST"
batch_size = {batch}
data_folder = "/usr/share/datasets/fashion-mnist"
resize_image = [32, 32]
[pipeline.image_classifier]
type = "LeNet5"
globals = {{ prediction_size = "num_classes" }}
[pipeline.loss]
type = "NLLLoss"
[pipeline.batch_size]
type = "BatchSizeStatistics"
[pipeline.accuracy]
type = "AccuracyStatistics"
[pipeline.precision_recall]
type = "PrecisionRecallStatistics"
globals = {{ word_mappings = "label_word_mappings" }}
[pipeline.answer_decoder]
type = "WordDecoder"
streams = {{ inputs = "predictions", outputs = "answers" }}
globals = {{ word_mappings = "label_word_mappings" }}
[pipeline.stream_viewer]
type = "StreamViewer"
input_streams = ["labels", "answers"]
interval = 100
"""


def fail(command):
    sys.exit(f"pytorchpipe.py: {' '.join(map(str, command))} has failed, or printed something else")


def rate_of_ptp(command):
    """Samples a second, from an early report of progress to the end of training."""
    seen = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        for line in process.stdout:
            event = json.loads(line)
            if event.get("phase") == "training" or event.get("set") == "training":  # the latter at the end
                seen.append((time.monotonic(), event["episode"]))
    seen = [report for report in seen if report[1] >= FIRST]
    if process.returncode != 0 or len(seen) < 2:
        fail(command)
    return BATCH * (seen[-1][1] - seen[0][1]) / (seen[-1][0] - seen[0][0])


def rate_of_peer(command, episodes):
    command = [*command, str(episodes)]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    try:
        return BATCH * (episodes - FIRST) / float(run.stdout.split()[-1])
    except (IndexError, ValueError):
        return fail(command)


def main(ptprun, command, rounds=7, episodes=300):
    rates = {(name, threads): [] for threads in (1, 2) for name in ("PyTorchPipe", "ptp")}
    with tempfile.TemporaryDirectory() as name:
        file = pathlib.Path(name) / "lenet5.toml"
        # ptp gets through as many more in about the same time.
        file.write_text(EXPERIMENT.format(batch=BATCH, episodes=4 * episodes), encoding="utf-8")
        ours = [ptprun, file, "--json", "--run-dir"]
        for number in range(rounds):
            for program, threads in sorted(rates, reverse=number % 2 == 1):
                os.environ["OMP_NUM_THREADS"] = str(threads)
                if program == "ptp":
                    rate = rate_of_ptp([*ours, tempfile.mkdtemp(dir=name)])
                else:
                    rate = rate_of_peer([command], episodes)
                rates[program, threads].append(rate)
    result = {}
    print("\n| threads | PyTorchPipe, samples/s | ptp | ratio, median of rounds | smallest to largest |")
    print("|---|---|---|---|---|")
    for threads in (1, 2):
        peer, own = rates["PyTorchPipe", threads], rates["ptp", threads]
        ratios = [ours / theirs for ours, theirs in zip(own, peer)]
        median = statistics.median
        print(
            f"| {threads} | {median(peer):.0f} | {median(own):.0f} | {median(ratios):.2f} | "
            f"{min(ratios):.2f} to {max(ratios):.2f} |"
        )
        result[str(threads)] = {"pytorchpipe": peer, "ptp": own}
    print(json.dumps(result))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))
