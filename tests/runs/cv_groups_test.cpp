// Cross-validations of samples in groups, which stay together.

#include "runs/support.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace cv_groups_test {

using namespace ptp::test;

namespace {

constexpr const char* kShort =
    "optimizer = { type = \"Adam\", lr = 0.05 }\nterminal_conditions = { epoch_limit = 1 }\n";

}  // namespace

TEST_CASE("cv: the groups of a table stay in one fold, whose rows a prediction scores") {
    const ptp::test::TempFolder folder;
    std::string rows = "x,who,kind\n";
    for (int i = 0; i < 24; ++i) {
        rows +=
            std::to_string(i % 7) + ",p" + std::to_string(i % 6) + (i % 2 == 0 ? ",a\n" : ",b\n");
    }
    folder.write("t.csv", rows);
    const std::string task =
        "type = \"Table\"\nbatch_size = 4\nfile = \"t.csv\"\ntraining_file = \"t.csv\"\nfeatures = \"x\"\nlabel = "
        "\"kind\"\nid = \"who\"\ngroup = \"who\"\n";
    const std::string file =
        folder
            .write("t.toml", "name = \"t\"\nseed = 1\n[training]\n" + std::string(kShort) +
                                 "sampler = { type = \"kFoldGroupSampler\" }\n[training.task]\n" +
                                 task +
                                 "[pipeline.net]\ntype = \"FeedForwardNetwork\"\nglobals = { "
                                 "prediction_size = \"num_classes\" }\n[pipeline.loss]\ntype = "
                                 "\"NLLLoss\"\n")
            .string();
    const auto cross_validate = [&](const char* folds, const std::string& run) {
        return ptp::test::ptprun(
            {"cv", file, "--folds", folds, "--run-dir", (folder.path() / run).string(), "--quiet"});
    };
    require_success(cross_validate("3", "cv"));
    std::vector<std::string> held_out;
    for (int fold = 0; fold < 3; ++fold) {
        const std::string run = (folder.path() / "cv").string() + "/" + std::to_string(fold + 1) +
                                "_fold=" + std::to_string(fold);
        const ProcessResult predicted = ptp::test::run_program(
            "ptprun", {"predict", run, "--data", "validation", "--quiet"}, {});
        REQUIRE(predicted.status == 0);
        CHECK(std::ranges::count(predicted.output, '\n') == 1 + 8);  // two of six groups of four
        const ProcessResult ids = ptp::test::run_program(
            "ptprun", {"predict", run, "--data", "validation", "--stream", "ids", "--quiet"}, {});
        for (int who = 0; who < 6; ++who) {
            const std::string name = "p" + std::to_string(who);
            std::size_t count = 0;
            for (std::size_t at = 0; (at = ids.output.find(name, at)) != std::string::npos; ++at) {
                ++count;
            }
            CHECK((count == 0 || count == 4));
            if (count == 4) {
                held_out.push_back(name);
            }
        }
    }
    std::ranges::sort(held_out);
    CHECK(held_out == std::vector<std::string>{"p0", "p1", "p2", "p3", "p4", "p5"});
    CHECK(
        cross_validate("7", "more")
            .errors.find(
                "--fold 0/7 (ptprun cv: --folds 7): there are only 6 groups\n    fix: --folds 5 of "
                "ptprun cv, or --fold 0/5\n") != std::string::npos);
}

