#include "word_mappings.hpp"

#include <ptp/error.hpp>

#include <doctest/doctest.h>

#include <map>
#include <string>

namespace word_mappings_test {

using ptp::Data;
using ptp::support::WordMappings;

TEST_CASE("word mappings: words and numbers are found by each other") {
    const WordMappings mappings("vocabulary", Data::Table{{"cat", 2}, {"dog", 0}, {"", 5}});
    CHECK(mappings.number_of("cat") == 2);
    CHECK(mappings.number_of("dog") == 0);
    CHECK(mappings.number_of("") == 5);
    CHECK_FALSE(mappings.number_of("Cat").has_value());
    REQUIRE(mappings.word_of(2) != nullptr);
    CHECK(*mappings.word_of(2) == "cat");
    CHECK(mappings.word_of(1) == nullptr);
    CHECK(mappings.word_of(-1) == nullptr);
    CHECK(mappings.size() == 6);
    CHECK(mappings.words() == std::map<int64_t, std::string>{{0, "dog"}, {2, "cat"}, {5, ""}});
}

TEST_CASE("word mappings: an empty vocabulary is one") {
    const WordMappings mappings("vocabulary", Data::Table{});
    CHECK(mappings.size() == 0);
    CHECK(mappings.words().empty());
    CHECK_FALSE(mappings.number_of("cat").has_value());
    CHECK(mappings.word_of(0) == nullptr);
}

TEST_CASE("word mappings: what is not a vocabulary is refused, with the global's name") {
    struct Case {
        Data global;
        const char* message;
    };
    const Case cases[] = {
        {7, "the global 'words': must be a table from words to numbers, is an integer"},
        {Data::List{}, "the global 'words': must be a table from words to numbers, is a list"},
        {Data::Table{{"cat", -1}},
         "the global 'words': 'cat' is -1, must be a whole number of 0 or more"},
        {Data::Table{{"cat", 1.5}},
         "the global 'words': 'cat' is 1.5, must be a whole number of 0 or more"},
        {Data::Table{{"cat", "1"}},
         "the global 'words': 'cat' is \"1\", must be a whole number of 0 or more"},
        {Data::Table{{"cat", 3}, {"dog", 3}}, "the global 'words': 'cat' and 'dog' are both 3"},
    };
    for (const Case& c : cases) {
        CHECK_THROWS_WITH_AS(WordMappings("words", c.global), c.message, ptp::ConfigError);
    }
}

}  // namespace word_mappings_test
