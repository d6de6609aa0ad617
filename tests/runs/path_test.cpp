// Paths that are not UTF-8 text, which a run could not write down.

#include "runs/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

namespace path_test {

namespace fs = std::filesystem;

using namespace ptp::test;

namespace {

constexpr const char* kLatin1 = "caf\xe9";

}  // namespace

TEST_CASE("path: an experiment in a folder that is not UTF-8 is refused, also by check") {
    const ExperimentFolder folder;
    const fs::path odd = folder.path() / kLatin1;
    fs::create_directory(odd);
    fs::copy_file(folder.path() / "experiment.toml", odd / "x.toml");
    const std::string file = (odd / "x.toml").string();
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{file}, std::vector<std::string>{"check", file}}) {
        const auto result = run_program("ptprun", arguments);
        CHECK(result.status == 2);
        CHECK(without_folder(result.errors, folder.path()) ==
              "FOLDER/caf\\xe9/x.toml: error: its path FOLDER/caf\\xe9/x.toml is not UTF-8 text: "
              "rename the folder or the file\n");
    }
}

TEST_CASE("path: a run folder that is not UTF-8 is refused") {
    const ExperimentFolder folder;
    const auto result = folder.run(kLatin1);
    CHECK(result.status == 2);
    CHECK(without_folder(result.errors, folder.path()) ==
          "ptprun: error: the run folder FOLDER/caf\\xe9 has a path that is not UTF-8 text: rename "
          "the folder, or name another one\n");
    CHECK_FALSE(folder.has(kLatin1));
}

TEST_CASE("path: a folder of plugins that is not UTF-8 is passed over, with a warning") {
    const ExperimentFolder folder;
    const fs::path odd = folder.path() / kLatin1;
    fs::create_directory(odd);
    const fs::path plugin = ptp::test::build_dir() / "lib/ptp/plugins/losses.so";
    fs::copy_file(plugin, odd / "losses.so");
    const auto result = folder.run("run", {"--plugins", odd.string(), "--quiet"});
    CHECK(result.status == 0);
    CHECK(without_folder(result.errors, folder.path()) ==
          "FOLDER/caf\\xe9: warning: cannot be searched: its path is not UTF-8 text: rename the "
          "folder or the file\n");
    const auto again = run_program("ptprun", {"replay", folder.run_folder("run"), "--quiet",
                                              "--run-dir", folder.run_folder("again")});
    CHECK(again.status == 0);
}

TEST_CASE(
    "path: a plugin's file whose name is not UTF-8 is refused where it would have been used") {
    const ExperimentFolder folder;
    const fs::path plugin = ptp::test::build_dir() / "lib/ptp/plugins/losses.so";
    fs::create_directory(folder.path() / "odd");
    fs::copy_file(plugin, folder.path() / "odd" / "caf\xe9.so");
    const auto result =
        run_program("ptprun", {"check", (folder.path() / "experiment.toml").string(), "--plugins",
                               (folder.path() / "odd").string()});
    CHECK(result.status == 3);
    CHECK(without_folder(result.errors, folder.path()) ==
          "FOLDER/odd/caf\\xe9.so: error: cannot be used: its path is not UTF-8 text: rename the "
          "folder or the file; it comes before " +
              plugin.string() +
              ", which has the same plugin 'losses' and is not taken in its place\n"
              "    fix: repair or remove the file, or name another folder first: --plugins " +
              plugin.parent_path().string() + "\n");
}

TEST_CASE("path: a home folder that is not UTF-8 is refused where the experiment names it") {
    const ExperimentFolder folder;
    const fs::path odd = folder.path() / kLatin1;
    fs::create_directory(odd);
    fs::create_directory_symlink(folder.path() / "data", odd / "data");
    folder.write();
    const auto result =
        run_program("ptprun",
                    {(folder.path() / "experiment.toml").string(), "--run-dir",
                     folder.run_folder("run"), "--set", "training.task.data_folder=\"~/data\""},
                    {{"HOME", odd.string()}, {"OMP_NUM_THREADS", "1"}});
    CHECK(result.status == 2);
    CHECK(without_folder(result.errors, folder.path()) ==
          "ptprun: error: the experiment cannot be recorded: not UTF-8 text: data_folder = "
          "\"FOLDER/caf\\xe9/data\"\n    fix: rename the folder or the file that is named there\n");
}

}  // namespace path_test
