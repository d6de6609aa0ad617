"""captum explains the same scores with the same numbers, and is wrong where a ReLU is not a module of its own."""

import os
import pathlib

import support

torch, save, captum_attr = support.packages("torch", "safetensors.torch", "captum.attr")
numpy = support.numpy
nn = torch.nn
functional = torch.nn.functional

METHODS = ("saliency", "input_x_gradient", "integrated_gradients", "smooth_grad", "grad_cam", "guided_backpropagation",
           "guided_grad_cam", "occlusion")
TOLERANCES = {"saliency": 1e-6}  # of maps whose largest magnitude is 1; of others 1e-4


class LeNet5(nn.Module):
    """The network of the plugin vision_models, with a module for each ReLU."""

    last = property(lambda self: self.conv2)  # the result of conv3 has one place

    def __init__(self):
        super().__init__()
        self.conv1, self.conv2, self.conv3 = nn.Conv2d(1, 6, 5), nn.Conv2d(6, 16, 5), nn.Conv2d(16, 120, 5)
        self.linear1, self.linear2 = nn.Linear(120, 84), nn.Linear(84, 10)
        self.relus = nn.ModuleList(nn.ReLU() for _ in range(4))

    def forward(self, x):
        x = functional.max_pool2d(self.relus[0](self.conv1(x)), 2)
        x = functional.max_pool2d(self.relus[1](self.conv2(x)), 2)
        x = self.relus[2](self.conv3(x)).flatten(1)
        return self.linear2(self.relus[3](self.linear1(x)))


class Rectified(nn.Module):
    """The network of tests/runs/rectified.cpp, with a module for each ReLU."""

    last = property(lambda self: self.conv3)

    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 4, 3, padding=1), nn.Conv2d(4, 6, 3, padding=1, stride=2)
        self.conv3 = nn.Conv2d(6, 8, 3, padding=1, stride=2)
        self.hidden, self.output = nn.Linear(392, 16), nn.Linear(16, 10)
        self.relus = nn.ModuleList(nn.ReLU() for _ in range(4))

    def forward(self, x):
        x = self.relus[0](self.conv1(x))
        x = self.relus[1](self.conv2(x))
        x = self.relus[2](self.conv3(x)).flatten(1)
        return self.output(self.relus[3](self.hidden(x)))


class AsWritten(Rectified):
    """The same network as its author wrote it: a function, a module that is used twice, and one in place."""

    def __init__(self):
        super().__init__()
        self.relus = None
        self.relu = nn.ReLU()

    def forward(self, x):
        x = functional.relu(self.conv1(x))
        x = self.relu(self.conv2(x))
        x = torch.relu_(self.conv3(x)).flatten(1)
        return self.output(self.relu(self.hidden(x)))


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.relus = nn.ModuleList([nn.ReLU(), nn.ReLU()])
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = self.bn2(self.conv2(self.relus[0](self.bn1(self.conv1(x)))))
        return self.relus[1](y + (x if self.downsample is None else self.downsample(x)))


class ResNet18(nn.Module):
    """torchvision's names, with a module for each ReLU."""

    last = property(lambda self: self.layer4[1].conv2)

    def __init__(self, classes):
        super().__init__()
        self.conv1, self.bn1, self.relu = nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU()
        inputs = 64
        for i, outputs in enumerate((64, 128, 256, 512)):
            blocks = nn.Sequential(Block(inputs, outputs, 1 if i == 0 else 2), Block(outputs, outputs, 1))
            setattr(self, f"layer{i + 1}", blocks)
            inputs = outputs
        self.fc = nn.Linear(512, classes)

    def forward(self, x):
        x = functional.max_pool2d(self.relu(self.bn1(self.conv1(x))), 3, 2, 1)
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(functional.adaptive_avg_pool2d(x, 1).flatten(1))


class Answerer(nn.Module):
    """Three convolutions for the image, an LSTM for the words of the question, and two layers for both."""

    last = property(lambda self: self.conv3)

    def __init__(self, words, classes):
        super().__init__()
        self.conv1, self.conv2, self.conv3 = nn.Conv2d(3, 8, 3), nn.Conv2d(8, 8, 3), nn.Conv2d(8, 6, 3)
        self.embeddings = nn.Embedding(words, 12)
        self.lstm, self.encoding = nn.LSTM(12, 10, batch_first=True), nn.Linear(10, 9)
        self.hidden, self.output = nn.Linear(9 + 6 * 2 * 2, 16), nn.Linear(16, classes)
        self.relus = nn.ModuleList(nn.ReLU() for _ in range(4))
        self.questions, self.sample = [], 0  # the vectors of the words of each, and the one that is asked

    def forward(self, x):
        asked = self.encoding(self.lstm(self.questions[self.sample].expand(x.shape[0], -1, -1))[1][0][-1])
        for conv, relu in zip((self.conv1, self.conv2, self.conv3), self.relus):
            x = relu(functional.max_pool2d(conv(x), 2))
        return self.output(self.relus[3](self.hidden(torch.cat([asked, x.flatten(1)], 1))))


