"""python_sharing_test.py BUILD SOURCE: the package ptp in several threads and processes, with several models, and where a
program leaves it open; on the table of houses."""

import copy
import multiprocessing
import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import tempfile
import textwrap
import threading

from houses import BUILD, LIMIT, Case, main, weights_of

import ptp

FORKED = """this process was forked of one that has used ptp, {}, and has none of the threads that compute
    fix: multiprocessing.get_context("spawn") starts others, which load the model themselves"""


def scores_of(model, batch):
    """The numbers that the model computes, as a list."""
    return model(batch)["predictions"].tolist()


class PythonSharingTest(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name, seed in (("one", 1), ("other", 2)):
            with ptp.Experiment("houses.toml", set={LIMIT: 1, "seed": seed}, run_folder=f"runs/{name}") as experiment:
                next(iter(experiment))
                cls.batch = experiment.read("inputs").tolist()
                experiment.run()
        cls.alone = []
        for name in ("one", "other"):
            with ptp.load(f"runs/{name}") as model:
                cls.alone.append(scores_of(model, cls.batch))

    def program(self, text, returncode=0, environment=None):
        """What a program prints. Python from 3.12 on warns of each fork of a process with threads."""
        done = subprocess.run([sys.executable, "-W", "ignore::DeprecationWarning", "-c", textwrap.dedent(text)], text=True,
                              check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env={**os.environ, **(environment or {})})
        self.assertEqual((done.returncode, done.stderr), (returncode, ""))
        return done.stdout

    def test_models_are_used_in_turn_and_by_several_threads(self):
        self.assertNotEqual(*self.alone)
        with ptp.load("runs/one") as one, ptp.load("runs/other") as other:
            found = [[], []]

            def use(model, kept):
                for size in (1, 32, 7, 32):
                    kept.append(scores_of(model, self.batch[:size]))

            threads = [threading.Thread(target=use, args=(model, kept))
                       for model, kept in zip((one, other, one, other), (*found, [], []))]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        for kept, alone in zip(found, self.alone):
            self.assertEqual([len(scores) for scores in kept], [1, 32, 7, 32])
            self.assertEqual(kept[1], alone)
            self.assertEqual(kept[3], alone)

    def test_a_training_names_the_models_that_are_open(self):
        with ptp.load("runs/one") as one, ptp.load("runs/other") as other:
            scores_of(one, self.batch)
            scores_of(other, self.batch)
            with ptp.Experiment("houses.toml", run_folder="runs/none") as experiment:
                with self.assertRaises(ptp.MisuseError) as raised:
                    next(iter(experiment))
        self.assertEqual(str(raised.exception),
                         "another experiment of this process is open in the middle of its training or prediction; close it, or "
                         "run a training to its end\n    it is ptp.load('runs/one')\n    it is ptp.load('runs/other')")

    def test_a_training_that_was_refused_beside_a_model_trains_once_that_is_closed(self):
        with ptp.Experiment("houses.toml", set={LIMIT: 1}, run_folder="runs/refused") as experiment:
            with ptp.load("runs/one") as model:
                scores_of(model, self.batch)
                with self.assertRaises(ptp.MisuseError):
                    experiment.run()
            experiment.run()
            self.assertGreater(experiment.episodes, 0)

    def test_a_model_that_cannot_begin_is_not_named_as_open(self):
        shutil.copytree("runs/one", "runs/damaged")
        with ptp.load("runs/damaged") as damaged, ptp.load("runs/other") as other:
            for weights in pathlib.Path("runs/damaged/checkpoints").glob("*/weights.safetensors"):
                weights.write_bytes(b"none")
            with self.assertRaises(ptp.Error):
                scores_of(damaged, self.batch)
            scores_of(other, self.batch)
            with ptp.Experiment("houses.toml", run_folder="runs/none") as experiment:
                with self.assertRaises(ptp.MisuseError) as raised:
                    next(iter(experiment))
        self.assertEqual(str(raised.exception).splitlines()[1:], ["    it is ptp.load('runs/other')"])

    def test_an_experiment_is_closed_while_other_threads_ask_and_stop_it(self):
        self.program("""
            import sys, threading, ptp
            sys.setswitchinterval(1e-6)
            def ask(experiment, begun):
                try:
                    while True:
                        experiment.run_folder, experiment.episodes, experiment.stop()
                        begun.set()
                except ptp.MisuseError:
                    pass
            for _ in range(20):
                experiment, begun = ptp.Experiment("houses.toml"), threading.Event()
                threads = [threading.Thread(target=ask, args=(experiment, begun)) for _ in range(3)]
                for thread in threads:
                    thread.start()
                begun.wait()
                experiment.close()
                for thread in threads:
                    thread.join()
        """, environment={"MALLOC_PERTURB_": "165"})

    def test_nothing_of_a_model_that_is_left_open_stays(self):
        path = str(pathlib.Path(self.folder, "one.ptpm"))
        subprocess.run([BUILD / "bin" / "ptprun", "bundle", "runs/one", "-o", path], check=True,
                       stdout=subprocess.DEVNULL)
        for computing in ("", "print(model(batch) is None)", """
            import os, sys
            if os.fork() == 0:
                model(batch)
                sys.exit(0)
            print(os.wait()[1] != 0 or model(batch) is None)"""):
            with self.subTest(computing), tempfile.TemporaryDirectory(prefix="ptp_left_") as folder:
                printed = self.program(f"""
            import ptp
            model, batch = ptp.load({path!r}), {self.batch}
            kept = [model]
            kept.append(kept)
            ptp.kept = kept
            {computing}""", environment={"TMPDIR": folder})
                self.assertEqual((printed, os.listdir(folder)), ("False\n" if computing else "", []))

    def test_a_result_stays_when_its_model_computes_another(self):
        with ptp.load("runs/one") as model:
            first = model(self.batch)["predictions"]
            model([[0.0] * len(self.batch[0])] * 32)
            self.assertEqual(first.tolist(), self.alone[0])

    def test_an_optional_stream_that_is_fed_once_does_not_stay(self):
        with ptp.load("runs/one") as model:
            values = [[0.0]] * 32
            model({"inputs": self.batch, "values": values})
            self.assertEqual(len(scores_of(model, self.batch[:5])), 5)
            with self.assertRaises(ptp.DataError):
                model({"inputs": self.batch, "values": [[0.0]] * 31})
            self.assertEqual(scores_of(model, self.batch), self.alone[0])

    def test_other_threads_run_while_a_model_computes(self):
        with ptp.load("runs/one") as model:
            batch = self.batch * 1000
            scores_of(model, self.batch)
            thread = threading.Thread(target=lambda: model(batch))
            thread.start()
            count = 0
            while thread.is_alive():
                count += 1
            self.assertGreater(count, 100)

    def test_a_forked_process_is_refused_and_ends_nothing(self):
        with ptp.load("runs/one") as model:
            self.assertEqual(scores_of(model, self.batch), self.alone[0])
            printed = self.of_child(lambda: scores_of(model, self.batch))
            self.assertEqual(printed, FORKED.format(os.getpid()))
            self.assertEqual(self.of_child(lambda: ptp.load("runs/other")), FORKED.format(os.getpid()))
            self.assertEqual(scores_of(model, self.batch), self.alone[0])

    def of_child(self, function):
        """The error of a function in a forked process, which then frees what it has."""
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                function()
            except ptp.MisuseError as error:
                os.write(write, str(error).encode())
            finally:
                os._exit(0)
        os.close(write)
        with os.fdopen(read, encoding="utf-8") as pipe:
            text = pipe.read()
        os.waitpid(child, 0)
        return text

    def test_workers_that_are_forked_answer_with_the_error(self):
        printed = self.program(f"""
            import multiprocessing, ptp
            model, batch = ptp.load("runs/one"), {self.batch[:2]}
            model(batch)
            with multiprocessing.get_context("fork").Pool(1) as pool:
                for function, arguments in ((model.infer, (batch[0],)), (ptp.Model.infer, (model, batch[0])), (model, (batch,))):
                    try:
                        pool.apply_async(function, arguments).get(30)
                    except ptp.MisuseError as error:
                        print(str(error).splitlines()[1])
        """)
        self.assertEqual(printed.splitlines(), [FORKED.splitlines()[1]] * 3)

    def test_a_refused_model_raises_its_error_in_whatever_uses_it(self):
        refused = ptp._model._Refused(ptp.MisuseError("a forked process"))
        for use in (len, iter, bool, lambda model: model[0], lambda model: 1 in model, lambda model: model.signature.inputs(),
                    lambda model: list(model.signature.inputs)):
            with self.assertRaisesRegex(ptp.MisuseError, "a forked process"):
                use(refused)
        with self.assertRaisesRegex(ptp.MisuseError, "a forked process"):
            with refused:
                pass

    def test_a_forked_process_that_ends_leaves_the_training_of_its_parent_alone(self):
        self.program(f"""
            import os, sys, ptp
            experiment = ptp.Experiment("houses.toml", set={{"{LIMIT}": 1}}, run_folder="runs/forked")
            next(iter(experiment))
            child = os.fork()
            if child == 0:
                sys.exit(0)
            assert os.waitpid(child, 0)[1] == 0
            experiment.run()
        """)
        self.assertEqual(weights_of("runs/forked"), weights_of("runs/one"))

    def test_a_model_that_the_parent_has_only_loaded_predicts_in_forked_processes(self):
        printed = self.program(f"""
            import multiprocessing, ptp
            model = ptp.load("runs/one")
            def use(batch):
                return model(batch)["predictions"].tolist()
            with multiprocessing.get_context("fork").Pool(2) as pool:
                print(pool.map(use, [{self.batch}] * 2) == [{self.alone[0]}] * 2)
        """)
        self.assertEqual(printed, "True\n")

    def test_a_model_that_is_sent_to_another_process_is_loaded_there(self):
        with ptp.load("runs/one", set={"training.task.batch_size": 16}) as model:
            scores_of(model, self.batch)
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                one = pool.apply(ptp.Model.infer, (model, self.batch[0]))
            self.assertAlmostEqual(float(one["predictions"][0]), self.alone[0][0][0], places=4)
            with copy.deepcopy(model) as copied:
                self.assertEqual(scores_of(copied, self.batch), self.alone[0])
        with ptp.load("runs/one", checkpoint="runs/one/checkpoints/last", plugins=["runs"]) as model:
            _, (path, checkpoint, _, plugins, *_) = model.__reduce__()
        self.assertEqual([path, checkpoint, *plugins],
                         [os.path.abspath(name) for name in ("runs/one", "runs/one/checkpoints/last", "runs")])
        with ptp.Experiment("houses.toml") as experiment, self.assertRaises(ptp.MisuseError) as raised:
            pickle.dumps(experiment)
        self.assertEqual(str(raised.exception),
                         "an experiment cannot be copied or sent to another process; open it there")

    def test_a_training_that_a_program_leaves_open_has_a_checkpoint(self):
        self.program("""
            import ptp
            experiment = ptp.Experiment("houses.toml", run_folder="runs/open")
            for step in experiment:
                if step.episode == 3:
                    break
            kept = [experiment]
            kept.append(kept)
        """)
        with ptp.Experiment.resume("runs/open", set={LIMIT: 1}) as experiment:
            self.assertEqual(experiment.episodes, 3)
            experiment.run()

    def test_ctrl_c_ends_a_loop_whose_training_goes_on_later(self):
        import signal
        with ptp.Experiment("houses.toml", set={LIMIT: 1}, run_folder="runs/interrupted") as experiment:
            with self.assertRaises(KeyboardInterrupt):
                for step in experiment:
                    if step.episode == 5:
                        signal.raise_signal(signal.SIGINT)
            self.assertEqual(experiment.episodes, 5)
            self.assertEqual(next(iter(experiment)).episode, 6)
            experiment.run()
        self.assertEqual(weights_of("runs/interrupted"), weights_of("runs/one"))

    def test_objects_state_what_they_are(self):
        experiment = ptp.Experiment("houses.toml")
        self.assertEqual(repr(experiment), "<ptp.Experiment('houses.toml'): 0 episodes>")
        experiment.close()
        self.assertEqual(repr(experiment), "<ptp.Experiment('houses.toml'): closed>")


if __name__ == "__main__":
    main()
