// Reads files for vocabularies: CSV with words and indices, and texts.
#pragma once

#include "vocabulary.hpp"

#include <filesystem>
#include <span>
#include <string>

namespace ptp::support {

// Reads a CSV with a word and its index in each row, with or without a first row "word,index": RFC
// 4180, UTF-8, the indices 0 to N - 1 in any order. Throws DataError with the wrong lines.
Vocabulary read_vocabulary(const std::filesystem::path& file);

// Returns such a CSV with its first row.
std::string vocabulary_csv(const Vocabulary& vocabulary);

// Returns the words of texts in UTF-8, separated by white space; indices by first appearance.
// Throws DataError for an unreadable file, with the line if it is not UTF-8.
Vocabulary words_of(std::span<const std::filesystem::path> texts);

}  // namespace ptp::support
