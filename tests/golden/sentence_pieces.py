#!/usr/bin/python3
"""Writes sentence_pieces.txt: what the Python package sentencepiece makes of sentences, with the model sentence_pieces.model:
the sentence, its pieces, their indices and the sentence that is made of them, with tabs between. Trains that model first if it
is not there.

Written with sentencepiece 0.2.3.
"""

import pathlib

import sentencepiece

FOLDER = pathlib.Path(__file__).parent
MODEL = FOLDER / "sentence_pieces.model"
TEXT = """
the cat sat on the mat and the dog lay on the rug
a small cat and a big dog played in the garden all day
where is the cat? the cat is under the table.
it was raining, so the dogs stayed in the house and slept
the children are playing with a ball near the old tree
she said that the house at the end of the street was old
les enfants jouent dans le jardin près de la maison
être ou ne pas être, telle est la question
the smallest of the cats was sleeping on the oldest chair
no one was at the table when the rain had ended
""".strip().splitlines()

SENTENCES = [
    "the cat sat on the mat",
    "The oldest dogs were sleeping.",
    "être ou ne pas être",
    "  two  spaces ",
    "",
    "你好 the cat",
    "🙂",
    "catastrophe, dogma & raindrops!",
    "no▁one",
]

if not MODEL.exists():
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(TEXT), model_prefix=str(MODEL.with_suffix("")), vocab_size=72,
                                             pad_id=3, normalization_rule_name="identity", minloglevel=2)
    MODEL.with_suffix(".vocab").unlink()
model = sentencepiece.SentencePieceProcessor(model_file=str(MODEL))
rows = []
for sentence in SENTENCES:
    ids = model.encode(sentence)
    rows.append("\t".join([sentence, " ".join(model.encode(sentence, out_type=str)), " ".join(map(str, ids)), model.decode(ids)]))
(FOLDER / "sentence_pieces.txt").write_text("\n".join(rows) + "\n")
