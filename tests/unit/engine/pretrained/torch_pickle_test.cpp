#include "engine/pretrained/torch_pickle.hpp"

#include <ATen/core/Tensor.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <string>

namespace torch_pickle_test {

using namespace ptp;
using namespace ptp::engine;

namespace {

// Protocol 2: {"a": {KEY: None}}, KEY with N letters.
std::string with_key(std::uint32_t size) {
    std::string bytes(
        "\x80\x02}U\x01"
        "a}X",
        8);
    for (int shift = 0; shift < 32; shift += 8) {
        bytes += static_cast<char>(size >> shift);
    }
    return bytes + std::string(size, 'k') + "Nss.";
}

std::string problem(const std::string& bytes) {
    const Pickle pickle(bytes, torch_globals());
    try {
        torch_tensors(pickle.root(), [](const TorchStorage&) { return at::Tensor(); });
    } catch (const PickleError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE(
    "torch pickle: a name that is longer than any is refused before it is written down again") {
    CHECK(problem(with_key(998)) == "holds no tensors");
    CHECK(problem(with_key(999)) == "has a name of more than 1000 bytes");
}

}  // namespace torch_pickle_test
