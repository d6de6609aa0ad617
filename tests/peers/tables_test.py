"""pandas and scikit-learn make the same numbers of a table as Table: standardization, categories, missing values, dates,
and shares of a split that is stratified or keeps groups together."""

import support

pandas, compose, impute, pipeline, preprocessing, selection = support.packages(
    "pandas", "sklearn.compose", "sklearn.impute", "sklearn.pipeline", "sklearn.preprocessing", "sklearn.model_selection")
numpy = support.numpy


class TablesTest(support.Case):
    """300 rows with numbers, some of them missing, names, dates, groups and two classes."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        draw = numpy.random.default_rng(7)
        count = 300
        cls.table = pandas.DataFrame({
            "area": numpy.round(draw.gamma(3, 30, count), 2),
            "rooms": draw.integers(1, 9, count),
            "town": draw.choice(["Ashford", "Zoo", "brook", "Élan"], count),
            "sold": pandas.Timestamp("2019-12-30") + pandas.to_timedelta(draw.integers(0, 90000, count), "h"),
            "who": [f"g{i % 37}" for i in range(count)],
            "kind": draw.choice(["rare", "often"], count, p=[0.1, 0.9]),
            "part": ["train"] * 200 + ["valid"] * 100})
        cls.table.loc[draw.random(count) < 0.1, "area"] = None
        cls.table.loc[draw.random(count) < 0.1, "town"] = None
        cls.table.to_csv(cls.folder / "t.csv", index=False, date_format="%Y-%m-%dT%H:%M:%S")

    def streams(self, settings, names, part):
        """The streams of a part, row by row."""
        task = f'type = "Table"\nbatch_size = 64\nfile = "{self.folder}/t.csv"\n{settings}\n'
        (self.folder / "t.toml").write_text(
            'name = "t"\nseed = 1\n[training]\noptimizer = { type = "SGD", lr = 0.1 }\n[training.task]\n' + task
            + '[test.task]\n' + task + f'part = "{part}"\n'
            '[pipeline.net]\ntype = "FeedForwardNetwork"\nglobals = { prediction_size = "num_classes" }\n'
            '[pipeline.loss]\ntype = "NLLLoss"\n', encoding="utf-8")
        with support.tempfile.TemporaryDirectory(dir=self.folder) as folder:
            self.ptprun(self.folder / "t.toml", "--run-dir", folder + "/run", "--quiet", "--set",
                        "training.terminal_conditions.epoch_limit=1")
            self.ptprun("process", folder + "/run", "--run-dir", folder + "/out", "--quiet", "--section", "test", "--set",
                        'pipeline.export={ type = "StreamFileExporter", format = "json_lines", input_streams = '
                        f'{support.json.dumps(names)} }}')
            file = support.pathlib.Path(folder) / "out/exports/export.jsonl"
            lines = file.read_text(encoding="utf-8").splitlines()
        rows = [support.json.loads(line) for line in lines]
        return [[row[name] for row in rows] for name in names]

    def inputs(self, features, part):
        settings = (f'features = {features}\nlabel = "kind"\nmissing = "mean"\n'
                    'split = { column = "part", training = "train", validation = "valid" }\n')
        return numpy.array(self.streams(settings, ["inputs"], part)[0])

    def test_numbers_and_categories(self):
        """StandardScaler, OneHotEncoder and SimpleImputer, fitted to the training's rows."""
        theirs = compose.ColumnTransformer([
            ("number", pipeline.make_pipeline(impute.SimpleImputer(strategy="mean"), preprocessing.FunctionTransformer()),
             ["area"]),
            ("rooms", preprocessing.StandardScaler(), ["rooms"]),
            ("town", pipeline.make_pipeline(impute.SimpleImputer(strategy="most_frequent"),
                                            preprocessing.OneHotEncoder(sparse_output=False)), ["town"])])
        # The mean and the deviation of a column with missing values are those of the present ones, as StandardScaler
        # has them when it meets nan.
        scaler = preprocessing.StandardScaler()
        train, valid = self.table[:200], self.table[200:]
        scaler.fit(train[["area"]])
        theirs.fit(train)
        for part, rows in (("training", train), ("validation", valid)):
            wanted = theirs.transform(rows)
            wanted[:, 0] = (wanted[:, 0] - scaler.mean_[0]) / scaler.scale_[0]
            self.assert_near(self.inputs(["area", "rooms", "town"], part), wanted, 1e-5)

    def test_dates(self):
        """pandas' year, month, day, weekday and hour, standardized."""
        sold = self.table["sold"].dt
        parts = numpy.stack([sold.year, sold.month, sold.day, sold.isocalendar().day, sold.hour], 1).astype(float)
        scaler = preprocessing.StandardScaler().fit(parts[:200])
        self.assert_near(self.inputs(["sold"], "validation"), scaler.transform(parts[200:]), 1e-5)

    def test_splits(self):
        """A stratified part has the classes of train_test_split's, plus or minus one; one of groups shares none."""
        common = 'features = "rooms"\nlabel = "kind"\nid = "who"\nmissing = "mean"\n'
        shares = "split = { shares = [0.8, 0.2], seed = 3"
        ours = {part: self.streams(common + shares + ', stratify = "kind" }\n', ["labels"], part)[0]
                for part in ("training", "validation")}
        theirs = selection.train_test_split(self.table["kind"], test_size=0.2, stratify=self.table["kind"], random_state=0)
        for part, labels in zip(("training", "validation"), theirs):
            for kind in ("rare", "often"):
                self.assertLessEqual(abs(ours[part].count(kind) - int((labels == kind).sum())), 1)
        groups = [set(self.streams(common + shares + ', group = "who" }\n', ["ids"], part)[0])
                  for part in ("training", "validation")]
        self.assertFalse(groups[0] & groups[1])
        self.assertEqual(len(groups[0] | groups[1]), 37)
        sizes = selection.GroupShuffleSplit(1, test_size=0.2, random_state=0).split(self.table, groups=self.table["who"])
        self.assertLessEqual(abs(len(groups[1]) - len(set(self.table["who"][next(sizes)[1]]))), 1)


support.main()
