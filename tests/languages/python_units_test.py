"""python_units_test.py SOURCE: modules of the package ptp that need no libptp, with what they read made by hand."""

import datetime
import decimal
import fractions
import json
import os
import pathlib
import pickle
import sys
import tempfile
import types
import unittest
import unittest.mock

SOURCE = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(SOURCE / "sdk" / "python"))

from ptp import _errors, _experiment, _handle, _model, _progress, _rows, _runs, _tensors, _words  # noqa: E402

LIMITS = "[training.terminal_conditions]\nepoch_limit = 3\n"


class Notebook:
    """A kernel whose display keeps what it shows, and the folder of a run with this status."""

    def __init__(self, status):
        self.shown = []
        self.folder = tempfile.TemporaryDirectory(prefix="ptp_notebook_")
        pathlib.Path(self.folder.name, "status.json").write_text(json.dumps(status))
        pathlib.Path(self.folder.name, "experiment.toml").write_text(LIMITS)
        kernel = types.SimpleNamespace(config={"IPKernelApp": {}})
        self.modules = {"IPython": types.SimpleNamespace(get_ipython=lambda: kernel),
                        "IPython.display": types.SimpleNamespace(display=self.display)}
        self.handle = types.SimpleNamespace(run_folder=lambda: self.folder.name, episodes=lambda: 7,
                                            statistics=lambda: {"loss": float("nan"), "r2": 0.5})

    def display(self, data, **_):
        self.shown.append(data["text/plain"])

    def show(self):
        with unittest.mock.patch.dict(sys.modules, self.modules):
            _progress.Progress(self.handle).show()


class ProgressTest(unittest.TestCase):
    def test_a_statistic_that_is_no_number_is_shown_as_nan(self):
        notebook = Notebook({"epoch": 1, "last": {"set": "validation", "statistics": {"r2": None, "loss": 2.0}},
                             "best": {"epoch": 1, "statistics": None}})
        notebook.show()
        lines = notebook.shown[0].splitlines()
        self.assertRegex(lines[0], r"^epoch 1/3 at the last checkpoint, episode 7, \d+ s$")
        self.assertEqual(lines[1:],
                         ["batch: loss nan  r2 0.5", "validation: r2 nan  loss 2", "best, of epoch 1: "])

    def test_a_display_that_fails_ends_no_training_and_is_not_asked_again(self):
        notebook = Notebook({"last": ["of another version"]})
        with unittest.mock.patch.dict(sys.modules, notebook.modules):
            progress = _progress.Progress(notebook.handle)
            progress.show()
            progress.show(is_last=True)
        self.assertEqual(notebook.shown, [])


class PictureTest(unittest.TestCase):
    def test_a_pipeline_is_drawn_of_letters_where_graphviz_is_missing(self):
        def run(command, **_):
            return types.SimpleNamespace(returncode=0 if command[-1] == "text" else 3, stdout=b"a -> <b>\n")

        with unittest.mock.patch.object(_handle, "program", lambda name: name), unittest.mock.patch.object(
                _handle.subprocess, "run", run):
            self.assertEqual(_handle.picture("net.toml", {}, []), {"text/html": "<pre>a -&gt; &lt;b&gt;\n</pre>"})


