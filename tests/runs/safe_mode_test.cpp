// --safe-mode: no plugins but those that come with ptp.

#include "runs/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

namespace safe_mode_test {

namespace fs = std::filesystem;
using namespace ptp::test;

namespace {

const std::string kNote =
    "ptprun: warning: --safe-mode uses no plugins but those that come with ptp\n"
    "    fix: leave it out to use others\n";

std::string outside_folder() {
    return (ptp::test::build_dir() / "tests/hostile/components").string();
}

// A component of a plugin that does not come with ptp.
constexpr const char* kOutside =
    "[pipeline.odd]\ntype = \"FailsInCreate\"\n"
    "streams = { inputs = \"features\", outputs = \"odd_features\" }\n";

ProcessResult check(const ExperimentFolder& folder, std::vector<std::string> options,
                    const std::map<std::string, std::string>& environment = {}) {
    options.insert(options.begin(), {"check", (folder.path() / "experiment.toml").string()});
    return run_program("ptprun", options, environment);
}

}  // namespace

TEST_CASE("safe mode: plugins of the environment and of the user are not looked for") {
    const ExperimentFolder folder({.pipeline = kOutside});
    const fs::path user = folder.path() / "data/ptp/plugins";
    fs::create_directories(user);
    fs::copy_file(fs::path(outside_folder()) / "hostile_components.so",
                  user / "hostile_components.so");
    const std::map<std::string, std::string> own = {
        {"XDG_DATA_HOME", (folder.path() / "data").string()}};
    CHECK(check(folder, {}, own).status == 0);
    CHECK(check(folder, {}, {{"PTP_PLUGIN_PATH", outside_folder()}}).status == 0);
    for (const auto& environment :
         {own, std::map<std::string, std::string>{{"PTP_PLUGIN_PATH", outside_folder()}}}) {
        const ProcessResult result = check(folder, {"--safe-mode"}, environment);
        CHECK(result.status == 2);
        CHECK(result.errors.find("no plugin has such a component") != std::string::npos);
        CHECK(result.errors.find(outside_folder()) == std::string::npos);
        CHECK(result.errors.find(user.string()) == std::string::npos);
        CHECK(result.errors.find(kNote) != std::string::npos);
    }
}

TEST_CASE("safe mode: a plugin that is named and does not come with ptp is reported") {
    const ExperimentFolder folder({.pipeline = kOutside});
    const ProcessResult result = check(folder, {"--safe-mode", "--plugins", outside_folder()});
    CHECK(result.status == 2);
    CHECK(result.errors.find("/hostile_components.so: does not come with this ptp, and --safe-mode "
                             "loads no other") != std::string::npos);
}

TEST_CASE("safe mode: a file with the name of a plugin of ptp is not one") {
    const ExperimentFolder folder;
    const fs::path other = folder.path() / "other";
    fs::create_directories(other);
    const fs::path installed = ptp::test::build_dir() / "lib/ptp/plugins/losses.so";
    fs::copy_file(installed, other / "losses.so");
    CHECK(check(folder, {"--safe-mode", "--plugins", other.string()}).status == 0);
    // Behind what is loaded of it: the plugin is the same for all but who compares its bytes.
    fs::resize_file(other / "losses.so", fs::file_size(installed) + 1);
    CHECK(check(folder, {"--plugins", other.string()}).status == 0);
    const ProcessResult result = check(folder, {"--safe-mode", "--plugins", other.string()});
    CHECK(result.status == 3);
    CHECK(result.errors.find("losses.so: error: does not come with this ptp, and --safe-mode loads "
                             "no other; it comes before ") != std::string::npos);
}

TEST_CASE("safe mode: a run states it in its record, and its copies are plugins of ptp too") {
    const ExperimentFolder folder({.training = "optimizer = { type = \"Adam\", lr = 0.05 }\n"
                                               "terminal_conditions = { epoch_limit = 1 }\n"});
    const ProcessResult run = folder.run("run", {"--safe-mode"});
    require_success(run);
    const auto record = nlohmann::json::parse(folder.read("run/run.json"));
    const auto words = record["processes"][0]["command_line"].get<std::vector<std::string>>();
    CHECK(words.back() == "--safe-mode");
    require_success(ptprun({"resume", folder.run_folder("run"), "--safe-mode", "--set",
                            "training.terminal_conditions.epoch_limit=2"}));
}

TEST_CASE("safe mode: an older checkpoint that another build has written is refused") {
    const ExperimentFolder folder({.training = "optimizer = { type = \"Adam\", lr = 0.05 }\n"
                                               "terminal_conditions = { epoch_limit = 2 }\n"});
    const fs::path other = folder.path() / "other";
    const fs::path installed = ptp::test::build_dir() / "lib/ptp/plugins";
    fs::create_directories(other);
    fs::copy_file(installed / "losses.so", other / "losses.so");
    fs::resize_file(other / "losses.so", fs::file_size(other / "losses.so") + 1);
    REQUIRE(folder.run("run", {"--plugins", other.string(), "--set", "checkpoint.keep=9"}).status ==
            0);
    const auto resume = [&](const std::string& epochs, std::vector<std::string> options) {
        options.insert(options.begin(), {"resume", folder.run_folder("run"), "--set",
                                         "training.terminal_conditions.epoch_limit=" + epochs});
        return ptprun(options);
    };
    // From the second checkpoint on they are written by the build that comes with ptp.
    REQUIRE(resume("3", {"--plugins", installed.string()}).status == 0);
    for (const auto& entry : fs::directory_iterator(folder.path() / "run/checkpoints")) {
        if (!entry.is_symlink() && entry.path().filename() != "episode_0000000006") {
            std::ofstream(entry.path() / "weights.safetensors", std::ios::app) << "more";
        }
    }
    const ProcessResult refused = resume("4", {"--safe-mode"});
    CHECK(
        std::regex_replace(without_folder(refused.errors, folder.path()),
                           std::regex("[0-9a-f]{16}"), "HASH") ==
        "ptprun: error: FOLDER/run/plugins/losses.4.HASH.so: does not come with this ptp, and the "
        "run is in safe mode\n    fix: begin or resume the run without --safe-mode\n");
    CHECK(refused.status == 3);
}

TEST_CASE("safe mode: nothing is swapped in by --watch") {
    const ExperimentFolder folder;
    const ProcessResult result = folder.run("run", {"--safe-mode", "--watch"});
    CHECK(result.status == 2);
    CHECK(result.errors.find("--safe-mode and --watch exclude each other") != std::string::npos);
}

}  // namespace safe_mode_test