def by_captum(net, method, images, target, window):
    """The map of one image of this batch of one."""
    attr = captum_attr
    size = images.shape[2:]
    if method == "saliency":
        return attr.Saliency(net).attribute(images, target)
    if method == "input_x_gradient":
        return attr.InputXGradient(net).attribute(images, target)
    if method == "integrated_gradients":
        return attr.IntegratedGradients(net).attribute(images, target=target, internal_batch_size=8)
    if method == "smooth_grad":
        torch.manual_seed(0)
        return attr.NoiseTunnel(attr.Saliency(net)).attribute(images, target=target, nt_type="smoothgrad")
    if method == "grad_cam":
        return attr.LayerAttribution.interpolate(attr.LayerGradCam(net, net.last).attribute(images, target), tuple(size))
    if method == "guided_backpropagation":
        return attr.GuidedBackprop(net).attribute(images, target)
    if method == "guided_grad_cam":
        return attr.GuidedGradCam(net, net.last).attribute(images, target)
    return attr.Occlusion(net).attribute(images, (images.shape[1], window, window), target=target)[:, :1]


def perturbed(net, image, target, steps):
    """Meaningful perturbation, written again: a mask at a quarter of the size, which Adam makes smaller and smoother."""
    height, width = image.shape[2:]
    sigma = max(1.0, 10 / 224 * min(height, width))
    radius = int(numpy.ceil(2 * sigma))
    offsets = torch.arange(-radius, radius + 1, dtype=torch.float32)
    kernel = torch.exp(-offsets ** 2 / (2 * sigma ** 2))
    kernel = torch.outer(kernel, kernel) / kernel.sum() ** 2
    channels = image.shape[1]
    blur = functional.conv2d(functional.pad(image, (radius,) * 4, mode="replicate"),
                             kernel.expand(channels, 1, -1, -1).contiguous(), groups=channels)
    mask = torch.ones(1, 1, height // 4, width // 4, requires_grad=True)
    optimizer = torch.optim.Adam([mask], lr=0.1)
    for _ in range(steps):
        fine = functional.interpolate(mask, (height, width), mode="bilinear", align_corners=False)
        roughness = ((mask[:, :, 1:] - mask[:, :, :-1]).abs() ** 3).mean() + (
            (mask[:, :, :, 1:] - mask[:, :, :, :-1]).abs() ** 3).mean()
        score = net(image * fine + blur * (1 - fine)).softmax(1)[0, target]
        loss = 0.1 * (1 - mask).abs().mean() + 0.2 * roughness + score
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            mask.clamp_(0, 1)
    fine = functional.interpolate(mask, (height, width), mode="bilinear", align_corners=False)
    return 1 - fine.detach()


class CaptumTest(support.Case):

    def explained(self, run, name, *options, data="test"):
        """The folder of the maps, and what was computed."""
        folder = self.folder / name
        self.ptprun("explain-prediction", run, "--data", data, "--quiet", "--samples", "3", "-o", folder,
                    "--checkpoint", "last", *options)
        return folder, support.json.loads((folder / "explanations.json").read_text())

    def assert_same_map(self, ours, theirs, method):
        scale = float(numpy.abs(theirs).max())
        self.assertGreater(scale, 0, method)
        self.assert_near(ours / scale, theirs / scale, TOLERANCES.get(method, 1e-4))

    def weights(self, run, net, component="net"):
        tensors = save.load_file(run / "checkpoints/last/weights.safetensors")
        net.load_state_dict({name.removeprefix(f"{component}."): tensor for name, tensor in tensors.items()}, strict=True)
        return net.eval()

    def compare(self, run, net, images, window, *options, methods=METHODS, data="test"):
        folder, facts = self.explained(run, f"{run.name}_maps", "--preset", "captum", "--method", *methods, *options,
                                       data=data)
        self.assertEqual([sample["index"] for sample in facts["samples"]], [0, 1, 2])
        for sample in facts["samples"]:
            image = images[sample["index"]:sample["index"] + 1]
            net.sample = sample["index"]
            scores = net(image).detach()[0]
            target = int(scores.argmax())
            self.assertAlmostEqual(sample["score"], scores[target].item(), places=4)
            for of_map in sample["maps"]:
                method = of_map["method"]
                with self.subTest(method=method, sample=sample["index"]):
                    theirs = by_captum(net, method, image.clone(), target, window).detach().numpy()[0]
                    self.assert_same_map(numpy.load(folder / of_map["numbers"]), theirs, method)

    def rectified(self):
        """A run of the network of tests/runs."""
        os.environ["PTP_PLUGIN_PATH"] = os.environ["PTP_PEERS_PLUGINS"]
        self.write_experiment('[pipeline.net]\ntype = "RectifiedNetwork"\n'
                              'globals = { prediction_size = "num_classes" }\n', loss="CrossEntropyLoss")
        run = self.folder / "rectified"
        return run if run.exists() else self.train("rectified", "--set", "training.terminal_conditions.epoch_limit=30")

    def test_lenet5(self):
        """Eight methods on LeNet-5, whose softmax is left out, and whose ReLUs are functions."""
        task = (f'type = "FashionMNIST"\nbatch_size = 8\ndata_folder = "{self.folder}/data"\n'
                "resize_image = [32, 32]\n")
        self.write_experiment('[pipeline.net]\ntype = "LeNet5"\nglobals = { prediction_size = "num_classes" }\n',
                              task=task)
        run = self.train("lenet5")
        net = self.weights(run, LeNet5())
        images = torch.from_numpy(self.processed_images(run))
        self.compare(run, net, images, 4)

    def processed_images(self, run):
        """The images as the task has resized them."""
        return self.processed(run, "test", "inputs")[0]

    def processed(self, run, section, *streams):
        """What is in these streams for the samples of a section."""
        with support.tempfile.TemporaryDirectory(dir=self.folder) as results:
            self.ptprun("process", run, "--run-dir", results, "--quiet", "--section", section, "--checkpoint", "last",
                        "--set", 'pipeline.export={ type = "StreamFileExporter", format = "npy", '
                        f"input_streams = {support.json.dumps(streams)} }}")
            return [numpy.load(f"{results}/exports/export.{stream}.npy") for stream in streams]

    def test_question_answerer(self):
        """Eight methods on the image of a question, beside which a CNN and an LSTM stand: what the question says stays."""
        self.write_questions()
        configs = pathlib.Path(__file__).parents[2] / "configs/clevr"
        (self.folder / "answerer.toml").write_text(
            f'include = ["{configs}/common.toml", "{configs}/parts/question_lstm.toml"]\nname = "answerer"\n'
            f'[vars]\ndata_folder = "{self.folder}/clevr"\nvectors = ""\nembeddings_size = 12\nlstm_size = 10\n'
            "batch_size = 6\n[training]\nterminal_conditions = { epoch_limit = 20 }\n"
            'optimizer = { type = "Adam", lr = 0.01 }\ntask = { resize_image = [32, 32] }\n'
            "[validation]\ntask = { resize_image = [32, 32] }\n"
            '[pipeline.sizes]\ntype = "GlobalVariablePublisher"\nkeys = ["encoding_size"]\nvalues = [9]\n'
            '[pipeline.lstm]\nuse_logsoftmax = false\nstreams = { predictions = "question_encodings" }\n'
            'globals = { prediction_size = "encoding_size" }\n'
            '[pipeline.image_encoder]\ntype = "ConvNetEncoder"\nstreams = { inputs = "images" }\n'
            "conv1 = { out_channels = 8 }\nconv2 = { out_channels = 8 }\nconv3 = { out_channels = 6 }\n"
            '[pipeline.flatten]\ntype = "Flatten"\nstreams = { inputs = "feature_maps", outputs = "features" }\n'
            '[pipeline.concatenation]\ntype = "ConcatenateTensor"\n'
            'input_streams = ["question_encodings", "features"]\nstreams = { outputs = "encodings" }\n'
            '[pipeline.classifier]\ntype = "FeedForwardNetwork"\nhidden_sizes = [16]\n'
            'streams = { inputs = "encodings" }\nglobals = { prediction_size = "num_classes" }\n', encoding="utf-8")
        run = self.folder / "answerer"
        self.ptprun(self.folder / "answerer.toml", "--run-dir", run, "--quiet")
        images, vectors, lengths = self.processed(run, "validation", "images", "embedded_questions", "lengths")
        tensors = save.load_file(run / "checkpoints/last/weights.safetensors")
        net = Answerer(tensors["question_embeddings.embeddings.weight"].shape[0], 28)
        parts = {"image_encoder.": "", "question_embeddings.": "", "lstm.rnn_cell.": "lstm.",
                 "lstm.activation2output.": "encoding.", "classifier.layers.0.": "hidden.", "classifier.layers.2.": "output."}
        net.load_state_dict({next(own + name.removeprefix(by) for by, own in parts.items() if name.startswith(by)): tensor
                             for name, tensor in tensors.items() if not name.startswith("lstm.init_")}, strict=True)
        net.questions = [torch.from_numpy(vectors[i:i + 1, :length]) for i, length in enumerate(lengths)]
        self.assertGreater(len(set(lengths.tolist())), 1)
        self.compare(run, net.eval(), torch.from_numpy(images), 4, "--stride", "1", data="validation")

    def write_questions(self):
        """A folder as CLEVR's: six images of noise, and questions of different lengths about them."""
        image, = support.packages("PIL.Image")
        noise = numpy.random.default_rng(6)
        asked = [("what color is the cube", "red"), ("is there a big sphere left of the cyan thing", "yes"),
                 ("how many things are there", "3"), ("what size is it", "small"), ("is the ball metal", "no"),
                 ("what material is the big shiny object made of", "metal")]
        for part in ("train", "val"):
            (self.folder / f"clevr/images/{part}").mkdir(parents=True)
            (self.folder / "clevr/questions").mkdir(exist_ok=True)
            questions = []
            for i, (question, answer) in enumerate(asked):
                name = f"CLEVR_{part}_{i:06}.png"
                pixels = noise.integers(0, 256, (32, 32, 3), numpy.uint8)
                image.fromarray(pixels).save(self.folder / f"clevr/images/{part}/{name}")
                questions.append({"image_filename": name, "question": question, "answer": answer,
                                  "question_family_index": i})
            (self.folder / f"clevr/questions/CLEVR_{part}_questions.json").write_text(
                support.json.dumps({"questions": questions}))

    def test_rectifiers(self):
        """A functional, a re-used and an in-place ReLU are guided as separate modules are; captum misses them."""
        run = self.rectified()
        images = torch.from_numpy(self.processed_images(run))
        self.compare(run, self.weights(run, Rectified()), images, 3)
        facts = support.json.loads((self.folder / "rectified_maps/explanations.json").read_text())
        as_written = self.weights(run, AsWritten())
        ours = numpy.load(self.folder / "rectified_maps/0_guided_backpropagation.npy")
        target = int(as_written(images[:1]).argmax())
        theirs = captum_attr.GuidedBackprop(as_written).attribute(images[:1].clone(), target).detach().numpy()[0]
        self.assertEqual(facts["samples"][0]["maps"][5]["method"], "guided_backpropagation")
        scale = numpy.abs(theirs).max()
        self.assertGreater(float(numpy.abs(ours - theirs).max() / scale), 0.1)

    def test_perturbation(self):
        """Meaningful perturbation equals a loop that was written again in Python."""
        run = self.rectified()
        net = self.weights(run, Rectified())
        images = torch.from_numpy(self.processed_images(run))
        folder, facts = self.explained(run, "perturbed", "--method", "meaningful_perturbation", "--steps", "60",
                                       "--without-check")
        for sample in facts["samples"]:
            image = images[sample["index"]:sample["index"] + 1]
            theirs = perturbed(net, image, int(net(image).argmax()), 60).numpy()[0]
            self.assertGreater(float(theirs.max()), 0.01)
            self.assert_near(numpy.load(folder / f"{sample['index']}_meaningful_perturbation.npy"), theirs, 1e-3)

    def test_resnet18(self):
        """Six methods on ResNet-18, whose ReLUs work in place."""
        noise = numpy.random.default_rng(4)
        pixels = noise.integers(0, 256, (6, 3, 64, 64), numpy.uint8).astype(numpy.float32) / 255
        self.write_pictures(pixels)
        self.write_experiment(
            '[pipeline.net]\ntype = "GenericImageEncoder"\nmodel_type = "resnet18"\n'
            'streams = { outputs = "predictions" }\nglobals = { output_size = "num_classes" }\n',
            task=f'type = "ImageFolder"\nbatch_size = 2\nresize_image = [64, 64]\n'
            f'data_folder = "{self.folder}/pictures"\n', loss="CrossEntropyLoss")
        run = self.train("resnet18", "--set", "training.optimizer.lr=0.0001")
        net = self.weights(run, ResNet18(2))
        self.compare(run, net, torch.from_numpy(self.processed_images(run)), 8, "--stride", "8",
                     methods=METHODS[:7])

    def write_pictures(self, pixels):
        image, = support.packages("PIL.Image")
        for i, picture in enumerate(pixels):
            path = self.folder / f"pictures/{'cats' if i % 2 == 0 else 'dogs'}/{i}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            image.fromarray((picture.transpose(1, 2, 0) * 255).astype(numpy.uint8)).save(path)


support.main()
