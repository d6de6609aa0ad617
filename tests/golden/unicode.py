#!/usr/bin/python3
"""Writes tests/cases/sentence_tokenizer_unicode.toml: what Python's str.lower() and unicodedata make of every capital
letter and every punctuation mark of Unicode.

Python 3.11 has Unicode 14; characters that later versions have added are not among them.
"""

import json
import pathlib
import unicodedata

ASCII_SYMBOLS = "$+<=>^`|~"  # are removed too, though they are not punctuation to Unicode
PER_SENTENCE = 40

characters = [chr(c) for c in range(0x20, 0x110000) if not 0xD800 <= c < 0xE000]
capitals = [c for c in characters if c.lower() != c]
marks = [c for c in characters if unicodedata.category(c).startswith("P")] + list(ASCII_SYMBOLS)


def case(name, preprocessing, sentences, words):
    def listed(rows):
        return "[\n" + "".join(f"  {json.dumps(row, ensure_ascii=False)},\n" for row in rows) + "]"

    return (
        f'\n[[case]]\nname = "{name}"\nsettings.preprocessing = "{preprocessing}"\n'
        f"inputs.inputs = {listed(sentences)}\nexpect.outputs.outputs = {listed(words)}\n"
    )


def sentences_of(pieces):
    return [" ".join(pieces[i : i + PER_SENTENCE]) for i in range(0, len(pieces), PER_SENTENCE)]


lower = sentences_of(["x" + c for c in capitals])
punctuated = sentences_of([f"{c}a{c}b" for c in marks])
text = f"""# SentenceTokenizer: case and punctuation of all of Unicode {unicodedata.unidata_version}.

source = "tests/golden/unicode.py: str.lower() and unicodedata.category() of Python"
component = "SentenceTokenizer"
"""
text += case(
    f"{len(capitals)} capital letters become lower-case", "lowercase", lower, [s.lower().split() for s in lower]
)
text += case(
    f"{len(marks)} punctuation marks are removed",
    "remove_punctuation",
    punctuated,
    [["ab"] * len(s.split()) for s in punctuated],
)
folder = pathlib.Path(__file__).parent.parent / "cases"
(folder / "sentence_tokenizer_unicode.toml").write_text(text)
