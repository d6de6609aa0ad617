// Bundles by the names of installed models.

#include "runs/bundled.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace bundle_names_test {

namespace fs = std::filesystem;

using ptp::test::Bundled;
using ptp::test::ProcessResult;
using ptp::test::run_program;

TEST_CASE("bundle: a model's name is not that of a run, and goes before that of a folder of runs") {
    const Bundled bundled;
    const std::string home = bundled.path().string();
    const fs::path runs = bundled.path() / "runs";
    const std::map<std::string, std::string> user = {
        {"HOME", home}, {"XDG_DATA_HOME", home + "/data_home"}, {"PTP_RUNS", runs.string()}};
    const auto run = [&](const std::vector<std::string>& words) {
        const ProcessResult result = run_program("ptprun", words, user);
        return bundled.shown(result.output + result.errors);
    };
    REQUIRE(
        run_program("ptp-pack", {"install", bundled.model(), "--allow-unsigned"}, user).status ==
        0);
    const std::vector<std::string> predict = {"predict", "model", "--data", "test"};
    const std::vector<std::string> tune = {home + "/experiment.toml", "--set",
                                           "pipeline.load=model",     "--run-dir",
                                           home + "/tuned",           "--verbose"};
    const std::string of_model = "weights of T/data_home/ptp/models/model.ptpm";
    fs::create_directories(runs / "model");
    fs::rename(bundled.run(), runs / "model/first");  // runs/model is a folder of runs
    CHECK(run(predict).find(of_model) != std::string::npos);
    CHECK(run(tune).find(of_model) != std::string::npos);
    fs::remove_all(home + "/tuned");
    fs::rename(runs / "model", runs / "other");
    fs::rename(runs / "other/first", runs / "model");  // runs/model is a run
    CHECK(run(predict).find("weights of T/runs/model, epoch ") != std::string::npos);
    CHECK(run(tune).find("weights of T/runs/model/checkpoints/best/") != std::string::npos);
}

}  // namespace bundle_names_test
