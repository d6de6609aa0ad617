#!/usr/bin/python3
"""Writes the numbers of tests/cases/*_statistics.toml: statistics of whole sets as scikit-learn has them.

Needs scikit-learn (1.2.1 and 1.9.1 have the same). Inputs are the formulas below, which the runner of the cases has too.
"""
import collections
import warnings

import numpy as np
from sklearn import metrics
from sklearn.calibration import calibration_curve

import case_numbers

warnings.filterwarnings("ignore")


def sines(count, phase):
    return 1.5 * np.sin(0.7 * np.arange(count) + phase)


tables = collections.defaultdict(dict)  # by case file


def aggregated(case_file, name, **numbers):
    tables[case_file][name] = {f"aggregated.{key}": float(value) for key, value in numbers.items()}


k = np.arange(60)
targets = (k * k + 1) % 5  # never 3 or 4
predicted = (k + k // 7) % 4  # never 4

scores = sines(240, 0.2).reshape(60, 4)
for top in (1, 2, 3, 4):
    aggregated("accuracy_statistics", f"top_{top}",
               accuracy=metrics.top_k_accuracy_score(targets, scores, k=top, labels=range(4)))


def averages(targets, predicted, labels=None):
    """By the average: precision, recall and f1score."""
    return {average: dict(zip(("precision", "recall", "f1score"), metrics.precision_recall_fscore_support(
        targets, predicted, labels=labels, average=average, zero_division=0)[:3]))
        for average in ("weighted", "macro", "micro")}


def chosen(values, average):
    """All that the component reports: the names without an average have the chosen one."""
    others = {f"{name}_{other}": value for other, row in values.items() for name, value in row.items()}
    return values[average] | others


some = k % 3 != 1
unknown = np.where(k % 4 == 2, -100, targets)
plain = averages(targets, predicted)
for average in plain:
    aggregated("precision_recall_statistics", average, **chosen(plain, average))
for name, values in (("all", plain), ("masked", averages(targets[some], predicted[some])),
                     ("unknown", averages(unknown, predicted, labels=[0, 1, 2, 3]))):
    aggregated("precision_recall_statistics", name, **chosen(values, "weighted"))

yes = (k * k + 1) % 3 == 1
roc = metrics.roc_auc_score
logits = sines(180, 0.2).reshape(60, 3)
shares = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
for name, area in (("plain", roc(yes, sines(60, 0.2))), ("ties", roc(yes, np.round(sines(60, 0.2)))),
                   ("masked", roc(yes[some], sines(60, 0.2)[some])),
                   ("classes", roc(targets, shares, multi_class="ovr", average="macro"))):
    aggregated("roc_statistics", name, auc=area)


def regression(name, right, found):
    aggregated("regression_statistics", name, mae=metrics.mean_absolute_error(right, found),
               mse=metrics.mean_squared_error(right, found), rmse=metrics.mean_squared_error(right, found) ** 0.5,
               r2=metrics.r2_score(right, found))


# Of the numbers with a true mask, output by output.
right = sines(60, 0.4).reshape(12, 5)
found = right + sines(60, 2.1).reshape(12, 5) / 3
there = some.reshape(12, 5)
errors = (found - right)[there]
aggregated("regression_statistics", "masked-numbers", mae=np.abs(errors).mean(), mse=(errors ** 2).mean(),
           rmse=(errors ** 2).mean() ** 0.5,
           r2=np.mean([metrics.r2_score(right[there[:, c], c], found[there[:, c], c]) for c in range(5)]))

for name, offset in (("plain", 0.0), ("far", 1e8)):
    right = sines(60, 0.4).reshape(20, 3) + offset
    regression(name, right, right + sines(60, 2.1).reshape(20, 3) / 3)
regression("parts", sines(60, 0.4).reshape(20, 3), sines(60, 2.1).reshape(20, 3))


def calibration(name, scores, right, bins=15):
    """The bins of scikit-learn's calibration_curve, with the counts that it leaves out."""
    shares = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    confidence, hit = shares.max(1), (shares.argmax(1) == right).astype(float)
    values = {}
    for strategy, edges in (("uniform", np.linspace(0, 1, bins + 1)),
                            ("quantile", np.percentile(confidence, np.linspace(0, 1, bins + 1) * 100))):
        there, mean = calibration_curve(hit, confidence, n_bins=bins, strategy=strategy)
        count = np.bincount(np.searchsorted(edges[1:-1], confidence), minlength=bins)
        count = count[count > 0]
        values[strategy] = (np.abs(there - mean) * count).sum() / count.sum(), np.abs(there - mean).max()
    aggregated("calibration_statistics", name, ece=values["uniform"][0], ece_equal_mass=values["quantile"][0],
               max_calibration_error=values["uniform"][1])


scores = sines(240, 0.2).reshape(60, 4)
calibration("plain", scores, targets)
calibration("four", scores * 3, targets, 4)
calibration("ties", np.round(scores), targets)
calibration("masked", scores[some[:60]], targets[some[:60]])


def multi_label(name, wanted, logits):
    found = 1 / (1 + np.exp(-logits)) > 0.5
    ranked = [metrics.average_precision_score(wanted[:, c], logits[:, c]) for c in range(4) if wanted[:, c].any()]
    aggregated("multi_label_statistics", name, exact_match=metrics.accuracy_score(wanted, found),
               hamming_loss=metrics.hamming_loss(wanted, found),
               f1score_micro=metrics.f1_score(wanted, found, average="micro"),
               f1score_macro=metrics.f1_score(wanted, found, average="macro"),
               mean_average_precision=np.mean(ranked))


several = 2 - (np.arange(240) ** 2 + 1).reshape(60, 4) % 3
multi_label("plain", several, scores)
multi_label("ties", several, np.round(scores))
multi_label("masked", several[some], scores[some])


def retrieval(name, pools, images, texts):
    """The share of samples whose own class, its number in the pool, is among the k with the highest scores."""
    unit = lambda rows: rows / np.linalg.norm(rows, axis=1, keepdims=True)
    values = {}
    for direction, queries, others in (("image_to_text", images, texts), ("text_to_image", texts, images)):
        cosines = [unit(queries[pool]) @ unit(others[pool]).T for pool in pools]
        for k in (1, 5, 10):
            values[f"{direction}_recall_at_{k}"] = np.average(
                [metrics.top_k_accuracy_score(np.arange(len(each)), each, k=k) for each in cosines],
                weights=[len(each) for each in cosines])
        orders = [np.argsort(-each, axis=1).tolist() for each in cosines]
        values[f"{direction}_median_rank"] = np.median(
            [order.index(i) + 1 for pool in orders for i, order in enumerate(pool)])
    aggregated("retrieval_statistics", name, **values)


k = np.arange(120)
images = ((k * k + 1) % 31 - 15.0).reshape(30, 4)
texts = images + (9 * np.sin(0.7 * k + 0.2)).reshape(30, 4)
retrieval("whole", [slice(0, 30)], images, texts)
retrieval("two_pools", [slice(0, 12), slice(12, 24)], images, texts)
masked = np.arange(30) % 3 != 1
retrieval("masked", [slice(0, 20)], images[masked], texts[masked])
for case_file, numbers in tables.items():
    case_numbers.write(case_file, "statistic_values.py", numbers, 17)
