#!/usr/bin/python3
"""Writes translation_pairs.txt: the words that TranslationPairs makes of sentences, and which lines of a file are in
which subset, by Python's own tables of Unicode and a SplitMix64 of its own.
"""

import pathlib
import re
import unicodedata

SENTENCES = [
    "Go.",
    "Ça alors ! Où est l'été ?",
    "Hello...world",
    "U.S. troops left at 5.30?!",
    "  many\u00a0\u2003blanks\u3000here  ",
    "ŁÓDŹ I GDAŃSK",
    "STRASSE straße ẞ",
    "İstanbul ısı",
    "ΣΊΣΥΦΟΣ ΟΔΟΣ",
    "Ёж и йод",
    "Tiếng Việt",
    "cœur Œuvre ﬁn",
    "你好。再见！",
    "한국어",
    "don't – “can’t”",
    "№ 42 ½ x² Ⅷ",
    "naïve e\u0301te\u0301 a\u0323\u0308",
    "مَرحَبًا",
]


def clean(sentence):
    decomposed = unicodedata.normalize("NFD", sentence.lower())
    text = "".join(c for c in decomposed if unicodedata.category(c) != "Mn")
    text = re.sub(r"([.!?])", r" \1 ", text)
    text = "".join(c if c in ".!?" or unicodedata.category(c).startswith("L") else " " for c in text)
    return text.split()


def shuffled(count, seed):
    mask = 2**64 - 1
    state = seed

    def bits():
        nonlocal state
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return z ^ (z >> 31)

    def below(n):
        while (drawn := bits()) < 2**64 % n:
            pass
        return drawn % n

    order = list(range(count))
    for last in range(count, 1, -1):
        other = below(last)
        order[last - 1], order[other] = order[other], order[last - 1]
    return order


def main():
    lines = ["\t".join(["clean", sentence, " ".join(clean(sentence))]) for sentence in SENTENCES]
    for count, seed in [(45, 42), (40, 42), (40, 7)]:
        order = shuffled(count, seed)
        held_out = count // 20
        for name, part in [("test", order[:held_out]), ("valid", order[held_out:2 * held_out]), ("train", order[2 * held_out:])]:
            lines.append("\t".join(["split", str(count), str(seed), name, " ".join(map(str, part))]))
    pathlib.Path(__file__).with_suffix(".txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
