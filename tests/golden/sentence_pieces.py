#!/usr/bin/python3
"""Writes sentence_pieces.txt and byte_pieces.txt: what the Python package sentencepiece makes of sentences, with the models
sentence_pieces.model (unigram) and byte_pieces.model (BPE, bytes for what it does not know): the sentence, its pieces, their
indices and the sentence that is made of them, with tabs between. Trains a model first if it is not there.

Written with sentencepiece 0.2.3.
"""

import pathlib

import sentencepiece

FOLDER = pathlib.Path(__file__).parent
MODELS = {
    "sentence_pieces": {"model_type": "unigram", "vocab_size": 72},
    "byte_pieces": {"model_type": "bpe", "vocab_size": 330, "byte_fallback": True},
}
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

for name, options in MODELS.items():
    file = FOLDER / (name + ".model")
    if not file.exists():
        sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(TEXT), model_prefix=str(FOLDER / name), pad_id=3,
                                                 normalization_rule_name="identity", minloglevel=2, **options)
        file.with_suffix(".vocab").unlink()
    model = sentencepiece.SentencePieceProcessor(model_file=str(file))
    rows = []
    for sentence in SENTENCES:
        ids = model.encode(sentence)
        pieces = " ".join(model.encode(sentence, out_type=str))
        rows.append("\t".join([sentence, pieces, " ".join(map(str, ids)), model.decode(ids)]))
    file.with_suffix(".txt").write_text("\n".join(rows) + "\n")
