#!/usr/bin/env python3
"""Values that `ptprun search` draws, written out from the definition of splitmix64 and FNV-1a.

Prints the numbers of tests/unit/experiment/trials_test.cpp: for each trial of seed 7 and the key
"a.lr" those of each distribution, and then those of narrow ranges.
"""

import math

MASK = (1 << 64) - 1
STEP = 0x9E3779B97F4A7C15


def mixed(value):
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB & MASK
    return value ^ (value >> 31)


def with_number(key, number):
    return mixed(mixed((key + STEP) & MASK) ^ ((number * STEP + 1) & MASK))


def with_text(key, text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 & MASK
    return with_number(key, value)


def first_draw(seed, key, trial):
    return mixed((with_number(with_text(with_text(seed, "search"), key), trial) + STEP) & MASK)


def between_logs(low, high, share):
    return math.exp(math.log(low) + share * math.log(high / low))


for trial in range(4):
    draw = first_draw(7, "a.lr", trial)
    share = (draw >> 11) * 2.0**-53
    print(f"{{{share:.6g}, {between_logs(1e-4, 0.1, share):.6g}, {3 + draw % 5}, "
          f"{round(between_logs(0.5, 64.5, share))}, {draw % 3}}},")

# Six digits, and one more for each power of ten by which the range is narrower than its numbers are
# large, written out: 0.99999 to 0.999999 is between 10^5 and 10^6 times as narrow, and so on.
for trial in range(4):
    share = (first_draw(7, "a.lr", trial) >> 11) * 2.0**-53
    print(f"{{{0.99999 + (0.999999 - 0.99999) * share:.11g}, "
          f"{1000000 + 10 * share:.11g}, {-0.11 + 0.01 * share:.7g}}},")