TEST_CASE("cv: folds that are cut through the groups of a table are warned of") {
    const ptp::test::TempFolder folder;
    folder.write("t.csv", "x,who,y\n1,a,1\n2,a,2\n3,b,3\n4,b,4\n5,c,5\n6,c,6\n");
    const auto said = [&](const std::string& more) {
        const auto file = folder.write(
            "t.toml",
            "seed = 1\n[training]\n" + std::string(kShort) +
                "[training.task]\ntype = \"Table\"\nbatch_size = 2\nfile = \"t.csv\"\n"
                "features = \"x\"\nvalues = \"y\"\n" +
                more + "[pipeline.net]\ntype = \"FeedForwardNetwork\"\n" +
                "use_logsoftmax = false\nglobals = { prediction_size = 1 }\n" +
                "[pipeline.loss]\ntype = \"MSELoss\"\nstreams = { targets = \"values\" }\n");
        const ProcessResult result =
            ptp::test::run_program("ptprun", {file.string(), "--fold", "0/2", "--quiet",
                                              "--run-dir", (folder.path() / "run").string()});
        std::filesystem::remove_all(folder.path() / "run");
        const std::string text = without_excerpts(without_folder(result.errors, folder.path()));
        CHECK_MESSAGE(result.status == 0, text);
        return text;
    };
    const std::string problem =
        ": the folds are cut at random: samples of one 'who' may be in the training and in the "
        "fold that is held out\n    fix: set ";
    const std::string sampler = "training.sampler = { type = \"kFoldGroupSampler\" }\n";
    CHECK(said("group = \"who\"\n") ==
          "FOLDER/t.toml:11:9: warning: training.task.group" + problem + sampler);
    CHECK(said("split = { shares = [0.6, 0.4], group = \"who\" }\n") ==
          "FOLDER/t.toml:11:40: warning: training.task.split.group" + problem +
              "training.task.group = \"who\", and " + sampler);
    CHECK(said("group = \"who\"\n[training.sampler]\ntype = \"kFoldGroupSampler\"\n") == "");
}

TEST_CASE("cv: numbers to be predicted have no classes by which folds are stratified") {
    const ptp::test::TempFolder folder;
    folder.write("t.csv", "x,y\n1,1\n2,2\n3,3\n4,4\n");
    const auto file = folder.write(
        "t.toml", "seed = 1\n[training]\n" + std::string(kShort) +
                      "[training.task]\ntype = \"Table\"\nbatch_size = 2\nfile = \"t.csv\"\n"
                      "features = \"x\"\nvalues = \"y\"\n[pipeline.net]\n"
                      "type = \"FeedForwardNetwork\"\nuse_logsoftmax = false\n"
                      "globals = { prediction_size = 1 }\n[pipeline.loss]\ntype = \"MSELoss\"\n"
                      "streams = { targets = \"values\" }\n");
    const ProcessResult said =
        ptp::test::run_program("ptprun", {"cv", file.string(), "--folds", "2", "--stratified",
                                          "--run-dir", (folder.path() / "cv").string()});
    CHECK(said.status == 2);
    CHECK_MESSAGE(
        said.errors.find("    fix: leave out --stratified: numbers to be predicted have no "
                         "classes\n") != std::string::npos,
        said.errors);
}

TEST_CASE("cv: samples of several classes have none by which folds are stratified") {
    const ptp::test::TempFolder folder;
    folder.write("t.csv", "x,y\n1,a\n2,a;b\n3,b\n4,a\n");
    const auto file = folder.write(
        "t.toml", "seed = 1\n[training]\n" + std::string(kShort) +
                      "[training.task]\ntype = \"Table\"\nbatch_size = 2\nfile = \"t.csv\"\n"
                      "features = \"x\"\nlabel = \"y\"\nmulti_label = true\n[pipeline.net]\n"
                      "type = \"FeedForwardNetwork\"\nuse_logsoftmax = false\n"
                      "globals = { prediction_size = \"num_classes\" }\n[pipeline.loss]\n"
                      "type = \"BCEWithLogitsLoss\"\n");
    const ProcessResult said =
        ptp::test::run_program("ptprun", {"cv", file.string(), "--folds", "2", "--stratified",
                                          "--run-dir", (folder.path() / "cv").string()});
    CHECK(said.status == 2);
    CHECK(said.errors ==
          "ptprun: error: training.sampler.label_stream = \"targets\": neither the task of "
          "[training] (Table) nor a transform behind it that treats each sample by itself has a "
          "stream of this name with an integer or a string for each sample; known: labels\n"
          "    fix: leave out --stratified: it needs samples of one class each\n");
}

}  // namespace cv_groups_test
