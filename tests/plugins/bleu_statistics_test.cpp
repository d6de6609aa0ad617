// The numbers are in tests/cases/bleu_statistics.toml.

#include "support.hpp"

#include <cmath>

namespace bleu_statistics_test {

namespace {

using Words = std::vector<std::vector<std::string>>;

test::Component with_weights(const std::string& weights) {
    return test::build("text_statistics", "BLEUStatistics",
                       "use_tokens = true\nsmooth_method = \"none\"\nweights = " + weights);
}

// Of "a b c e" for "a b c d": 3 of 4 words, 2 of 3 pairs, 1 of 2 triples, none of 1 quadruple.
void add_sentence(test::Component& statistic) {
    statistic.run(
        {{"targets", Words{{"a", "b", "c", "d"}}}, {"predictions", Words{{"a", "b", "c", "e"}}}});
}

}  // namespace

TEST_CASE("BLEUStatistics: counts of more orders than there are weights are scored by the first") {
    test::Component before = with_weights("[1, 1, 1, 1]");
    add_sentence(before);
    CHECK(before.aggregate().at("bleu") == 0);
    test::Component after = with_weights("[1, 1]");
    after.import_state(1, before.export_state());
    CHECK(after.aggregate().at("bleu") == doctest::Approx(std::sqrt(0.75 * 2 / 3)).epsilon(1e-12));
    add_sentence(after);  // twice the same counts
    CHECK(after.aggregate().at("bleu") == doctest::Approx(std::sqrt(0.75 * 2 / 3)).epsilon(1e-12));
}

TEST_CASE("BLEUStatistics: counts of fewer orders than there are weights are scored as they are") {
    test::Component before = with_weights("[1]");
    add_sentence(before);
    test::Component after = with_weights("[1, 1]");
    after.import_state(1, before.export_state());
    CHECK(after.aggregate().at("bleu") == doctest::Approx(0.75).epsilon(1e-12));
    add_sentence(after);  // 6 of 8 words, 2 of 3 pairs
    CHECK(after.aggregate().at("bleu") == doctest::Approx(std::sqrt(0.75 * 2 / 3)).epsilon(1e-12));
}

}  // namespace bleu_statistics_test
