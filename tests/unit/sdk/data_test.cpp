#include <ptp/data.hpp>

#include <doctest/doctest.h>

#include <limits>

namespace data_test {

using ptp::Data;

TEST_CASE("data: is written as TOML that reads back as the same value") {
    struct Case {
        Data data;
        const char* toml;
    };
    const Case cases[] = {
        {true, "true"},
        {-7, "-7"},
        {0.1, "0.1"},
        {2.0, "2.0"},
        {1e-10, "1e-10"},
        {std::numeric_limits<double>::infinity(), "inf"},
        {"a \"b\" \\ \n", R"("a \"b\" \\ \u000a")"},
        {std::vector<int64_t>{1, 2}, "[1, 2]"},
        {Data::List{}, "[]"},
        {Data::Table{}, "{}"},
        {Data::Table{{"x", 1}, {"Ankle boot", Data::List{"y", false}}},
         "{ x = 1, \"Ankle boot\" = [\"y\", false] }"},
        {Data(), ""},
    };
    for (const Case& c : cases) {
        CAPTURE(c.toml);
        CHECK(c.data.toml() == c.toml);
    }
}

TEST_CASE("data: crosses the boundary unchanged") {
    const Data data = Data::Table{{"a", 1},
                                  {"b", 2.5},
                                  {"c", Data::List{"x", true, Data::Table{{"d", Data::List{}}}}},
                                  {"e", Data()}};
    const ptp::detail::DataTree tree(data);
    CHECK(Data(*tree.root()) == data);
    CHECK(tree.root()->item_count == 4);
    CHECK(std::string(tree.root()->items[1].key) == "b");
}

TEST_CASE("data: reading it as another type says what it is") {
    struct Case {
        Data data;
        const char* message;
    };
    const Case cases[] = {{"x", "expected an integer, found text"},
                          {1.5, "expected an integer, found a real number"},
                          {Data::List{}, "expected an integer, found a list"},
                          {Data(), "expected an integer, found nothing"}};
    for (const Case& c : cases) {
        CHECK_THROWS_WITH_AS(c.data.as_integer(), c.message, ptp::ConfigError);
    }
    CHECK(Data(3).as_real() == 3.0);
}

TEST_CASE("data: members of a table are found by key") {
    const Data table = Data::Table{{"a", 1}};
    REQUIRE(table.find("a") != nullptr);
    CHECK(table.find("a")->as_integer() == 1);
    CHECK(table.find("b") == nullptr);
}

}  // namespace data_test