class WordsTest(unittest.TestCase):
    def test_functions_of_c_and_options_with_a_value_are_those_of_python(self):
        for text, expected in (
                ("it is a stream of strings: ptp_experiment_read_strings() reads it",
                 'it is a stream of strings: read(stream, "string") reads it'),
                ("continue it by ptp_experiment_resume() or ptprun resume", "continue it by ptp.Experiment.resume()"),
                ("    fix: name it: --checkpoint FOLDER", '    fix: name it: checkpoint="FOLDER"'),
                ("    help: ptprun help runs", "    help: help(ptp.runs)"),
                ("a: no list\n    fix: --set a=1,2 trains with each", "a: no list")):
            self.assertEqual(_words.in_python(text), expected)

    def test_a_command_of_the_shell_stays_as_it_is_typed(self):
        for text, expected in (
                ("fix: ptprun bundle RUN --parameter pipeline.net.hidden_sizes", None),
                ("fix: ptp-pack install --user FILE; or --plugins DIR has it",
                 'fix: ptp-pack install --user FILE; or plugins="DIR" has it'),
                ("`ptprun search --set A=1,2` tries; --top-k counts", "`ptprun search --set A=1,2` tries; top_k counts")):
            self.assertEqual(_words.in_python(text), expected or text)

    def test_an_option_without_a_value_takes_no_word_behind_it(self):
        self.assertEqual(
            _words.in_python("    fix: ptprun predict a.ptpm --data x.csv --no-self-test"),
            "    fix: ptp.load('a.ptpm', self_test=False)")

    def test_options_of_a_bundle_are_arguments_of_one_call(self):
        self.assertEqual(
            _words.in_python("    fix: ptprun predict a.ptpm --data x.csv --with-plugins --set n=3 --no-self-test"),
            "    fix: ptp.load('a.ptpm', set={'n': 3}, with_plugins=True, self_test=False)")

    def test_an_option_that_is_a_word_of_python_has_an_underscore_behind_it(self):
        for text, expected in (("unknown option '--continu'; did you mean '--continue'?",
                                "unknown option 'continu'; did you mean 'continue_'?"),
                               ("fix: ptprun predict run --text a --continue 3", "fix: texts=['a'], continue_='3'"),
                               ("--continue N writes on", 'continue_="N" writes on')):
            self.assertEqual(_words.in_python(text), expected)
        self.assertEqual([_words.option_of(name) for name in ("continue_", "continue", "top_k", "top_", "note", "forx")],
                         ["--continue", "--continue", "--top-k", "--top-", "--note", "--forx"])

    def test_a_task_that_is_whole_with_the_data_alone_is_set_in_its_prediction(self):
        self.assertEqual(
            _words.in_python("    fix: ptprun predict r --data new --set "
                             "'test.task={ type = \"ImageFolder\", image_depth = 1 }'"),
            "    fix: ptp.load('r').predict('new', set={'test.task': {'type': 'ImageFolder', 'image_depth': 1}})")

    def test_a_prediction_with_another_task_keeps_its_options_its_data_and_the_words_behind_it(self):
        self.assertEqual(
            _words.in_python("    fix: ptprun predict r --data a b --quiet --text 'x y' --text z --data c --top-k 3 "
                             "--no-self-test --set 'test.task={ separator = \"tab\" }' reads them"),
            "    fix: ptp.load('r', self_test=False).predict(['a', 'b', 'c'], texts=['x y', 'z'], top_k='3', "
            "set={'test.task': {'separator': 'tab'}}) reads them")
        self.assertEqual(_words.in_python("fix: ptprun predict r --data data --set 'test.task={}' uses it"),
                         "fix: ptp.load('r').predict(data, set={'test.task': {}}) uses it")

    def test_a_command_without_its_model_is_no_error_of_its_own(self):
        self.assertEqual(_words.in_python("fix: ptprun predict "), "fix: leave it out")
        self.assertEqual(_words.in_python("fix: ptprun predict --top-k 3"), "fix: top_k='3'")

    def test_values_of_toml_are_those_of_python_in_each_version(self):
        values = {"true": "True", "0.5": "0.5", "'zeros'": "'zeros'", '"a"': "'a'", "[1, 2]": "[1, 2]", "...": "...",
                  '{ unknown = "zeros" }': "{'unknown': 'zeros'}"}
        for written, expected in values.items():
            self.assertEqual(_words._value(written), expected)
            with unittest.mock.patch.dict(sys.modules, {"tomllib": None}):
                self.assertEqual(_words._value(written), expected)


class Row(dict):
    """A row of a frame of pandas."""

    def to_dict(self):
        return dict(self)


class Rows:
    """A frame of polars."""

    def to_dicts(self):
        return [{"area": 1.5}]


