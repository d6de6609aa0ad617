#include "run/read_run.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

#include <filesystem>

namespace find_runs_test {

using namespace ptp::run;
using ptp::run::test::machine;
using ptp::test::TempFolder;

TEST_CASE("find runs: all folders with a run's files, by their names, at any level") {
    const TempFolder folder;
    test::write_run(folder, "net/2");
    test::write_run(folder, "net/1");
    test::write_run(folder, "sweep/x/3");
    folder.write("net/1/checkpoints/last/experiment.toml", "");
    folder.write("notes/readme.txt", "");
    const auto runs = find_runs(folder.path(), machine());
    REQUIRE(runs.size() == 3);
    CHECK(runs[0].folder == folder.path() / "net/1");
    CHECK(runs[1].folder == folder.path() / "net/2");
    CHECK(runs[2].folder == folder.path() / "sweep/x/3");
}

TEST_CASE("find runs: a run itself, and half a run") {
    const TempFolder folder;
    test::write_run(folder, "a");
    CHECK(find_runs(folder.path() / "a", machine()).size() == 1);
    folder.write("b/experiment.toml", "name = \"b\"\n");
    CHECK(find_runs(folder.path() / "b", machine()).empty());  // a person's experiment
    folder.write("b/run.json", "{}");
    const auto half = find_runs(folder.path() / "b", machine());
    REQUIRE(half.size() == 1);
    CHECK(half[0].state == "unreadable");
    CHECK(half[0].problem == "status.json is missing");
    CHECK(half[0].experiment == "b");
}

TEST_CASE("find runs: links in a circle end") {
    const TempFolder folder;
    test::write_run(folder, "a/b");
    std::filesystem::create_directory_symlink(folder.path(), folder.path() / "a/up");
    CHECK(find_runs(folder.path(), machine()).size() == 1);
}

TEST_CASE("find runs: a missing folder is a run with a problem") {
    const TempFolder folder;
    const auto runs = find_runs(folder.path() / "none", machine());
    REQUIRE(runs.size() == 1);
    CHECK(runs[0].state == "unreadable");
    CHECK(runs[0].problem == "cannot be searched: No such file or directory");
}

TEST_CASE("find runs: the folder that runs share") {
    Run one;
    Run other;
    one.folder = "runs/net/1";
    other.folder = "runs/other/1";
    CHECK(common_folder({one}) == "runs/net");
    CHECK(common_folder({one, other}) == "runs");
    CHECK(common_folder({}) == "");
}

}  // namespace find_runs_test
