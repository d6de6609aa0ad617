// English words that say little about the topic of a sentence. "s", "t" and "don" are what words
// such as "it's" and "don't" are split into.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

// The words in the order of their bytes.
inline constexpr std::array<std::string_view, 127> kStopWords{
    "a",      "about",  "above", "after", "again",   "against",   "all",       "am",
    "an",     "and",    "any",   "are",   "as",      "at",        "be",        "because",
    "been",   "before", "being", "below", "between", "both",      "but",       "by",
    "can",    "did",    "do",    "does",  "doing",   "don",       "down",      "during",
    "each",   "few",    "for",   "from",  "further", "had",       "has",       "have",
    "having", "he",     "her",   "here",  "hers",    "herself",   "him",       "himself",
    "his",    "how",    "i",     "if",    "in",      "into",      "is",        "it",
    "its",    "itself", "just",  "me",    "more",    "most",      "my",        "myself",
    "no",     "nor",    "not",   "now",   "of",      "off",       "on",        "once",
    "only",   "or",     "other", "our",   "ours",    "ourselves", "out",       "over",
    "own",    "s",      "same",  "she",   "should",  "so",        "some",      "such",
    "t",      "than",   "that",  "the",   "their",   "theirs",    "them",      "themselves",
    "then",   "there",  "these", "they",  "this",    "those",     "through",   "to",
    "too",    "under",  "until", "up",    "very",    "was",       "we",        "were",
    "what",   "when",   "where", "which", "while",   "who",       "whom",      "why",
    "will",   "with",   "you",   "your",  "yours",   "yourself",  "yourselves"};
static_assert(std::ranges::is_sorted(kStopWords));

constexpr bool is_stop_word(std::string_view word) {
    return std::ranges::binary_search(kStopWords, word);
}
