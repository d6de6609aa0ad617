#include "bench/made_up_words.hpp"

#include <algorithm>
#include <fstream>

#include <ptp/random.hpp>

namespace ptp::bench {

std::vector<std::string> made_up_words(std::size_t count, std::size_t different) {
    std::vector<double> sums;
    for (std::size_t i = 0; i < different; ++i) {
        sums.push_back((sums.empty() ? 0 : sums.back()) + 1 / static_cast<double>(i + 1));
    }
    Random random(1);
    std::vector<std::string> words;
    for (std::size_t i = 0; i < count; ++i) {
        const auto place =
            std::lower_bound(sums.begin(), sums.end(), random.uniform() * sums.back());
        std::string word = "Ab";
        for (auto n = place - sums.begin(); n > 0; n /= 26) {
            word += static_cast<char>('a' + n % 26);
        }
        words.push_back(word);
    }
    return words;
}

std::vector<std::string> words_of(const char* path, std::size_t count) {
    std::ifstream file(path);
    std::vector<std::string> words;
    for (std::string word; words.size() < count && file >> word;) {
        words.push_back(word);
    }
    return words;
}

}  // namespace ptp::bench
