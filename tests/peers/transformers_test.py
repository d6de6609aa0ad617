"""Hugging Face's GPT-2 and BERT with random weights; CausalTransformer and TextEncoder compute the same from their files."""

import support

torch, save, transformers = support.packages("torch", "safetensors.torch", "transformers")

WORDS = [f"w{number}" for number in range(40)]
LENGTH, WRITTEN = 8, 12
SIZES = {"hidden_size": 32, "num_layers": 3, "num_heads": 4, "feedforward_size": 48, "max_length": 24}

TASK = """type = "TextFolder"
batch_size = 6
data_folder = "{folder}/texts"
lines = true
"""
TEXTS = f"""name = "peers"
seed = 5
[training]
optimizer = {{{{ type = "Adam", lr = 0.1 }}}}
[training.task]
{TASK}[test.task]
{TASK}[pipeline.tokenizer]
type = "SentenceTokenizer"
streams = {{{{ outputs = "words" }}}}
[pipeline.indexer]
type = "SentenceIndexer"
data_folder = "{{folder}}"
source_vocabulary_files = "words.txt"
additional_tokens = ["<PAD>"]
streams = {{{{ inputs = "words", outputs = "word_indices" }}}}
globals = {{{{ published_word_mappings = "words", vocabulary_size = "word_count" }}}}
[pipeline.net]
{{component}}globals = {{{{ vocab_size = "word_count" }}}}
"""


class TransformersTest(support.Case):
    """Six sentences of eight words each."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.indices = torch.from_numpy(support.numpy.random.default_rng(6).integers(0, len(WORDS), (6, LENGTH)))
        lines = [" ".join(WORDS[index] for index in row) + "\n" for row in cls.indices.tolist()]
        for name, text in (("words.txt", "\n".join(WORDS)), ("texts/first/lines.txt", "".join(lines[:3])),
                           ("texts/second/lines.txt", "".join(lines[3:]))):
            (cls.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (cls.folder / name).write_text(text, encoding="utf-8")

    def outputs(self, kind, stream, file, *options, more=""):
        """A stream that the component writes with the weights of a file."""
        sizes = "".join(f"{name} = {size}\n" for name, size in SIZES.items())
        (self.folder / "experiment.toml").write_text(TEXTS.format(
            folder=self.folder, component=f'type = "{kind}"\n{sizes}streams = {{ inputs = "word_indices" }}\n{more}'),
            encoding="utf-8")
        results = self.folder / f"{kind}_{stream}_{file}_{len(more)}"
        self.ptprun("process", self.folder / "experiment.toml", "--run-dir", results, "--quiet", "--section", "test",
                    "--set", f'pipeline.export={{ type = "StreamFileExporter", format = "npy", input_streams = "{stream}" }}',
                    *options)
        return support.numpy.load(results / f"exports/export.{stream}.npy")

    def gpt(self):
        torch.manual_seed(3)
        return transformers.GPT2LMHeadModel(transformers.GPT2Config(
            vocab_size=len(WORDS) + 1, n_positions=SIZES["max_length"], n_embd=32, n_layer=3, n_head=4, n_inner=48,
            initializer_range=0.3, bos_token_id=None, eos_token_id=None)).eval()

    def bert(self):
        torch.manual_seed(4)
        return transformers.BertModel(transformers.BertConfig(
            vocab_size=len(WORDS) + 1, max_position_embeddings=SIZES["max_length"], hidden_size=32, num_hidden_layers=3,
            num_attention_heads=4, intermediate_size=48, initializer_range=0.3)).eval()

    def save(self, name, tensors):
        save.save_file({key: tensor.detach().clone().contiguous() for key, tensor in tensors.items()}, self.folder / name)

    def test_gpt2(self):
        """A file with the names and masks of the published gpt2 gives the same scores, and the same words."""
        net = self.gpt()
        tensors = {name.removeprefix("transformer."): tensor for name, tensor in net.state_dict().items()
                   if name != "lm_head.weight"}
        tensors |= {f"h.{layer}.attn.bias": torch.ones(1, 1, 24, 24).tril() for layer in range(3)}
        self.save("gpt2.safetensors", tensors)
        load = ("--set", self.load("gpt2.safetensors", ', component = ""'))
        ours = self.outputs("CausalTransformer", "predictions", "gpt2.safetensors", *load, more="use_logsoftmax = false\n")
        with torch.no_grad():
            theirs = net(self.indices).logits
            written = net.generate(self.indices, attention_mask=torch.ones_like(self.indices), do_sample=False,
                                   max_new_tokens=WRITTEN, pad_token_id=0, eos_token_id=None)[:, LENGTH:]
        self.assertGreater(theirs.std().item(), 0.1)
        self.assert_near(ours, theirs, 1e-5 * theirs.abs().max().item())
        ours = self.outputs("CausalTransformer", "continuation", "gpt2.safetensors", *load,
                            more=f"continuation_length = {WRITTEN}\n")
        self.assertGreater(len(written.unique()), 3)
        self.assertEqual(ours.tolist(), written.tolist())

    def test_whole_model(self):
        """The state dictionary of GPT2LMHeadModel loads below its prefix."""
        net = self.gpt()
        torch.save(net.state_dict(), self.folder / "gpt2.pth")
        ours = self.outputs("CausalTransformer", "predictions", "gpt2.pth", "--set",
                            self.load("gpt2.pth", ', component = "transformer"'))
        with torch.no_grad():
            self.assert_near(ours, net(self.indices).logits.log_softmax(2), 1e-4)

    def test_draws(self):
        """Words are drawn among those that transformers leaves."""
        net = self.gpt()
        self.save("gpt2.safetensors", {name.removeprefix("transformer."): tensor for name, tensor in net.state_dict().items()
                                       if name != "lm_head.weight"})
        with torch.no_grad():
            scores = net(self.indices).logits[:, -1]
        warpers = [transformers.TemperatureLogitsWarper(3.0), transformers.TopKLogitsWarper(6),
                   transformers.TopPLogitsWarper(0.9)]
        for warp in warpers:
            scores = warp(self.indices, scores)
        counts = torch.zeros_like(scores)
        for seed in range(8):
            drawn = self.outputs(
                "CausalTransformer", "continuation", "gpt2.safetensors", "--set",
                self.load("gpt2.safetensors", ', component = ""'), "--set", f"seed={seed}",
                more=f'continuation_length = 1\ndecoding = "Sampling"\ntemperature = 3.0\ntop_k = 6\ntop_p = 0.9\n# {"#" * seed}\n')
            counts += torch.nn.functional.one_hot(torch.from_numpy(drawn[:, 0]).long(), len(WORDS) + 1)
        self.assertEqual(counts[scores.isinf()].sum().item(), 0)
        self.assertGreater((counts > 0).sum().item(), 12)

    def test_bert(self):
        """A file with the names of the published bert-base-uncased gives the same vectors."""
        net = self.bert()
        tensors = {"bert." + name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"):
                   tensor for name, tensor in net.state_dict().items()}
        tensors["cls.predictions.bias"] = torch.zeros(len(WORDS) + 1)
        self.save("bert.safetensors", tensors)
        pooled, words = (self.outputs("TextEncoder", stream, "bert.safetensors", "--set",
                                      self.load("bert.safetensors", ', component = "bert"'), more="output_words = true\n")
                         for stream in ("pooled", "outputs"))
        with torch.no_grad():
            theirs = net(self.indices)
        self.assert_near(pooled, theirs.pooler_output, 1e-5)
        self.assert_near(words, theirs.last_hidden_state, 1e-5 * theirs.last_hidden_state.abs().max().item())


support.main()
