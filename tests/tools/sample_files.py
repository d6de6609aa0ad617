"""Writes files of samples/ as a training does, for tests of reports."""

import array
import json
import struct


def safetensors(tensors, metadata):
    """The bytes of a file; a tensor is (type, shape, numbers)."""
    header, content = {"__metadata__": metadata}, b""
    for name, (kind, shape, numbers) in tensors.items():
        data = array.array({"F32": "f", "I64": "q", "U8": "B"}[kind], numbers).tobytes()
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(content), len(content) + len(data)]}
        content += data
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + content


def classification(scores, targets, names, epoch=1, losses=None):
    """A pass over samples with these scores and an embedding, their number and its square; each tenth is an example with
    an image and a text."""
    count, classes = len(targets), len(scores[0])
    kept = list(range(0, count, 10))
    text = (names[0] + "\0" * 400).encode()[:400]
    return safetensors(
        {"index": ("I64", [count], range(count)),
         "nll.loss": ("F32", [count], losses or [1 - row[t] for row, t in zip(scores, targets)]),
         "stream/scores": ("F32", [count, classes], [s for row in scores for s in row]),
         "stream/targets": ("I64", [count], targets),
         "stream/embedded": ("F32", [count, 2], [power for i in range(count) for power in (i, i * i)]),
         "example/index": ("I64", [len(kept)], kept),
         "example/inputs": ("U8", [len(kept), 8, 8, 1], [(i * k) % 256 for i in kept for k in range(64)]),
         "example/words": ("U8", [len(kept), 400], list(text) * len(kept))},
        {"format": "2", "section": "validation", "episode": str(epoch), "epoch": str(epoch),
         "streams": '["embedded"]', "classes": json.dumps(names), "left_out": "{}", "examples": json.dumps({"inputs": "image", "words": "text"}),
         "judged": json.dumps([{"loss": "nll", "type": "NLLLoss", "targets": "targets", "predictions": "scores",
                                "is_classes": True}])})


def segmentation():
    """Two samples with an image, the classes of its places, and predicted ones."""
    places = [(x + y) % 3 for y in range(8) for x in range(8)]
    return safetensors(
        {"index": ("I64", [2], [0, 1]), "dice.loss": ("F32", [2], [.5, .25]), "example/index": ("I64", [2], [0, 1]),
         "example/inputs": ("U8", [2, 8, 8, 1], list(range(64)) * 2),
         "example/segments": ("U8", [2, 8, 8], places * 2), "example/predictions": ("U8", [2, 8, 8], places[::-1] + [255] * 64)},
        {"format": "2", "section": "test.easy", "episode": "3", "epoch": "1", "classes": '["ground", "cat"]', "left_out": "{}", "judged": "[]",
         "examples": json.dumps({"inputs": "image", "segments": "classes", "predictions": "classes"})})


def regression(predicted, targets):
    count = len(targets)
    return safetensors(
        {"index": ("I64", [count], range(count)), "stream/numbers": ("F32", [count, 1], predicted),
         "mse.loss": ("F32", [count], [(p - t) ** 2 for p, t in zip(predicted, targets)]),
         "bleu.bleu": ("F32", [count], [i / count for i in range(count)]),
         "stream/targets": ("F32", [count, 1], targets)},
        {"format": "2", "section": "test", "episode": "3", "epoch": "1", "classes": "[]", "left_out": "{}",
         "examples": "{}",
         "judged": json.dumps([{"loss": "mse", "type": "MSELoss", "targets": "targets", "predictions": "numbers",
                                "is_classes": False}])})
