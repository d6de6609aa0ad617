"""MLflow's own client reads the runs that `ptprun mlflow` writes."""

import csv
import os
import subprocess

import support

os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"  # which it asks for since 3.13
mlflow, = support.packages("mlflow")


class MlflowTest(support.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.write_experiment(support.DENSE)
        cls.run_folder = cls.train("run")
        cls.store = cls.folder / "mlruns"
        subprocess.run([os.environ["PTP_PEERS_PTPRUN"], "mlflow", str(cls.run_folder), "-o", str(cls.store)],
                       check=True, capture_output=True)
        cls.client = mlflow.MlflowClient(tracking_uri=cls.store.as_uri())
        experiments = [e for e in cls.client.search_experiments() if e.name != "Default"]
        cls.found = cls.client.search_runs([e.experiment_id for e in experiments])

    def test_run(self):
        """The client finds the run, finished, with its settings."""
        self.assertEqual(len(self.found), 1)
        info, data = self.found[0].info, self.found[0].data
        self.assertEqual(info.status, "FINISHED")
        self.assertEqual(info.run_name, self.run_folder.name)
        self.assertLess(info.start_time, info.end_time + 1)
        self.assertIn("training.optimizer.lr", data.params)

    def test_metrics(self):
        """The client has the numbers of each row of training.csv, at its episode."""
        with open(self.run_folder / "training.csv", newline="", encoding="utf-8") as file:
            wanted = [(int(row["episode"]), float(row["loss"])) for row in csv.DictReader(file)]
        history = self.client.get_metric_history(self.found[0].info.run_id, "training/loss")
        self.assertEqual([(metric.step, metric.value) for metric in history], wanted)

    def test_artifacts(self):
        """The client lists the files of the run."""
        names = [file.path for file in self.client.list_artifacts(self.found[0].info.run_id)]
        self.assertIn("training.csv", names)


if __name__ == "__main__":
    support.main()
