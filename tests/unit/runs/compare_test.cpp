#include "runs/compare.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace ptp::runs;
using ptp::test::TempFolder;

namespace {

std::string names(const std::vector<Run>& runs) {
    std::string text;
    for (const Run& run : runs)
        text += run.folder.filename().string();
    return text;
}

}  // namespace

TEST_CASE("compare: the best loss and its epoch, what differs, and nothing else") {
    const TempFolder folder;
    test::write_run(folder, "net/one", {.loss = "0.25", .epoch = 2, .lr = "0.1"});
    test::write_run(folder, "net/two", {.state = "failed", .lr = "0.01"});
    const auto runs = test::runs_in(folder);
    CHECK(text_of(table_of(runs, comparison(runs)), {}) ==
          "run  state   best loss  at epoch  lr    accuracy  episodes   time\n"
          "one  done         0.25         2  0.1        0.9        40  1m02s\n"
          "two  failed        0.5         3  0.01       0.9        40  1m02s\n");
}

TEST_CASE("compare: broken runs and several experiments are told") {
    const TempFolder folder;
    test::write_run(folder, "a/1");
    test::write_run(folder, "b/1", {.name = "big"});
    folder.write("b/1/status.json", "{");
    const auto runs = test::runs_in(folder);
    CHECK(text_of(table_of(runs, comparison(runs)), {}) ==
          "run  state       experiment  best loss  at epoch  accuracy  episodes   time  problem\n"
          "a/1  done        tiny              0.5         3       0.9        40  1m02s\n"
          "b/1  unreadable  big                                               0         "
          "status.json is broken\n");
}

TEST_CASE("compare: sorted both ways, with those that have no number last") {
    const TempFolder folder;
    test::write_run(folder, "a", {.loss = "null"});
    test::write_run(folder, "b", {.loss = "0.5"});
    test::write_run(folder, "c", {.loss = "0.25"});
    folder.write("d/status.json", "{");
    auto runs = test::runs_in(folder);
    const Column loss{Source::kLoss, "", "loss"};
    sort_by(runs, loss, false);
    CHECK(names(runs) == "cbad");
    sort_by(runs, loss, true);
    CHECK(names(runs) == "bcad");
    sort_by(runs, {Source::kRun, "", ""}, true);
    CHECK(names(runs) == "dcba");
}

TEST_CASE("compare: the folder that runs share") {
    Run one;
    Run other;
    one.folder = "runs/net/1";
    other.folder = "runs/other/1";
    CHECK(common_folder({one}) == "runs/net");
    CHECK(common_folder({one, other}) == "runs");
    CHECK(common_folder({}) == "");
}
