#!/usr/bin/env python3
"""What torchvision and Pillow take for the images of ptp-bench-loading, of CPU time in one thread; medians of five.

    python tests/bench/torchvision_loading.py FOLDER     a Python that has torchvision
"""

import pathlib
import statistics
import sys
import time

import torch
from PIL import Image
from torchvision import transforms

BATCH = 64
BILINEAR = transforms.InterpolationMode.BILINEAR


def rate(files, transform):
    begin = time.process_time()
    for first in range(0, len(files), BATCH):
        torch.stack([transform(Image.open(file).convert("RGB")) for file in files[first : first + BATCH]])
    return len(files) / (time.process_time() - begin)


def main():
    torch.set_num_threads(1)
    files = sorted(file for file in pathlib.Path(sys.argv[1]).rglob("*") if file.is_file())[: 2 * BATCH]
    resize = transforms.Resize((224, 224), interpolation=BILINEAR)
    affine = transforms.RandomAffine(15, (0.1, 0.1), (0.8, 1.2), interpolation=BILINEAR)
    cases = {
        "224 x 224": [resize, transforms.ToTensor()],
        "224 x 224, RandomAffine": [resize, affine, transforms.ToTensor()],
    }
    for name, steps in cases.items():
        whole = transforms.Compose(steps)
        print(f"{name:<30} {statistics.median(rate(files, whole) for _ in range(5)):>8.0f} images/s")


if __name__ == "__main__":
    main()
