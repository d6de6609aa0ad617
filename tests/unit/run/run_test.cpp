#include "run/run.hpp"

#include <doctest/doctest.h>

namespace run_test {

using namespace ptp::run;
using ptp::Value;

TEST_CASE("run: a number has six digits") {
    CHECK(number_text(0.123456789) == "0.123457");
    CHECK(number_text(40.0) == "40");
    CHECK(number_text({}) == "nan");
}

TEST_CASE("run: a hostile text stays on its line") {
    CHECK(plain("a\nb\x1b[31m\x7f") == "a b [31m ");
}

TEST_CASE("run: leaves of an experiment in their order") {
    const Value tree = Value::table(
        {{"b", 1}, {"a", Value::table({{"x y", Value::list({1, 2})}, {"e", Value()}})}});
    const auto leaves = flat(tree);
    REQUIRE(leaves.size() == 3);
    CHECK(leaves[0].first == "b");
    CHECK(leaves[1].first == "a.\"x y\"");
    CHECK(leaves[2].first == "a.e");
    CHECK(flat(Value()).empty());
}

}  // namespace run_test
