// Predictions for sections with names, and the best of runs that one of several sets judges.

#include "runs/predictions.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace predict_sections_test {

using namespace ptp::test;

namespace fs = std::filesystem;

namespace {

std::string section(const ExperimentFolder& folder, const std::string& name,
                    const std::string& indices) {
    return "[" + name + "]\nsampler = { type = \"SubsetSequentialSampler\", indices = " + indices +
           " }\n[" + name + ".task]\ntype = \"FashionMNIST\"\nbatch_size = 4\ndata_folder = \"" +
           (folder.path() / "data").string() +
           "\"\nresize_image = [2, 2]\nuse_train_data = false\n";
}

// The last quarter of the samples judges.
void train(const ExperimentFolder& folder, const std::string& name, const std::string& rate) {
    folder.write({.training = "optimizer = { type = \"Adam\", lr = " + rate +
                              " }\njudge = \"hard\"\nterminal_conditions = { epoch_limit = 3 }\n",
                  .pipeline = section(folder, "validation.easy", "[0, 16]") +
                              section(folder, "validation.hard", "[12, 16]") +
                              section(folder, "process.easy", "[0, 4]") +
                              section(folder, "process.rest", "[4, 6]"),
                  .has_validation = false,
                  .has_test = false});
    const ProcessResult result = folder.run(name);
    CHECK(ptp::test::without_warnings(result.errors, "is 0, so that no weight changes") == "");
    REQUIRE(result.status == 0);
}

std::vector<std::string> indices_of(const std::vector<std::string>& arguments) {
    const ProcessResult result = predict(arguments);
    require_success(result);
    return column(rows_of(result.output), "index");
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("predict: sections with names, by the last part of it or the whole") {
    const ExperimentFolder folder;
    train(folder, "run", "0.05");
    const std::string run = folder.run_folder("run");
    const Words of_hard = {"12", "13", "14", "15"};
    CHECK(indices_of({run, "--quiet", "--data", "hard"}) == of_hard);
    CHECK(indices_of({run, "--quiet", "--data", "validation.hard"}) == of_hard);
    CHECK(indices_of({run, "--quiet", "--data", "validation"}) == of_hard);
    CHECK(indices_of({run, "--quiet", "--data", "rest"}) == Words{"4", "5"});
    CHECK(indices_of({run, "--quiet", "--data", "process.easy"}) == Words{"0", "1", "2", "3"});
    CHECK(predict({run, "--data", "validation.hard", folder.run_folder("experiment.toml")})
              .errors.starts_with(
                  "--data: error: validation.hard: is a section, which is predicted by itself\n"
                  "    fix: ptprun predict " +
                  run + " --data validation.hard\n"));
    CHECK(predict({run, "--data", "easy"}).errors ==
          "--data: error: easy: means validation.easy or process.easy\n"
          "    fix: ptprun predict " +
              run + " --data validation.easy\n");
    CHECK(
        predict({run, "--data", "hrad"}).errors ==
        "--data: error: hrad: no such file or folder, and no such section; did you mean 'hard'?\n");
    CHECK(
        predict({run, "--data", "rest", "--section", "hard"}).errors ==
        "ptprun: error: --section goes with files and folders; --data rest is the section itself, "
        "and --data ./rest a folder or file of this name\n    help: ptprun help predict\n");
}

TEST_CASE("predict: a name of a section and of a folder, or of neither, says what it means") {
    const ExperimentFolder folder;
    train(folder, "run", "0.05");
    const std::string run = folder.run_folder("run");
    fs::create_directory(folder.path() / "rest");
    const fs::path before = fs::current_path();
    fs::current_path(folder.path());
    const std::string both = predict({run, "--data", "rest"}).errors;
    const std::string quiet = predict({run, "--data", "rest", "--quiet"}).errors;
    const std::string neither = predict({run, "--data", "test"}).errors;
    fs::create_directory(folder.path() / "test");
    const std::string only_folder = predict({run, "--data", "test"}).errors;
    fs::current_path(before);
    CHECK(both.starts_with(
        "--data rest is the section of the experiment; the folder of this name is --data ./rest\n"));
    CHECK(quiet == "");
    CHECK(neither ==
          "ptprun: error: --data test: the experiment has no such section, and here is no file or "
          "folder of this name; known: training, hard, validation.easy, process.easy, rest\n"
          "    help: ptprun help predict\n");
    CHECK(only_folder ==
          "ptprun: error: --data test: the experiment has no such section, and in the current "
          "folder is something of this name; known: training, hard, validation.easy, process.easy, "
          "rest\n"
          "    fix: ptprun predict " +
              run +
              " --data ./test\n"
              "    help: ptprun help predict\n");
}

TEST_CASE("predict: files are read by the task of the set that judges, or of a section by name") {
    const ExperimentFolder folder;
    train(folder, "run", "0.05");
    const std::string run = folder.run_folder("run");
    const std::string images = (folder.path() / "data/t10k-images-idx3-ubyte").string();
    const auto predicted = [&](Words more) {
        more.insert(more.begin(), {run, "--quiet", "--data", images});
        const ProcessResult result = predict(more);
        CHECK(result.errors == "");
        return column(rows_of(result.output), "predicted");
    };
    const Words by_default = predicted({});
    CHECK(by_default.size() == 16);
    for (const char* name : {"hard", "validation", "rest", "process.easy"}) {
        CHECK(predicted({"--section", name}) == by_default);
    }
    CHECK(predict({run, "--data", images, "--section", "hrad"}).errors ==
          "--section: error: hrad: the experiment has no such section; did you mean 'hard'?\n");
}

TEST_CASE("best: of a run and of several it is what the set that judges says") {
    const ExperimentFolder folder;
    train(folder, "runs/learns", "0.05");
    train(folder, "runs/stays", "0.0");
    const auto status = nlohmann::json::parse(folder.read("runs/learns/status.json"));
    CHECK(status["best"]["set"] == "validation.hard");
    const std::string best = folder.run_folder("runs/best");
    const ProcessResult made = ptprun({"process", best, "--section", "hard", "--run-dir",
                                       folder.run_folder("made"), "--checkpoint", "best"});
    require_success(made);
    CHECK(std::stod(last_value(folder.read("made/validation.hard.csv"), "loss")) ==
          doctest::Approx(status["best"]["loss"].get<double>()));
    CHECK(indices_of({best, "--quiet", "--data", "hard"}).size() == 4);
    const ProcessResult same =
        predict({folder.run_folder("runs/learns"), "--quiet", "--data", "hard"});
    CHECK(predict({best, "--quiet", "--data", "hard"}).output == same.output);
}

}  // namespace predict_sections_test
