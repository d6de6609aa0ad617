// How fast the vectors of words are read from a file: as it is, and gzipped. Every line is checked,
// and one word of ten is kept. Prints the medians of wall time.
//
//   ptp-bench-vectors [WORDS]
//
// The file is made up, with vectors of 300 values as GloVe's, and in memory once it was read.

#include "support/temp_folder.hpp"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <ptp/random.hpp>
#include <word_vectors.hpp>

namespace {

namespace fs = std::filesystem;

constexpr int kSize = 300;
constexpr int kRounds = 5;

std::string made_up_vectors(int words) {
    ptp::Random random(1);
    std::string text;
    for (int i = 0; i < words; ++i) {
        text += "w" + std::to_string(i);
        for (int j = 0; j < kSize; ++j) {
            text += fmt::format(" {:.5f}", random.uniform() - 0.5);
        }
        text += '\n';
    }
    return text;
}

std::optional<std::int64_t> wanted(std::string_view word) {
    std::int64_t number = 0;
    std::from_chars(word.data() + 1, word.data() + word.size(), number);
    return number % 10 == 0 ? std::optional(number / 10) : std::nullopt;
}

double seconds_to_read(const fs::path& path, std::vector<float>& table) {
    std::vector<double> seconds;
    for (int i = 0; i < kRounds; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        ptp::support::WordVectorFile file(path);
        file.read(wanted, [&](std::int64_t index, std::span<const float> values) {
            std::ranges::copy(values, table.begin() + index * kSize);
        });
        seconds.push_back(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    std::ranges::sort(seconds);
    return seconds[kRounds / 2];
}

}  // namespace

int main(int argc, char** argv) {
    const int words = argc > 1 ? std::atoi(argv[1]) : 100000;
    const ptp::test::TempFolder folder;
    const std::string text = made_up_vectors(words);
    const fs::path plain = folder.write("vectors.txt", text);
    const fs::path zipped = folder.path() / "vectors.txt.gz";
    const gzFile file = gzopen(zipped.c_str(), "wb1");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
    std::vector<float> table(static_cast<std::size_t>(words / 10 + 1) * kSize);
    const double megabytes = static_cast<double>(text.size()) * 1e-6;
    fmt::print("{} words of {} values, {:.0f} MB, {} threads\n", words, kSize, megabytes,
               std::thread::hardware_concurrency());
    fmt::print("  as it is {:8.0f} MB/s\n", megabytes / seconds_to_read(plain, table));
    fmt::print("  gzipped  {:8.0f} MB/s of text, {:.0f} MB in the file\n",
               megabytes / seconds_to_read(zipped, table),
               static_cast<double>(fs::file_size(zipped)) * 1e-6);
    return 0;
}
