"""GenericImageEncoder's networks as published, of images of 224 x 224, compute the same in ONNX Runtime: VGG-16, the ResNets and
the newer ones, trained for an epoch on four pictures. An argument is the name of one of them."""

import os
import re
import shutil
import sys
import time

import support

numpy, onnx, _, image = support.packages("numpy", "onnx", "onnxruntime", "PIL.Image")

NETWORKS = ("vgg16", "resnet18", "resnet34", "resnet50", "resnet101", "resnet152", "resnext50_32x4d", "wide_resnet50_2",
            "densenet121", "mobilenet_v3_large", "mobilenet_v3_small", "efficientnet_b0", "convnext_tiny")
ASKED = tuple(sys.argv.pop() for _ in sys.argv[1:2]) or NETWORKS
DIFFERENCE = re.compile(r"predictions: largest difference (\S+), another largest score in 0 of (\d+)$", re.M)


class OnnxNetworksTest(support.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        os.environ["PTP_PYTHON"] = sys.executable
        noise = numpy.random.default_rng(4)
        for name in ("cats/0", "cats/1", "dogs/0", "dogs/1"):
            (cls.folder / "pictures" / name).parent.mkdir(parents=True, exist_ok=True)
            image.fromarray(noise.integers(0, 256, (224, 224, 3), numpy.uint8)).save(cls.folder / f"pictures/{name}.png")

    def test_networks(self):
        """Each is written, checked, and has the scores of ptp for 100 images in batches that were not traced."""
        self.assertLessEqual(set(ASKED), set(NETWORKS))
        for name in ASKED:
            with self.subTest(name):
                self.write_experiment(
                    f'[pipeline.net]\ntype = "GenericImageEncoder"\nmodel_type = "{name}"\n'
                    'streams = { outputs = "predictions" }\nglobals = { output_size = "num_classes" }\n',
                    task=f'type = "ImageFolder"\nbatch_size = 2\ndata_folder = "{self.folder}/pictures"\n'
                    "resize_image = [224, 224]\n", loss="CrossEntropyLoss")
                run = self.train(name, "--set", "training.optimizer.lr=0.0001", "--set",
                                 "training.terminal_conditions.epoch_limit=1")
                file = self.folder / f"{name}.onnx"
                began = time.monotonic()
                output = self.ptprun("export", run, "--checkpoint", "last", "-o", file, "--verify")
                difference, rows = DIFFERENCE.search(output).groups()
                print(f"{name}: {file.stat().st_size / 1e6:.0f} MB, {difference} for {rows} images, "
                      f"{time.monotonic() - began:.0f} s", flush=True)
                self.assertLess(float(difference), 1e-5)
                onnx.checker.check_model(str(file), full_check=True)
                shutil.rmtree(run)
                file.unlink()


support.main()
