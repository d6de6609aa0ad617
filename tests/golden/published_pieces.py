#!/usr/bin/python3
"""Writes byte_pairs.txt and word_pieces.txt: what GPT2Tokenizer and BertTokenizer of Hugging Face's transformers make of
sentences, with small vocabularies of the published forms, byte_pairs_vocab.json with byte_pairs_merges.txt and
word_pieces_vocab.txt: the sentence as JSON, its pieces, their indices and, as JSON, the sentence that is made of them, with
tabs between. Makes the vocabularies first if they are not there, by the package tokenizers.

Written with transformers 4.30.2 and tokenizers 0.13.3.
"""

import json
import pathlib

import tokenizers
import transformers

FOLDER = pathlib.Path(__file__).parent
TEXT = """
the cat sat on the mat and the dog lay on the rug
a small cat and a big dog played in the garden all day, didn't they?
where is the cat? the cat is under the table.
it was raining, so the dogs stayed in the house and we've slept 12 hours
les enfants jouent dans le jardin près de la maison
être ou ne pas être, telle est la question
the smallest of the cats was sleeping on the oldest chair in 2024
""".strip().splitlines()

SENTENCES = [
    "the cat sat on the mat",
    "The oldest dogs weren't sleeping; they've slept!",
    "être ou ne pas ÊTRE",
    "  two  spaces ",
    "",
    "你好 the cat",
    "🙂 x² ½ Ⅷ",
    "a\n\n b\tc \u00a0 d\u3000e",
    "it's 'quoted' ''s 'll d'd 12abc34",
    "<|endoftext|>the cat<|endoftext|>",
    "[CLS] the cat [SEP] un[MASK]known",
    "zero\u200bwidth soft\u00adhyphen a\u0301ccent e\u0323\u0301 ﬁ İstanbul ΣΑΣ straße",
    "x" * 101 + " catcatcat",
    "U.S.A. $5.00 «été» – dash… `tick` ^hat",
    "\x00nul \ufffd bad\x1b",
]


def main():
    if not (FOLDER / "byte_pairs_vocab.json").exists():
        model = tokenizers.ByteLevelBPETokenizer()
        model.train_from_iterator(TEXT, vocab_size=330, special_tokens=["<|endoftext|>"], show_progress=False)
        model.save_model(str(FOLDER), "byte_pairs")
        for name in ("vocab.json", "merges.txt"):
            (FOLDER / f"byte_pairs-{name}").rename(FOLDER / f"byte_pairs_{name}")
    if not (FOLDER / "word_pieces_vocab.txt").exists():
        model = tokenizers.BertWordPieceTokenizer()
        model.train_from_iterator(TEXT, vocab_size=120, min_frequency=1, show_progress=False)
        model.save_model(str(FOLDER), "word_pieces")
        (FOLDER / "word_pieces-vocab.txt").rename(FOLDER / "word_pieces_vocab.txt")
    for name, tokenizer in (
            ("byte_pairs", transformers.GPT2Tokenizer(str(FOLDER / "byte_pairs_vocab.json"),
                                                      str(FOLDER / "byte_pairs_merges.txt"))),
            ("word_pieces", transformers.BertTokenizer(str(FOLDER / "word_pieces_vocab.txt")))):
        tokenizer.sanitize_special_tokens()  # as from_pretrained() does: they are pieces wherever they are in a text
        rows = []
        for sentence in SENTENCES:
            pieces = tokenizer.tokenize(sentence)
            indices = tokenizer.convert_tokens_to_ids(pieces)
            whole = tokenizer.decode(indices, skip_special_tokens=True, clean_up_tokenization_spaces=False)
            rows.append("\t".join([json.dumps(sentence), json.dumps(pieces), json.dumps(indices), json.dumps(whole)]))
        (FOLDER / f"{name}.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")


main()
