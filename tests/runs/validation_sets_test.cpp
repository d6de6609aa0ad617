// Several validation sets in one training, and sections that are only processed.

#include "runs/support.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace validation_sets_test {

using namespace ptp::test;

namespace {

constexpr const char* kTraining =
    "optimizer = { type = \"Adam\", lr = 0.05 }\n"
    "terminal_conditions = { epoch_limit = 3 }\n";
constexpr const char* kJudge = "judge = { statistic = \"hard.accuracy\", better = \"larger\" }\n";

std::string section(const ExperimentFolder& folder, const std::string& name,
                    const std::string& indices) {
    return "[" + name + "]\nsampler = { type = \"SubsetSequentialSampler\", indices = " + indices +
           " }\n[" + name + ".task]\ntype = \"FashionMNIST\"\nbatch_size = 4\ndata_folder = \"" +
           (folder.path() / "data").string() +
           "\"\nresize_image = [2, 2]\nuse_train_data = false\n";
}

// The easy and the hard set, which has half of the samples, and one section to process.
std::string sections(const ExperimentFolder& folder) {
    return section(folder, "validation.easy", "[0, 16]") +
           section(folder, "validation.hard", "[8, 16]") +
           section(folder, "process.rest", "[0, 4]");
}

void write(const ExperimentFolder& folder, const std::string& training, const std::string& more) {
    folder.write({.training = training, .pipeline = more, .has_validation = false});
}

// A run whose results are compared: one thread of libtorch.
void run(const ExperimentFolder& folder, const std::string& name,
         const std::vector<std::string>& more = {}) {
    const ProcessResult result = folder.run(name, more);
    CHECK(ptp::test::without_warnings(result.errors, "no weight has moved") == "");
    REQUIRE(result.status == 0);
}

std::string weights_of(const ExperimentFolder& folder, const std::string& name) {
    return folder.read(name + "/checkpoints/last/weights.safetensors");
}

}  // namespace

TEST_CASE("validation sets: each is measured as if it were alone, and changes nothing") {
    const ExperimentFolder folder;
    write(folder, std::string(kTraining) + kJudge, sections(folder));
    run(folder, "both");
    CHECK_FALSE(folder.has("both/validation.csv"));
    const auto status = nlohmann::json::parse(folder.read("both/status.json"));
    CHECK(status["best"]["set"] == "validation.hard");
    CHECK(status["last"]["set"] == "validation.hard");

    for (const std::string set : {"easy", "hard"}) {
        write(folder, kTraining,
              section(folder, "validation." + set, set == "easy" ? "[0, 16]" : "[8, 16]"));
        run(folder, set);
        const std::string table = "/validation." + set + ".csv";
        CHECK(folder.read("both" + table) == folder.read(set + table));
        CHECK(weights_of(folder, set) == weights_of(folder, "both"));
    }
}

TEST_CASE("validation sets: a run that was stopped continues with the same tables") {
    const ExperimentFolder folder;
    write(folder, std::string(kTraining) + kJudge, sections(folder));
    const std::string interval = "validation.partial_validation_interval=4";
    run(folder, "whole", {"--set", interval});
    run(folder, "cut",
        {"--set", interval, "--set", "training.terminal_conditions.episode_limit=9"});
    require_success(ptp::test::ptprun({"resume", folder.run_folder("cut"), "--set",
                                       "training.terminal_conditions.episode_limit=-1"}));
    for (const std::string name : {"validation.easy", "validation.hard", "partial_validation.easy",
                                   "partial_validation.hard"}) {
        CAPTURE(name);
        CHECK(folder.read("cut/" + name + ".csv") == folder.read("whole/" + name + ".csv"));
    }
    CHECK(weights_of(folder, "cut") == weights_of(folder, "whole"));
}

