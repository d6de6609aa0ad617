#include "schema/key_path.hpp"

#include <doctest/doctest.h>

namespace key_path_test {

using ptp::Value;
using ptp::schema::flat;
namespace schema = ptp::schema;

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

TEST_CASE("key path: a path becomes the text that messages have") {
    const std::string root = "pipeline.net";
    const schema::KeyPath net(root);
    const schema::KeyPath sizes(net, "hidden sizes");
    const schema::KeyPath item(sizes, 2);
    const schema::KeyPath member(item, "lr");
    CHECK(net.text() == "pipeline.net");
    CHECK(sizes.text() == "pipeline.net.\"hidden sizes\"");
    CHECK(member.text() == "pipeline.net.\"hidden sizes\"[2].lr");
    const std::string whole;
    const schema::KeyPath document(whole);
    CHECK(schema::KeyPath(document, "seed").text() == "seed");
}

}  // namespace key_path_test
