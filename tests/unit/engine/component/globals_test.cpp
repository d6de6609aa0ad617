#include "engine/component/globals.hpp"

#include <doctest/doctest.h>

namespace globals_test {

using ptp::engine::Globals;

TEST_CASE("globals: an equal value may be published again, another one is a conflict") {
    Globals globals;
    CHECK_FALSE(globals.publish("num_classes", 10, "'a' (MNIST)"));
    CHECK_FALSE(globals.publish("num_classes", 10, "'b' (MNIST)"));
    CHECK(globals.publish("num_classes", 20, "'b' (MNIST)") ==
          "the global 'num_classes' is 10 already, published by 'a' (MNIST); 'b' (MNIST) publishes "
          "20");
    REQUIRE(globals.find("num_classes") != nullptr);
    CHECK(globals.find("num_classes")->integer == 10);
    CHECK(globals.find("other") == nullptr);
}

}  // namespace globals_test
