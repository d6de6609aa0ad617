"""Writes classification.json: scores and targets, and their measures by scikit-learn.

    PYTHON classification.py    (of a Python with scikit-learn 1.7)

ECE is not in scikit-learn: that of bins of equal width is computed from its calibration_curve(), that of bins of
equal numbers by numpy from the definition."""

import json
import pathlib
import warnings

import numpy
from sklearn import calibration, metrics

BINS = 15


def probabilities(scores):
    """As the report takes scores: as they are if each row sums to 1, otherwise their softmax."""
    values = numpy.asarray(scores, dtype=numpy.float32).astype(numpy.float64)
    known = ~numpy.isnan(values).any(axis=1)
    if (values[known] >= 0).all() and (abs(values[known].sum(axis=1) - 1) <= 1e-3).all():
        return values
    powers = numpy.exp(values - values.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def weighted_gap(groups, confidences, is_right):
    return sum(len(g) * abs(is_right[g].mean() - confidences[g].mean()) for g in groups if len(g)) / len(confidences)


def measures(scores, targets):
    classes = len(scores[0])
    p, y = probabilities(scores), numpy.asarray(targets)
    known = ~numpy.isnan(p).any(axis=1)
    p, y = p[known], y[known]
    labels, predicted = list(range(classes)), p.argmax(axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        precision, recall, f1, support = metrics.precision_recall_fscore_support(
            y, predicted, labels=labels, zero_division=numpy.nan)
        roc, average_precision, specificity, npv = [], [], [], []
        for c in labels:
            is_c = y == c
            # Of two classes, "another class" is the positive one.
            specificity.append(metrics.recall_score(~is_c, predicted != c, zero_division=numpy.nan))
            npv.append(metrics.precision_score(~is_c, predicted != c, zero_division=numpy.nan))
            roc.append(metrics.roc_auc_score(is_c, p[:, c]) if 0 < is_c.sum() < len(y) else numpy.nan)
            average_precision.append(metrics.average_precision_score(is_c, p[:, c]) if is_c.any() else numpy.nan)
    confidences, is_right = p.max(axis=1), (predicted == y).astype(float)
    right, confidence = calibration.calibration_curve(is_right, confidences, n_bins=BINS)
    counts = numpy.bincount(numpy.searchsorted(numpy.linspace(0, 1, BINS + 1)[1:-1], confidences), minlength=BINS)
    order = numpy.argsort(confidences, kind="stable")
    mass = [order[k * len(y) // BINS:(k + 1) * len(y) // BINS] for k in range(BINS)]
    if classes == 2:
        brier = metrics.brier_score_loss(y, p[:, 1], pos_label=1)
    else:
        brier = metrics.brier_score_loss(y, p, labels=labels, scale_by_half=False)
    curve = metrics.roc_curve(y == 0, p[:, 0], drop_intermediate=False) if 0 < (y == 0).sum() < len(y) else ([], [], [])
    return {"matrix": metrics.confusion_matrix(y, predicted, labels=labels).ravel().tolist(),
            "accuracy": metrics.accuracy_score(y, predicted),
            "precision": precision.tolist(), "recall": recall.tolist(), "f1": f1.tolist(), "support": support.tolist(),
            "specificity": specificity, "npv": npv, "fpr": [1 - v for v in specificity],
            "fnr": (1 - recall).tolist(), "fdr": (1 - precision).tolist(),
            "roc": roc, "average_precision": average_precision, "brier": brier,
            "ece_width": float((counts[counts > 0] * abs(right - confidence)).sum() / len(y)),
            "ece_mass": float(weighted_gap(mass, confidences, is_right)),
            "bin_counts": counts.tolist(), "roc_x": list(curve[0]), "roc_y": list(curve[1])}


def cases():
    random = numpy.random.default_rng(7)
    targets = random.integers(0, 3, 150)
    logits = random.normal(size=(150, 3)).astype(numpy.float32)
    logits[numpy.arange(150), targets] += 1
    yield "logits of three classes", logits, targets
    yield "scores with many ties", (random.integers(0, 3, (150, 3)) / 2).astype(numpy.float32), targets
    two = random.integers(0, 9, 80) / 8
    yield "probabilities of two classes", numpy.stack([two, 1 - two], 1).astype(numpy.float32), random.integers(0, 2, 80)
    yield "one class alone", logits[:40], numpy.zeros(40, dtype=int)
    rare = logits.copy()
    rare[:, 2] -= 50
    yield "a class that is never predicted", rare, targets
    holes = logits.copy()
    holes[::7, 1] = numpy.nan
    yield "scores that are nan", holes, targets


def plain(value):
    """nan, which JSON lacks, becomes null."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, numpy.generic):
        value = value.item()
    return None if isinstance(value, float) and value != value else value


def main():
    written = [plain({"name": name, "classes": scores.shape[1], "scores": scores.ravel().tolist(),
                      "targets": targets.tolist(), "measures": measures(scores, targets)})
               for name, scores, targets in cases()]
    file = pathlib.Path(__file__).with_suffix(".json")
    file.write_text("[\n" + ",\n".join(json.dumps(one, separators=(",", ":")) for one in written) + "\n]\n")


if __name__ == "__main__":
    main()