class RowsTest(unittest.TestCase):
    def test_rows_are_those_of_frames_and_of_dicts_with_values_of_any_library(self):
        number = types.SimpleNamespace(item=lambda: 7, size=1)
        day = datetime.date(2024, 5, 3)
        for data in ({"n": number, "d": day, "x": float("nan"), "b": True}, [{"n": 7, "d": day, "x": None, "b": True}],
                     Row(n=7, d=day, x=None, b=True)):
            self.assertEqual(_rows.rows_of(data), [{"n": 7, "d": "2024-05-03", "x": None, "b": True}])
        self.assertEqual(_rows.rows_of(Rows()), [{"area": 1.5}])
        self.assertIsNone(_rows.rows_of(["a.csv"]))

    def test_a_cell_that_is_no_value_is_named(self):
        rows = _rows.rows_of([{"area": 1.0}, {"area": [1.0]}])
        self.assertEqual(_rows.line_of(rows[0], 0), '{"area": 1.0}\n')
        with self.assertRaises(_errors.DataError) as caught:
            _rows.line_of(rows[1], 1)
        self.assertEqual(str(caught.exception), "row 1: column 'area': list is no cell of a table; a number, a text, a date, "
                         "True, False or None is")

    def test_what_is_no_finite_number_is_no_cell(self):
        with self.assertRaises(_errors.DataError) as caught:
            _rows.line_of({"area": float("inf")}, 2)
        self.assertEqual(str(caught.exception), "row 2: column 'area': inf is no number of a table; None is a cell without a "
                         "value")
        self.assertEqual(_rows.rows_of({"area": decimal.Decimal("1.5")}), [{"area": 1.5}])

    def test_columns_of_one_name_and_a_column_alone_are_no_rows(self):
        names = ["area", "rooms", "area"]
        columns = type("Columns", (), {"is_unique": False, "duplicated": lambda self: slice(2, 3),
                                       "__getitem__": lambda self, which: names[which]})()
        column = types.SimpleNamespace(to_dict=lambda: {0: 1.5, 1: 2.5})
        for data, text in ((types.SimpleNamespace(columns=columns), "columns of the frame have the same name: area"),
                           (column, "a column of a frame is no row of a table; fix: predict(frame), or predict(frame.iloc[0]) "
                                    "for one row")):
            with self.assertRaises(_errors.DataError) as caught:
                _rows.rows_of(data)
            self.assertEqual(str(caught.exception), text)

    def test_files_that_cells_name_from_here_are_found_beside_the_rows(self):
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as made:
            here = pathlib.Path(folder, "here")
            here.mkdir()
            for name in ("here/a.png", "b.png"):
                pathlib.Path(folder, name).write_text(name)
            rows = [{"image": "a.png", "kind": "x", "n": 1}, {"image": "../b.png", "kind": "x", "n": None}]
            self.addCleanup(os.chdir, os.getcwd())
            os.chdir(here)
            place = pathlib.Path(_rows.write_rows(rows, made)).parent
            self.assertEqual([(place / row["image"]).read_text() for row in rows], ["here/a.png", "b.png"])
            self.assertFalse((place / "x").exists())

    def test_rows_without_names_are_lists_in_a_list(self):
        self.assertEqual(_rows.items_of([[1, 2.5], (3, "red")]), [[1, 2.5], [3, "red"]])
        for other in ([], ["a.csv"], [1, 2], [[1, [2]]], "a", None, [[1], "a"]):
            self.assertIsNone(_rows.items_of(other), other)
        self.assertEqual(_rows.answers_of([{"line": 1, "predicted": "a"}]), [{"index": 0, "predicted": "a"}])
        with self.assertRaises(_errors.DataError) as caught:
            _rows.answers_of([{"line": 1, "predicted": "a"}, {"line": 2, "error": "has no 'x'"}])
        self.assertEqual(str(caught.exception), "row 1: has no 'x'")

    def test_what_is_neither_files_nor_rows_is_predicted_by_a_call(self):
        with self.assertRaises(_errors.ConfigurationError) as caught:
            _model._files([WholeNumbers()])
        self.assertEqual(str(caught.exception), "predict() reads files and rows of tables, not torch.WholeNumbers; fix: "
                         "predict([{'COLUMN': value}]) or predict([[value]]) for rows of a table; model(value) takes a batch of what "
                         "the task delivers, such as images or standardized numbers, and model.infer(value) one sample")


