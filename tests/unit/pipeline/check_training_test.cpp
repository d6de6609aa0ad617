#include "support.hpp"

#include <ptp/abi.h>
#include <ptp/ext/state.h>
#include <ptp/ext/statistics.h>

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

namespace check_training_test {

using namespace ptp;
using plugin::Kind;
using test::assemble_text;
using test::Make;

namespace {

using Abilities = std::optional<std::vector<std::string>>;

const std::vector<std::string> kCounts = {PTP_EXTENSION_STATISTICS};
const std::vector<std::string> kCountsAndSaves = {PTP_EXTENSION_STATISTICS, PTP_EXTENSION_STATE};

// A statistic that counts over a set, where its setting `counts` says so.
plugin::Catalog catalog(const Abilities& abilities) {
    plugin::Catalog made = test::usual_catalog();
    plugin::Component tally = Make(Kind::kStatistic, "Tally")
                                  .flag("counts", true)
                                  .in("targets", "B", plugin::Element::kInteger)
                                  .statistic("tally")
                                  .when("counts");
    tally.statistics.front().aggregation = plugin::Aggregation::kComputed;
    tally.abilities = abilities;
    made.plugins.front().manifest.components.push_back(tally);
    return made;
}

std::string problems(const Abilities& abilities, const std::string& settings = "",
                     const std::vector<std::string>& processed = {}) {
    const std::string text = test::experiment_text(
        "[pipeline.net]\ntype = \"Net\"\nglobals = { prediction_size = \"num_classes\" }\n"
        "[pipeline.loss]\ntype = \"Loss\"\n[pipeline.tally]\ntype = \"Tally\"\n" +
        settings);
    return assemble_text(text, catalog(abilities), processed).problems;
}

}  // namespace

TEST_CASE("training: a statistic that cannot save what it has counted is refused") {
    CHECK(
        problems(kCounts) ==
        "e.toml:13:1: pipeline.tally: Tally computes the statistic 'tally' over a whole set and "
        "cannot save what it has counted: a training that is interrupted and resumed would produce "
        "another value\n    fix: give it state(), or export_state() and import_state() "
        "(ptp.state/1), and build the plugin 'test_plugin' again");
}

TEST_CASE("training: one that can, does not count, is only processed, or does not say, is not") {
    CHECK(problems(kCountsAndSaves) == "");
    CHECK(problems(kCounts, "counts = false\n") == "");
    CHECK(problems(kCounts, "", {"training"}) == "");
    CHECK(problems(std::nullopt) == "");
}

TEST_CASE(
    "training: a judge of an older plugin, which declares no better values, is known by its words") {
    const auto problems_of = [](const std::string& statistic, const std::string& better) {
        std::string text = test::experiment_text(
            "[pipeline.net]\ntype = \"Net\"\nglobals = { prediction_size = \"num_classes\" }\n"
            "[pipeline.loss]\ntype = \"Loss\"\n[pipeline.tally]\ntype = \"Tally\"\n"
            "statistics = { tally = \"" +
            statistic + "\" }\n");
        text.insert(text.find("[training]\n") + 11,
                    "judge = { statistic = \"" + statistic + "\"" + better + " }\n");
        return assemble_text(text, catalog(kCountsAndSaves)).problems;
    };
    CHECK(problems_of("top_accuracy", ", better = \"larger\"") == "");
    CHECK(
        problems_of("top_accuracy", ", better = \"smaller\"") ==
        "e.toml:2:23: training.judge.better: warning: \"smaller\", but of top_accuracy the larger "
        "value is the better one: the worst weights would count as the best\n"
        "    fix: write better = \"larger\"");
    CHECK(problems_of("tally", ", better = \"smaller\"") == "");
    CHECK(problems_of("tally", "") ==
          "e.toml:2:23: training.judge.better: required, but missing: which values of tally are "
          "better is not known\n"
          "    fix: write better = \"larger\" if the larger ones are, else \"smaller\"");
}

}  // namespace check_training_test
