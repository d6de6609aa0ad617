// Texts for the benchmarks.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ptp::bench {

// Made-up words, the same in each run, as frequent as in natural texts (Zipf's law): word number n
// of `different` ones, from 0, is 1 / (n + 1) times as frequent as the first.
std::vector<std::string> made_up_words(std::size_t count, std::size_t different);

// The first words of a file, at most that many.
std::vector<std::string> words_of(const char* path, std::size_t count);

}  // namespace ptp::bench
