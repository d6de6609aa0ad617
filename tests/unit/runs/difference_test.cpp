#include "ptp-runs/difference.hpp"

#include "../run/support.hpp"
#include "run/read_run.hpp"

#include <doctest/doctest.h>

#include <string>

namespace difference_test {

using namespace ptp::run;
using namespace ptp::runs;
using ptp::test::TempFolder;

namespace {

constexpr const char* kRecord = R"({
    "plugins": [{"name": "losses", "version": "0.1.0", "sha256": "aa"}],
    "machine": {"libtorch": "1.13.1", "threads": 1}, "git": {"commit": "c0ffee", "clean": true}})";

// What is said of the runs `a` and `b` of a folder.
std::string said(const TempFolder& folder) {
    const auto read = [&](const char* name) {
        return read_run(folder.path() / name, test::machine());
    };
    const RunDifference difference = difference_of(read("a"), read("b"));
    std::string text;
    for (const std::string& problem : difference.problems) {
        text += problem.substr(folder.path().string().size() + 1) + "\n";
    }
    return text + text_of(difference, {"a", "b"});
}

}  // namespace

TEST_CASE("difference: equal runs are the same under any name") {
    const TempFolder folder;
    test::write_run(folder, "a");
    test::write_run(folder, "b", {.name = "other"});
    folder.write("a/run.json", kRecord);
    folder.write("b/run.json", kRecord);
    CHECK(said(folder) ==
          "settings: same\n"
          "plugins: same\n"
          "machine: same\n"
          "results: same\n"
          "                   a     b\n"
          "    state          done  done\n"
          "    episodes       40    40\n"
          "    best loss      0.5   0.5\n"
          "    best epoch     3     3\n"
          "    best accuracy  0.9   0.9\n"
          "    last loss      0.75  0.75\n"
          "    last epoch     4     4\n"
          "    last accuracy  0.8   0.8\n"
          "the runs are the same\n");
}

TEST_CASE("difference: settings, plugins, machine and results that differ are marked") {
    const TempFolder folder;
    test::write_run(folder, "a", {.loss = "0.5", .lr = "0.1"});
    test::write_run(folder, "b",
                    {.loss = "0.5000000000000001", .lr = "0.2", .more = "device = \"cpu\""});
    folder.write("a/run.json", kRecord);
    folder.write("b/run.json",
                 R"({"plugins": [{"name": "losses", "version": "0.1.0", "sha256": "bb"},
                                 {"name": "models", "version": "2", "sha256": "cc"}],
                     "machine": {"libtorch": "1.13.1", "threads": 2}, "git": null})");
    CHECK(said(folder) ==
          "settings: 2 of 6 differ\n"
          "                           a    b\n"
          "  * training.optimizer.lr  0.1  0.2\n"
          "  * training.device        -    \"cpu\"\n"
          "plugins: 2 of 2 differ\n"
          "            a         b\n"
          "  * losses  0.1.0 aa  0.1.0 bb\n"
          "  * models  -         2 cc\n"
          "machine: 3 of 4 differ\n"
          "                a       b\n"
          "  * threads     1       2\n"
          "  * git commit  c0ffee  -\n"
          "  * git clean   true    -\n"
          "results: 1 of 8 differs\n"
          "                   a     b\n"
          "    state          done  done\n"
          "    episodes       40    40\n"
          "  * best loss      0.5   0.5000000000000001\n"
          "    best epoch     3     3\n"
          "    best accuracy  0.9   0.9\n"
          "    last loss      0.75  0.75\n"
          "    last epoch     4     4\n"
          "    last accuracy  0.8   0.8\n"
          "the runs differ\n");
}

TEST_CASE("difference: what cannot be read cannot be the same") {
    const TempFolder folder;
    test::write_run(folder, "a");
    test::write_run(folder, "b");
    folder.write("b/run.json", "[3");
    const std::string text = said(folder);
    CHECK(
        text.starts_with("a: run.json is missing\nb: run.json is broken\nsettings: same\n"
                         "plugins: not recorded\nmachine: not recorded\n"));
    CHECK(text.ends_with("the runs differ\n"));
}

TEST_CASE("difference: a hostile record is no trap") {
    const TempFolder folder;
    test::write_run(folder, "a");
    test::write_run(folder, "b");
    folder.write("a/run.json", R"({"plugins": [3, null, {"name": 4}], "machine": [1], "git": 0})");
    folder.write("b/run.json", R"({"plugins": {}, "machine": {"x\u001b": {"y": "\n"}}})");
    CHECK(said(folder).find("  * x   -  {\"y\":\"\\n\"}\n") != std::string::npos);
}

}  // namespace difference_test
