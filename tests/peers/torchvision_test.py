"""torchvision's networks and GenericImageEncoder read the weights of each other, and compute the same."""

import support

torch, save, torchvision, image = support.packages("torch", "safetensors.torch", "torchvision", "PIL.Image")

LEGACY = {"_use_new_zipfile_serialization": False}


class TorchvisionTest(support.Case):
    """Images of 64 x 64 in two folders, which both ImageFolder read."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        noise = support.numpy.random.default_rng(4)
        for name in ("cats/0", "cats/1", "dogs/0", "dogs/1"):
            (cls.folder / "pictures" / name).parent.mkdir(parents=True, exist_ok=True)
            pixels = noise.integers(0, 256, (64, 64, 3), support.numpy.uint8)
            image.fromarray(pixels).save(cls.folder / f"pictures/{name}.png")
        cls.samples = list(torchvision.datasets.ImageFolder(
            cls.folder / "pictures", torchvision.transforms.ToTensor()))
        cls.images = torch.stack([picture for picture, _ in cls.samples])

    def write(self, network, component=None):
        self.write_experiment(
            "[pipeline.encoder]\n" + (
                component or f'type = "GenericImageEncoder"\nmodel_type = "{network}"\n'
                'streams = { outputs = "predictions" }\nglobals = { output_size = "num_classes" }\n'),
            task=f'type = "ImageFolder"\nbatch_size = 2\nresize_image = [64, 64]\n'
            f'data_folder = "{self.folder}/pictures"\n', loss="CrossEntropyLoss")

    def answers(self, net):
        net.eval()
        with torch.no_grad():
            return net(self.images)

    def reads(self, name, form):
        """Random weights, after two batches, so that batch normalization has means and variances of its own."""
        torch.manual_seed(17)
        net = torchvision.models.get_model(name, weights=None, num_classes=2).train()
        for norm in net.modules():
            if isinstance(norm, torch.nn.BatchNorm2d):
                norm.momentum = 0.5
        with torch.no_grad():
            net(self.images)
            net(1 - self.images)
        torch.save(net.state_dict(), self.folder / f"{name}.pth", **form)
        self.write(name)
        ours = self.processed(self.folder / "experiment.toml", "--set",
                              self.load(f"{name}.pth", component="encoder"))
        theirs = self.answers(net)
        self.assertGreater(theirs.std().item(), 0.001)
        self.assert_near(ours, theirs, min(1e-4, 0.01 * theirs.std().item()))

    def test_resnet18(self):
        """A state dictionary of torchvision's ResNet-18 gives the encoder its outputs."""
        self.reads("resnet18", {})

    def test_resnet50(self):
        """That of ResNet-50, in the form before PyTorch 1.6, too."""
        self.reads("resnet50", LEGACY)

    def test_densenet121(self):
        """That of DenseNet-121, too."""
        self.reads("densenet121", {})

    def test_newer(self):
        """Those of the newer networks, too."""
        for name in ("resnext50_32x4d", "mobilenet_v3_large", "efficientnet_b0", "convnext_tiny"):
            with self.subTest(name):
                self.reads(name, {})

    def test_vision_transformer(self):
        """That of a small vision transformer, with the names of linear layers that published files have."""
        torch.manual_seed(17)
        net = torchvision.models.VisionTransformer(64, 16, 2, 6, 96, 200, num_classes=2)
        torch.nn.init.normal_(net.heads.head.weight)
        torch.save({name.replace("mlp.0", "mlp.linear_1").replace("mlp.3", "mlp.linear_2"): tensor
                    for name, tensor in net.state_dict().items()}, self.folder / "transformer.pth")
        self.write(None, 'type = "VisionTransformer"\nhidden_size = 96\nnum_layers = 2\nnum_heads = 6\n'
                   'feedforward_size = 200\nglobals = { prediction_size = "num_classes" }\n')
        ours = self.processed(self.folder / "experiment.toml", "--set",
                              self.load("transformer.pth", ', component = ""', component="encoder"))
        self.assert_near(ours, self.answers(net), 1e-4)

    def test_trained_here(self):
        """torchvision's ResNet-18 takes every tensor of a checkpoint of ptp, and predicts what ptp does."""
        self.write("resnet18")
        run = self.train("trained", "--set", "training.optimizer.lr=0.0001")
        weights = save.load_file(run / "checkpoints/last/weights.safetensors")
        net = torchvision.models.resnet18(num_classes=2)
        net.load_state_dict({name.removeprefix("encoder."): tensor for name, tensor in weights.items()})
        theirs = self.answers(net)
        self.assert_near(self.processed(run, "--checkpoint", "last"), theirs, 1e-4)
        losses = torch.nn.functional.cross_entropy(
            theirs, torch.tensor([target for _, target in self.samples]), reduction="none")
        for row, scores, loss in zip(self.predictions(run), theirs.softmax(1), losses, strict=True):
            self.assertAlmostEqual(row["score"], scores.max().item(), places=4)
            self.assertAlmostEqual(row["loss"], loss.item(), places=3)


support.main()
