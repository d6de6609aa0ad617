#include "support.hpp"

namespace global_variable_publisher_test {

namespace {

test::Component make(std::string_view settings) {
    return test::build("publishers", "GlobalVariablePublisher", settings);
}

}  // namespace

TEST_CASE("GlobalVariablePublisher: publishes values of any type under the keys") {
    auto publisher =
        make("keys = [\"a\", \"b\", \"c\", \"d\"]\nvalues = [1, 2.5, \"x\", { y = [1, 2] }]");
    CHECK(publisher.published().at("a") == ptp::Data(1));
    CHECK(publisher.published().at("b") == ptp::Data(2.5));
    CHECK(publisher.published().at("c") == ptp::Data("x"));
    CHECK(publisher.published().at("d").toml() == "{ y = [1, 2] }");
    CHECK(publisher.run({}).empty());
}

TEST_CASE("GlobalVariablePublisher: a single key and its value need no lists") {
    CHECK(make("keys = \"a\"\nvalues = 7").published().at("a") == ptp::Data(7));
}

TEST_CASE("GlobalVariablePublisher: as many values as keys are needed") {
    CHECK_THROWS_WITH_AS(make("keys = [\"a\", \"b\"]\nvalues = [1]"),
                         "values = [1]: must be a list of 2, one value for each of keys, not of 1",
                         ptp::ConfigError);
    CHECK_THROWS_WITH_AS(make("keys = [\"a\", \"b\"]\nvalues = 1"),
                         "values = 1: must be a list of 2, one value for each of keys, not of 1",
                         ptp::ConfigError);
}

}  // namespace global_variable_publisher_test
