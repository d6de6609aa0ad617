// `ptprun explain` as a person meets it.

#include "support/paths.hpp"
#include "support/process.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace ptprun_explain_test {

namespace {

using ptp::test::ProcessResult;

std::string experiment() {
    return std::filesystem::relative(ptp::test::source_dir() / "configs/fashion_mnist/lenet5.toml")
        .string();
}

ProcessResult explain(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "explain");
    return ptp::test::run_program("ptprun", arguments);
}

}  // namespace

TEST_CASE("ptprun explain: says where a value is set, what it replaced and what it may be") {
    const ProcessResult said =
        explain({experiment(), "training.optimizer.lr", "--set", "training.optimizer.lr=0.1"});
    require_success(said);
    CHECK(said.output ==
          "training.optimizer.lr = 0.1\n"
          "  set at      --set\n"
          "  instead of  0.001, set at " +
              experiment() +
              ":15:35\n"
              "  must be     a real in [0, inf)\n"
              "  default     0.001\n"
              "  means       learning rate\n"
              "  declared by ptp\n");
}

TEST_CASE("ptprun explain: knows the settings of the installed plugins") {
    const ProcessResult said = explain({experiment(), "pipeline.nllloss.use_masking"});
    CHECK(
        said.output.starts_with("pipeline.nllloss.use_masking = false\n"
                                "  set at      nowhere: the default of NLLLoss (losses "));
}

TEST_CASE("ptprun explain: --json says the same to programs") {
    const std::string file = experiment();
    const ProcessResult said =
        explain({file, "training.optimizer.lr", "--json", "--set", "training.optimizer.lr=0.1"});
    require_success(said);
    CHECK(nlohmann::json::parse(said.output) ==
          nlohmann::json{{"key", "training.optimizer.lr"},
                         {"value", 0.1},
                         {"origins",
                          {{{"place", "--set"},
                            {"value", 0.1},
                            {"table", nullptr},
                            {"included_at", nlohmann::json::array()}},
                           {{"place", file + ":15:35"},
                            {"value", 0.001},
                            {"table", nullptr},
                            {"included_at", nlohmann::json::array()}}}},
                         {"variables", nlohmann::json::array()},
                         {"declared",
                          {{"by", "ptp"},
                           {"expected", "a real in [0, inf)"},
                           {"help", "learning rate"},
                           {"default", 0.001},
                           {"is_required", false}}}});

    const auto all = nlohmann::json::parse(explain({file, "training.optimizer", "--json"}).output);
    CHECK(all.at("key") == "training.optimizer");
    bool has_lr = false;
    for (const auto& value : all.at("values")) {
        has_lr =
            has_lr || (value.at("key") == "training.optimizer.lr" && value.at("value") == 0.001);
    }
    CHECK(has_lr);
    CHECK(explain({file, "training.optimzer", "--json"}).status == 2);
}

TEST_CASE("ptprun explain: what it cannot explain ends with 2") {
    const std::string file = experiment();
    const ProcessResult unknown = explain({file, "training.optimzer"});
    CHECK(unknown.status == 2);
    CHECK(unknown.output == "");
    CHECK(unknown.errors ==
          file + ": error: training.optimzer: unknown key; did you mean 'optimizer'?\n");
    const ProcessResult no_key = explain({file, "training..lr"});
    CHECK(no_key.status == 2);
    CHECK(no_key.errors ==
          "ptprun: error: 'training..lr' is not a key, such as training.optimizer.lr\n    help: "
          "ptprun help explain\n");
    const ProcessResult no_file = explain({"nowhere.toml", "seed"});
    CHECK(no_file.status == 2);
    CHECK(no_file.errors ==
          "nowhere.toml: error: no such file; the experiments that come with ptp are in configs/ "
          "of its sources, and in share/ptp/configs of an installation\n");
}

TEST_CASE("ptprun explain: an experiment with mistakes is explained all the same") {
    const ProcessResult said = explain({experiment(), "seed", "--set", "training.optimizer.lr=-1"});
    CHECK(said.status == 0);
    CHECK(said.output.starts_with("seed = 1\n"));
}

}  // namespace ptprun_explain_test
