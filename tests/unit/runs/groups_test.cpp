#include "ptp-runs/groups.hpp"

#include "../run/support.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace groups_test {

using namespace ptp::run;
using namespace ptp::runs;
using ptp::test::TempFolder;

namespace {

const Column kLoss = {"loss"};
const Column kRate = {"training.optimizer.lr", Source::kSettings, "lr"};

// Two learning rates: losses of 1, 2 and 3, and of 0.5 alone.
std::vector<Run> four() {
    const TempFolder folder;
    test::write_run(folder, "a", {.loss = "1.0", .lr = "0.1"});
    test::write_run(folder, "b", {.loss = "0.5", .lr = "0.01"});
    test::write_run(folder, "c", {.loss = "2.0", .lr = "0.1"});
    test::write_run(folder, "d", {.loss = "3.0", .lr = "0.1"});
    return test::runs_in(folder);
}

}  // namespace

// 2, 4, 4, 4, 5, 5, 7, 9: the mean is 5, the squares of the differences add up to 32.
TEST_CASE("groups: mean, and the deviation of a sample") {
    const Summary summary = summary_of(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9});
    CHECK(summary.count == 8);
    CHECK(*summary.mean == doctest::Approx(5));
    CHECK(*summary.deviation == doctest::Approx(std::sqrt(32.0 / 7)));
    CHECK_FALSE(summary_of(std::vector<double>{3}).deviation);
    CHECK_FALSE(summary_of(std::vector<double>{}).mean);
}

TEST_CASE("groups: two digits of the deviation count, and of the mean as many places") {
    struct Case {
        Summary summary;
        std::string text;
    };
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    const Case cases[] = {
        {{3, 0.851234, 0.0123456}, "0.851 ± 0.012"},
        {{3, 0.851234, 0.000123456}, "0.85123 ± 0.00012"},
        {{3, 1234.56, 12.3}, "1235 ± 12"},
        {{3, 1234.56, 1.23}, "1234.6 ± 1.2"},
        {{3, 1234.56, 123.4}, "1235 ± 123"},
        {{2, 0.5, 0.0}, "0.5 ± 0"},
        {{1, 0.5, {}}, "0.5"},
        {{0, {}, {}}, ""},
        {{2, kNan, kNan}, "nan"},
        {{2, 0.5, 1e-14}, "0.5 ± 1e-14"},
    };
    for (const Case& c : cases) {
        CHECK(text_of(c.summary) == c.text);
    }
}

TEST_CASE("groups: runs with the same values are a line, with their number") {
    const Groups groups = groups_of(four(), {kRate});
    CHECK(text_of(table_of(groups, {kRate}, {kLoss}), {}) ==
          "lr    n       loss\n"
          "0.1   3  2.0 ± 1.0\n"
          "0.01  1        0.5\n");
}

TEST_CASE("groups: a number that some runs lack says how many have it") {
    const TempFolder folder;
    test::write_run(folder, "a", {.loss = "1.0"});
    test::write_run(folder, "b", {.loss = "1.0"});
    folder.write("c/status.json", R"({"state": "running"})");
    folder.write("c/experiment.toml", "name = \"tiny\"\n");
    const Groups groups = groups_of(test::runs_in(folder), {{"experiment"}});
    CHECK(text_of(table_of(groups, {{"experiment"}}, {kLoss, {"state"}}), {}) ==
          "experiment  n       loss  state\n"
          "tiny        3  1 ± 0 (2)  (2 values)\n");
}

TEST_CASE("groups: sorted by the mean both ways, or by what all runs of a group have") {
    Groups groups = groups_of(four(), {kRate});
    const auto rates = [&] {
        return cell_text(groups[0].front(), kRate) + " " + cell_text(groups[1].front(), kRate);
    };
    sort_groups(groups, kLoss, false);
    CHECK(rates() == "0.01 0.1");
    sort_groups(groups, kLoss, true);
    CHECK(rates() == "0.1 0.01");
    sort_groups(groups, kRate, false);
    CHECK(rates() == "0.01 0.1");
    sort_groups(groups, kRate, true);
    CHECK(rates() == "0.1 0.01");
}

TEST_CASE("groups: programs get all digits, mean and deviation apart") {
    const Groups groups = groups_of(four(), {kRate});
    CHECK(csv_of(full_table_of(groups, {kRate}, {kLoss})) ==
          "lr,n,loss,loss deviation\r\n0.1,3,2,1\r\n0.01,1,0.5,\r\n");
    const ptp::Json json = listing_of(groups, {kRate}, {kLoss});
    REQUIRE(json.size() == 2);
    CHECK(json[0]["group"] == ptp::Json({{"lr", "0.1"}}));
    CHECK(json[0]["n"] == 3);
    CHECK(json[0]["runs"].size() == 3);
    CHECK(json[0]["statistics"]["loss"] ==
          ptp::Json({{"mean", 2.0}, {"deviation", 1.0}, {"n", 3}}));
    CHECK(json[1]["statistics"]["loss"]["deviation"].is_null());
}

TEST_CASE("groups: seeds and folds are what the same training is repeated with") {
    CHECK(is_seed_or_fold({"seed"}));
    CHECK(is_seed_or_fold({"training.sampler.fold"}));
    CHECK(is_seed_or_fold({"validation.sampler.fold_seed"}));
    CHECK_FALSE(is_seed_or_fold({"training.sampler.folds"}));
    CHECK_FALSE(is_seed_or_fold({"training.optimizer.lr"}));
}

}  // namespace groups_test
