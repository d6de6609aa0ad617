#include "run/run_folder.hpp"

#include "base/error.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>

namespace run_folder_test {

using ptp::run::make_folder;
using ptp::test::TempFolder;

constexpr std::chrono::system_clock::time_point kAnyTime{};

TEST_CASE("run folder: one with the logs of processes alone is as good as empty") {
    const TempFolder folder;
    folder.write("ranks/1.log", "could not begin");
    CHECK(make_folder(folder.path(), "runs", kAnyTime) == folder.path());
    folder.write("experiment.toml", "");
    CHECK_THROWS_WITH_AS(make_folder(folder.path(), "runs", kAnyTime),
                         ("the run folder " + folder.path().string() +
                          " is there already and not empty; name another one, or none to get a new "
                          "one")
                             .c_str(),
                         ptp::RunError);
}

TEST_CASE("run folder: one whose run did not begin is removed, but not what was there before") {
    const TempFolder folder;
    const auto made = folder.path() / "runs" / "a";
    { const ptp::run::RunFolder gone(made, "a", kAnyTime); }
    CHECK_FALSE(std::filesystem::exists(made));
    folder.write("there/ranks/1.log", "could not begin");
    { const ptp::run::RunFolder emptied(folder.path() / "there", "a", kAnyTime); }
    CHECK(folder.read("there/ranks/1.log") == "could not begin");
    CHECK_FALSE(std::filesystem::exists(folder.path() / "there/checkpoints"));
    {
        ptp::run::RunFolder kept(made, "a", kAnyTime);
        kept.keep();
    }
    CHECK(std::filesystem::exists(made / "checkpoints"));
    { const ptp::run::RunFolder continued(made); }
    CHECK(std::filesystem::exists(made / "checkpoints"));
}

TEST_CASE("run folder: a link that leads out of it is refused, one to a checkpoint is not") {
    const TempFolder folder;
    const TempFolder elsewhere;
    folder.write("checkpoints/episode_3/weights", "");
    std::filesystem::create_directory_symlink("episode_3", folder.path() / "checkpoints/last");
    { const ptp::run::RunFolder run(folder.path()); }
    const auto link = folder.path() / "tables";
    std::filesystem::create_directory_symlink(elsewhere.path(), link);
    CHECK_THROWS_WITH_AS(
        ptp::run::RunFolder(folder.path()),
        (link.string() +
         " is a link that leads out of the run folder; a run writes nowhere else\n    fix: if the run "
         "is to continue there, put what it leads to in its place; else remove it")
            .c_str(),
        ptp::RunError);
}

}  // namespace run_folder_test
