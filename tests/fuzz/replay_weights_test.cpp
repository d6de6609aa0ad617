// The same for files of weights.

#include "fuzz/replay.hpp"

#include <doctest/doctest.h>

namespace replay_weights_test {

using namespace ptp::fuzz;

TEST_CASE("fuzz: every file of weights in the corpora is read or refused") {
    for (const Target& target : {Target{"pickle", pickle}, Target{"safetensors", safetensors},
                                 Target{"torch_zip", torch_zip}}) {
        replay(target);
    }
}

}  // namespace replay_weights_test