class ShapesTest(unittest.TestCase):
    def test_a_dimension_that_is_missing_is_named(self):
        advice = {((28, 28), False): "; fix: add the dimension of the batch and the one of size 1, value[None, None] of an array",
                  ((1, 28, 28), False): "; fix: add the dimension of the batch, value[None] of an array, or predict for one sample by infer()",
                  ((9, 28, 28), False): "; fix: add the dimension of size 1, value[:, None] of an array",
                  ((1, 28, 28), True): "; fix: add the dimension of size 1, value[None] of an array",
                  ((1, 9, 1, 28, 28), True): "; fix: predict for a batch by a call, model(value)",
                  ((3, 28, 28, 1), False): "; fix: put the colors first, value.transpose(0, 3, 1, 2) of an array of NumPy",
                  ((1, 28, 28, 1), True): "; fix: put the colors first, value.transpose(2, 0, 1) of an array of NumPy",
                  ((28, 28, 1), False): "; fix: put the colors first, and add the dimension of the batch, value.transpose(2, 0, 1)[None] "
                                        "of an array of NumPy",
                  ((3, 1, 30, 28), False): "; fix: resize the image, to 28 x 28 pixels",
                  ((7,), False): ""}
        for (shape, is_one), text in advice.items():
            self.assertEqual(_model._advice(list(shape), [None, 1, 28, 28], is_one), text, shape)


class ModuleTest(unittest.TestCase):
    def test_what_modules_of_pytorch_have_names_what_a_model_has_for_it(self):
        model = _model.Model.__new__(_model.Model)
        for name, text in (("eval", ": it is no torch.nn.Module; it always evaluates, without gradients: model(inputs)"),
                           ("cuda", ": it is no torch.nn.Module; it computes on the device of its experiment: "
                                    'ptp.load(run, device="cuda")'),
                           ("fit", ': ptp.Experiment("experiment.toml").run() trains, and ptp.Experiment.resume(run) longer'),
                           ("run_dir", ": it is the run that ptp.load() was given"),
                           ("predict_proba", ": model.predict(data, top_k=N) has the N most likely classes with their "
                                             "probabilities, and model(inputs) the outputs"),
                           ("state_dict", ": it is no torch.nn.Module; `ptprun export RUN -o model.safetensors` writes its "
                                          "weights as a state_dict"), ("other", "")):
            with self.assertRaises(AttributeError) as caught:
                getattr(model, name)
            self.assertEqual(str(caught.exception), f"'Model' object has no attribute '{name}'{text}")

    def test_an_error_within_a_property_of_a_subclass_is_its_own(self):
        class Classifier(_model.Model):
            @property
            def labels(self):
                return self.signature.outputs.names

        model = Classifier.__new__(Classifier)
        model.signature = _model.Signature({}, {}, {})
        with self.assertRaises(AttributeError) as caught:
            model.labels
        self.assertEqual(str(caught.exception), "'dict' object has no attribute 'names'")


class SignatureTest(unittest.TestCase):
    def test_a_signature_is_sent_to_another_process(self):
        signature = _model.Signature({"inputs": _model.Stream("inputs", "float", "[B, 2]", "numbers")}, {}, {})
        self.assertEqual(pickle.loads(pickle.dumps(signature)), signature)


class SettingsTest(unittest.TestCase):
    def test_settings_that_are_no_dict_or_no_values_of_toml_are_refused(self):
        array = types.SimpleNamespace(tolist=lambda: [1, 2.5])
        self.assertEqual(_handle.settings({"a": array, "b": {"c": True}}), ["a=[1, 2.5]", 'b={"c" = true}'])
        for wrong, text in ((["a=1"], 'set is a dict, such as {"training.optimizer.lr": 0.1}, and not [\'a=1\']'),
                            ({"a": None}, "set: a: None is not a value of TOML")):
            with self.assertRaises(_errors.ConfigurationError) as caught:
                _handle.settings(wrong)
            self.assertEqual(str(caught.exception), text)


