#include "plugin/json_depth.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace json_depth_test {

using ptp::plugin::json_depth;

TEST_CASE("json depth: lists and objects in each other count, what stands in strings does not") {
    struct Case {
        std::string_view text;
        std::size_t depth;
    };
    const Case cases[] = {
        {"", 0},
        {"7", 0},
        {"[]", 1},
        {"{\"a\": [1, {\"b\": 2}], \"c\": []}", 3},
        {"[[], [], []]", 2},
        {R"(["[[["])", 1},
        {R"(["\"[[", [0]])", 2},
        {R"(["\\", [0]])", 2},
        {R"(["\\\"[", 0])", 1},
        {"]]]]", 0},
        {"]][[", 2},
    };
    for (const Case& c : cases) {
        CAPTURE(c.text);
        CHECK(json_depth(c.text) == c.depth);
    }
    CHECK(json_depth(std::string(100'000, '[')) == 100'000);
}

}  // namespace json_depth_test
