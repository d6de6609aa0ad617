"""python_package_test.py BUILD SOURCE: the package ptp of sdk/python, on the table of houses.

What needs NumPy or PyTorch is skipped where the interpreter lacks them; `./dev test --label peers` runs
this test with the interpreter that has them.
"""

import ctypes
import gc
import hashlib
import importlib.util
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import threading
import tracemalloc
import types
import unittest
import unittest.mock
import warnings

from houses import BUILD, LIMIT, PACKAGE, SOURCE, Case, copy_houses, main, weights_of

import ptp
from ptp import _library

HAS = {name: importlib.util.find_spec(name) is not None
       for name in ("numpy", "pandas", "PIL", "torch")}


def needs(name):
    return unittest.skipUnless(HAS[name], f"{sys.executable} has no {name}")


class PythonPackageTest(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with ptp.Experiment("houses.toml", set={LIMIT: 3}, run_folder="runs/whole") as experiment:
            next(iter(experiment))
            cls.batch = experiment.read("inputs")
            cls.first = experiment.statistics
            experiment.run()

    def refused(self, kind, text, function, *arguments, **named):
        with self.assertRaises(kind) as raised:
            function(*arguments, **named)
        self.assertEqual(str(raised.exception), text)
        return raised.exception

    def test_the_places_of_the_installation_are_printed(self):
        run = [sys.executable, "-m", "ptp.config"]
        done = subprocess.run([*run, "--plugins", "--prefix"], text=True, stdout=subprocess.PIPE, check=True)
        self.assertEqual(done.stdout, f"{BUILD}/lib/ptp/plugins\n{BUILD}\n")
        done = subprocess.run(run, text=True, stdout=subprocess.PIPE, check=True)
        self.assertIn(f"\ninclude: {BUILD}/include\n", done.stdout)

    def test_every_function_of_the_header_has_its_prototype(self):
        header = (SOURCE / "runtime/host/include/ptp/host.h").read_text()
        header = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
        types = {"int32_t": ctypes.c_int32, "ptp_result": ctypes.c_int32, "size_t": ctypes.c_size_t,
                 "uint64_t": ctypes.c_uint64, "void": None, "const char*": ctypes.c_char_p}
        found = re.findall(r"PTP_HOST_EXPORT ([\w ]+?\*?) ?(ptp_\w+)\((.*?)\);", header, re.S)
        self.assertEqual({name for _, name, _ in found}, set(_library.FUNCTIONS))
        for result, name, arguments in found:
            self.assertEqual(types[result], _library.FUNCTIONS[name][0], name)
            self.assertEqual(len(arguments.split(",")), len(_library.FUNCTIONS[name][1]), name)
        for struct, mirror in (("ptp_experiment_options", _library.Options),
                               ("ptp_problem", _library.CProblem),
                               ("ptp_stream", _library.CStream)):
            body = re.search(rf"struct {struct} {{(.*?)}} {struct};", header, re.S).group(1)
            names = re.findall(r"(\w+);", body)
            self.assertEqual(names, [field[0] for field in mirror._fields_], struct)

    def test_the_snippets_of_the_guide_run(self):
        guide = (SOURCE / "docs" / "python.md").read_text()
        snippets = "\n".join(re.findall(r"```python\n(.*?)```", guide, re.S))
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            copy_houses(folder)
            done = subprocess.run([sys.executable, "-c", snippets], cwd=folder, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("output predictions: float [B, prediction_size = 1]", done.stdout)
        self.assertIn("training.optimizer.lr", done.stdout)

    def test_a_training_has_the_bits_of_ptprun(self):
        subprocess.run([_library.program("ptprun"), "houses.toml", "--quiet", "--set", f"{LIMIT}=3",
                        "--run-dir", "runs/program"], check=True)
        self.assertEqual(weights_of("runs/whole"), weights_of("runs/program"))
        first = pathlib.Path("runs/program/training.csv").read_text().splitlines()
        row = dict(zip(first[0].split(","), first[1].split(",")))
        self.assertEqual(float(row["loss"]), self.first["loss"])

    def test_a_training_that_is_left_continues_to_the_same_bits(self):
        with ptp.Experiment("houses.toml", set={LIMIT: 3}, run_folder="runs/left") as experiment:
            for step in experiment:
                if step.episode == 30:
                    break
        with ptp.Experiment.resume("runs/left") as experiment:
            self.assertEqual(experiment.episodes, 30)
            self.assertEqual([step.episode for step in experiment][:2], [31, 32])
        self.assertEqual(weights_of("runs/left"), weights_of("runs/whole"))

    def test_a_training_is_stopped_by_another_thread_which_runs_beside_it(self):
        with ptp.Experiment("houses.toml", run_folder="runs/stopped") as experiment:
            steps = iter(experiment)
            next(steps)
            stopper = threading.Thread(target=experiment.stop)
            stopper.start()
            stopper.join()
            self.assertLess(len(list(steps)), 2)
        listed = ptp.runs("runs/stopped")
        state = listed["state"][0] if HAS["pandas"] else listed[0]["state"]
        self.assertEqual(state, "stopped")

    def test_an_experiment_is_read_from_text(self):
        text = pathlib.Path("houses.toml").read_text()
        with ptp.Experiment.from_text(text, set={LIMIT: 1}, run_folder="runs/text") as experiment:
            self.assertEqual(experiment.check(), [])
            folder = experiment.run()
        self.assertEqual(os.path.realpath(folder), os.path.realpath("runs/text"))

    def test_a_notebook_shows_the_pipeline_of_a_file_and_of_a_text(self):
        def shown(experiment):
            bundle = experiment._repr_mimebundle_()
            self.assertEqual(len(bundle), 1)  # a picture, or a text where Graphviz is missing
            return bundle.popitem()[1]

        os.mkdir("nets")
        sizes = {"pipeline.network.hidden_sizes": [3]}
        with ptp.Experiment("houses.toml", set=sizes) as of_file:
            picture = shown(of_file)
        self.assertRegex(picture, "<svg |^<pre>")
        with ptp.Experiment.from_text('include = "../houses.toml"\n', name="nets/wide.toml", set=sizes) as of_text:
            self.assertEqual(shown(of_text), picture)
        os.mkdir("plugins")
        with ptp.Experiment.from_text('include = "../houses.toml"\n', name="nets/wide.toml", set=sizes,
                                      plugins=["plugins"]) as with_plugins:
            self.assertEqual(shown(with_plugins), picture)

    def test_one_sample_is_predicted_as_in_a_batch(self):
        with ptp.load("runs/whole") as model:
            scores = model({"inputs": self.batch})["predictions"]
            one = model.infer(self.batch[3])["predictions"]
            self.assertAlmostEqual(float(one[0]), float(scores[3][0]), places=4)
            self.assertEqual(model.signature.inputs["inputs"].element, "float")
            self.assertEqual(list(model.signature.others), ["values"])

    def test_a_bundle_predicts_as_its_run(self):
        subprocess.run([_library.program("ptprun"), "bundle", "runs/whole", "-o", "houses.ptpm"],
                       check=True, stdout=subprocess.DEVNULL)
        with ptp.load("runs/whole") as model:
            scores = model(self.batch)["predictions"].tolist()
        with ptp.load("houses.ptpm") as model:
            self.assertEqual(model(self.batch)["predictions"].tolist(), scores)

    def test_a_bundle_whose_stored_outputs_differ_is_used_without_its_self_test_only(self):
        subprocess.run([_library.program("ptprun"), "bundle", "runs/whole", "-o", "changed.ptpm"],
                       check=True, stdout=subprocess.DEVNULL)
        with tarfile.open("changed.ptpm") as members:
            stored = members.extractfile("samples.safetensors").read()
        other = stored[:-4] + struct.pack("<f", struct.unpack("<f", stored[-4:])[0] + 1e6)
        hashes = [hashlib.sha256(part).hexdigest().encode() for part in (stored, other)]
        whole = pathlib.Path("changed.ptpm").read_bytes()
        pathlib.Path("changed.ptpm").write_bytes(
            whole.replace(stored, other).replace(hashes[0], hashes[1]))
        with ptp.load("changed.ptpm") as model:
            with self.assertRaises(ptp.DataError) as in_process:
                model(self.batch)
            with self.assertRaises(ptp.DataError) as of_files:
                model.predict("houses.csv")
        here = os.path.realpath(".") + os.sep
        in_process, of_files = (str(raised.exception).replace(here, "").splitlines()
                                for raised in (in_process, of_files))
        for lines in (in_process, of_files):
            self.assertRegex(lines[0],
                             r"^changed\.ptpm: fails its self-test: 'predictions' differs by up to "
                             r"\S+ at \[2, 0\]: \S+, stored was \S+ \(tolerance 0\.0001\); libtorch, processor, device and "
                             r"plugins are those of the training; it can be used without, and ptp-inspect shows the "
                             r"builds of plugins and libtorch that it was trained with$")
        self.assertEqual(in_process[1:], ["    fix: self_test=False in ptp.load()",
                                          "         ptp-inspect changed.ptpm"])
        self.assertEqual(of_files[1:], ["    fix: ptp.load('changed.ptpm', self_test=False)",
                                        "         ptp-inspect changed.ptpm"])
        with ptp.load("changed.ptpm", self_test=False) as model:
            self.assertEqual(len(model(self.batch)["predictions"]), 32)
            self.assertEqual(len(model.predict("houses.csv")), 1000)

    def test_plugins_in_a_bundle_are_used_where_they_are_asked_for_and_its_key_is_trusted(self):
        plugins = BUILD / "tests/runs/accompanied"
        if not plugins.exists():
            self.skipTest(f"{plugins} is not built")
        more = {"type": "Accompanied", "streams": {"outputs": "more"}}
        with ptp.Experiment("houses.toml", run_folder="runs/plus", plugins=plugins, set={
                LIMIT: 1, "pipeline.more": more,
                "pipeline.network.streams": {"inputs": "more"}}) as experiment:
            experiment.run()

        def done(program, *words):
            subprocess.run([_library.program(program), *words], check=True,
                           stdout=subprocess.DEVNULL)

        done("ptprun", "bundle", "runs/plus", "-o", "plus.ptpm", "--with-plugins")
        with self.assertRaises(ptp.ConfigurationError) as raised:
            ptp.load("plus.ptpm")
        self.assertIn("\n    fix: with_plugins=True in ptp.load()\n         ptp-pack install accompanied\n",
                      str(raised.exception))
        with unittest.mock.patch.dict(os.environ, XDG_CONFIG_HOME=os.path.join(self.folder, "config")):
            self.refused(ptp.DataError, "with_plugins: plus.ptpm: is not signed: there is no plus.ptpm.minisig\n"
                         "    fix: ask its author to sign it (ptp-pack sign)\n"
                         "         or install 'accompanied' 1.0.0, and leave out with_plugins",
                         ptp.load, "plus.ptpm", with_plugins=True)
            done("ptp-pack", "key", "new", "jane")
            done("ptp-pack", "key", "trust", "jane.pub")
            done("ptp-pack", "sign", "plus.ptpm", "--key", "jane.key")
            with ptp.load("runs/plus") as model:
                scores = model(self.batch)["predictions"].tolist()
            with ptp.load("plus.ptpm", with_plugins=True) as model:
                self.assertEqual(model(self.batch)["predictions"].tolist(), scores)
                self.assertEqual(len(model.predict("houses.csv")), 1000)

    def test_a_result_outlives_its_model(self):
        with ptp.load("runs/whole") as model:
            scores = model(self.batch)["predictions"]
            before = scores.tolist()
        del model
        self.assertEqual(scores.tolist(), before)
        self.assertEqual(len(before), 32)

    def test_predictions_for_rows_are_those_for_the_file(self):
        with ptp.load("runs/whole") as model:
            lines = pathlib.Path("houses.csv").read_text().splitlines()[:3]
            names = lines[0].split(",")
            rows = [dict(zip(names, line.split(","))) for line in lines[1:]]
            rows = [{key: row[key] for key in names if key not in ("price", "id")} for row in rows]
            for row in rows:
                row.update(area=float(row["area"]), rooms=int(row["rooms"]), built=int(row["built"]))
            of_rows = model.predict(rows)
            of_file = model.predict("houses.csv")
        if HAS["pandas"]:
            of_rows, of_file = of_rows.to_dict("records"), of_file.to_dict("records")
        for row, same in zip(of_rows, of_file):  # in batches of other sizes
            self.assertAlmostEqual(row["predictions"], same["predictions"], delta=1e-3)
        self.assertEqual(len(of_rows), 2)

    def test_a_warning_of_a_prediction_is_one_of_python_where_it_is_called_from(self):
        row = {"area": 1e6, "rooms": 4, "built": 1909, "kind": "house", "town": "Ashford", "sold": "2020-10-02"}
        with ptp.load("runs/whole") as model, warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            model.predict([row])
        self.assertEqual([os.path.basename(one.filename) for one in said], [os.path.basename(__file__)])
        self.assertIn("row 0: column 'area' = 1000000.0 is far outside of the training's", str(said[0].message))

    def test_a_feed_of_numbers_as_the_table_has_them_is_warned_of(self):
        with ptp.load("runs/whole") as model, warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            model(self.batch)
            self.assertEqual(said, [])
            raw = [list(row) for row in self.batch.tolist()]
            raw[0][:3] = [91.5, 4.0, 1909.0]
            model(raw)
            model(raw)  # once for each model
        self.assertEqual([os.path.basename(one.filename) for one in said], [os.path.basename(__file__)])
        self.assertRegex(str(said[0].message),
                         r"^'inputs' has 91.5 for 'area', and the task delivers \(area - [\d.]+\) / [\d.]+, from -\S+ to "
                         r"\S+ in the training: are these the numbers of the table\? model.predict\(rows\) standardizes "
                         r"them$")

    def test_rows_without_names_have_the_columns_of_the_training(self):
        row = {"area": 91.5, "rooms": 4, "built": 1909, "kind": "house", "town": "Ashford", "sold": "2020-10-02"}
        with ptp.load("runs/whole") as model:
            named = model.predict([row])
            listed = model.predict([list(row.values())])
            self.refused(ptp.DataError, "row 1: has 2 values, and the columns are 6: area, rooms, built, kind, town, sold",
                         model.predict, [list(row.values()), [1, 2]])
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                model.predict([list(row.values()), [1e6, *list(row.values())[1:]]])
            self.assertIn("row 1: column 'area' = 1000000.0 is far outside of the training's", str(said[0].message))
        if HAS["pandas"]:
            named, listed = named.to_dict("records"), listed.to_dict("records")
        self.assertEqual(named, listed)

    def test_warnings_of_a_training_are_those_of_python(self):
        pathlib.Path("wine.csv").write_text("hue,proline,kind\n1,700,a\n1.2,600,b\n0.9,800,a\n1.1,720,b\n")
        text = ('[training]\noptimizer = { type = "SGD", lr = 1e-6 }\nterminal_conditions = { epoch_limit = 1 }\n'
                'task = { type = "CsvTable", batch_size = 4, file = "wine.csv", features = ["hue", "proline"], label = "kind" }\n'
                '[pipeline.net]\ntype = "FeedForwardNetwork"\nglobals = { prediction_size = "num_classes" }\n'
                '[pipeline.loss]\ntype = "NLLLoss"\n')
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            with ptp.Experiment.from_text(text, run_folder="runs/wine") as experiment:
                self.assertEqual(experiment.run(), experiment.run_folder)
        self.assertEqual(experiment.run_folder, os.path.abspath("runs/wine"))
        self.assertEqual(len(said), 1)
        self.assertIn("and nothing standardizes them before 'net'", str(said[0].message))

    def test_images_of_rows_are_relative_to_the_current_folder(self):
        shutil.copytree(SOURCE / "plugins/vision_tasks/check/pictures", "pictures")
        pathlib.Path("pictures.csv").write_text(
            "picture,kind\npictures/first/a.png,first\npictures/second/a.png,second\n")
        pathlib.Path("pictures.toml").write_text("""
[training]
optimizer = { type = "SGD", lr = 0.1 }
terminal_conditions = { epoch_limit = 1 }
[training.task]
type = "Table"
batch_size = 2
file = "pictures.csv"
image = "picture"
resize_image = [2, 2]
label = "kind"
[pipeline.flat]
type = "Flatten"
streams = { inputs = "images", outputs = "inputs" }
[pipeline.net]
type = "FeedForwardNetwork"
globals = { prediction_size = "num_classes" }
[pipeline.loss]
type = "NLLLoss"
""")
        with ptp.Experiment("pictures.toml", run_folder="runs/pictures") as experiment:
            experiment.run()
        with ptp.load("runs/pictures") as model:
            name = "pictures/first/a.png"
            known = [list(model.predict([{"picture": one}])[0].values() if not HAS["pandas"] else
                          model.predict([{"picture": one}]).iloc[0])
                     for one in (name, "../" + os.path.basename(os.getcwd()) + "/" + name,
                                 os.path.abspath(name))]
            self.assertEqual(known[0], known[1])
            self.assertEqual(known[0], known[2])
            with self.assertRaises(ptp.DataError) as raised:
                model.predict([{"picture": "pictures/none.png"}])
        self.assertIn(os.getcwd() + "/pictures/none.png", str(raised.exception))
        self.assertEqual(str(raised.exception).count("/ptp_"), os.getcwd().count("/ptp_"))

    def test_errors_have_the_text_of_the_programs(self):
        error = self.refused(ptp.ConfigurationError, "none.toml: no such file; known: houses.toml", ptp.Experiment,
                             "none.toml")
        self.assertEqual((error.code, error.problems[0].file), (2, "none.toml"))
        with self.assertRaises(ptp.ConfigurationError) as raised:
            ptp.Experiment("houses.toml", set={"training.optimizer.lr": -1})
        self.assertEqual(raised.exception.problems[0].key, "training.optimizer.lr")
        with self.assertRaises(ptp.ConfigurationError) as raised:
            ptp.load("runs/whole").predict("nothing.csv")
        self.assertIn("nothing.csv", str(raised.exception))

    def test_errors_of_predictions_have_arguments_of_python_and_rows(self):
        run = str(pathlib.Path("runs/whole"))
        row = {"area": 91.5, "rooms": 4, "built": 1909, "kind": "house", "town": "Atlantis",
               "sold": "2020-10-02"}
        with ptp.load(run) as model:
            for arguments, expected in (
                    ({"data": []}, "predict() needs data or texts: data is a folder, files, the name "
                                   "of a section or rows of a table"),
                    ({"data": "no.csv"}, "data: no.csv: no such file or folder, and no such "
                                         "section; known: training, validation, test"),
                    ({"data": "houses.csv", "top": 3},
                     "unknown option 'top'; did you mean 'top_k'?\n"
                     "    help: help(ptp.Model.predict)")):
                self.refused(ptp.ConfigurationError, expected, model.predict, **arguments)
            with self.assertRaises(ptp.DataError) as raised:
                model.predict([{**row, "town": "Ashford"}, row])
        text = str(raised.exception)
        self.assertIn("row 1: column 'town' = 'Atlantis': is not a category", text)
        if importlib.util.find_spec("tomllib"):
            settings = re.search(r"let it be zeros: (ptp\.load\(.*\))\n?", text + "\n")[1]
            with eval(settings, {"ptp": ptp}) as changed:  # the fix works
                self.assertEqual(len(changed.predict(row)), 1)
        self.assertNotIn("--", text)

    def test_names_of_runs_and_checkpoints_are_those_of_the_programs(self):
        shutil.copytree("runs/whole", "named/a")
        for word, expected in (
                ("runs/whol", "runs/whol: no such run; did you mean 'runs/whole'?\n    fix: write runs/whole in its place"),
                ("named", "named is not a run folder but holds 1 run: a\n"
                 "    fix: write named/last or named/best in its place, or one of them by its name")):
            self.refused(ptp.ConfigurationError, expected, ptp.load, word)
            self.refused(ptp.ConfigurationError, expected, ptp.Experiment.resume, word)
        shutil.rmtree("named/a/checkpoints/best")
        self.refused(ptp.ConfigurationError, "named/a has no checkpoint 'best'", ptp.load, "named/a", checkpoint="best")
        self.refused(ptp.ConfigurationError,
                     "checkpoint best: only a run has one of this name; give the folder of a checkpoint",
                     ptp.load, "houses.toml", checkpoint="best")
        self.refused(ptp.ConfigurationError,
                     "checkpoint is \"best\", \"last\" or the folder of a checkpoint, and not 'latest'",
                     ptp.load, "runs/whole", checkpoint="latest")
        outputs = []
        for checkpoint in ("last", "runs/whole/checkpoints/last"):
            with ptp.load("runs/whole", checkpoint=checkpoint) as model:
                outputs.append(model(self.batch)["predictions"].tolist())
                self.assertEqual(len(model.predict("houses.csv")), 1000)
        self.assertEqual(outputs[0], outputs[1])

    def test_a_prediction_may_change_the_experiment(self):
        with ptp.load("runs/whole") as model:
            self.refused(ptp.ConfigurationError, "set is a dict, such as {\"training.optimizer.lr\": 0.1}, and not 3",
                         model.predict, "houses.csv", set=3)
            changed = model.predict("houses.csv", set={"test.task.batch_size": 7})
            self.assertEqual(len(changed), 1000)

    def test_the_newest_run_is_last(self):
        with ptp.load("runs/last") as model, ptp.load("runs/whole") as whole:
            self.assertEqual(set(model.signature.inputs), set(whole.signature.inputs))
        self.refused(ptp.ConfigurationError, "none/last: no such run", ptp.load, "none/last")

    @needs("numpy")
    def test_lists_of_pixels_and_of_other_bytes_are_refused(self):
        from ptp._tensors import Fed
        start = "cannot feed the stream 'x': it has "
        self.refused(ptp.DataError, start + "floats, and the value has whole numbers up to 255; fix: "
                     'numpy.asarray(value, "float32") / 255 for pixels in [0, 1], as tasks read '
                     'images, or numpy.asarray(value, "float32")',
                     Fed, [[[[0, 255]]]], "x", "float", [None, 1, 1, 2])
        for wrong in ([[256]], [[-1]], [[0.5]]):
            self.refused(ptp.DataError, start + "elements of byte, from 0 to 255, and the value has "
                         "others", Fed, wrong, "x", "byte", [None, 1])
        self.assertEqual(len(Fed([[[[0, 1]]]], "x", "float", [None, 1, 1, 2]).shape), 4)
        self.assertEqual(len(Fed([[0, 255]], "x", "float", [None, 2]).shape), 2)

    def test_what_cannot_be_fed_is_refused(self):
        width = len(self.batch[0])
        with ptp.load("runs/whole") as model:
            self.refused(ptp.ConfigurationError, "the model has no input 'x'; its inputs: inputs",
                         model, {"x": [[1.0]]})
            self.refused(ptp.ConfigurationError,
                         "nothing is given for inputs; the inputs of the model: inputs", model, {})
            self.refused(ptp.DataError, "cannot feed the stream 'inputs': it has the shape [B, "
                         f"num_features], and the value [{width}]; fix: add the dimension of the batch, "
                         "value[None] of an array, or predict for one sample by infer()", model, [0.5] * width)
            self.refused(ptp.DataError, "cannot feed the stream 'inputs': its elements are of kind "
                         "float, and the value has texts; fix: predict() reads files", model, ["a text"])
            with self.assertRaises(ptp.DataError):
                model([[1.0, 2.0], [3.0]])
        self.refused(ptp.MisuseError, "it is closed; open it again", model, self.batch)

    def test_what_is_fed_passes_through_a_component_of_the_training_alone(self):
        squash = {"type": "Sigmoid", "phases": ["training"], "pass_through": True, "streams": {"outputs": "squashed"}}
        with ptp.Experiment("houses.toml", run_folder="runs/squashed",
                            set={LIMIT: 1, "pipeline.squash": squash,
                                 "pipeline.network.streams": {"inputs": "squashed"}}) as experiment:
            experiment.run()
        predictions = []
        for change in ({}, {"pipeline.network.streams.inputs": "inputs"}, {"pipeline.squash.phases": ["predict"]}):
            with ptp.load("runs/squashed", set=change) as model:
                predictions.append(model(self.batch)["predictions"].tolist())
        self.assertEqual(predictions[0], predictions[1])
        self.assertNotEqual(predictions[0], predictions[2])

    def test_predictions_and_steps_leave_no_memory_behind(self):
        def resident():
            return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096

        def grown(call):
            for _ in range(200):
                call()
            gc.collect()
            tracemalloc.start()
            self.addCleanup(tracemalloc.stop)
            before = resident()
            objects = tracemalloc.get_traced_memory()[0]
            for _ in range(2000):
                call()
            gc.collect()
            objects = tracemalloc.get_traced_memory()[0] - objects
            tracemalloc.stop()
            self.assertLess(objects, 64 << 10)
            return resident() - before

        with ptp.load("runs/whole") as model:
            self.assertLess(grown(lambda: model(self.batch)), 2 << 20)
            self.assertLess(grown(lambda: model.infer(self.batch[0])), 2 << 20)
        with ptp.Experiment("houses.toml", set={LIMIT: 200}, run_folder="runs/steps") as experiment:
            steps = iter(experiment)
            self.assertLess(grown(lambda: next(steps)), 2 << 20)

    def test_a_notebook_shows_how_far_a_training_is(self):
        shown = []

        class Display:
            def update(self, data, raw):
                shown.append(data)

        def display(data, raw, display_id):
            shown.append(data)
            return Display()

        kernel = types.SimpleNamespace(config={"IPKernelApp": {}})
        ipython = types.SimpleNamespace(get_ipython=lambda: kernel)
        modules = {"IPython": ipython, "IPython.display": types.SimpleNamespace(display=display)}
        with unittest.mock.patch.dict(sys.modules, modules):
            with ptp.Experiment("houses.toml", set={LIMIT: 3}, run_folder="runs/shown") as experiment:
                experiment.run()
        self.assertIn("epoch 0/3 at the last checkpoint, episode 1, ", shown[0]["text/plain"])
        self.assertRegex(shown[-1]["text/plain"], r"^epoch 3/3, episode 66, \d+ s, epoch limit of 3 "
                         r"reached\nbatch: loss .*\nvalidation: loss .*\nbest, of epoch \d: loss ")
        self.assertRegex(shown[-1]["text/html"], '^<div><progress value="3" max="3"></progress> epoch '
                         "3/3, .*<br>batch: loss .*</div>$")

    def test_nothing_is_shown_in_a_terminal_of_ipython(self):
        from ptp import _progress
        for kernel in (None, types.SimpleNamespace(config={})):
            ipython = types.SimpleNamespace(get_ipython=lambda kernel=kernel: kernel)
            with unittest.mock.patch.dict(sys.modules, {"IPython": ipython}):
                self.assertFalse(_progress.is_notebook())

    def test_a_library_that_is_missing_is_named(self):
        done = subprocess.run([sys.executable, "-c", "import ptp; ptp.load('run')"], text=True,
                              env={"PYTHONPATH": PACKAGE, "PATH": "/nowhere"},
                              stderr=subprocess.PIPE, check=False)
        if "is not installed" in done.stderr:  # unless the system's loader finds one
            self.assertIn("ImportError: libptp.so.0 is not installed, or not where it is looked for: "
                          "beside this package, beside ptprun on the PATH, and by the system's "
                          "loader; fix: install ptp-runtime, or set PTP_LIBRARY to the file",
                          done.stderr)

    @needs("numpy")
    def test_arrays_of_numpy_are_fed_and_returned(self):
        import numpy
        batch = numpy.array([list(row) for row in self.batch], dtype=numpy.float64)
        with ptp.load("runs/whole") as model:
            scores = model(batch)["predictions"]
            self.assertEqual(scores.dtype, numpy.float32)
            self.assertFalse(scores.flags.writeable)
            numpy.testing.assert_array_equal(model(batch[:, ::-1][:, ::-1])["predictions"], scores)
            self.refused(ptp.DataError, "cannot feed the stream 'inputs': it has floats, and the "
                         'value has bytes; fix: value.astype("float32") / 255 for pixels in [0, 1], '
                         'as tasks read images, or value.astype("float32")', model,
                         batch.astype(numpy.uint8))

    def with_other_libtorch(self, program):
        """Runs a program with a package torch whose libtorch is another one; returns its errors."""
        lib = pathlib.Path(self.folder, "other", "torch", "lib")
        lib.mkdir(parents=True, exist_ok=True)
        library = lib / "libtorch_cpu.so"
        subprocess.run(["cc", "-shared", "-o", library, "-x", "c", "/dev/null",
                        "-Wl,-soname,libtorch_cpu.so.9"], check=True)
        (lib.parent / "__init__.py").write_text("")
        path = os.pathsep.join([PACKAGE, str(lib.parent.parent)])
        done = subprocess.run([sys.executable, "-c", program, library], text=True, check=False,
                              env={**os.environ, "PYTHONPATH": path}, stderr=subprocess.PIPE)
        return library, done.stderr

    @unittest.skipUnless(shutil.which("cc"), "there is no C compiler")
    def test_another_libtorch_in_the_process_is_refused(self):
        library, errors = self.with_other_libtorch(
            "import ctypes, ptp, sys; ctypes.CDLL(sys.argv[1]); "
            f"ptp.load('runs/whole')([[0.0] * {len(self.batch[0])}])")
        self.assertRegex(errors, re.escape(
            f"PluginError: this program has loaded another libtorch, {library}; ptp computes with ") +
            r"libtorch_cpu\.so\S*, of libtorch [\d.]+\S*, and two of them in one process crash\n"
            r"    fix: compute in a process of its own, by ptprun or without that libtorch \(in "
            r"Python, without importing torch\), or with a ptp that was built for that libtorch")

    @unittest.skipUnless(shutil.which("cc"), "there is no C compiler")
    def test_importing_another_torch_after_ptp_has_computed_is_refused(self):
        library, errors = self.with_other_libtorch(
            f"import ptp; ptp.load('runs/whole')([[0.0] * {len(self.batch[0])}]); import torch")
        self.assertRegex(errors, r"ImportError: ptp has loaded \S+ in this process, and torch brings " +
                         re.escape(f"{library}: two of them in one process crash; fix: use torch in "
                                   "another process, or install a ptp that was built for this torch"))

    @needs("torch")
    def test_tensors_of_pytorch_are_fed_and_returned(self):
        with ptp.load("runs/whole") as model:
            model(self.batch)
        try:
            import torch
        except ImportError as error:
            self.skipTest(str(error))
        batch = torch.tensor([list(row) for row in self.batch], requires_grad=True)
        torch.manual_seed(5)
        expected = torch.rand(1)
        torch.manual_seed(5)
        with ptp.load("runs/whole") as model:
            scores = model({"inputs": batch})["predictions"]
            self.assertEqual(torch.rand(1), expected)
            for same in (batch.double(), batch.half(), list(batch), [list(row) for row in batch], batch.to_sparse(),
                         batch.t().contiguous().t()):
                torch.testing.assert_close(model(same)["predictions"], scores, rtol=1e-2, atol=1e-2)
            self.refused(ptp.DataError, "cannot feed the stream 'inputs': a tensor of torch.complex64; fix: feed reals, such "
                         "as value.abs()", model, torch.complex(batch, batch))
            self.refused(ptp.DataError, "cannot feed the stream 'inputs': a nested tensor; fix: value.to_padded_tensor(0)", model,
                         torch.nested.nested_tensor(list(batch.detach())))
            if hasattr(torch, "uint16"):
                whole = batch.detach().abs().to(torch.uint16)
                torch.testing.assert_close(model(whole)["predictions"], model(whole.float())["predictions"])
            self.assertIsInstance(scores, torch.Tensor)
            self.assertEqual(tuple(scores.shape), (32, 1))
            rounded = batch.bfloat16()
            torch.testing.assert_close(model(rounded)["predictions"], model(rounded.float())["predictions"])
            one = model.infer(batch[0])["predictions"]
            torch.testing.assert_close(one, scores[0])
            torch.testing.assert_close(model.infer(list(batch[0]))["predictions"], scores[0])

    @needs("numpy")
    def test_numbers_of_numpy_are_settings(self):
        import numpy
        with ptp.Experiment("houses.toml", set={"training.optimizer.lr": numpy.float64(0.5),
                                                LIMIT: numpy.int64(1)}, run_folder="runs/np") as one:
            one.run()
        text = pathlib.Path("runs/np/experiment.toml").read_text()
        self.assertIn("lr = 0.5", text)

    @needs("PIL")
    def test_images_of_pillow_have_the_numbers_of_tasks(self):
        from PIL import Image
        from ptp._images import pixels_of

        def pixels(image, depth):
            return [round(float(plane[0][0]), 6) for plane in pixels_of([image], "s", (None, depth, 1, 1))[0]]

        grey = (19595 * 200 + 38470 * 100 + 7471 * 50 + 32768) >> 16
        color = Image.new("RGB", (1, 1), (200, 100, 50))
        self.assertEqual(pixels(color, 1), [round(grey / 255, 6)])
        self.assertEqual(pixels(color, 3), [round(v / 255, 6) for v in (200, 100, 50)])
        half = Image.new("RGBA", (1, 1), (0, 0, 0, 128))  # black over white: (255 * 127 + 127) // 255
        self.assertEqual(pixels(half, 3), [round(127 / 255, 6)] * 3)
        self.assertEqual(pixels(Image.new("I;16", (1, 1), 4660), 1), [round(4660 / 65535, 6)])
        self.assertEqual(pixels(color.convert("P"), None), pixels(color.convert("P").convert("RGB"), 3))
        self.refused(ptp.DataError, "cannot feed the stream 's': an image of floats; fix: feed an "
                     "array of values in [0, 1]", pixels, Image.new("F", (1, 1), 0.5), 1)

    @needs("pandas")
    def test_rows_of_a_frame_keep_their_digits(self):
        import pandas
        from ptp._rows import rows_of
        frame = pandas.DataFrame({"x": [1.2345678912345e-11, None], "n": [1, 2],
                                  "d": pandas.to_datetime(["2024-05-03", None])})
        self.assertEqual(rows_of(frame), [{"x": 1.2345678912345e-11, "n": 1, "d": "2024-05-03"},
                                        {"x": None, "n": 2, "d": None}])

    @needs("pandas")
    def test_runs_are_a_frame_of_pandas(self):
        frame = ptp.runs("runs/whole")
        self.assertEqual(list(frame["state"]), ["done"])


if __name__ == "__main__":
    main()
