"""TensorBoard's own readers of event files read those of a run."""

import csv
import io

import support

numpy, safetensors, accumulator, multiplexer, provider, context, image = support.packages(
    "numpy", "safetensors.numpy", "tensorboard.backend.event_processing.event_accumulator",
    "tensorboard.backend.event_processing.plugin_event_multiplexer",
    "tensorboard.backend.event_processing.data_provider", "tensorboard.context", "PIL.Image")

RECORDS = """[pipeline.sheets]
type = "ImageViewer"
interval = 2
streams = { images = "inputs" }
[records.tensorboard]
histograms_every_episodes = 1
images = ["inputs"]
image_count = 2
"""


class EventsTest(support.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.write_experiment(support.DENSE, more=RECORDS)
        # Without a rate the weights of the checkpoint are those of every histogram.
        cls.run_folder = cls.train("run", "--set", "training.optimizer.lr=0.0")
        cls.events = accumulator.EventAccumulator(
            str(cls.run_folder / "tensorboard"),
            size_guidance={kind: 0 for kind in accumulator.DEFAULT_SIZE_GUIDANCE})
        cls.events.Reload()

    def table(self, name):
        with open(self.run_folder / name, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def shows(self, prefix, table):
        """A tag for each column of a table, with its numbers at its episodes."""
        rows = self.table(table)
        tags = [tag for tag in self.events.Tags()["scalars"] if tag.startswith(prefix)]
        self.assertIn(prefix + "loss", tags)
        for tag in tags:
            found = [(event.step, event.value) for event in self.events.Scalars(tag)]
            column = tag.removeprefix(prefix)
            # An event has a float32.
            wanted = [(int(row["episode"]), float(numpy.float32(row[column]))) for row in rows]
            self.assertEqual(found, wanted, tag)

    def test_scalars(self):
        """EventAccumulator has the numbers of each row of the CSV files, at its episode."""
        self.shows("episodes/", "training.csv")
        self.shows("training/", "training_epochs.csv")
        self.shows("validation/", "validation.csv")
        self.shows("test/", "test.csv")
        self.assertEqual(len(self.events.Scalars("episodes/loss")), 6)

    def test_histograms(self):
        """EventAccumulator has a histogram of each weight and gradient in each episode, that numpy confirms."""
        weights = safetensors.load_file(self.run_folder / "checkpoints/last/weights.safetensors")
        self.assertEqual(
            sorted(self.events.Tags()["histograms"]),
            sorted(f"{what}/{name}" for what in ("weights", "gradients") for name in weights))
        for name, tensor in weights.items():
            events = self.events.Histograms(f"weights/{name}")
            self.assertEqual([event.step for event in events], list(range(6)))
            numbers = tensor.astype(numpy.float64).ravel()
            for event in events:
                shown = event.histogram_value
                self.assertEqual((shown.min, shown.max, shown.num),
                                 (numbers.min(), numbers.max(), numbers.size))
                self.assertAlmostEqual(shown.sum, numbers.sum(), places=9)
                self.assertAlmostEqual(shown.sum_squares, (numbers**2).sum(), places=9)
                edges = [-numpy.inf, *shown.bucket_limit]
                self.assertEqual(list(numpy.histogram(numbers, edges)[0]), shown.bucket)
            self.assertEqual(len(self.events.Histograms(f"gradients/{name}")), 6)

    def test_images(self):
        """Pillow decodes the images of EventAccumulator to the pixels of the data and of the sheets' files."""
        data = numpy.fromfile(self.folder / "data/train-images-idx3-ubyte", numpy.uint8, offset=16)
        known = {picture.tobytes() for picture in data.reshape(-1, support.SIZE, support.SIZE)}
        for tag in ("inputs/0", "inputs/1"):
            events = self.events.Images(tag)
            self.assertEqual([event.step for event in events], [0, 3])
            for event in events:
                self.assertEqual((event.width, event.height), (support.SIZE, support.SIZE))
                self.assertIn(image.open(io.BytesIO(event.encoded_image_string)).tobytes(), known)
        sheets = self.events.Images("sheets/training")
        self.assertEqual([event.step for event in sheets], [0, 2, 4])
        for event in sheets:
            file = image.open(self.run_folder / f"images/sheets/training_{event.step:06}.png")
            shown = image.open(io.BytesIO(event.encoded_image_string))
            self.assertEqual(shown.convert("RGB").tobytes(), file.convert("RGB").tobytes())

    def test_text_and_graph(self):
        """EventAccumulator has the experiment as a text, and the components and streams as a graph."""
        text, = self.events.Tensors("experiment/text_summary")
        shown = text.tensor_proto.string_val[0].decode()
        self.assertIn('type = "FeedForwardNetwork"', shown)
        nodes = {node.name: node for node in self.events.Graph().node}
        self.assertEqual(nodes["net"].op, "FeedForwardNetwork")
        self.assertEqual(list(nodes["net"].input), ["features.stream"])
        self.assertEqual(list(nodes["predictions.stream"].input), ["net"])

    def test_dashboards(self):
        """The pages of TensorBoard, which use another reader, list the same tags."""
        runs = multiplexer.EventMultiplexer().AddRunsFromDirectory(str(self.folder), None)
        runs.Reload()
        pages = provider.MultiplexerDataProvider(runs, str(self.folder))

        def tags(lister, plugin):
            found = lister(context.RequestContext(), experiment_id="", plugin_name=plugin)
            return sorted(found["run/tensorboard"])

        shown = self.events.Tags()
        self.assertEqual(tags(pages.list_scalars, "scalars"), sorted(shown["scalars"]))
        self.assertEqual(tags(pages.list_tensors, "histograms"), sorted(shown["histograms"]))
        self.assertEqual(tags(pages.list_blob_sequences, "images"), sorted(shown["images"]))
        self.assertEqual(tags(pages.list_tensors, "text"), ["experiment/text_summary"])
        self.assertEqual(tags(pages.list_blob_sequences, "graphs"), ["__run_graph__"])


support.main()
