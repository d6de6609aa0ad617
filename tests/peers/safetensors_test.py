"""The package safetensors reads what ptp writes and writes what ptp reads; PyTorch computes the numbers."""

import support

torch, safetensors, save = support.packages("torch", "safetensors", "safetensors.torch")


class SafetensorsTest(support.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.write_experiment(support.DENSE)

    def answers(self, net):
        with torch.no_grad():
            return net(support.pixels(torch, self.unseen))

    def test_checkpoint(self):
        """A module of PyTorch with a checkpoint's weights predicts what `ptprun predict` and `process` do."""
        run = self.train("trained")
        weights = save.load_file(run / "checkpoints/last/weights.safetensors")
        self.assertTrue(all(name.startswith("net.") for name in weights), list(weights))
        net = support.dense(torch)
        net.load_state_dict({name.removeprefix("net."): tensor for name, tensor in weights.items()})
        theirs = self.answers(net)
        self.assert_near(self.processed(run, "--checkpoint", "last"), theirs, 1e-5)
        for row, logs in zip(self.predictions(run), theirs, strict=True):
            self.assertAlmostEqual(row["score"], logs.max().exp().item(), places=5)
            self.assertAlmostEqual(row["loss"], -logs[row["index"] % 4].item(), places=4)

    def test_every_file(self):
        """The package opens every safetensors file of a checkpoint; those of Adam have two tensors for each weight."""
        run = self.train("files")
        files = sorted((run / "checkpoints/last").rglob("*.safetensors"))
        tensors = {}
        for file in files:
            with safetensors.safe_open(file, "pt") as opened:
                tensors[file.name] = {name: opened.get_tensor(name) for name in opened.keys()}
        shapes = sorted(tuple(tensor.shape) for tensor in tensors["weights.safetensors"].values())
        self.assertEqual(len(shapes), 4)
        moments = [tuple(tensor.shape) for name, tensor in tensors["training.safetensors"].items()
                   if name.startswith("optimization/optimizer/net.")]
        self.assertEqual(sorted(moments), sorted(2 * shapes))

    def test_what_the_package_writes(self):
        """Files of save_file, with metadata, of float32 and halves, give ptp the numbers of PyTorch."""
        for kind in (torch.float32, torch.float16, torch.bfloat16):
            with self.subTest(kind=kind):
                torch.manual_seed(3)
                net = support.dense(torch).to(kind)
                file = f"{kind}.safetensors"
                save.save_file(net.state_dict(), self.folder / file, metadata={"format": "pt"})
                ours = self.processed(self.folder / "experiment.toml", "--set",
                                      self.load(file, ', component = ""'))
                self.assert_near(ours, self.answers(net.float()), 1e-5)

    def test_what_ptp_writes_of_it(self):
        """What the package wrote comes back from the checkpoint without a changed bit."""
        net = support.dense(torch)
        save.save_model(net, self.folder / "model.safetensors")
        run = self.loaded("round", "model.safetensors", ', component = ""')
        weights = save.load_file(run / "checkpoints/last/weights.safetensors")
        self.assertEqual({name.removeprefix("net.") for name in weights}, set(net.state_dict()))
        for name, tensor in net.state_dict().items():
            self.assertTrue(torch.equal(weights["net." + name], tensor), name)


support.main()
