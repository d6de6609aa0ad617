#include "schema/key_path.hpp"

#include <doctest/doctest.h>

namespace key_path_test {

using ptp::Value;
using ptp::schema::flat;

TEST_CASE("key path: the leaves of a tree in their order") {
    const Value tree = Value::table(
        {{"b", 1}, {"a", Value::table({{"x y", Value::list({1, 2})}, {"e", Value()}})}});
    const auto leaves = flat(tree);
    REQUIRE(leaves.size() == 3);
    CHECK(leaves[0].first == "b");
    CHECK(leaves[1].first == "a.\"x y\"");
    CHECK(leaves[2].first == "a.e");
    CHECK(flat(Value()).empty());
}

}  // namespace key_path_test
