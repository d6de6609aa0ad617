// Cross-validations: which samples are held out, and what cannot be cut into folds.

#include "runs/support.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <regex>
#include <string>
#include <vector>

namespace cv_test {

using namespace ptp::test;

namespace {

constexpr const char* kShort =
    "optimizer = { type = \"Adam\", lr = 0.05 }\nterminal_conditions = { epoch_limit = 1 }\n";

bool has_line(const std::string& text, const std::string& line) {
    return ("\n" + text).find("\n" + line) != std::string::npos;
}

}  // namespace

TEST_CASE("cv: each fold is held out once, and mean and deviation follow") {
    const ExperimentFolder folder({.training = kShort, .has_validation = false, .has_test = false});
    const std::string file = (folder.path() / "experiment.toml").string();
    const ProcessResult said = ptp::test::ptprun(
        {"cv", file, "--folds", "4", "--run-dir", folder.run_folder("cv"), "--tag", "folds"});
    require_success(said);
    const std::string output = without_folder(said.output, folder.path());
    CHECK(has_line(output,
                   "4 runs in FOLDER/cv\nthe folds are cut at random; --stratified gives "
                   "each its part of each class\n"));
    CHECK(has_line(output, "[1/4] fold=0: begins\n"));
    double sum = 0;
    for (int fold = 0; fold < 4; ++fold) {
        const std::string run = "cv/" + std::to_string(fold + 1) + "_fold=" + std::to_string(fold);
        CAPTURE(run);
        const std::string record = folder.read(run + "/experiment.toml");
        CHECK(record.find("fold = " + std::to_string(fold) + "\n") != std::string::npos);
        CHECK(folder.read(run + "/tags.json").find("\"folds\"") != std::string::npos);
        const std::string episodes = folder.read(run + "/training.csv");
        CHECK(std::ranges::count(episodes, '\n') == 6);  // 36 samples in batches of 8
        const std::string rows = folder.read(run + "/validation.csv");
        sum += std::stod(ptp::test::last_value(rows, "loss"));
    }
    const std::string means = output.substr(output.find("mean ± deviation over folds\n"));
    std::smatch line;
    REQUIRE(std::regex_search(means, line, std::regex("\n4 +([0-9.]+) ± [0-9.]+ ")));
    CHECK(std::stod(line[1]) == doctest::Approx(sum / 4).epsilon(0.02));
}

TEST_CASE("cv: values of best epochs are called optimistic, and those of the last ones follow") {
    const ptp::test::TempFolder folder;
    std::string rows = "x,y,kind\n";
    for (int i = 0; i < 40; ++i) {
        rows += std::to_string(i) + ".5," + std::to_string(i % 3) + ".5" +
                (i * 7 % 5 < 2 ? ",a\n" : ",b\n");
    }
    folder.write("t.csv", rows);
    const std::string file =
        folder
            .write("t.toml",
                   "seed = 1\n[training]\noptimizer = { type = \"Adam\", lr = 0.3 }\n"
                   "terminal_conditions = { epoch_limit = 6 }\n"
                   "[training.task]\ntype = \"Table\"\nfile = \"t.csv\"\nbatch_size = 4\n"
                   "features = [\"x\", \"y\"]\nlabel = \"kind\"\n[pipeline.net]\n"
                   "type = \"FeedForwardNetwork\"\nhidden_sizes = [8]\n"
                   "globals = { prediction_size = \"num_classes\" }\n"
                   "[pipeline.loss]\ntype = \"NLLLoss\"\n")
            .string();
    const ProcessResult said = ptp::test::ptprun(
        {"cv", file, "--folds", "2", "--run-dir", (folder.path() / "cv").string()});
    require_success(said);
    std::smatch means;
    REQUIRE(std::regex_search(
        said.output, means,
        std::regex("\nmean ± deviation over folds, each at its best epoch, which the held-out "
                   "samples chose: optimistic\nn +loss\n2 +([0-9.]+) ± [0-9.]+\n"
                   "\nthe same, each at its last epoch\nn +loss\n2 +([0-9.]+) ± [0-9.]+\n")));
    CHECK(std::stod(means[1]) < std::stod(means[2]));
}

TEST_CASE(
    "cv: the fold is read with the settings of [validation], out of the data of the training") {
    const ExperimentFolder folder({.training = kShort, .has_test = false});
    const std::string file = (folder.path() / "experiment.toml").string();
    const ProcessResult said =
        ptp::test::ptprun({"cv", file, "--folds", "4", "--run-dir", folder.run_folder("cv"),
                           "--set", "validation.task.normalize={ mean = 0.0, std = 0.5 }", "--set",
                           "validation.task.use_train_data=false"});
    CHECK(ptp::test::without_warnings(without_excerpts(said.errors), "validation.task.normalize") ==
          "");
    CHECK(said.status == 0);
    const std::string record = folder.read("cv/4_fold=3/experiment.toml");
    const std::size_t validation = record.find("[validation.task]");
    REQUIRE(validation != std::string::npos);
    CHECK(record.find("std = 0.5") > validation);
    CHECK(record.find("std = 0.5") != std::string::npos);
    CHECK(record.find("use_train_data = false") == std::string::npos);
    CHECK(std::regex_search(said.output, std::regex("\\n1_fold=0 .*\\n")));
    CHECK(said.output.find("  fold  ") != std::string::npos);
    CHECK(said.output.find("sampler.fold") == std::string::npos);
}

TEST_CASE("cv: no set is evaluated on samples that are trained on") {
    const ExperimentFolder folder;
    const std::string data = "data_folder = \"" + (folder.path() / "data").string() + "\"\n";
    const std::string task =
        ".task]\ntype = \"FashionMNIST\"\nbatch_size = 8\n"
        "resize_image = [2, 2]\n" +
        data;
    folder.write({.training = std::string(kShort) + "judge = \"own\"\n",
                  .pipeline = "[validation.own" + task + "[validation.same" + task +
                              "[validation.other" + task + "use_train_data = false\n[test" + task +
                              "[pipeline.seen]\ntype = \"IndexWitness\"\n",
                  .has_validation = false,
                  .has_test = false});
    const ProcessResult said =
        folder.run("run", ptp::test::with_witness({"--fold", "1/4", "--quiet"}));
    CHECK(said.status == 0);
    const std::string why =
        "is set to the fold that is held out: the task has the samples of training.task\n";
    const std::string errors = without_folder(said.errors, folder.path());
    CHECK(errors.find("validation.same.sampler: " + why) != std::string::npos);
    CHECK(errors.find("test.sampler: " + why) != std::string::npos);
    const std::string seen = folder.read("run/seen.txt");
    const auto samples_of = [&](const std::string& section) {
        auto samples = ptp::test::samples_seen(seen, section).at(0);
        std::ranges::sort(samples);
        return samples;
    };
    const auto trained = samples_of("training");
    CHECK(trained.size() == 36);
    const auto held_out = samples_of("validation.own");
    CHECK(held_out.size() == 12);
    for (const std::int64_t sample : held_out) {
        CHECK_FALSE(std::ranges::binary_search(trained, sample));
    }
    CHECK(samples_of("validation.same") == held_out);
    CHECK(samples_of("test") == held_out);
    CHECK(samples_of("validation.other").size() == 16);  // of another file
}

TEST_CASE("cv: the folds are stratified where the sampler of the experiment is") {
    const ExperimentFolder folder({.training = std::string(kShort) +
                                               "sampler = { type = \"StratifiedSplitSampler\", "
                                               "share = [0.0, 0.8] }\n",
                                   .has_validation = false,
                                   .has_test = false});
    const std::string file = (folder.path() / "experiment.toml").string();
    const ProcessResult said = ptp::test::ptprun(
        {"cv", file, "--folds", "2", "--run-dir", folder.run_folder("cv"), "--quiet"});
    CHECK(
        without_excerpts(without_folder(said.errors, folder.path()))
            .find("warning: training.sampler: the folds are cut from all samples of training.task, "
                  "with the classes in the same proportions, and not from the share that the "
                  "StratifiedSplitSampler has\n") != std::string::npos);
    CHECK(said.status == 0);
    const std::string record = folder.read("cv/2_fold=1/experiment.toml");
    const std::size_t training = record.find("type = \"kFoldStratifiedSampler\"");
    REQUIRE(training != std::string::npos);
    CHECK(record.find("type = \"kFoldStratifiedSampler\"", training + 1) != std::string::npos);
}

TEST_CASE("cv: --stratified, or a sampler without numbers, keeps the classes' proportions") {
    const ExperimentFolder folder;
    for (const std::string sampler : {"", "sampler = { type = \"kFoldStratifiedSampler\" }\n"}) {
        folder.write({.training = kShort + sampler, .has_validation = false, .has_test = false});
        const std::string run = sampler.empty() ? "option" : "sampler";
        std::vector<std::string> words = {"cv",        (folder.path() / "experiment.toml").string(),
                                          "--folds",   "2",
                                          "--run-dir", folder.run_folder(run.c_str()),
                                          "--quiet"};
        if (sampler.empty()) {
            words.push_back("--stratified");
        }
        require_success(ptp::test::ptprun(words));
    }
    CHECK(folder.read("option/2_fold=1/validation.csv") ==
          folder.read("sampler/2_fold=1/validation.csv"));
    CHECK(folder.read("option/2_fold=1/experiment.toml").find("kFoldStratifiedSampler") !=
          std::string::npos);
}

TEST_CASE(
    "cv: a warning of single folds is shown once, with the folds; --quiet prints only these") {
    const ExperimentFolder folder({.training = kShort, .has_validation = false, .has_test = false});
    const ProcessResult said = ptp::test::ptprun(
        {"cv", (folder.path() / "experiment.toml").string(), "--folds", "5", "--run-dir",
         folder.run_folder("cv"), "--set", "training.task.batch_size=64", "--quiet"});
    CHECK(said.status == 0);
    CHECK(said.output == "");
    const auto warning = [](const char* samples, const char* folds) {
        return std::string("ptprun: warning: training.task.batch_size = 64: an epoch has ") +
               samples +
               " samples, so that it is one batch and one step of the optimizer\n    in " + folds +
               "\n";
    };
    // 48 samples: three folds have ten of them, and two have nine.
    CHECK(said.errors == warning("38", "fold=0, fold=1, fold=2") + warning("39", "fold=3, fold=4"));
}

TEST_CASE("cv: what cannot be cut into folds is refused") {
    const ExperimentFolder folder(
        {.training = std::string(kShort) + "sampler = { type = \"RandomSampler\" }\n"});
    const std::string file = (folder.path() / "experiment.toml").string();
    const ProcessResult sampler = ptp::test::run_program("ptprun", {"cv", file});
    CHECK(sampler.status == 2);
    CHECK(without_folder(sampler.errors, folder.path())
              .find("training.sampler: a RandomSampler cannot hold out a fold\n    fix: remove "
                    "training.sampler: the folds are drawn at random\n") != std::string::npos);
    struct Case {
        std::vector<std::string> arguments;
        std::string errors;
    };
    const Case cases[] = {
        {{"cv", file, "--folds", "1"}, "--folds 1: must be in [2, 1000]"},
        {{"cv", file, "--watch"}, "--watch is for a single run"},
        {{file, "--fold", "5/5"},
         "--fold 5/5: must be I/K, such as 0/5, with I from 0 to K - 1 and K at least 2"},
        {{file, "--fold", "1/5x"},
         "--fold 1/5x: must be I/K, such as 0/5, with I from 0 to K - 1 and K at least 2"},
        {{file, "--fold", "1/5", "--overfit", "2"}, "--fold and --overfit exclude each other"},
        {{file, "--tag", ""}, "--tag '': a tag must not be empty, nor begin or end with a space"},
    };
    for (const Case& c : cases) {
        const ProcessResult said = ptp::test::run_program("ptprun", c.arguments);
        CHECK(said.status == 2);
        CHECK(said.errors == "ptprun: error: " + c.errors + "\n    help: ptprun help " +
                                 (c.arguments.front() == "cv" ? "cv" : "run") + "\n");
    }
}

TEST_CASE("cv: a table without a split has folds, and columns as the training has them") {
    const ptp::test::TempFolder folder;
    std::string rows = "x,kind\n";
    for (int i = 0; i < 30; ++i) {
        rows += std::to_string(i) + (i % 2 == 0 ? ",even\n" : ",odd\n");
    }
    folder.write("t.csv", rows);
    const std::string task =
        "type = \"Table\"\nfile = \"t.csv\"\nfeatures = \"x\"\nlabel = \"kind\"\nbatch_size = 10\n";
    const std::string pipeline =
        "[pipeline.net]\ntype = \"FeedForwardNetwork\"\nglobals = { input_size = \"num_features\", "
        "prediction_size = \"num_classes\" }\n[pipeline.loss]\ntype = \"NLLLoss\"\n";
    const std::string training =
        std::string("seed = 1\n[training]\n") + kShort + "[training.task]\n";
    const auto run = [&](const std::string& text, std::vector<std::string> more) {
        more.insert(more.begin(), folder.write("t.toml", text).string());
        more.push_back("--quiet");
        return ptp::test::ptprun(more);
    };
    require_success(run(training + task + pipeline,
                        {"--fold", "1/3", "--run-dir", (folder.path() / "a").string()}));
    const ProcessResult two = run(training + task + "[validation.task]\n" + task + pipeline,
                                  {"--run-dir", (folder.path() / "b").string()});
    CHECK(two.status == 0);
    CHECK(two.errors.find("validation.task: has the samples of [training]") != std::string::npos);
}

TEST_CASE("cv: many folds are warned of, with the number of trainings, before one is begun") {
    const ExperimentFolder folder({.training = std::string(kShort) +
                                               "sampler = { type = \"kFoldStratifiedSampler\", "
                                               "label_stream = \"targets\" }\n",
                                   .has_validation = false,
                                   .has_test = false});
    const std::string file = (folder.path() / "experiment.toml").string();
    const ProcessResult said = ptp::test::ptprun(
        {"cv", file, "--folds", "21", "--run-dir", folder.run_folder("cv"), "--quiet"});
    CHECK(said.errors.starts_with(
        "ptprun: warning: 21 folds are 21 trainings of 1 epoch each; 5 or 10 folds are usual\n"
        "    fix: --folds 10\n"));
}

TEST_CASE("cv: more folds than samples are refused before any run is begun") {
    const ExperimentFolder folder({.training = kShort, .has_test = false});
    const std::string file = (folder.path() / "experiment.toml").string();
    const ProcessResult said = ptp::test::run_program(
        "ptprun", {"cv", file, "--folds", "200", "--run-dir", folder.run_folder("cv")});
    CHECK(said.status == 2);
    CHECK(said.output == "");
    CHECK(without_folder(said.errors, folder.path()) ==
          "ptprun: error: --fold 0/200 (ptprun cv: --folds 200): FashionMNIST has only 48 "
          "samples\n    fix: --folds 5 of ptprun cv, or --fold 0/5\n");
    CHECK_FALSE(folder.has("cv"));
}

TEST_CASE("check: a validation on the table of the training is warned of, however it names it") {
    const ptp::test::TempFolder folder;
    folder.write("t.csv", "x,kind\n1,a\n2,b\n3,a\n4,b\n");
    const std::string task =
        "type = \"Table\"\nbatch_size = 2\nfile = \"t.csv\"\nfeatures = \"x\"\nlabel = \"kind\"\n";
    for (const std::string more : {"", "training_file = \"t.csv\"\n"}) {
        CAPTURE(more);
        const std::string file =
            folder
                .write("t.toml", "seed = 1\n[training]\n" + std::string(kShort) +
                                     "[training.task]\n" + task + "[validation.task]\n" + task +
                                     more +
                                     "[pipeline.net]\ntype = \"FeedForwardNetwork\"\nglobals = { "
                                     "prediction_size = \"num_classes\" }\n[pipeline.loss]\ntype "
                                     "= \"NLLLoss\"\n")
                .string();
        const ProcessResult said = ptp::test::run_program("ptprun", {"check", file});
        CHECK(said.status == 0);
        CHECK(said.errors.find("validation.task: has the samples of [training], which are all "
                               "trained on") != std::string::npos);
    }
}

}  // namespace cv_test