class WholeNumbers:
    """What a tensor of PyTorch with integers of 64 bits has, whose module is named as PyTorch's."""

    dtype = "torch.int64"

    def detach(self):
        return self

    cpu = detach

    def is_floating_point(self):
        return False

    def numel(self):
        return 4

    def max(self):
        return 255


WholeNumbers.__module__ = "torch"


class FedTest(unittest.TestCase):
    def test_tensors_of_whole_numbers_are_refused_for_images_as_lists_of_them_are(self):
        with self.assertRaises(_tensors.DataError) as caught:
            _tensors.Fed(WholeNumbers(), "inputs", "float", (None, 1, 2, 2))
        self.assertEqual(str(caught.exception),
                         "cannot feed the stream 'inputs': it has floats, and the value has whole numbers up to 255; "
                         "fix: value.float() / 255 for pixels in [0, 1], as tasks read images, or value.float()")

    @unittest.skipIf(_tensors.numpy is None, "there is no NumPy")
    def test_bools_are_numbers_where_a_stream_has_floats(self):
        fed = _tensors.Fed(_tensors.numpy.array([[True, False]]), "x", "float", (None, 2))
        self.assertEqual((fed.shape, fed.tensor.bits), ([1, 2], 32))

    def test_without_numpy_a_bool_is_0_or_1(self):
        with unittest.mock.patch.object(_tensors, "numpy", None):
            self.assertEqual(len(_tensors.Fed([True, 0], "mask", "bool").shape), 1)
            with self.assertRaises(_tensors.DataError) as caught:
                _tensors.Fed([0, 2], "mask", "bool")
        self.assertEqual(str(caught.exception), "cannot feed the stream 'mask': it has elements of bool, from 0 to 1, "
                         "and the value has others")


