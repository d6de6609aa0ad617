#include "ptp-runs/groups.hpp"

#include "../run/support.hpp"

#include <doctest/doctest.h>

#include <string>

namespace compare_test {

using namespace ptp::run;
using namespace ptp::runs;
using ptp::test::TempFolder;

namespace {

std::string names(const std::vector<Run>& runs) {
    std::string text;
    for (const Run& run : runs) {
        text += run.folder.filename().string();
    }
    return text;
}

}  // namespace

TEST_CASE("compare: the best loss and its epoch, what differs, and nothing else") {
    const TempFolder folder;
    test::write_run(folder, "net/one", {.loss = "0.25", .epoch = 2, .lr = "0.1"});
    test::write_run(folder, "net/two", {.state = "failed", .lr = "0.01"});
    const auto runs = test::runs_in(folder);
    CHECK(text_of(table_of(runs, comparison(runs)), {}) ==
          "run  state   loss  accuracy  epoch  lr    episodes   time\n"
          "one  done    0.25       0.9      2  0.1         40  1m02s\n"
          "two  failed   0.5       0.9      3  0.01        40  1m02s\n");
}

TEST_CASE("compare: broken runs and several experiments are reported") {
    const TempFolder folder;
    test::write_run(folder, "a/1");
    test::write_run(folder, "b/1", {.name = "big"});
    folder.write("b/1/status.json", "{");
    const auto runs = test::runs_in(folder);
    CHECK(text_of(table_of(runs, comparison(runs)), {}) ==
          "run  state       experiment  loss  accuracy  epoch  episodes   time  problem\n"
          "a/1  done        tiny         0.5       0.9      3        40  1m02s\n"
          "b/1  unreadable  big                                       0         "
          "status.json is broken\n");
}

TEST_CASE("compare: runs of an absolute and of a relative path have names") {
    Run absolute;
    absolute.folder = "/runs/a";
    Run relative;
    relative.folder = "b";
    const std::vector<Run> runs = {absolute, relative};
    const Table table = table_of(runs, comparison(runs));
    CHECK(table.front().cells == std::vector<std::string>{"/runs/a", "b"});
}

TEST_CASE("compare: what is asked for comes after the state, once, and stays whole") {
    const TempFolder folder;
    test::write_run(folder, "one", {.lr = "0.1", .trial = "overfit"});
    test::write_run(folder, "two", {.lr = "0.01"});
    const auto runs = test::runs_in(folder);
    const Table table =
        table_of(runs, comparison(runs, {{"training.optimizer.lr", Source::kSettings, "lr", true},
                                         {"accuracy", Source::kBest, "accuracy", true}}));
    CHECK(text_of(table, {}) ==
          "run  state  trial    lr    accuracy  loss  epoch  episodes   time\n"
          "one  done   overfit  0.1        0.9   0.5      3        40  1m02s\n"
          "two  done            0.01       0.9   0.5      3        40  1m02s\n");
    CHECK(text_of(table, 10) ==
          "run  lr    accuracy\n"
          "one  0.1        0.9\n"
          "two  0.01       0.9\n"
          "(too narrow for: state, trial, loss, epoch, episodes, time)\n");
}

TEST_CASE(
    "compare: what two experiments do not share is not a column, what one of them varies is") {
    const TempFolder folder;
    test::write_run(folder, "a", {.lr = "0.1"});
    test::write_run(folder, "b", {.lr = "0.2"});
    test::write_run(folder, "c", {.lr = "0.1", .more = "accumulate = 2", .name = "other"});
    const auto runs = test::runs_in(folder);
    const auto varied = varied_settings(runs);
    REQUIRE(varied.size() == 1);
    CHECK(varied[0] == Column{"training.optimizer.lr", Source::kSettings, "lr"});
    CHECK(differing_settings(runs).size() == 2);
}

TEST_CASE("compare: the fold of training and of validation is one column, unless they differ") {
    const TempFolder folder;
    const auto folds = [](const std::string& training, const std::string& validation) {
        return "sampler.fold = " + training + "\n[validation]\nsampler.fold = " + validation;
    };
    test::write_run(folder, "a", {.lr = "0.1", .more = folds("0", "0")});
    test::write_run(folder, "b", {.lr = "0.1", .more = folds("1", "1")});
    const auto varied = varied_settings(test::runs_in(folder));
    REQUIRE(varied.size() == 1);
    CHECK(varied[0] == Column{"training.sampler.fold", Source::kSettings, "fold"});
    test::write_run(folder, "c", {.lr = "0.1", .more = folds("2", "0")});
    CHECK(varied_settings(test::runs_in(folder)).size() == 2);
}

TEST_CASE("compare: tags and notes are columns if a run has them") {
    const TempFolder folder;
    test::write_run(folder, "a");
    folder.write("a/tags.json", R"({"tags": ["base", "for the talk"], "note": "a\nb"})");
    const auto runs = test::runs_in(folder);
    CHECK(text_of(table_of(runs, comparison(runs)), {}) ==
          "run  state  loss  accuracy  epoch  tags               episodes   time  note\n"
          "a    done    0.5       0.9      3  base,for the talk        40  1m02s  a b\n");
    folder.write("a/tags.json", "[");
    CHECK(test::runs_in(folder)[0].problem == "tags.json is broken");
}

TEST_CASE("compare: sorted both ways, with those that have no number last") {
    const TempFolder folder;
    test::write_run(folder, "a", {.loss = "null"});
    test::write_run(folder, "b", {.loss = "0.5"});
    test::write_run(folder, "c", {.loss = "0.25"});
    folder.write("d/status.json", "{");
    auto runs = test::runs_in(folder);
    const Column loss{"loss"};
    sort_by(runs, loss, false);
    CHECK(names(runs) == "cbad");
    sort_by(runs, loss, true);
    CHECK(names(runs) == "bcad");
    sort_by(runs, {"run"}, true);
    CHECK(names(runs) == "dcba");
}

}  // namespace compare_test
