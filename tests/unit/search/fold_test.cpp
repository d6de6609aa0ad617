#include "ptprun/fold.hpp"

#include "../experiment/support.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include <string>

namespace fold_test {

using namespace ptp;
using namespace ptp::experiment;
using namespace ptp::experiment::test;
using ptp::ptprun::make_fold;

TEST_CASE("fold: training and validation get the two parts of the training's samples") {
    Experiment experiment = read_valid(kExample);
    experiment.training.sampler.reset();
    const std::int64_t batch_size = experiment.validation->task.batch_size;
    experiment.validation->task.settings.set("use_train_data", false);
    Diagnostics problems;
    make_fold(experiment, {.number = 2, .count = 5}, {{"use_train_data"}}, problems);
    CHECK(problems.ok());
    CHECK(problems.text().find(
              "validation.task.use_train_data: warning: does not count: the folds are "
              "cut from training.task, whose value is taken") != std::string::npos);
    CHECK(experiment.training.sampler->type() == "kFoldRandomSampler");
    CHECK(experiment.training.sampler->get<Folds>()->part == "training");
    CHECK_FALSE(experiment.training.dataloader.shuffle);
    CHECK(experiment.validation->sampler->get<Folds>()->part == "validation");
    for (const Sampler& sampler : {*experiment.training.sampler, *experiment.validation->sampler}) {
        CHECK(sampler.get<Folds>()->fold == 2);
        CHECK(sampler.get<Folds>()->folds == 5);
        CHECK(sampler.get<Folds>()->fold_seed == 0);
    }
    CHECK(experiment.validation->task.settings.find("use_train_data") == nullptr);
    CHECK(experiment.validation->task.path == "validation.task");
    CHECK(experiment.validation->task.batch_size == batch_size);
}

TEST_CASE("fold: samplers of a part of the samples give way to the folds, with a warning") {
    Experiment experiment = read_valid(kExample);
    experiment.validation->sampler = Sampler{ptp::experiment::SubsetSequentialSampler()};
    Diagnostics problems;
    make_fold(experiment, {.number = 0, .count = 2}, {}, problems);
    CHECK(problems.ok());
    const auto warned = problems.sorted();
    const auto has = [&](const char* key, const std::string& message) {
        return std::ranges::any_of(warned, [&](const auto& problem) {
            return problem.key == key && problem.message == message;
        });
    };
    CHECK(has("training.sampler",
              "the folds are cut from all samples of training.task, at random, and not from the "
              "samples that the SubsetRandomSampler has"));
    CHECK(has("validation.sampler", "is replaced by the fold that is held out"));
    CHECK(experiment.training.sampler->type() == "kFoldRandomSampler");
}

TEST_CASE("fold: a sampler that draws some samples is refused, one of folds keeps its kind") {
    Experiment experiment = read_valid(kExample);
    Diagnostics problems;
    experiment.training.sampler = Sampler{ptp::experiment::RandomSampler()};
    make_fold(experiment, {.number = 0, .count = 2}, {}, problems);
    CHECK(problems.sorted().at(0).message == "a RandomSampler cannot hold out a fold");
    CHECK(problems.sorted().at(0).fix == "remove training.sampler: the folds are drawn at random");
    experiment.training.sampler = Sampler{ptp::experiment::WeightedRandomSampler()};
    Diagnostics of_weights;
    make_fold(experiment, {.number = 0, .count = 2}, {}, of_weights);
    CHECK(of_weights.sorted().at(0).fix ==
          "set training.sampler.type = \"kFoldWeightedRandomSampler\"");
    KFoldWeightedRandomSampler weighted;
    weighted.weights = {{1, 2, 3, 4}, {}};
    weighted.fold_seed = 9;
    experiment.training.sampler = Sampler{weighted};
    Diagnostics none;
    make_fold(experiment, {.number = 1, .count = 2}, {}, none);
    CHECK(none.ok());
    CHECK(experiment.training.sampler->type() == "kFoldWeightedRandomSampler");
    CHECK(experiment.training.sampler->get<Weights>()->weights->values.size() == 4);
    CHECK(experiment.validation->sampler->type() == "kFoldRandomSampler");
    CHECK(experiment.validation->sampler->get<Folds>()->fold_seed == 9);
}

TEST_CASE("fold: where stratified folds are requested, random ones become stratified") {
    const auto folded = [](std::optional<Sampler> sampler, Diagnostics& problems) {
        Experiment experiment = read_valid(kExample);
        experiment.training.sampler = std::move(sampler);
        make_fold(experiment, {.number = 1, .count = 3, .is_stratified = true}, {}, problems);
        return experiment;
    };
    for (const std::optional<Sampler>& random :
         {std::optional<Sampler>(), std::optional(Sampler{KFoldRandomSampler{{.fold_seed = 9}}}),
          std::optional(Sampler{RandomSplitSampler()})}) {
        Diagnostics problems;
        const Experiment experiment = folded(random, problems);
        REQUIRE(problems.ok());
        CHECK(experiment.training.sampler->type() == "kFoldStratifiedSampler");
        CHECK(experiment.validation->sampler->type() == "kFoldStratifiedSampler");
        CHECK(experiment.validation->sampler->get<Folds>()->fold == 1);
        CHECK(experiment.validation->sampler->get<Folds>()->fold_seed ==
              (random && random->get<Folds>() != nullptr ? 9 : 0));
    }
    Diagnostics problems;
    folded(Sampler{LengthGroupedSampler()}, problems);
    CHECK(problems.text() ==
          "training.sampler: the folds of a kFoldLengthGroupedSampler cannot be stratified\n"
          "    fix: remove it, or leave out --stratified");
}

TEST_CASE("fold: a sampler by length groups what is outside of the fold, and sorts the fold") {
    Experiment experiment = read_valid(kExample);
    experiment.training.sampler = Sampler{LengthGroupedSampler{{.length_stream = "n", .pool = 7}}};
    Diagnostics problems;
    make_fold(experiment, {.number = 1, .count = 3}, {}, problems);
    CHECK(problems.ok());
    for (const Sampler& sampler : {*experiment.training.sampler, *experiment.validation->sampler}) {
        CHECK(sampler.type() == "kFoldLengthGroupedSampler");
        CHECK(sampler.get<Folds>()->fold == 1);
        CHECK(sampler.get<Folds>()->folds == 3);
        CHECK(sampler.get<Lengths>()->length_stream == "n");
        CHECK(sampler.get<Lengths>()->pool == 7);
    }
    CHECK(experiment.training.sampler->get<Folds>()->part == "training");
    CHECK(experiment.training.sampler->get<Lengths>()->shuffle);
    CHECK(experiment.validation->sampler->get<Folds>()->part == "validation");
    CHECK_FALSE(experiment.validation->sampler->get<Lengths>()->shuffle);
}

TEST_CASE("fold: a share of the samples gives way to the folds, with a warning") {
    Experiment experiment = read_valid(kExample);
    experiment.training.sampler = Sampler{RandomSplitSampler{{.share = {0, 0.8}}}};
    experiment.validation->sampler = Sampler{RandomSplitSampler{{.share = {0.8, 1}}}};
    Diagnostics problems;
    make_fold(experiment, {.number = 1, .count = 3}, {}, problems);
    CHECK(problems.ok());
    CHECK(problems.text() ==
          "training.sampler: warning: the folds are cut from all samples of training.task, at "
          "random, and not from the share that the RandomSplitSampler has");
    CHECK(experiment.training.sampler->type() == "kFoldRandomSampler");
    CHECK(experiment.training.sampler->get<Folds>()->folds == 3);
    CHECK(experiment.validation->sampler->type() == "kFoldRandomSampler");
    experiment.training.sampler =
        Sampler{LengthGroupedSplitSampler{{.share = {0, 0.8}}, {.length_stream = "n"}}};
    make_fold(experiment, {.number = 1, .count = 3}, {}, problems);
    CHECK(experiment.training.sampler->type() == "kFoldLengthGroupedSampler");
    CHECK(experiment.training.sampler->get<Lengths>()->length_stream == "n");
}

TEST_CASE("fold: a stratified share gives way to stratified folds, in the other sections too") {
    Experiment experiment = read_valid(kExample);
    StratifiedSplitSampler stratified{{.share = {0, 0.8}}, {.label_stream = "species"}};
    experiment.training.sampler = Sampler{stratified};
    experiment.validation->sampler = Sampler{stratified};
    Diagnostics problems;
    make_fold(experiment, {.number = 1, .count = 3}, {}, problems);
    CHECK(problems.ok());
    CHECK(problems.text() ==
          "training.sampler: warning: the folds are cut from all samples of training.task, with "
          "the classes in the same proportions, and not from the share that the "
          "StratifiedSplitSampler has");
    for (const Sampler& sampler : {*experiment.training.sampler, *experiment.validation->sampler}) {
        CHECK(sampler.type() == "kFoldStratifiedSampler");
        CHECK(sampler.get<Folds>()->fold == 1);
        CHECK(sampler.get<Folds>()->folds == 3);
        CHECK(sampler.get<Classes>()->label_stream == "species");
        CHECK(sampler.needs_labels());
    }
    CHECK(experiment.training.sampler->get<Folds>()->part == "training");
    CHECK(experiment.validation->sampler->get<Folds>()->part == "validation");
    make_fold(experiment, {.number = 2, .count = 3}, {}, problems);
    CHECK(experiment.training.sampler->type() == "kFoldStratifiedSampler");
    CHECK(experiment.training.sampler->get<Folds>()->fold == 2);
}

TEST_CASE("fold: what is held out looks as the validation says, and is of the training's data") {
    Experiment experiment = read_valid(kExample);
    experiment.training.sampler.reset();
    TaskEntry& training = experiment.training.task;
    TaskEntry& validation = experiment.validation->task;
    training.settings = Value::table({{"data_folder", "a"}, {"augment", true}, {"size", 7}});
    validation.settings = Value::table({{"data_folder", "b"}, {"augment", false}, {"split", "x"}});
    Diagnostics problems;
    make_fold(experiment, {.number = 0, .count = 2}, {{"data_folder"}, {"size"}, {"split"}},
              problems);
    CHECK(problems.ok());
    CHECK(experiment.validation->task.settings ==
          Value::table({{"data_folder", "a"}, {"augment", false}, {"size", 7}}));
    CHECK(problems.sorted().size() == 3);
    CHECK(experiment.validation->sampler->get<Subset>() == nullptr);
    CHECK(experiment.validation->sampler->get<Folds>()->part == "validation");
}

TEST_CASE("fold: a validation with a task of another type is replaced") {
    Experiment experiment = read_valid(kExample);
    experiment.training.sampler.reset();
    experiment.validation->task.type = "Other";
    Diagnostics problems;
    make_fold(experiment, {.number = 0, .count = 2}, {}, problems);
    CHECK(problems.text().find("validation.task: warning: is replaced by training.task, one of "
                               "whose folds is held out") != std::string::npos);
    CHECK(experiment.validation->task.type == experiment.training.task.type);
}

TEST_CASE("fold: a missing validation is added, and equal tasks are not a warning") {
    Experiment experiment = read_valid(kExample);
    experiment.training.sampler.reset();
    experiment.validation.reset();
    Diagnostics problems;
    make_fold(experiment, {.number = 0, .count = 2}, {}, problems);
    CHECK(problems.text() == "");
    CHECK(experiment.validation->name == "validation");
    make_fold(experiment, {.number = 1, .count = 2}, {}, problems);
    CHECK(problems.text() == "");
    CHECK(experiment.training.sampler->get<Folds>()->fold == 1);
}

TEST_CASE("fold: what is written as it is by default is the same data") {
    Experiment experiment = read_valid(kExample);
    experiment.training.sampler.reset();
    experiment.validation->task.settings.set("use_train_data", true);
    Diagnostics problems;
    make_fold(experiment, {.number = 0, .count = 2}, {{"use_train_data", Value(true)}}, problems);
    CHECK(problems.text() == "");
}

TEST_CASE("fold: every other section with the training's samples gets the fold, with a warning") {
    Experiment experiment = read_valid(kExample);
    experiment.training.sampler.reset();
    Section same = *experiment.validation;
    same.place = {};
    same.name = "validation.same";
    same.dataloader.shuffle = true;
    Section other = same;
    other.name = "validation.other";
    other.task.settings.set("use_train_data", false);
    Section test = same;
    test.name = "test";
    test.task.type = "vision_tasks/FashionMNIST";
    test.task.settings.set("use_train_data", true);
    Section processed = same;
    processed.name = "process.same";
    processed.sampler = Sampler{KFoldRandomSampler{{.folds = 9, .fold = 8, .part = "validation"}}};
    Section fit = same;
    fit.name = "process.fit";
    fit.sampler = Sampler{KFoldRandomSampler{{.part = "training"}}};
    Section grouped = same;
    grouped.name = "process.grouped";
    grouped.sampler = Sampler{LengthGroupedSampler()};
    experiment.other_validations = {same, other};
    experiment.test = test;
    experiment.processed = {processed, fit, grouped};
    Diagnostics problems;
    make_fold(experiment, {.number = 1, .count = 3}, {{"use_train_data", Value(true)}}, problems);
    CHECK(problems.text() ==
          "validation.same.sampler: warning: is set to the fold that is held out: the task has "
          "the samples of training.task\n"
          "test.sampler: warning: is set to the fold that is held out: the task has the samples of "
          "training.task\n"
          "process.fit.sampler: warning: is set to the fold that is held out: the task has the "
          "samples of training.task\n"
          "process.grouped.sampler: warning: is set to the fold that is held out: the task has the "
          "samples of training.task");
    for (const Section* section :
         {&experiment.other_validations[0], &*experiment.test, &experiment.processed[0],
          &experiment.processed[1], &experiment.processed[2]}) {
        CAPTURE(section->name);
        const auto* folds = section->sampler->get<Folds>();
        REQUIRE(folds != nullptr);
        CHECK(folds->part == "validation");
        CHECK(folds->fold == 1);
        CHECK(folds->folds == 3);
        CHECK_FALSE(section->dataloader.shuffle);
    }
    CHECK_FALSE(experiment.other_validations[1].sampler);
}

TEST_CASE("fold: another section that selects samples of the training is refused") {
    Experiment experiment = read_valid(kExample);
    Section test = *experiment.validation;
    test.name = "test";
    test.sampler = Sampler{experiment.training.sampler->options};
    experiment.test = test;
    experiment.training.sampler.reset();
    Diagnostics problems;
    make_fold(experiment, {.number = 0, .count = 2}, {}, problems);
    CHECK(problems.text() ==
          "test.sampler: selects samples of training.task, and a SubsetRandomSampler cannot hold "
          "out a fold\n"
          "    fix: remove it, or set test.task to other samples");
}

TEST_CASE("fold: of several validation sets the one that judges gets the fold") {
    const std::string text =
        replaced(replaced(kExample, "[validation.task]", "[validation.hard.task]"),
                 "gradient_clipping = 0.5", "judge = 'hard'") +
        "[validation.easy.task]\ntype = 'MNIST'\nbatch_size = 10\n";
    Experiment experiment = read_valid(text);
    experiment.training.sampler.reset();
    experiment.validation->task.type = "MNIST";
    Diagnostics problems;
    make_fold(experiment, {.number = 1, .count = 3}, {}, problems);
    CHECK(problems.text().find("validation.hard.task: warning: is replaced by training.task, one "
                               "of whose folds is held out") != std::string::npos);
    CHECK(experiment.validation->name == "validation.hard");
    CHECK(experiment.validation->task.path == "validation.hard.task");
    CHECK(experiment.validation->task.type == "FashionMNIST");
    CHECK(experiment.other_validations.size() == 1);
}

}  // namespace fold_test
