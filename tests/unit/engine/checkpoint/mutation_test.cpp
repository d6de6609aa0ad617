// Thousands of damaged files: each is read or refused, in little time and memory.

#include "base/error.hpp"
#include "engine/checkpoint/safetensors.hpp"
#include "pth_files.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <algorithm>
#include <random>
#include <string>

namespace mutation_test {

using ptp::RunError;
using ptp::engine::read_weights;
using ptp::engine::SavedWeights;

namespace {

constexpr const char* kFiles[] = {
    "tensors.pth", "tensors_legacy.pth", "tensors_protocol4.pth", "tensors_legacy_protocol4.pth",
    "net.pth",     "net_legacy.pth",     "checkpoint.pth",        "script.pt"};

// A changed, cut, repeated or exchanged piece; most changes are small and near each other.
std::string mutated(std::string bytes, std::mt19937& random) {
    const auto below = [&](std::size_t limit) {
        return random() % std::max<std::size_t>(limit, 1);
    };
    const int count = 1 + static_cast<int>(below(4));
    for (int i = 0; i < count && !bytes.empty(); ++i) {
        const std::size_t at = below(bytes.size());
        const std::size_t length = std::min(below(24), bytes.size() - at);
        switch (below(6)) {
            case 0:
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
                break;
            case 1:
                bytes[at] = static_cast<char>(below(256));
                break;
            case 2:  // a number that lies
                std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), length,
                            below(2) == 0 ? '\xff' : '\x7f');
                break;
            case 3:
                bytes.erase(at, length);
                break;
            case 4:
                bytes.insert(below(bytes.size()), bytes.substr(at, length));
                break;
            default:
                bytes.resize(below(8) == 0 ? at : bytes.size());
        }
    }
    return bytes;
}

long peak_kilobytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

// What a file makes of memory is not more than it has bytes.
void check_size(const SavedWeights& saved, std::size_t file_size) {
    for (const auto& named : saved.tensors) {
        CHECK(named.second.storage().nbytes() <= file_size);
    }
}

}  // namespace

TEST_CASE("read weights: no damage to a file of PyTorch does harm") {
    const ptp::test::TempFolder folder;
    std::mt19937 random(20260101);
    const long before = peak_kilobytes();
    int refused = 0;
    for (const char* name : kFiles) {
        CAPTURE(name);
        const std::string good = ptp::test::pth_bytes(name);
        for (int i = 0; i < 800; ++i) {
            CAPTURE(i);
            const std::string bad = mutated(good, random);
            const auto file = folder.write("bad.pth", bad);
            try {
                check_size(read_weights(file), bad.size());
            } catch (const RunError& error) {
                ++refused;
                CHECK(error.code() == ptp::kDataError);
            }
        }
    }
    CHECK(refused > 1000);
    // The address sanitizer keeps 256 MB of what is freed.
    CHECK(peak_kilobytes() - before < 600'000);
}

TEST_CASE("read weights: a file that ends anywhere is refused") {
    const ptp::test::TempFolder folder;
    for (const char* name : {"net.pth", "net_legacy.pth"}) {
        const std::string good = ptp::test::pth_bytes(name);
        for (std::size_t size = 0; size < good.size(); ++size) {
            CAPTURE(size);
            CHECK_THROWS_AS(read_weights(folder.write("cut.pth", good.substr(0, size))), RunError);
        }
    }
}

}  // namespace mutation_test
