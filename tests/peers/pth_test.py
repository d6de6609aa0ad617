"""PyTorch's torch.save() writes what ptp reads, in both forms; PyTorch computes the numbers."""

import support

torch, = support.packages("torch")

FORMS = {"zip": {}, "zip of protocol 4": {"pickle_protocol": 4},
         "legacy": {"_use_new_zipfile_serialization": False},
         "legacy of protocol 4": {"_use_new_zipfile_serialization": False, "pickle_protocol": 4}}


class PthTest(support.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.write_experiment(support.DENSE)
        torch.manual_seed(11)
        cls.net = support.dense(torch)
        with torch.no_grad():
            cls.theirs = cls.net(support.pixels(torch, cls.unseen))

    def gives(self, name, content, more="", **form):
        """The file gives ptp the numbers of PyTorch."""
        with self.subTest(name):
            torch.save(content, self.folder / f"{name}.pth", **form)
            ours = self.processed(self.folder / "experiment.toml", "--set",
                                  self.load(f"{name}.pth", more))
            self.assert_near(ours, self.theirs, 1e-5)

    def test_forms(self):
        """A state dictionary is read in the zip form and in that before 1.6, of two protocols of pickle."""
        for name, form in FORMS.items():
            self.gives(name, self.net.state_dict(), **form)

    def test_predictions(self):
        """A run that begins with such weights predicts the scores of PyTorch."""
        torch.save(self.net.state_dict(), self.folder / "begin.pth")
        rows = self.predictions(self.loaded("run", "begin.pth"))
        for row, logs in zip(rows, self.theirs, strict=True):
            self.assertAlmostEqual(row["score"], logs.max().exp().item(), places=5)

    def test_checkpoints_of_others(self):
        """A dictionary with optimizer, schedule and settings beside the weights is read by `component`."""
        net = support.dense(torch)
        net.load_state_dict(self.net.state_dict())
        optimizer = torch.optim.AdamW(net.parameters(), lr=0.0)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
        net(support.pixels(torch, self.unseen)).sum().backward()
        optimizer.step()
        schedule.step()
        checkpoint = {"epoch": 3, "state_dict": self.net.state_dict(), "optimizer": optimizer.state_dict(),
                      "schedule": schedule.state_dict(), "best": 0.5, "settings": {"lr": 1e-3, "sizes": (16, )},
                      "random": torch.get_rng_state()}
        for name in ("zip", "legacy"):
            self.gives(f"checkpoint, {name}", checkpoint, ', component = "state_dict"', **FORMS[name])

    def test_wrapped_modules(self):
        """Names that DataParallel, AveragedModel and torch.compile put in front are left out by `component`."""
        self.gives("parallel", torch.nn.DataParallel(self.net).state_dict(), ', component = "module"')
        averaged = torch.optim.swa_utils.AveragedModel(self.net)
        self.gives("averaged", averaged.state_dict(), ', component = "module"')
        compiled = {f"_orig_mod.{name}": tensor for name, tensor in self.net.state_dict().items()}
        self.gives("compiled", compiled, ', component = "_orig_mod"')

    def test_storages(self):
        """Tensors that share memory, are views of others or transposed have their numbers."""
        weights = self.net.state_dict()
        flat = torch.cat([tensor.flatten() for tensor in weights.values()])
        views, at = {}, 0
        for name, tensor in weights.items():
            views[name] = flat[at:at + tensor.numel()].view(tensor.shape)
            at += tensor.numel()
        transposed = {name: tensor.t().contiguous().t() for name, tensor in weights.items()}
        for name in ("zip", "legacy"):
            self.gives(f"views, {name}", views, **FORMS[name])
            self.gives(f"transposed, {name}", transposed, **FORMS[name])

    def test_other_names(self):
        """`rename`, as an error explains it, makes the weights of a torch.nn.Sequential fit."""
        torch.save(self.net.layers.state_dict(), self.folder / "sequential.pth")
        errors = self.ptprun(self.folder / "experiment.toml", "--run-dir", self.folder / "refused", "--set",
                             self.load("sequential.pth"), status=4)
        self.assertIn("0.bias: 'net' (FeedForwardNetwork) has no such tensor", errors)
        self.assertIn('add rename = { "NAME IN THE FILE" = "NAME HERE" }, in which a name may be the beginning of many',
                      errors)
        names = ", ".join(f'"{name}." = "layers.{name}."' for name in (0, 3))
        self.gives("sequential", self.net.layers.state_dict(), f", rename = {{ {names} }}")

    def test_whole_models(self):
        """A whole module, which is a program, is refused with the line of Python that writes its weights."""
        torch.save(torch.nn.Linear(2, 2), self.folder / "module.pth")
        errors = self.ptprun(self.folder / "experiment.toml", "--run-dir", self.folder / "module", "--set",
                             self.load("module.pth"), status=4)
        self.assertIn("holds a whole model", errors)
        self.assertIn('torch.save(model.state_dict(), "weights.pth")', errors)


support.main()
