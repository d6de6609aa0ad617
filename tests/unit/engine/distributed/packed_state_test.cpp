#include "engine/distributed/packed_state.hpp"

#include "base/error.hpp"

#include <ATen/ATen.h>
#include <doctest/doctest.h>

#include <string>

namespace packed_state_test {

using ptp::Value;
using namespace ptp::engine;

TEST_CASE("packed state: what is sent comes back with its bits, tensors of no size too") {
    SavedState state;
    state.record.set("a b", Value::table({{"real", 0.1}, {"text", std::string("two\nlines")}}));
    state.tensors.emplace_back("generator/0", at::arange(5056).to(at::kByte));
    state.tensors.emplace_back("empty", at::empty({0, 3}));
    state.tensors.emplace_back("number", at::scalar_tensor(-0.0, at::kDouble));
    const SavedState read = unpacked_state(packed_state(state));
    CHECK(read.record == state.record);
    REQUIRE(read.tensors.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(read.tensors[i].first == state.tensors[i].first);
        CHECK(read.tensors[i].second.sizes() == state.tensors[i].second.sizes());
        CHECK(read.tensors[i].second.equal(state.tensors[i].second));
    }
}

TEST_CASE("packed state: what is cut off is refused") {
    SavedState state;
    state.tensors.emplace_back("numbers", at::zeros({4}));
    const std::string packed = packed_state(state);
    for (const std::string& bad :
         {std::string("nothing"), std::string(), packed.substr(0, packed.size() - 1)}) {
        CHECK_THROWS_WITH_AS(static_cast<void>(unpacked_state(bad)),
                             "another process has sent a state that cannot be read", ptp::RunError);
    }
}

}  // namespace packed_state_test
