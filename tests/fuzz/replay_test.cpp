// The corpora through their targets: what once crashed a reader stays fixed.

#include "fuzz/replay.hpp"

#include <doctest/doctest.h>

namespace replay_test {

using namespace ptp::fuzz;

TEST_CASE("fuzz: every input of the corpora is read or refused") {
    for (const Target& target :
         {Target{"bundle", bundle}, Target{"control", control}, Target{"expressions", expressions},
          Target{"idx", idx}, Target{"images", images}, Target{"journal", journal},
          Target{"manifest", manifest}, Target{"package", package},
          Target{"plugin_file", plugin_file}, Target{"shards", shards}, Target{"toml", toml}}) {
        replay(target);
    }
}

}  // namespace replay_test
