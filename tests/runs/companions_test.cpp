// What lies beside a plugin travels with it: a library that it needs, and its data.

#include "base/sha256.hpp"
#include "runs/live_run.hpp"
#include "runs/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace companions_test {

namespace fs = std::filesystem;

using namespace ptp::test;

namespace {

constexpr const char* kPipeline = R"([pipeline.more]
type = "Accompanied"
streams = { inputs = "features", outputs = "more" }
)";

// The plugin with its companions, as its author has built it.
fs::path copy_plugin(const ExperimentFolder& folder) {
    const fs::path plugins = folder.path() / "plugins";
    fs::copy(ptp::test::build_dir() / "tests/runs/accompanied", plugins,
             fs::copy_options::recursive);
    return plugins;
}

void write_experiment(const ExperimentFolder& folder, int epochs) {
    folder.write({.training = "optimizer = { type = \"Adam\", lr = 0.05 }\n"
                              "terminal_conditions = { epoch_limit = " +
                              std::to_string(epochs) + " }\n",
                  .pipeline = kPipeline,
                  .source = "more"});
}

// SHA-256 of that of the plugin's file and of a line for each companion.
std::string expected_hash(const fs::path& plugins) {
    std::vector<std::string> lines = {
        ptp::sha256_of_file(plugins / "accompanied.data/number.txt") + "  data/number.txt\n",
        ptp::sha256_of_file(plugins / "libaccompanying.so") + "  libaccompanying.so\n"};
    std::ranges::sort(lines);
    return ptp::sha256(ptp::sha256_of_file(plugins / "accompanied.so") + "\n" + lines[0] +
                       lines[1]);
}

// "run/plugins/accompanied.N.HASH", without the ending.
std::string copy_in(const ExperimentFolder& folder) {
    for (const auto& entry : fs::directory_iterator(folder.path() / "run/plugins")) {
        const std::string name = entry.path().stem().string();
        if (entry.path().extension() == ".so" && name.starts_with("accompanied.")) {
            return "run/plugins/" + name;
        }
    }
    return "";
}

}  // namespace

TEST_CASE("companions: a run has what lies beside its plugin, and continues without the original") {
    const ExperimentFolder folder;
    write_experiment(folder, 2);
    const fs::path plugins = copy_plugin(folder);
    const std::string hash = expected_hash(plugins);
    require_success(folder.run("run", {"--plugins", plugins.string(), "--quiet"}));
    CHECK(folder.read("run/plugins.lock").find("sha256 = \"" + hash + "\"") != std::string::npos);
    const std::string copy = copy_in(folder);
    CHECK(copy.ends_with("." + hash.substr(0, 16)));
    CHECK(folder.has(copy + ".libraries/libaccompanying.so"));
    CHECK(folder.read(copy + ".data/number.txt") == "0.5\n");

    fs::remove_all(plugins);
    require_success(run_program("ptprun", {"resume", folder.run_folder("run"), "--quiet", "--set",
                                           "training.terminal_conditions.epoch_limit=3"}));

    fs::permissions(folder.path() / (copy + ".data/number.txt"), fs::perms::owner_all);
    std::ofstream(folder.path() / (copy + ".data/number.txt")) << "0.75\n";
    const auto changed =
        run_program("ptprun", {"resume", folder.run_folder("run"), "--quiet", "--set",
                               "training.terminal_conditions.epoch_limit=4"});
    CHECK(changed.status == 3);
    CHECK(changed.errors.find("has changed since the run used it") != std::string::npos);
}

TEST_CASE("companions: a library beside a plugin is not taken for a plugin") {
    const ExperimentFolder folder;
    const fs::path plugins = copy_plugin(folder);
    const auto listed = run_program("ptp-inspect", {"--plugins", plugins.string()});
    CHECK(listed.errors == "");
    CHECK(listed.output.find("libaccompanying") == std::string::npos);
    fs::rename(plugins / "libaccompanying.so", plugins / "libother.so");
    const auto without = run_program(
        "ptp-inspect", {"--check", "--only", "108,201", (plugins / "accompanied.so").string()});
    CHECK(without.status == 3);
    CHECK(without_folder(without.output, folder.path()) ==
          "FOLDER/plugins/accompanied.so\n"
          "  108  needed-libraries          failed\n"
          "         needs libaccompanying.so, which is not found\n"
          "         fix: link the library statically, or install it beside the plugin with the run "
          "path $ORIGIN\n"
          "  201  loads                     failed\n"
          "         cannot be opened: libaccompanying.so: cannot open shared object file: No such "
          "file or directory\n"
          "         fix: install what has this library, link it statically, or put it beside the "
          "plugin, with the run path $ORIGIN\n"
          "  refused: 2 failed\n");
}

TEST_CASE("companions: other data are another build, and a library can be loaded once alone") {
    const ExperimentFolder folder;
    write_experiment(folder, 100);
    const fs::path plugins = copy_plugin(folder);
    const std::string build = (plugins / "accompanied.so").string();
    LiveRun run(folder, "run", {"--plugins", plugins.string()});
    run.go_on_for(1);
    CHECK(run.swap({build}).output == "unchanged: what is active was built from the same file\n");
    std::ofstream(plugins / "accompanied.data/number.txt") << "0.75\n";
    CHECK(run.swap({build}).output.starts_with("swapped in accompanied 1.0.0"));
    std::ofstream(plugins / "libaccompanying.so", std::ios::app) << "another build";
    const auto refused = run.swap({build});
    CHECK(refused.status == 3);
    CHECK(
        refused.errors.find("needs the libaccompanying.so beside it, and this process has another "
                            "one already, ") != std::string::npos);
    CHECK(refused.errors.find("fix: link it statically, or give each build of it a name of its own "
                              "(SONAME)") != std::string::npos);
    CHECK(run.end_with(SIGTERM) == 128 + SIGTERM);
}

}  // namespace companions_test
