"""TensorBoard's projector serves the vectors, labels and images that a report has written."""

import io
import json

import support

numpy, safetensors, projector, base, image, test, wrappers = support.packages(
    "numpy", "safetensors.numpy", "tensorboard.plugins.projector.projector_plugin", "tensorboard.plugins.base_plugin",
    "PIL.Image", "werkzeug.test", "werkzeug.wrappers")


class ProjectorTest(support.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.write_experiment(support.DENSE, more='[records.sample_values]\nstreams = ["predictions", "features"]\n')
        cls.run_folder = cls.train("run")
        cls.vectors = cls.folder / "vectors"
        cls.ptprun("report", cls.run_folder, "-o", cls.folder / "report.html", "--projector", cls.vectors)
        plugin = projector.ProjectorPlugin(base.TBContext(logdir=str(cls.vectors), multiplexer=None))
        cls.apps = plugin.get_plugin_apps()
        newest = sorted((cls.run_folder / "samples").glob("test_*.safetensors"))[-1]
        cls.samples = safetensors.load_file(newest)

    def get(self, route, **query):
        """What the page asks the plugin for."""
        answer = test.Client(self.apps[route], wrappers.Response).get(route, query_string=query)
        self.assertEqual(answer.status_code, 200, answer.get_data()[:200])
        return answer.get_data()

    def test_config(self):
        """The run of the folder has two tables of vectors of each set, with their sizes and images."""
        self.assertEqual(json.loads(self.get("/runs")), ["."])
        found = {one["tensorName"]: one for one in json.loads(self.get("/info", run="."))["embeddings"]}
        self.assertEqual(sorted(found), ["test: features", "test: predictions", "validation: features", "validation: predictions"])
        self.assertEqual(found["test: predictions"]["tensorShape"], [8, 10])
        self.assertEqual(found["test: features"]["tensorShape"], [8, support.SIZE**2])
        self.assertEqual(found["test: features"]["sprite"]["singleImageDim"], [support.SIZE, support.SIZE])

    def test_vectors_and_labels(self):
        """The numbers are those of the streams; the labels are the classes, the loss and the number of each sample."""
        labels = [line.split("\t") for line in self.get("/metadata", run=".", name="test: predictions").decode().splitlines()]
        self.assertEqual(labels[0], ["true", "predicted", "loss", "sample"])
        rows = [list(self.samples["index"]).index(int(label[3])) for label in labels[1:]]
        self.assertEqual(len(rows), 8)
        for name in ("predictions", "features"):
            given = self.get("/tensor", run=".", name="test: " + name)
            shown = numpy.frombuffer(given, numpy.float32).reshape(8, -1)
            self.assertEqual(shown.tobytes(), self.samples["stream/" + name][rows].tobytes())
        for label, row in zip(labels[1:], rows):
            self.assertAlmostEqual(float(label[2]), float(self.samples["loss.loss"][row]), places=5)
        names = {label[0]: self.samples["stream/targets"][row] for label, row in zip(labels[1:], rows)}
        self.assertEqual(len(names), len(set(names.values())))

    def test_images(self):
        """Pillow finds in the sprite, row by row, the pixels of the samples in the order of their labels."""
        sprite = image.open(io.BytesIO(self.get("/sprite_image", run=".", name="test: features"))).convert("L")
        labels = [line.split("\t") for line in self.get("/metadata", run=".", name="test: features").decode().splitlines()]
        pixels, side = numpy.asarray(sprite), support.SIZE
        self.assertEqual(pixels.shape, (3 * side, 3 * side))  # 8 images
        for place, label in enumerate(labels[1:]):
            top, left = side * (place // 3), side * (place % 3)
            self.assertTrue((pixels[top:top + side, left:left + side] == self.unseen[int(label[3])]).all(), place)


support.main()
