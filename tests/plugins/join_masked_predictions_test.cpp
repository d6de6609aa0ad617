#include "support.hpp"

#include <cmath>

namespace join_masked_predictions_test {

namespace {

const std::string kLists =
    "input_prediction_streams = [\"shapes\", \"counts\"]\n"
    "input_mask_streams = [\"is_shape\", \"is_count\"]\n"
    "input_word_mappings = [\"shape_words\", \"count_words\"]\n";

ptp::Data answers() {
    return ptp::Data::Table{{"one", 0}, {"two", 1}, {"circle", 2}, {"square", 3}};
}

test::Wiring wiring(const ptp::Data& output = answers()) {
    return {.globals = {{"shape_words", ptp::Data::Table{{"square", 0}, {"circle", 1}}},
                        {"count_words", ptp::Data::Table{{"one", 0}, {"two", 1}}},
                        {"output_word_mappings", output}}};
}

test::Component make(const std::string& settings = "", test::Wiring wired = wiring()) {
    return test::build("masking", "JoinMaskedPredictions", kLists + settings, std::move(wired));
}

// Three samples: circle or two, square or one, circle or one.
test::Slots inputs(const std::vector<int64_t>& is_shape, const std::vector<int64_t>& is_count) {
    test::Slots result;
    result["shapes"] = test::floats({-1, 3, 2, 1, 0, 5}, {3, 2});
    result["counts"] = test::floats({0, 1, 9, 1, 4, 4}, {3, 2});
    result["is_shape"] = test::bools(is_shape);
    result["is_count"] = test::bools(is_count);
    return result;
}

void check(test::Component& join, test::Slots given, const std::vector<int64_t>& numbers,
           const std::vector<std::string>& words) {
    const test::Slots made = join.run(std::move(given));
    CHECK(torch::equal(made.at("output_indices").tensor(), test::integers(numbers)));
    CHECK(made.at("output_strings").strings() == words);
}

}  // namespace

TEST_CASE("JoinMaskedPredictions: each sample has the answer of the mask that covers it") {
    auto join = make();
    check(join, inputs({1, 1, 0}, {0, 0, 1}), {2, 3, 0}, {"circle", "square", "one"});
    check(join, inputs({0, 0, 1}, {1, 1, 0}), {1, 0, 2}, {"two", "one", "circle"});
}

TEST_CASE("JoinMaskedPredictions: a sample that no mask covers is named, or unknown if asked") {
    auto join = make();
    CHECK_THROWS_WITH_AS(join.run(inputs({1, 0, 0}, {0, 0, 1})),
                         "sample 1 of the batch is covered by no mask; on_uncovered = \"unknown\" "
                         "would answer \"<UNK>\"",
                         ptp::DataError);
    auto asked = make("on_uncovered = \"unknown\"");
    check(asked, inputs({1, 0, 0}, {0, 0, 1}), {2, -100, 0}, {"circle", "<UNK>", "one"});
    ptp::Data::Table with_unknown = answers().as_table();
    with_unknown.push_back({"<UNK>", 4});
    auto numbered = make("on_uncovered = \"unknown\"", wiring(with_unknown));
    check(numbered, inputs({1, 0, 0}, {0, 0, 1}), {2, 4, 0}, {"circle", "<UNK>", "one"});
}

TEST_CASE("JoinMaskedPredictions: a nan among the scores is the answer to nothing") {
    ptp::Data::Table with_unknown = answers().as_table();
    with_unknown.push_back({"<UNK>", 4});
    auto join = make("", wiring(with_unknown));
    test::Slots given = inputs({1, 1, 0}, {0, 0, 1});
    given["shapes"] = test::floats({-1, 3, std::nanf(""), 1, 0, 5}, {3, 2});
    check(join, std::move(given), {2, -100, 0}, {"circle", "<UNK>", "one"});
}

TEST_CASE("JoinMaskedPredictions: two masks over a sample are named, or the first answers") {
    test::Wiring wired = wiring();
    wired.optional_inputs = {"indices"};
    auto join = make("", wired);
    test::Slots given = inputs({1, 1, 0}, {0, 1, 1});
    given["indices"] = test::integers({70, 71, 72});
    CHECK_THROWS_WITH_AS(join.run(std::move(given)),
                         "sample 1 of the batch (index 71) is covered by two masks, 'is_shape' and "
                         "'is_count'; on_overlap = \"first\" would take the first",
                         ptp::DataError);
    auto asked = make("on_overlap = \"first\"");
    check(asked, inputs({1, 1, 0}, {0, 1, 1}), {2, 3, 0}, {"circle", "square", "one"});
}

TEST_CASE("JoinMaskedPredictions: a word that the answers lack is reported at once, or unknown") {
    const ptp::Data fewer = ptp::Data::Table{{"one", 0}, {"two", 1}, {"square", 3}};
    CHECK_THROWS_WITH_AS(make("", wiring(fewer)),
                         "'circle', a word of the global 'shape_words', is not in the global "
                         "'output_word_mappings'; add it there, or write on_missing_word = "
                         "\"unknown\"",
                         ptp::ConfigError);
    auto asked = make("on_missing_word = \"unknown\"", wiring(fewer));
    check(asked, inputs({1, 1, 0}, {0, 0, 1}), {-100, 3, 0}, {"<UNK>", "square", "one"});
}

TEST_CASE("JoinMaskedPredictions: lists and scores that do not fit are refused") {
    const auto build = [](const std::string& settings) {
        return test::build("masking", "JoinMaskedPredictions", settings, wiring());
    };
    CHECK_THROWS_WITH_AS(build("input_prediction_streams = [\"shapes\", \"counts\"]\n"
                               "input_mask_streams = [\"is_shape\"]\n"
                               "input_word_mappings = [\"shape_words\", \"count_words\"]"),
                         "input_mask_streams: 1 given, must be 2, one for each of "
                         "input_prediction_streams",
                         ptp::ConfigError);
    CHECK_THROWS_WITH_AS(build("input_prediction_streams = [\"shapes\"]\n"
                               "input_mask_streams = [\"is_shape\"]\n"
                               "input_word_mappings = [\"shape_words\", \"count_words\"]"),
                         "input_word_mappings: 2 given, must be 1, one for each of "
                         "input_prediction_streams",
                         ptp::ConfigError);
    auto join = make();
    test::Slots wide = inputs({1, 1, 1}, {0, 0, 0});
    wide["counts"] = torch::zeros({3, 3});
    CHECK_THROWS_WITH_AS(join.run(std::move(wide)),
                         "the stream 'counts' has 3 scores for each sample, but the global "
                         "'count_words' has 2 words, with numbers up to 1",
                         ptp::ConfigError);
    CHECK_THROWS_WITH_AS(join.run(inputs({1, 1}, {0, 0, 0})),
                         "is_shape has the sizes [2], must have [3], one for each sample",
                         ptp::DataError);
}

}  // namespace join_masked_predictions_test
