// `ptprun search`: trials by halving, alone, shared and interrupted.

#include "runs/search_support.hpp"
#include "runs/support.hpp"
#include "runs/training_process.hpp"
#include "support/process.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <filesystem>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

namespace search_test {

namespace {

using nlohmann::json;
using namespace ptp::test;
using Strings = std::vector<std::string>;
namespace fs = std::filesystem;

// The end of the output from the table's titles on, without the folder.
std::string summary_of(const ProcessResult& said, const ExperimentFolder& folder,
                       const std::string& name) {
    std::string output = without_folder(said.output, folder.path());
    output = output.substr(output.find("run  "));
    for (auto at = output.find("/" + name); at != std::string::npos; at = output.find("/" + name)) {
        output.replace(at, name.size() + 1, "/SEARCH");
    }
    return output;
}

}  // namespace

TEST_CASE("search: the best half of each rung continues, and the best trial is the whole run") {
    const ExperimentFolder folder({.training = kFourEpochs, .has_test = false});
    const ProcessResult said = search(folder, "search", four_trials());
    require_success(said);
    const auto described = json::parse(folder.read("search/search.json"));
    CHECK(described["seed"] == 7);
    CHECK(described["metric"] == "accuracy");
    CHECK(described["rungs"].dump() ==
          R"([{"budget":1,"trials":4},{"budget":2,"trials":2},{"budget":4,"trials":1}])");
    REQUIRE(described["trials"].size() == 4);
    const json results = results_in(folder, "search");
    CHECK(results.size() == 7);
    std::size_t done = 0;
    for (const auto& [file, result] : results.items()) {
        CAPTURE(file);
        const bool is_first = file.find(".rung1.") != std::string::npos;
        const bool is_last = file.find(".rung3.") != std::string::npos;
        CHECK(result["epoch"] == (is_first ? 1 : is_last ? 4 : 2));
        CHECK(result["state"] == (is_last ? "done" : "stopped"));
        CHECK(result["exit_code"] == 0);
        done += is_last ? 1 : 0;
    }
    CHECK(done == 1);
    std::smatch found;
    REQUIRE(std::regex_search(said.output, found,
                              std::regex("the best: (\\S+), accuracy [0-9.]+\n"
                                         "to train it again: ptprun \\S+ --set "
                                         "(training.optimizer.lr=\\S+)\n$")));
    const std::string table = summary_of(said, folder, "search");
    CHECK(std::regex_search(table, std::regex("^run +accuracy +loss +epochs +state *\n")));
    const std::string done_row = " +[0-9.]+ +[0-9.]+ +4 +done *\n";
    CHECK(std::regex_search(table, std::regex("\n\\S+" + done_row)));
    CHECK(std::regex_search(table, std::regex("\n\\S+ +[0-9.]+ +[0-9.]+ +1 +halved *\n")));
    const ProcessResult listed =
        ptp::test::run_program("ptprun", {"runs", folder.run_folder("search"), "--columns=state"});
    const auto halved_rows = std::regex("  halved *\n");
    CHECK(
        std::distance(std::sregex_iterator(listed.output.begin(), listed.output.end(), halved_rows),
                      std::sregex_iterator()) == 3);
    const std::string best = found[1];
    CHECK(folder.run("alone", {"--set", found[2]}).status == 0);
    const fs::path run = fs::path(best).lexically_relative(folder.path());
    for (const char* file : {"training.csv", "validation.csv"}) {
        CAPTURE(file);
        CHECK(folder.read(run / file) == folder.read(fs::path("alone") / file));
    }
    CHECK(folder.read(run / "checkpoints/last/weights.safetensors") ==
          folder.read("alone/checkpoints/last/weights.safetensors"));
}

TEST_CASE("search: three workers, one of which is killed, find what one finds") {
    const ExperimentFolder folder({.training = kFourEpochs, .has_test = false});
    const ProcessResult alone = search(folder, "alone", four_trials());
    REQUIRE(alone.status == 0);
    {
        TrainingProcess first(worker_words(folder, "shared"));
        TrainingProcess second(worker_words(folder, "shared"));
        TrainingProcess killed(worker_words(folder, "shared"));
        CHECK(killed.wait_for_lines("begins", 1));
        CHECK(killed.end_with(SIGKILL) == 137);
        CHECK(first.end_with(0) == 0);
        CHECK(second.end_with(0) == 0);
    }
    const Strings words = four_trials({"--share"});
    const ProcessResult again = search(folder, "shared", words);
    CHECK(again.status == 0);
    CHECK(results_in(folder, "shared") == results_in(folder, "alone"));
    CHECK(summary_of(again, folder, "shared") == summary_of(alone, folder, "alone"));
    CHECK(json::parse(folder.read("shared/search.json"))["trials"] ==
          json::parse(folder.read("alone/search.json"))["trials"]);
}

TEST_CASE("search: one that a signal has stopped continues with the same command") {
    const ExperimentFolder folder({.training = kFourEpochs, .has_test = false});
    const ProcessResult whole = search(folder, "whole", four_trials());
    TrainingProcess stopped(worker_words(folder, "stopped"));
    CHECK(stopped.wait_for_lines("continues", 1));
    CHECK(stopped.end_with(SIGTERM) == 143);
    const Strings words = four_trials({"--share"});
    const ProcessResult again = search(folder, "stopped", words);
    CHECK(again.status == 0);
    CHECK(again.output.find("begins") == std::string::npos);
    CHECK(results_in(folder, "stopped") == results_in(folder, "whole"));
    CHECK(summary_of(again, folder, "stopped") == summary_of(whole, folder, "whole"));
}

TEST_CASE("search: a trial that fails is recorded, and the others continue") {
    const ExperimentFolder folder({.training = kFourEpochs, .has_test = false});
    const ProcessResult said = search(folder, "search",
                                      {"--trials", "6", "--halving", "0", "--space",
                                       "training.optimizer.lr=choice:1e30,0.05,0.01"});
    require_success(said);
    std::size_t failed = 0;
    const json all_results = results_in(folder, "search");
    for (const auto& [file, result] : all_results.items()) {
        CAPTURE(file);
        const bool has_failed = file.find("lr=1e+30") != std::string::npos;
        failed += has_failed ? 1 : 0;
        CHECK(result["state"] == (has_failed ? "failed" : "done"));
        CHECK(result["exit_code"] == (has_failed ? 6 : 0));
        CHECK(result["error"].get<std::string>().starts_with("ptprun: error: the loss ") ==
              has_failed);
    }
    CHECK(failed > 0);
    CHECK(failed < 6);
    CHECK(std::regex_search(said.output, std::regex("\\n\\d_lr=1e\\+30 .*failed with 6 .*\\n")));
    const ProcessResult all =
        search(folder, "all", {"--trials", "2", "--space", "training.optimizer.lr=choice:1e30"});
    CHECK(all.status == 6);
    CHECK(all.output.ends_with("all trials have failed\n"));
}

TEST_CASE("search: a trial that has ended by itself is not trained again") {
    const ExperimentFolder folder({.training = "optimizer = { type = \"Adam\", lr = 0.05 }\n"
                                               "terminal_conditions = { epoch_limit = 4, "
                                               "loss_stop_threshold = 2.0 }\n",
                                   .has_test = false});
    const ProcessResult said = search(folder, "search",
                                      {"--trials", "2", "--halving", "2", "--space",
                                       "training.optimizer.lr=uniform:0.049,0.051"});
    CHECK(said.status == 0);
    CHECK(said.output.find("continues") == std::string::npos);
    const auto record =
        json::parse(folder.read("search/" + run_at_place(folder, "search", 0) + "/run.json"));
    CHECK(record["processes"].size() == 1);
    CHECK(results_in(folder, "search").size() == 3);
}

TEST_CASE("search: --stop-after stops as a signal does, and a resume has the bits of the whole") {
    const ExperimentFolder folder({.training = kFourEpochs});
    require_success(folder.run("run", {"--stop-after", "2"}));
    CHECK(ptp::test::status_in(folder.path() / "run") == "stopped: --stop-after (0)");
    CHECK_FALSE(folder.has("run/test.csv"));
    const std::string run = folder.run_folder("run");
    // A replay measures the epoch after which the run was stopped, as the run has done.
    require_success(
        ptp::test::run_program("ptprun", {"replay", run, "--run-dir", folder.run_folder("again")}));
    for (const char* file :
         {"training.csv", "validation.csv", "checkpoints/best/weights.safetensors"}) {
        CAPTURE(file);
        CHECK(folder.read(fs::path("run") / file) == folder.read(fs::path("again") / file));
    }
    CHECK(ptp::test::run_program("ptprun", {"resume", run, "--stop-after", "3"}).status == 0);
    CHECK(ptp::test::status_in(folder.path() / "run") == "stopped: --stop-after (0)");
    CHECK(ptp::test::run_program("ptprun", {"resume", run}).status == 0);
    CHECK(folder.run("whole").status == 0);
    for (const char* file :
         {"training.csv", "validation.csv", "test.csv", "checkpoints/last/weights.safetensors"}) {
        CAPTURE(file);
        CHECK(folder.read(fs::path("run") / file) == folder.read(fs::path("whole") / file));
    }
}

TEST_CASE("search: episodes are what the online worker's trials are counted in") {
    const ExperimentFolder folder({.training = "worker = \"online\"\n"
                                               "optimizer = { type = \"Adam\", lr = 0.05 }\n"
                                               "terminal_conditions = { episode_limit = 8, "
                                               "early_stop_validations = 0 }\n",
                                   .validation = "partial_validation_interval = 2\n",
                                   .has_test = false});
    const ProcessResult said = search(folder, "search", four_trials());
    require_success(said);
    CHECK(said.output.find("rung 1 of 3: 4 trials up to 2 episodes\n") != std::string::npos);
    const json all_results = results_in(folder, "search");
    for (const auto& [file, result] : all_results.items()) {
        CAPTURE(file);
        CHECK(result["value"].is_number());
        CHECK(result["episode"] == (file.find(".rung1.") != std::string::npos   ? 2
                                    : file.find(".rung2.") != std::string::npos ? 4
                                                                                : 8));
    }
}

}  // namespace search_test
