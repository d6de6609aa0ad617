#!/usr/bin/env python3
"""A trained LeNet-5 in programs: from their start to the first prediction, and each one after that; in C and in Python by
ptp, and in ONNX Runtime.

    ./dev bench using [ROUNDS]

Each program is a process of its own that computes with one thread; they are measured in turns, in processor time, which a
busy machine changes little. PTP_PEERS_PYTHON names the Python that has NumPy and onnxruntime; by default it is python3.
Prints medians in milliseconds and JSON.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

EXPERIMENT = """name = "using"
seed = 1
[training]
optimizer = { type = "Adam", lr = 0.001 }
terminal_conditions = { epoch_limit = 1000000, episode_limit = 100, loss_stop_threshold = 0.0 }
[training.task]
type = "FashionMNIST"
batch_size = 64
data_folder = "/usr/share/datasets/fashion-mnist"
resize_image = [32, 32]
[validation.task]
type = "FashionMNIST"
batch_size = 64
use_train_data = false
data_folder = "/usr/share/datasets/fashion-mnist"
resize_image = [32, 32]
[pipeline.net]
type = "LeNet5"
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "NLLLoss"
"""

# Each prints its processor time when it has opened the model and predicted first, and then those that predictions took.
IN_C = """#include <ptp/host.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static float pixels[64 * 32 * 32];
static ptp_experiment* model;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double predict(int64_t count) {
    const double begin = now();
    int64_t shape[] = {count, 1, 32, 32};
    DLTensor inputs = {pixels, {kDLCPU, 0}, 4, {kDLFloat, 32, 1}, shape, NULL, 0};
    DLManagedTensor* scores = NULL;
    if (ptp_experiment_feed(model, "inputs", &inputs) || ptp_experiment_predict(model) ||
        ptp_experiment_read(model, "predictions", &scores)) {
        fprintf(stderr, "%s\\n", ptp_experiment_error(model));
        exit(1);
    }
    scores->deleter(scores);
    return now() - begin;
}

int main(int count, char** arguments) {
    if (count != 2 || ptp_experiment_open(arguments[1], NULL, &model)) {
        return 1;
    }
    const double opened = now();
    predict(1);
    printf("[%.9f, %.9f, [", opened, now());
    for (int i = 0; i < 200; ++i) {
        printf("%s%.9f", i == 0 ? "" : ", ", predict(1));
    }
    printf("], [");
    for (int i = 0; i < 50; ++i) {
        printf("%s%.9f", i == 0 ? "" : ", ", predict(64));
    }
    printf("]]\\n");
    ptp_experiment_close(model);
    return 0;
}
"""
IN_PYTHON = """import json
import sys
import time

import numpy

{opening}
opened = time.process_time()


def predict(count):
    begin = time.process_time()
    {predicting}
    return time.process_time() - begin


predict(1)
first = time.process_time()
print(json.dumps([opened, first, [predict(1) for _ in range(200)], [predict(64) for _ in range(50)]]))
"""
BY_PTP = IN_PYTHON.format(
    opening="import ptp\n\nmodel = ptp.load(sys.argv[1])",
    predicting='model({"inputs": numpy.zeros((count, 1, 32, 32), numpy.float32)})["predictions"]',
)
BY_ONNX_RUNTIME = IN_PYTHON.format(
    opening="import onnxruntime\n\noptions = onnxruntime.SessionOptions()\noptions.intra_op_num_threads = 1\n"
    'session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])',
    predicting='session.run(["predictions"], {"inputs": numpy.zeros((count, 1, 32, 32), numpy.float32)})',
)


def measure(command):
    """Milliseconds from the start of a program to an opened model, to its first prediction, and those of others."""
    opened, first, one, many = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return [1000 * seconds for seconds in (opened, first, statistics.median(one), statistics.median(many))]


def main(root, build, rounds=11):
    root, build = pathlib.Path(root).resolve(), pathlib.Path(build).resolve()
    python = os.environ.get("PTP_PEERS_PYTHON", "python3")
    library = build / "lib"
    os.environ.update(OMP_NUM_THREADS="1", PYTHONPATH=str(root / "sdk/python"), PTP_LIBRARY=str(library / "libptp.so.0"))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "using.toml").write_text(EXPERIMENT)
        for file, text in {"program.c": IN_C, "by_ptp.py": BY_PTP, "by_onnx.py": BY_ONNX_RUNTIME}.items():
            (folder / file).write_text(text)
        ptprun = build / "bin/ptprun"
        cc = ["cc", "-std=gnu11", "-O2", f"-I{root}/runtime/host/include", "program.c", f"-L{library}", "-lptp"]
        for command in (
            [ptprun, "using.toml", "--run-dir", "run", "--quiet"],
            [ptprun, "bundle", "run", "-o", "model.ptpm"],
            [ptprun, "export", "model.ptpm", "-o", "model.onnx"],
            [*cc, f"-Wl,-rpath,{library}", "-o", "program"],
        ):
            subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        programs = {
            "C": [folder / "program", folder / "model.ptpm"],
            "Python": [python, folder / "by_ptp.py", folder / "model.ptpm"],
            "ONNX Runtime": [python, folder / "by_onnx.py", folder / "model.onnx"],
        }
        times = {program: [] for program in programs}
        for number in range(rounds + 1):
            for program in list(programs)[:: 1 if number % 2 else -1]:
                times[program].append(measure(programs[program]))
    result = {}
    print(f"{'milliseconds':14} {'opened':>9} {'first':>9} {'1 image':>9} {'64 images':>9}")
    for program, measured in times.items():
        medians = [statistics.median(each) for each in zip(*measured[1:])]  # the first round fills the cache of files
        result[program] = dict(zip(("opened", "first", "one", "many"), medians))
        print(f"{program:14}" + "".join(f" {value:9.3f}" for value in medians))
    print(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:3], *map(int, sys.argv[3:4]))
