// Bundles by the names that users know: those of installed models, and those in messages.

#include "runs/bundled.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace bundle_names_test {

namespace fs = std::filesystem;

using namespace ptp::test;

TEST_CASE("bundle: one of a repository is installed and predicts by its name") {
    const Bundled bundled;
    const std::string home = bundled.path().string();
    const std::map<std::string, std::string> user = {{"HOME", home},
                                                     {"XDG_DATA_HOME", home + "/data_home"},
                                                     {"XDG_CONFIG_HOME", home + "/config"},
                                                     {"XDG_STATE_HOME", home + "/state"}};
    const auto pack = [&](const std::vector<std::string>& words) {
        const ProcessResult result = run_program("ptp-pack", words, user);
        require_success(result);
        return result.output;
    };
    const fs::path site = bundled.path() / "site";
    fs::create_directory(site);
    fs::copy_file(bundled.model(), site / "tiny_net.ptpm");
    pack({"key", "new", home + "/jane"});
    pack({"key", "trust", home + "/jane.pub"});
    pack({"sign", (site / "tiny_net.ptpm").string(), "--key", home + "/jane.key"});
    pack({"publish", site.string(), "--key", home + "/jane.key", "--name", "test"});
    pack({"install", "tiny_net", "--repository", site.string()});
    fs::remove_all(site);
    const ProcessResult of_model =
        run_program("ptprun", {"predict", "tiny_net", "--data", "test"}, user);
    CHECK(of_model.output == ptprun({"predict", bundled.model(), "--data", "test"}).output);
    require_success(run_program("ptprun", {"diff", "tiny_net", bundled.model()}, user));
}

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

TEST_CASE("bundle: messages name the bundle, and not the folder that its files are in") {
    const Bundled bundled;
    fs::remove_all(bundled.path() / "data");
    const auto errors = [&](const std::vector<std::string>& words) {
        const ProcessResult result = ptprun(words);
        return bundled.shown(result.output + result.errors);
    };
    const std::string folder = (bundled.path() / "out").string();
    const std::string processed =
        errors({"process", bundled.model(), "--run-dir", folder, "--no-self-test"});
    CHECK_MESSAGE(processed.starts_with("T/model.ptpm/experiment.toml:"), processed);
    const std::string explained = errors({"explain", bundled.model(), "training.optimizer.lr"});
    CHECK_MESSAGE(explained.find("T/model.ptpm/experiment.toml:") != std::string::npos, explained);
    for (const std::string& text :
         {processed, explained, errors({"check", bundled.model()}),
          errors({"predict", bundled.model(), "--data", "test"}),
          errors({"predict", bundled.model(), "--set", "pipeline.net.x=1"}),
          errors({"export", bundled.model(), "-o", folder + ".onnx"}),
          errors({"summary", bundled.model()})}) {
        CHECK_MESSAGE(text.find("ptp-plugins-") == std::string::npos, text);
    }
}

}  // namespace bundle_names_test
