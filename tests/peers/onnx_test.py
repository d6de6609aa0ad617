"""The package onnx finds nothing wrong in what ptp exports; ONNX Runtime and OpenCV compute what ptp does."""

import importlib.util
import os
import sys
import unittest

import support
from exported_models import LAYERS, LENET, RECURRENT

numpy, onnx, onnxruntime = support.packages("numpy", "onnx", "onnxruntime")


class OnnxTest(support.Case):
    def export(self, name, pipeline, task=None):
        """The file of a trained pipeline, compared by --verify on 1,000 samples."""
        os.environ["PTP_PYTHON"] = sys.executable
        self.write_experiment(pipeline, task)
        file = self.folder / f"{name}.onnx"
        output = self.ptprun("export", self.train(name), "--checkpoint", "last", "-o", file, "--verify", "--samples", 1000)
        self.assertIn("verified in ONNX Runtime", output)
        self.assertIn("another largest score in 0 of 1", output)
        onnx.checker.check_model(str(file), full_check=True)
        return file

    @unittest.skipUnless(importlib.util.find_spec("cv2"), "the interpreter has no OpenCV")
    def test_convolutions(self):
        """OpenCV reads a convolutional network, and computes the scores of ONNX Runtime."""
        import cv2
        resized = f'type = "FashionMNIST"\nbatch_size = 8\ndata_folder = "{self.folder}/data"\nresize_image = [32, 32]\n'
        file = self.export("lenet", LENET, resized)
        images = numpy.random.default_rng(3).random((5, 1, 32, 32), numpy.float32)
        expected, = onnxruntime.InferenceSession(file).run(None, {"inputs": images})
        net = cv2.dnn.readNetFromONNX(str(file))
        net.setInput(images)
        self.assert_near(net.forward(), expected, 1e-5)
        self.assertEqual(self.run_snippet("onnxruntime", file)["scores"].shape, (8, 10))

    def test_layers(self):
        """Norms, grouped and dilated convolutions, pooling and activations compute the same."""
        self.export("layers", LAYERS)

    def test_recurrent(self):
        """LSTM and GRU have the gates in ONNX's order, in two layers and both directions."""
        for cell in ("LSTM", "GRU"):
            self.export(cell.lower(), RECURRENT.replace("CELL", cell))


support.main()
