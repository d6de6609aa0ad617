"""planted_labels_in_browser.py BIN: LeNet-5 on Fashion-MNIST, two percent of whose labels are changed at random. Of the first 200 test
samples that the page of its report lists under `label may be wrong`, at least 60 % have a changed label; of samples drawn at random, two."""

import gzip
import pathlib
import random
import subprocess
import sys
import tempfile

import browser

DATA = pathlib.Path("/usr/share/datasets/fashion-mnist")
EXPERIMENT = pathlib.Path(__file__).resolve().parents[2] / "configs/fashion_mnist/lenet5.toml"
LISTED, LEAST, SHARE = 200, 120, 0.02

if browser.CHROMIUM is None or not DATA.is_dir():
    print("skipped: chromium or dataset-fashion-mnist is not installed")
    sys.exit(77)


def planted(folder):
    """Writes the data set with changed labels; returns the numbers of those of the test set."""
    draw = random.Random(3)
    for file in DATA.glob("*.gz"):
        content = bytearray(gzip.decompress(file.read_bytes()))
        if "labels" in file.name:
            changed = draw.sample(range(len(content) - 8), int(SHARE * (len(content) - 8)))
            for sample in changed:
                content[8 + sample] = (content[8 + sample] + draw.randrange(1, 10)) % 10
            if file.name.startswith("t10k"):
                of_test = set(changed)
        (folder / file.stem).write_bytes(content)
    return of_test


def main(programs):
    with tempfile.TemporaryDirectory() as name, browser.Browser() as page:
        folder = pathlib.Path(name)
        changed = planted(folder)
        assert len(changed) == 200
        subprocess.run([programs / "ptprun", EXPERIMENT, "--run-dir", folder / "run", "--quiet", "--set", f'vars.data_folder="{folder}"',
                        "--set", "records.sample_values.every_epochs=1"], check=True)
        subprocess.run([programs / "ptprun", "report", folder / "run", "-o", folder / "run.html"], check=True, stdout=subprocess.DEVNULL)
        page.open(folder / "run.html")
        section = "[...document.querySelectorAll('section')].find(s => [...s.querySelectorAll('p')].some(p => p.textContent.startsWith('test_')))"
        button = f"[...{section}.querySelectorAll('button')].find(b => b.textContent === '%s')"
        page.value(button % "label may be wrong" + ".click()")
        while page.value(f"{section}.querySelectorAll('.grid .sample').length") < LISTED:
            page.value(button % "more" + ".click()")
        captions = page.value(f"[...{section}.querySelectorAll('.grid .sample figcaption')].map(c => c.textContent)")
        samples = [int(caption.split(",")[0].split(" ")[1]) for caption in captions[:LISTED]]
        found = len(changed.intersection(samples))
        print(f"{found} of the first {LISTED} have a changed label")
        assert len(set(samples)) == LISTED and found >= LEAST, found


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
