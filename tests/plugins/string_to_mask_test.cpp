#include "support.hpp"

namespace string_to_mask_test {

namespace {

test::Component make(const ptp::Data& mappings) {
    return test::build("masking", "StringToMask", "", {.globals = {{"word_mappings", mappings}}});
}

at::Tensor masks_of(const std::vector<std::string>& strings) {
    auto mask = make(ptp::Data::Table{{"yes", 0}, {"no", 1}, {"", 2}});
    test::Slots inputs;
    inputs["strings"] = strings;
    return mask.run(std::move(inputs)).at("masks").tensor();
}

}  // namespace

TEST_CASE("StringToMask: is true where the string, as it is, is a word of the vocabulary") {
    CHECK(torch::equal(masks_of({"yes", "No", "no", "yes ", "", "maybe"}),
                       test::bools({1, 0, 1, 0, 1, 0})));
    CHECK(masks_of({}).sizes() == at::IntArrayRef({0}));
    CHECK((masks_of({"yes"}).scalar_type() == torch::kBool));
}

TEST_CASE("StringToMask: a global that is not a vocabulary is refused with what is wrong") {
    const std::pair<ptp::Data, const char*> cases[] = {
        {3, "the global 'word_mappings': must be a table from words to numbers, is an integer"},
        {ptp::Data::Table{{"a", "b"}},
         "the global 'word_mappings': 'a' is \"b\", must be a whole number of 0 or more"},
        {ptp::Data::Table{{"a", -1}},
         "the global 'word_mappings': 'a' is -1, must be a whole number of 0 or more"},
        {ptp::Data::Table{{"a", 1}, {"b", 1}},
         "the global 'word_mappings': 'a' and 'b' are both 1"}};
    for (const auto& [mappings, message] : cases) {
        CHECK_THROWS_WITH_AS(make(mappings), message, ptp::ConfigError);
    }
}

}  // namespace string_to_mask_test
