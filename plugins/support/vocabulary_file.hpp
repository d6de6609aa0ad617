// Files that vocabularies are made of: CSV with words and indices, and texts.
#pragma once

#include "vocabulary.hpp"

#include <filesystem>
#include <span>
#include <string>

namespace ptp::support {

// Reads a CSV with a word and its index in each row, after a row "word,index" or without: RFC 4180,
// UTF-8, the indices 0 to N - 1 in any order. Throws DataError with the lines that are wrong.
Vocabulary read_vocabulary(const std::filesystem::path& file);

// Such a CSV, with its first row.
std::string vocabulary_csv(const Vocabulary& vocabulary);

// The words of texts in UTF-8, separated by white space; indices by first appearance. Throws
// DataError for a file that cannot be read, with the line for one that is not UTF-8.
Vocabulary words_of(std::span<const std::filesystem::path> texts);

}  // namespace ptp::support
