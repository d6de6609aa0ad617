#!/usr/bin/python3
"""Writes statistic_values.txt: statistics of whole sets as scikit-learn has them.

Needs Debian's python3-sklearn:  ./statistic_values.py > statistic_values.txt
A line is a name and its numbers. Inputs are the formulas below, which the tests have too.
"""
import warnings

import numpy as np
from sklearn import metrics

warnings.filterwarnings("ignore")


def sines(count, phase):
    return 1.5 * np.sin(0.7 * np.arange(count) + phase)


def line(name, *numbers):
    print(name, *[repr(float(x)) for x in numbers])


k = np.arange(60)
targets = (k * k + 1) % 5  # never 3 or 4
predicted = (k + k // 7) % 4  # never 4

scores = sines(240, 0.2).reshape(60, 4)
for top in (1, 2, 3, 4):
    line(f"top_{top}", metrics.top_k_accuracy_score(targets, scores, k=top, labels=range(4)))


def averages(name, targets, predicted, labels=None):
    for average in ("weighted", "macro", "micro"):
        values = metrics.precision_recall_fscore_support(
            targets, predicted, labels=labels, average=average, zero_division=0)
        line(f"{name}.{average}", *values[:3])


averages("scores", targets, predicted)
some = k % 3 != 1
averages("masked", targets[some], predicted[some])
unknown = np.where(k % 4 == 2, -100, targets)
averages("unknown", unknown, predicted, labels=[0, 1, 2, 3])
per_class = metrics.precision_recall_fscore_support(targets, predicted, labels=range(4), zero_division=0)
for i in range(4):
    line(f"class_{i}", *[column[i] for column in per_class])

yes = (k * k + 1) % 3 == 1
line("roc.plain", metrics.roc_auc_score(yes, sines(60, 0.2)))
line("roc.ties", metrics.roc_auc_score(yes, np.round(sines(60, 0.2))))
line("roc.masked", metrics.roc_auc_score(yes[some], sines(60, 0.2)[some]))
logits = sines(180, 0.2).reshape(60, 3)
shares = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
line("roc.classes", metrics.roc_auc_score(targets, shares, multi_class="ovr", average="macro"))

for name, offset in (("plain", 0.0), ("far", 1e8)):
    right = sines(60, 0.4).reshape(20, 3) + offset
    found = right + sines(60, 2.1).reshape(20, 3) / 3
    line(f"regression.{name}", metrics.mean_absolute_error(right, found),
         metrics.mean_squared_error(right, found), metrics.mean_squared_error(right, found) ** 0.5,
         metrics.r2_score(right, found))
