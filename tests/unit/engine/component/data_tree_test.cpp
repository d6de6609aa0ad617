#include "engine/component/data_tree.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

namespace data_tree_test {

using ptp::Value;
using ptp::engine::DataTree;
using ptp::engine::to_value;

TEST_CASE("data tree: every value comes back as it went") {
    const Value value =
        Value::table({{"flag", true},
                      {"count", -3},
                      {"rate", 0.1},
                      {"text", "a\nb"},
                      {"empty", Value::list({})},
                      {"list", Value::list({1, 2.5, "x", Value::list({false})})},
                      {"table", Value::table({{"deep", Value::table({{"deeper", 1}})}})}});
    const DataTree tree(value);
    CHECK(tree.root().type == PTP_DATA_TABLE);
    CHECK(to_value(tree.root()) == value);
}

TEST_CASE("data tree: without a value it is absent") {
    CHECK(DataTree().root().type == PTP_DATA_ABSENT);
}

TEST_CASE("data tree: what is not a value is refused") {
    ptp_data nested[66] = {};
    for (int i = 0; i < 66; ++i) {
        nested[i].type = PTP_DATA_LIST;
        nested[i].items = i < 65 ? &nested[i + 1] : nullptr;
        nested[i].item_count = i < 65 ? 1 : 0;
    }
    ptp_data members[2] = {};
    members[0].type = members[1].type = PTP_DATA_BOOL;
    members[0].key = members[1].key = "twice";
    ptp_data unnamed{};
    unnamed.type = PTP_DATA_BOOL;

    ptp_data latin{};
    latin.type = PTP_DATA_BOOL;
    latin.key = "caf\xE9";

    struct Case {
        ptp_data data;
        const char* message;
    };
    const Case cases[] = {
        {{99, 0, nullptr, 0, 0, nullptr, nullptr, 0}, "data: unknown type 99"},
        {{PTP_DATA_TEXT, 0, nullptr, 0, 0, nullptr, nullptr, 0}, "data: text is NULL"},
        {{PTP_DATA_LIST, 0, nullptr, 0, 0, nullptr, nullptr, 2}, "data: items is NULL"},
        {{PTP_DATA_TABLE, 0, nullptr, 0, 0, nullptr, members, 2},
         "data: the key 'twice' is there twice"},
        {{PTP_DATA_TABLE, 0, nullptr, 0, 0, nullptr, &unnamed, 1},
         "data: a member of a table has no key"},
        {nested[0], "data: more than 64 levels"},
        {{PTP_DATA_TEXT, 0, nullptr, 0, 0, "caf\xE9", nullptr, 0},
         "data: a text is not UTF-8: \"caf\uFFFD\""},
        {{PTP_DATA_TABLE, 0, nullptr, 0, 0, nullptr, &latin, 1},
         "data: a key is not UTF-8: \"caf\uFFFD\""},
    };
    for (const Case& c : cases) {
        CAPTURE(c.message);
        CHECK_THROWS_WITH_AS(to_value(c.data), c.message, std::invalid_argument);
    }
}

}  // namespace data_tree_test
