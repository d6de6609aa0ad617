"""Images of 16 bits have the pixels that tifffile and Pillow read: gray and colors, TIFF files in strips and tiles of both
byte orders, color after color, compressed, and PNG files."""

import support

tifffile, PIL = support.packages("tifffile", "PIL.Image")
numpy = support.numpy

SIZE = (21, 18)  # parts of tiles


class ImagesTest(support.Case):
    """Images of random numbers, in a table."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        draw = numpy.random.default_rng(3)
        cls.gray = draw.integers(0, 65536, SIZE, numpy.uint16)
        cls.colors = draw.integers(0, 65536, (*SIZE, 3), numpy.uint16)

    def images(self, names, depth):
        """The images of a table of these files."""
        table = self.folder / "images.csv"
        table.write_text("image,kind\n" + "".join(f"{name},{i % 2}\n" for i, name in enumerate(names)), encoding="utf-8")
        self.write_experiment(
            '[pipeline.flat]\ntype = "Flatten"\nstreams = { inputs = "images", outputs = "flat" }\n'
            '[pipeline.net]\ntype = "FeedForwardNetwork"\nstreams = { inputs = "flat" }\n'
            'globals = { prediction_size = "num_classes" }\n'
            '[pipeline.export]\ntype = "StreamFileExporter"\nformat = "npy"\ninput_streams = ["images"]\nphases = ["test"]\n',
            f'type = "Table"\nbatch_size = 8\nfile = "{table}"\nimage = "image"\nimage_depth = {depth}\n'
            f'resize_image = [{SIZE[0]}, {SIZE[1]}]\nlabel = "kind"\ntraining_file = "{table}"\n')
        with support.tempfile.TemporaryDirectory(dir=self.folder) as folder:
            self.ptprun(self.folder / "experiment.toml", "--run-dir", folder + "/run", "--quiet")
            return numpy.load(folder + "/run/exports/export.images.npy")

    def compare(self, files, depth, read):
        for name, image in zip(files, self.images(files, depth), strict=True):
            with self.subTest(name):
                stored = numpy.asarray(read(self.folder / name))
                self.assertEqual(stored.dtype.itemsize, 2)
                planes = stored[None] if stored.ndim == 2 else numpy.moveaxis(stored, numpy.argmin(stored.shape), 0)
                theirs = (planes.astype(numpy.float64) / 65535).astype(numpy.float32)
                self.assertTrue(numpy.array_equal(image, theirs))

    def test_gray_tiff(self):
        forms = {"strips.tif": {}, "big.tif": {"byteorder": ">"}, "tiles.tif": {"tile": (16, 16)},
                 "big_tiles.tif": {"byteorder": ">", "tile": (16, 16)},
                 "zlib.tif": {"compression": "zlib", "predictor": True, "byteorder": ">", "tile": (16, 16)},
                 "large_files.tif": {"bigtiff": True}}
        for name, form in forms.items():
            tifffile.imwrite(self.folder / name, self.gray, photometric="minisblack", **form)
        self.compare(forms, 1, tifffile.imread)

    def test_colored_tiff(self):
        forms = {"strips.tif": {}, "big.tif": {"byteorder": ">"}, "tiles.tif": {"tile": (16, 16)},
                 "big_tiles.tif": {"byteorder": ">", "tile": (16, 16), "compression": "zlib"},
                 "planes.tif": {"planarconfig": "separate"},
                 "big_planes.tif": {"planarconfig": "separate", "byteorder": ">", "tile": (16, 16)}}
        for name, form in forms.items():
            image = numpy.moveaxis(self.colors, 2, 0) if "planarconfig" in form else self.colors
            tifffile.imwrite(self.folder / name, image, photometric="rgb", **form)
        self.compare(forms, 3, tifffile.imread)

    def test_gray_png(self):
        PIL.fromarray(self.gray).save(self.folder / "gray.png")
        self.compare(["gray.png"], 1, PIL.open)


support.main()