class ValuesTest(unittest.TestCase):
    """What a person feeds that is not an array of the right numbers."""

    def refused(self, text, value, element="float", dimensions=(None, 2)):
        with self.assertRaises(_errors.DataError) as caught:
            _tensors.Fed(value, "x", element, dimensions)
        self.assertEqual(str(caught.exception), "cannot feed the stream 'x': " + text)

    def test_a_generator_is_what_it_yields(self):
        self.assertEqual(_tensors.Fed((row for row in [[1.0, 2.0], [3.0, 4.0]]), "x", "float").shape, [2, 2])
        self.assertEqual(_tensors.Fed(map(str, [1, 2]), "x", "string").texts, ["1", "2"])

    @unittest.skipIf(_tensors.numpy is None, "there is no NumPy")
    def test_what_has_no_numbers_is_named(self):
        end = "; fix: feed numbers, or a list of str; predict() reads files and rows of tables"
        self.refused("a value of type NoneType" + end, None)
        self.refused("a value of type set" + end, {1.0, 2.0})
        self.refused("a value of type NoneType is in it" + end, [[1.0, None]])
        self.refused("a value of type dict is in it" + end, [{"area": 1.0}])

    @unittest.skipIf(_tensors.numpy is None, "there is no NumPy")
    def test_reals_of_any_type_are_numbers(self):
        for value in ([[decimal.Decimal("0.5"), fractions.Fraction(1, 4)]], [[0.5, 2**70]]):
            self.assertEqual(_tensors.Fed(value, "x", "float").shape, [1, 2])

    @unittest.skipIf(_tensors.numpy is None, "there is no NumPy")
    def test_reals_and_integers_that_are_too_large_are_refused_for_integers(self):
        self.refused("it has integers, and the value has float64; fix: numpy.asarray(value, \"int64\")", [[1.0, 2.0]], "integer")
        self.assertEqual(_tensors.Fed([], "x", "integer").shape, [0])
        self.refused("9223372036854775808 is above the largest integer of 64 bits",
                     _tensors.numpy.array([[2**63, 1]], "uint64"), "integer")

    @unittest.skipIf(_tensors.numpy is None, "there is no NumPy")
    def test_texts_in_two_columns_are_no_batch_of_texts(self):
        table = _tensors.numpy.array([["a", "b"], ["c", "d"]])
        self.refused("it has a text a sample, and the value texts of the shape [2, 2]; fix: feed one column, such as value[:, 0]",
                     table, "string", None)
        self.assertEqual(_tensors.Fed(table[:, :1], "x", "string").texts, ["a", "c"])

    def test_what_is_no_text_is_named_where_a_stream_has_texts(self):
        for value, kind in ((["a", None], "NoneType"), ([["a"], ["b"]], "list"), ([b"a"], "bytes"), (3, "int")):
            self.refused(f"it has a text a sample, and the value has {kind}; fix: feed a list of str", value, "string", None)
        with self.assertRaises(_errors.ConfigurationError) as caught:
            _model.Model.__new__(_model.Model).predict(texts=["a", None])
        self.assertEqual(str(caught.exception), "texts is a list of str, and has NoneType")

    def test_images_beside_others_and_in_lists_of_lists_are_refused(self):
        image = type("Image", (), {"__module__": "PIL.Image"})()
        self.refused("NoneType is among its images; fix: feed images alone", [image, None])
        self.refused("several images for one sample; fix: predict for a batch by a call, model(images)", [[image, image]])

    def test_columns_of_a_table_are_read_by_predict(self):
        frame = type("Frame", (), {"__module__": "pandas.core", "to_numpy": lambda _: [[1.0, 2.0]]})()
        for value in (frame, [frame]):
            self.refused("columns of a table, and a call takes what the task makes of them; fix: predict(frame) reads them as "
                         "the task does, frame.to_numpy() has their numbers as they are", value)

    def test_a_text_with_a_zero_byte_names_no_file(self):
        for use in (lambda: _handle._bytes("runs\0/a"), lambda: _runs.output_of(["ptprun", "runs\0/a"])):
            with self.assertRaises(_errors.ConfigurationError) as caught:
                use()
            self.assertEqual(str(caught.exception), "'runs\\x00/a' has a zero byte")

    def test_lists_of_unequal_lengths_are_refused_with_and_without_numpy(self):
        self.refused("its lists have different lengths", [[1.0, 2.0], [3.0]])
        with unittest.mock.patch.object(_tensors, "numpy", None):
            self.refused("its lists have different lengths", [[1.0, 2.0], [3.0]])

    def test_an_experiment_is_a_file_or_a_text(self):
        for make, text in (
                (lambda: _experiment.Experiment('name = "a"\nseed = 1\n'),
                 "ptp.Experiment() takes the path of a file, and was given TOML; fix: ptp.Experiment.from_text(text)"),
                (lambda: _experiment.Experiment.from_text(pathlib.Path("houses.toml")),
                 "from_text() takes TOML, and was given the path of a file; fix: ptp.Experiment('houses.toml')"),
                (lambda: _experiment.Experiment.from_text("houses.toml"),
                 "from_text() takes TOML, and was given the path of a file; fix: ptp.Experiment('houses.toml')")):
            with self.assertRaises(_errors.ConfigurationError) as caught:
                make()
            self.assertEqual(str(caught.exception), text)


class ErrorsTest(unittest.TestCase):
    def test_a_list_of_runs_that_fails_is_not_a_run_that_is_missing(self):
        with unittest.mock.patch.object(_runs, "program", lambda name: name), unittest.mock.patch.object(
                _runs, "output_of", side_effect=_errors.DataError("runs/a: of a newer version")):
            self.assertRaises(_errors.DataError, _runs.named_run, "nowhere/last")

    def test_errors_of_calls_have_arguments_of_python(self):
        handle = _handle.Handle.__new__(_handle.Handle)
        handle._text = lambda: "a.ptpm: fails its self-test\n    fix: --no-self-test"
        with self.assertRaises(_errors.DataError) as caught:
            handle.fail(4)
        self.assertEqual(str(caught.exception),
                         "a.ptpm: fails its self-test\n    fix: self_test=False")


if __name__ == "__main__":
    del sys.argv[1]
    unittest.main()
