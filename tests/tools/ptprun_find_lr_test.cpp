// `ptprun find-lr` on a small experiment: what it prints, writes and leaves alone.

#include "tools/dots.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

namespace ptprun_find_lr_test {

namespace {

namespace fs = std::filesystem;
using ptp::test::ProcessResult;

const std::string kExperiment = std::string(R"(
name = "dots"
seed = 3

[training]
optimizer = { type = "SGD", lr = 0.1, momentum = 0.9 }
terminal_conditions = { epoch_limit = 5 }
)") + ptp::test::kDotsTasks + ptp::test::kPixelClassifier;

class Dots : public ptp::test::DotsFolder {
public:
    Dots() { folder().write("net.toml", kExperiment); }

    [[nodiscard]] ProcessResult find(std::vector<std::string> options) const {
        options.insert(options.begin(), {"find-lr", file(), "--run-dir", run()});
        return ptp::test::run_program("ptprun", options);
    }
};

}  // namespace

TEST_CASE("find-lr: rates rise by one factor from the first to the last, and a run is left") {
    Dots dots;
    const ProcessResult result =
        dots.find({"--from", "1e-4", "--to", "1", "--episodes", "41", "--json"});
    CHECK(result.errors == "");
    const auto json = nlohmann::json::parse(result.output);
    const std::vector<double> rates = json["learning_rates"];
    REQUIRE(rates.size() == 41);
    for (std::size_t i = 0; i < rates.size(); ++i) {
        CHECK(rates[i] == doctest::Approx(std::pow(10, -4 + static_cast<double>(i) / 10)));
    }
    CHECK(json["losses"].size() == 41);
    CHECK(json["format"] == 1);
    CHECK(nlohmann::json::parse(dots.folder().read("run/find_lr.json")) == json);
    CHECK_FALSE(fs::exists(dots.path("run/checkpoints")));
    CHECK_FALSE(fs::exists(dots.path("run/validation.csv")));
    CHECK(dots.folder().read("net.toml") == kExperiment);
    CHECK(nlohmann::json::parse(dots.folder().read("run/run.json"))["trial"] == "find_lr");
    CHECK(ptp::test::run_program("ptprun", {"resume", dots.run(), "--checkpoint", "last"}).errors ==
          "ptprun: error: " + dots.run() +
              " was a range test of the learning rate, which keeps no checkpoints\n"
              "    fix: train first: ptprun " +
              dots.file() + "\n");
}

TEST_CASE("find-lr: the same seed has the same losses") {
    Dots dots;
    const ProcessResult first = dots.find({"--episodes", "20", "--json"});
    fs::remove_all(dots.run());
    CHECK(dots.find({"--episodes", "20", "--json"}).output == first.output);
}

TEST_CASE("find-lr: wrong rates, runs and numbers are refused") {
    const Dots dots;
    const std::string help = "\n    help: ptp-find-lr --help\n";
    CHECK(dots.find({"--from", "0"}).errors ==
          "ptp-find-lr: error: --from 0: must be a learning rate, such as 1e-7" + help);
    CHECK(dots.find({"--to", "high"}).errors ==
          "ptp-find-lr: error: --to high: must be a learning rate, such as 10" + help);
    CHECK(dots.find({"--from", "0.1", "--to", ".1"}).errors ==
          "ptp-find-lr: error: --from 0.1: must be below --to, which is 0.1" + help);
    CHECK(dots.find({"--episodes", "3"}).errors ==
          "ptp-find-lr: error: --episodes 3: must be in [20, 100000]" + help);
    CHECK_FALSE(fs::exists(dots.run()));
}

TEST_CASE("find-lr: options of other programs are answered with its own") {
    const auto errors = [](const char* option, const char* value) {
        return ptp::test::run_program("ptp-find-lr", {"net.toml", option, value}).errors;
    };
    const std::string help = "    help: ptp-find-lr --help\n";
    CHECK(errors("--start_lr", "1e-5") ==
          "ptp-find-lr: error: unknown option '--start_lr'\n    fix: --from 1e-5\n" + help);
    CHECK(errors("--num_training", "200") ==
          "ptp-find-lr: error: unknown option '--num_training'\n    fix: --episodes 200\n" + help);
}

TEST_CASE("find-lr: the suggestion replaces the number of lr, where it is one") {
    Dots dots;
    // One class at a time is learned at any rate that is large enough: the loss falls.
    const ProcessResult result =
        dots.find({"--from", "1e-5", "--to", "1", "--episodes", "200", "--write"});
    REQUIRE(result.status == 0);
    const auto json = nlohmann::json::parse(dots.folder().read("run/find_lr.json"));
    const std::string written = dots.folder().read("net.toml");
    const std::size_t begin = written.find("lr = ") + 5;
    CHECK(std::stod(written.substr(begin)) == json["suggestion"].get<double>());
    CHECK(written.substr(written.find(", momentum")) ==
          kExperiment.substr(kExperiment.find(", momentum")));

    std::string with_variable = kExperiment + "\n[vars]\nrate = 0.1\n";
    with_variable.replace(with_variable.find("lr = 0.1"), 8, "lr = \"${rate}\"");
    dots.folder().write("net.toml", with_variable);
    fs::remove_all(dots.run());
    const ProcessResult refused =
        dots.find({"--from", "1e-5", "--to", "1", "--episodes", "200", "--write"});
    const std::string rate = written.substr(begin, written.find(',', begin) - begin);
    CHECK(refused.errors ==
          "ptp-find-lr: error: --write: " + dots.file() +
              ":6:34: training.optimizer.lr is not written as a number\n    fix: write " + rate +
              " there by hand\n    help: ptp-find-lr --help\n");
    CHECK(dots.folder().read("net.toml") == with_variable);
}

TEST_CASE("find-lr: the training that is proposed has what was set for the test") {
    const Dots dots;
    const ProcessResult result =
        dots.find({"--from", "1e-5", "--to", "1", "--episodes", "200", "--set", "name=my net"});
    REQUIRE(result.status == 0);
    const std::string begin =
        "  ptprun " + dots.file() + " --set 'name=my net' --set training.optimizer.lr=0.";
    CHECK_MESSAGE(
        result.output.find("\nit diverges close above that: a tenth of it, 0.024, is safer\n" +
                           begin) != std::string::npos,
        result.output);
}

TEST_CASE("find-lr: without a suggestion it is said how to get one") {
    const Dots dots;
    const ProcessResult flat = dots.find({"--to", "2e-7", "--episodes", "20"});
    CHECK(flat.status == 1);
    CHECK_MESSAGE(
        flat.output.find("\nno suggestion: the loss does not fall by more than it scatters; more "
                         "batches, or larger ones, scatter less\n  ptprun find-lr " +
                         dots.file() + " --to 2e-7 --episodes 80\nthe range test is in ") !=
            std::string::npos,
        flat.output);
    fs::remove_all(dots.run());
    const ProcessResult high = dots.find({"--from", "1e9", "--to", "1e12", "--episodes", "20"});
    CHECK(high.status == 1);
    CHECK_MESSAGE(high.output.find("no suggestion: the loss is not finite, or doubles, at 2") !=
                      std::string::npos,
                  high.output);
    CHECK_MESSAGE(high.output.find("  ptprun find-lr " + dots.file() +
                                   " --to 1e12 --episodes 20 --from 1e+06\n") != std::string::npos,
                  high.output);
}

TEST_CASE(
    "find-lr: a loss that still falls at the last rate makes no suggestion but a wider test") {
    Dots dots;
    std::string whole = kExperiment;  // all pictures in one batch: the loss does not scatter
    for (int i = 0; i < 2; ++i) {
        whole.replace(whole.find("batch_size = 4"), 14, "batch_size = 8");
    }
    dots.folder().write("net.toml", whole);
    const ProcessResult result =
        dots.find({"--from", "1e-4", "--to", "0.01", "--episodes", "60", "--write"});
    CHECK(result.status == 1);
    const std::string end =
        "no suggestion: the loss still falls at the last rate, 0.01\n"
        "  ptprun find-lr " +
        dots.file() +
        " --from 1e-4 --episodes 60 --write --to 0.1\n"
        "the range test is in " +
        dots.run() + "\n";
    CHECK(result.output.substr(result.output.size() - std::min(end.size(), result.output.size())) ==
          end);
    CHECK(dots.folder().read("net.toml") == whole);
    CHECK(nlohmann::json::parse(dots.folder().read("run/find_lr.json"))["suggestion"].is_null());
}

}  // namespace ptprun_find_lr_test
