"""schema_accepts.py PTPRUN CONFIGS: the schema that ptprun prints is a schema, accepts all
experiments of the folder, and refuses them with one mistake each."""

import copy
import json
import pathlib
import subprocess
import sys
import tomllib

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)

MISTAKES = {  # what, and the key that gets a value
    "unknown key": ("trianing", {}),
    "unknown key of a section": ("training.optimiser", {"type": "Adam"}),
    "unknown key of an optimizer": ("training.optimizer.learning_rate", 0.1),
    "key of another optimizer": ("training.optimizer.nesterov", True),
    "unknown optimizer": ("training.optimizer.type", "Adma"),
    "unknown device": ("device", "gpu"),
    "unknown rule": ("training.on_bad_loss", "skp"),
    "rule without an action": ("training.on_bad_loss", {"limit": 3}),
    "clipping by nothing": ("training.gradient_clipping", {}),
    "clipping twice": ("training.gradient_clipping", {"value": 1.0, "norm": 1.0}),
    "empty list": ("training.scheduler", {"type": "MultiStepLR", "milestones": []}),
    "out of range": ("training.optimizer.lr", -0.1),
    "wrong type": ("training.task.batch_size", "many"),
    "real for an integer": ("training.dataloader.prefetch", 1.5),
    "unknown task": ("training.task.type", "Mnist"),
    "unknown setting of a task": ("training.task.sizes", 3),
    "unknown component": ("pipeline.loss.type", "NLLLos"),
    "task as a component": ("pipeline.loss.type", "FashionMNIST"),
    "unknown setting": ("pipeline.classifier.hiden_sizes", [4]),
    "setting out of range": ("pipeline.classifier.dropout_rate", 1.0),
    "item out of range": ("pipeline.classifier.hidden_sizes", [0]),
    "name of a component": ("pipeline.Classifier", {"type": "NLLLoss"}),
}

RIGHT = {
    "device with a number": ("device", "cuda:1"),
    "variable for a device": ("device", "${device}"),
    "rule as a word": ("training.on_bad_loss", "skip"),
    "rule as a table": ("training.on_bad_loss", {"action": "rollback", "lr_factor": 0.5}),
    "clipping by value": ("training.gradient_clipping", 1),
    "clipping by norm": ("training.gradient_clipping", {"norm": 0.5}),
    "variable for a number": ("training.optimizer.lr", "${lr}"),
    "variable for a type": ("training.optimizer.type", "${optimizer}"),
    "variable for a table": ("training.optimizer", "${optimizer}"),
    "integer for a real": ("training.optimizer.lr", 1),
    "one for a list": ("pipeline.classifier.hidden_sizes", 4),
    "type with its plugin": ("pipeline.loss.type", "losses/NLLLoss"),
}


def changed(experiment, key, value):
    result = copy.deepcopy(experiment)
    *tables, last = key.split(".")
    table = result
    for name in tables:
        table = table.setdefault(name, {})
    table[last] = value
    return result


def schema(ptprun, *options):
    words = [ptprun, "schema", *options]
    document = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)
    jsonschema.Draft7Validator.check_schema(document)
    return jsonschema.Draft7Validator(document)


def main(ptprun, configs):
    failures = []

    def expect(wanted, validator, experiment, what):
        if validator.is_valid(experiment) != wanted:
            failures.append(f"{what}: {'refused' if wanted else 'accepted'}")
            for error in validator.iter_errors(experiment):
                failures.append(f"  {list(error.absolute_path)}: {error.message[:300]}")

    whole, part = schema(ptprun), schema(ptprun, "--part")
    files = sorted(pathlib.Path(configs).rglob("*.toml"))
    for file in files:
        experiment = tomllib.loads(file.read_text())
        is_part = "include" in experiment or "pipeline" not in experiment or file.parent.name == "parts"
        expect(True, part if is_part else whole, experiment, file)
    good = tomllib.loads((pathlib.Path(configs) / "fashion_mnist/first_experiment.toml").read_text())
    for what, (key, value) in MISTAKES.items():
        expect(False, whole, changed(good, key, value), what)
        expect(False, part, changed(good, key, value), what + ", in a part")
    for what, (key, value) in RIGHT.items():
        expect(True, whole, changed(good, key, value), what)
    lacking = copy.deepcopy(good)
    del lacking["training"]["task"]["batch_size"]
    expect(False, whole, lacking, "a required key is missing")
    expect(True, part, lacking, "a required key is missing, in a part")
    expect(True, part, {"include": "x.toml", "pipeline": {"net": {"dropout_rate": 0.5}}}, "a part")
    print("\n".join(map(str, failures)) or f"{len(files)} experiments are accepted")
    return 1 if failures or not files else 0


sys.exit(main(*sys.argv[1:]))
