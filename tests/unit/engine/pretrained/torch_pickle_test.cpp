#include "engine/pretrained/torch_pickle.hpp"

#include "unit/engine/pretrained/torch_bytes.hpp"

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

TEST_CASE("torch pickle: a damaged description of tensors is refused, with what is wrong") {
    using namespace ptp::test;
    const std::string storage = pickled_storage("0", 3);
    std::string nested = pickled_dict({});
    for (int i = 0; i < 32; ++i) {
        nested = pickled_dict({pickled("a"), nested});
    }
    struct Case {
        std::string value;
        const char* problem;
    };
    const char* const shape = "is damaged: a tensor has an impossible shape";
    const Case cases[] = {
        {pickled_dict({"N", pickled_tensor(storage, 3)}),
         "has a dictionary whose keys are not names"},
        {nested, "has dictionaries in dictionaries without end"},
        {pickled_dict({pickled("w"), pickled_tensor(storage, -1)}), shape},
        {pickled_dict({pickled("w"), pickled_tensor(storage, 4)}), shape},
        {pickled_dict({pickled("w"), pickled_tensor(storage, 3, 2)}), shape},
        {pickled_dict({pickled("w"), pickled_tensor(pickled(1), 3)}),
         "is damaged: a tensor is described in a way that is not known"},
        {pickled_dict({pickled("w"), pickled_tensor(pickled_tuple({pickled("storage")}) + "Q", 3)}),
         "is damaged: the memory of a tensor is described in a way that is not known"},
        {pickled_dict({pickled("w"), pickled_tensor(pickled_storage("0", 3, "torch.Size"), 3)}),
         "is damaged: the memory of a tensor has no type"},
        {pickled_dict({pickled("w"),
                       pickled_tensor(
                           pickled_tuple({pickled("storage"), pickled_global("torch.FloatStorage"),
                                          pickled("0"), pickled("cpu"), pickled(3), pickled(0)}) +
                               "Q",
                           3)}),
         "has memory within other memory, as PyTorch before 0.4 wrote it: load and save it with a "
         "newer one"},
    };
    for (const Case& c : cases) {
        CHECK(problem(whole_pickle(c.value)) == c.problem);
    }
}

}  // namespace torch_pickle_test