TEST_CASE("sections with names: resume --set changes one that no training uses") {
    const ExperimentFolder folder;
    write(folder, std::string(kTraining) + kJudge, sections(folder));
    run(folder, "whole");
    run(folder, "cut", {"--set", "training.terminal_conditions.epoch_limit=2"});
    require_success(ptp::test::ptprun({"resume", folder.run_folder("cut"), "--set",
                                       "training.terminal_conditions.epoch_limit=3", "--set",
                                       "process.rest.sampler.indices=[2, 9]"}));
    CHECK(weights_of(folder, "cut") == weights_of(folder, "whole"));
    const ProcessResult processed =
        ptp::test::ptprun({"process", folder.run_folder("cut"), "--section", "rest", "--run-dir",
                           folder.run_folder("made")});
    CHECK(processed.errors == "");
    CHECK(last_value(folder.read("made/rest.csv"), "samples") == "7");
}

TEST_CASE("sections with names: resume --set refuses one whose task does not exist") {
    const ExperimentFolder folder;
    write(folder, std::string(kTraining) + kJudge, sections(folder));
    run(folder, "run");
    const std::string journal = "run/journal.jsonl";
    const ProcessResult refused = ptp::test::ptprun(
        {"resume", folder.run_folder("run"), "--set", "process.rest.task.type=\"FashionMIST\""});
    CHECK(refused.status == 2);
    CHECK(without_folder(refused.errors, folder.path()) ==
          "--set: error: process.rest.task.type = \"FashionMIST\": no plugin has such a task; "
          "did you mean 'FashionMNIST'?\n");
    CHECK_FALSE(folder.has(journal));
}

TEST_CASE("validation sets: patience counts the validations of the set that judges") {
    const ExperimentFolder folder;
    write(folder,
          "optimizer = { type = \"SGD\", lr = 1e-30 }\njudge = \"hard\"\n"
          "terminal_conditions = { epoch_limit = 30, early_stop_validations = 2 }\n",
          sections(folder));
    run(folder, "run");
    CHECK(ptp::test::status_in(folder.path() / "run") ==
          "done: stopped early: 2 validations without a lower loss (0)");
    CHECK(last_value(folder.read("run/validation.hard.csv"), "epoch") == "3");
    const auto status = nlohmann::json::parse(folder.read("run/status.json"));
    CHECK(std::stod(last_value(folder.read("run/validation.hard.csv"), "loss")) ==
          doctest::Approx(status["best"]["loss"].get<double>()));
}

TEST_CASE("sections with names: process takes them by their last part or the whole name") {
    const ExperimentFolder folder;
    write(folder, std::string(kTraining) + kJudge,
          sections(folder) + section(folder, "process.hard", "[0, 8]"));
    run(folder, "run");
    const auto process = [&](const std::vector<std::string>& names) {
        std::vector<std::string> arguments = {"process", folder.run_folder("run"), "--run-dir",
                                              folder.run_folder("made")};
        for (const std::string& name : names) {
            arguments.insert(arguments.end(), {"--section", name});
        }
        std::filesystem::remove_all(folder.path() / "made");
        return ptp::test::ptprun(arguments);
    };
    CHECK(process({"rest", "easy", "validation.hard"}).status == 0);
    CHECK(last_value(folder.read("made/rest.csv"), "samples") == "4");
    CHECK(last_value(folder.read("made/validation.easy.csv"), "samples") == "16");
    CHECK(last_value(folder.read("made/validation.hard.csv"), "samples") == "8");

    CHECK(ptp::test::without_folder(process({"hard"}).errors, folder.path()) ==
          "--section: error: hard: means validation.hard or process.hard\n"
          "    fix: ptprun process FOLDER/run --run-dir FOLDER/made --section validation.hard\n");
    CHECK(process({"rset"}).errors ==
          "--section: error: rset: the experiment has no such section; did you mean 'rest'?\n");
    CHECK(process({"rest", "process.rest"}).errors ==
          "--section: error: process.rest: is asked for more than once\n");
}

TEST_CASE("sections with names: a mistake in one that is only processed is found before a run") {
    const ExperimentFolder folder;
    write(folder, std::string(kTraining) + kJudge, sections(folder) + "use_train_dta = true\n");
    const ProcessResult result = folder.run("run");
    CHECK(result.status == 2);
    CHECK(without_folder(result.errors, folder.path())
              .find("process.rest.task.use_train_dta: unknown setting; did you mean "
                    "'use_train_data'?") != std::string::npos);
}

}  // namespace validation_sets_test
