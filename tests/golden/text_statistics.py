#!/usr/bin/env python3
"""Writes the numbers of the cases of plugins/text_statistics: BLEU as sacreBLEU has it, ROUGE-L as Google's rouge_score, word
error rates as jiwer, perplexities by PyTorch's cross entropy in double precision.

Needs sacrebleu, rouge-score, jiwer and PyTorch; written with 2.6.0, 0.1.2, 4.0.0 and 2.15.0.
"""

import collections
import math

import jiwer
import sacrebleu
import torch
from rouge_score import rouge_scorer

import case_numbers

tables = collections.defaultdict(dict)  # by case file


def aggregated(case_file, name, **numbers):
    tables[case_file][name] = {f"aggregated.{key}": float(value) for key, value in numbers.items()}


def squares(rows, columns, count):
    return [[((r * columns + c) ** 2 + 1) % count for c in range(columns)] for r in range(rows)]


# Of 7 words, of which 0 and 1 are left out.
targets = squares(12, 9, 7)
predictions = [[3 if (r * 9 + c) % 5 == 2 else word for c, word in enumerate(row)] for r, row in enumerate(targets)]


def texts(rows):
    return [" ".join(f"w{word}" for word in row if word > 1) for row in rows]


RIGHT = ["the cat is on the mat", "there is a cat", "a dog barks at night", "no", "yes", "in the beginning was the word"]
TOLD = ["the the the cat the mat", "there is a small cat here", "dog barks night at", "no no", "", "in the beginning was a word"]
SHORT = (["a b", "c"], ["a b", "d"])
# Other right sentences; None where there is none.
SECOND = ["a cat sat on the mat", "here is a small cat", "the dog barks at night", "no no no", None, "in the beginning was a tale"]
THIRD = ["the the cat", None, None, "not at all", "well yes", "a word was in the beginning of the tale"]


class Words:
    """rouge_score lower-cases and drops punctuation; these words are words already."""

    def tokenize(self, text):
        return text.split()


def bleu(name, told, *right, **options):
    score = sacrebleu.corpus_bleu(told, list(right), tokenize="none", force=True, **options).score
    aggregated("bleu_statistics", name, bleu=score / 100)


for name, told, right in (("indices", texts(predictions), texts(targets)), ("tokens", TOLD, RIGHT), ("short", *SHORT)):
    for method, value in (("exp", None), ("floor", None), ("floor", 0.5), ("add-k", None), ("add-k", 2), ("none", None)):
        suffix = method if value is None else f"{method}-{value}"
        bleu(f"{name}-{suffix}", told, right, smooth_method=method, smooth_value=value)
bleu("short-effective", *SHORT, use_effective_order=True)
# A third sentence for each second row.
moved = [row[1:] + row[:1] for row in targets]
halves = [row[:5] for row in targets[3:] + targets[:3]]
some = [text if i % 2 else None for i, text in enumerate(texts(halves))]
for method in ("exp", "add-k"):
    bleu(f"references-tokens-{method}", TOLD, RIGHT, SECOND, THIRD, smooth_method=method)
    bleu(f"references-indices-{method}", texts(predictions), texts(targets), texts(moved), some, smooth_method=method)
bleu("references-one-more", TOLD, RIGHT, SECOND)
for order in (1, 2):
    metric = sacrebleu.BLEU(max_ngram_order=order, tokenize="none", force=True)
    aggregated("bleu_statistics", f"tokens-order-{order}", bleu=metric.corpus_score(TOLD, [RIGHT]).score / 100)

scorer = rouge_scorer.RougeScorer(["rougeL"], tokenizer=Words())
for name, told, right in (("indices", texts(predictions), texts(targets)), ("tokens", TOLD, RIGHT)):
    scores = [scorer.score(r, t)["rougeL"] for t, r in zip(told, right)]
    count = len(scores)
    tables["rouge_statistics"][name] = {"collected.rouge_l": sum(s.fmeasure for s in scores) / count,
                                        "collected.rouge_l_precision": sum(s.precision for s in scores) / count,
                                        "collected.rouge_l_recall": sum(s.recall for s in scores) / count}
    aggregated("word_error_rate_statistics", name, word_error_rate=jiwer.wer(right, told))

k = torch.arange(60 * 5, dtype=torch.float64)
scores = (1.5 * torch.sin(0.7 * k + 0.2)).reshape(60, 5)
classes = torch.tensor([(i * i + 1) % 5 for i in range(60)])
for name, counts in (("all", classes >= 0), ("ignored", classes != 2), ("masked", torch.arange(60) // 5 % 3 != 1)):
    loss = torch.nn.functional.cross_entropy(scores[counts], classes[counts])
    aggregated("perplexity_statistics", name, perplexity=math.exp(loss))

for case_file, numbers in tables.items():
    case_numbers.write(case_file, "text_statistics.py", numbers, 17)
