#include "class_batches.hpp"
#include "support/golden.hpp"
#include "support/temp_folder.hpp"

namespace precision_recall_statistics_test {

namespace {

using Numbers = test::Component::Numbers;

constexpr const char* kClasses = "use_prediction_distributions = false\n";

// With `run` as its run's folder, for tables.
test::Component make(std::string_view settings, test::Wiring wiring = {},
                     const ptp::test::TempFolder* run = nullptr) {
    if (run != nullptr) {
        wiring.name = "scores";
        wiring.run_folder = run->path().string();
    }
    return test::build("statistics", "PrecisionRecallStatistics", settings, std::move(wiring));
}

const test::Wiring kFour{.globals = {{"num_classes", 4}}};

ptp::Data animals() {
    return ptp::Data::Table{{"cat", 0}, {"dog", 1}, {"\u00fcbel", 2}};
}

void check(const Numbers& found, const std::string& suffix, const std::string& golden) {
    CAPTURE(golden);
    const std::vector<double> expected = ptp::test::golden("statistic_values", golden);
    REQUIRE(expected.size() == 3);
    CHECK(found.at("precision" + suffix) == doctest::Approx(expected[0]));
    CHECK(found.at("recall" + suffix) == doctest::Approx(expected[1]));
    CHECK(found.at("f1score" + suffix) == doctest::Approx(expected[2]));
}

// Two right of three cats, one of two dogs, none of one that is neither.
void run_animals(test::Component& statistic, uint64_t set = 0) {
    test::run_in_batches(statistic,
                         {{"targets", test::integers({0, 0, 0, 1, 1, 2})},
                          {"predictions", test::integers({0, 1, 0, 1, 2, 1})}},
                         4, set);
}

}  // namespace

TEST_CASE("PrecisionRecallStatistics: a set's averages are scikit-learn's, in any batches") {
    const std::map<std::string, at::Tensor> inputs{
        {"targets", test::some_targets()},
        {"predictions", test::one_hot_scores(test::some_predictions(), 4)}};
    for (const int64_t size : {60, 7, 1}) {
        auto all = make("average = \"all\"");
        test::run_in_batches(all, inputs, size);
        for (const std::string average : {"weighted", "macro", "micro"}) {
            check(all.aggregate(), "_" + average, "scores." + average);
            auto one = make("average = \"" + average + "\"");
            test::run_in_batches(one, inputs, size);
            check(one.aggregate(), "", "scores." + average);
        }
    }
}

TEST_CASE("PrecisionRecallStatistics: masked samples do not count, ignored targets neither") {
    for (const bool is_masked : {true, false}) {
        auto statistic = make(
            std::string(kClasses) + "average = \"all\"" + (is_masked ? "\nuse_masking = true" : ""),
            {.globals = {{"num_classes", 5}, {"ignore_index", 77}}});
        const at::Tensor masks = test::every_third_masked();
        std::map<std::string, at::Tensor> inputs{{"targets", test::some_targets()},
                                                 {"predictions", test::some_predictions()}};
        if (is_masked) {
            inputs["masks"] = masks;
        } else {
            inputs["targets"] = inputs["targets"].masked_fill(masks.logical_not(), 77);
        }
        test::run_in_batches(statistic, inputs, 8);
        for (const std::string average : {"weighted", "macro", "micro"}) {
            check(statistic.aggregate(), "_" + average, "masked." + average);
        }
    }
}

TEST_CASE("PrecisionRecallStatistics: what is predicted for an unknown target is wrong") {
    auto statistic = make(std::string(kClasses) + "average = \"all\"", kFour);
    const at::Tensor is_unknown = torch::arange(60).remainder(4).eq(2);
    test::run_in_batches(statistic,
                         {{"targets", test::some_targets().masked_fill(is_unknown, -100)},
                          {"predictions", test::some_predictions()}},
                         9);
    for (const std::string average : {"weighted", "macro", "micro"}) {
        check(statistic.aggregate(), "_" + average, "unknown." + average);
    }
}

TEST_CASE("PrecisionRecallStatistics: a score that is nan predicts nothing") {
    auto statistic = make("average = \"micro\"");
    test::run_in_batches(statistic,
                         {{"targets", test::integers({0, 1})},
                          {"predictions", test::floats({NAN, 0, 0, 1}, {2, 2})}},
                         2);
    CHECK(statistic.aggregate().at("precision") == 1);
    CHECK(statistic.aggregate().at("recall") == 0.5);
}

TEST_CASE("PrecisionRecallStatistics: a batch has values of its own, an empty one 0") {
    auto statistic = make(std::string(kClasses) + "use_masking = true", kFour);
    std::map<std::string, at::Tensor> inputs{{"targets", test::integers({0, 1})},
                                             {"predictions", test::integers({0, 0})},
                                             {"masks", test::bools({1, 1})}};
    test::run_in_batches(statistic, inputs, 2);
    CHECK(statistic.collect().at("precision") == 0.25);  // (1/2 + 0) / 2
    CHECK(statistic.collect().at("recall") == 0.5);
    inputs["masks"] = test::bools({0, 0});
    test::run_in_batches(statistic, inputs, 2);
    CHECK(statistic.collect().at("precision") == 0);
    CHECK(statistic.collect().at("f1score") == 0);
    CHECK(statistic.aggregate().at("precision") == 0.25);
    statistic.reset();
    CHECK(statistic.aggregate().at("precision") == 0);
}

TEST_CASE(
    "PrecisionRecallStatistics: the scores of each class and the matrix are shown and written") {
    const ptp::test::TempFolder run;
    auto statistic =
        make(std::string(kClasses) + "show_class_scores = true\nshow_confusion_matrix = true",
             {.globals = {{"word_mappings", animals()}}}, &run);
    run_animals(statistic);
    CHECK(statistic.log_lines().empty());
    statistic.aggregate();
    REQUIRE(statistic.log_lines().size() == 2);
    CHECK(statistic.log_lines()[0] ==
          "scores of classes, training, 6 targets\n"
          "  class       precision  recall  f1score  support\n"
          "  cat            1.0000  0.6667   0.8000        3\n"
          "  dog            0.3333  0.5000   0.4000        2\n"
          "  \u00fcbel           0.0000  0.0000   0.0000        1\n"
          "  (weighted)     0.6111  0.5000   0.5333        6\n"
          "  (macro)        0.4444  0.3889   0.4000        6\n"
          "  (micro)        0.5000  0.5000   0.5000        6");
    CHECK(statistic.log_lines()[1] ==
          "confusion matrix, training, 6 targets, predictions in columns\n"
          "  target  cat  dog  \u00fcbel\n"
          "  cat       2    1     0\n"
          "  dog       0    1     1\n"
          "  \u00fcbel      0    1     0");
    CHECK(run.read("tables/scores/training_000000.confusion_matrix.csv") ==
          "target,cat,dog,\u00fcbel\n"
          "cat,2,1,0\n"
          "dog,0,1,1\n"
          "\u00fcbel,0,1,0\n");
    CHECK(run.read("tables/scores/training_000000.class_scores.csv") ==
          "class,precision,recall,f1score,support\n"
          "cat,1.0000,0.6667,0.8000,3\n"
          "dog,0.3333,0.5000,0.4000,2\n"
          "\u00fcbel,0.0000,0.0000,0.0000,1\n"
          "(weighted),0.6111,0.5000,0.5333,6\n"
          "(macro),0.4444,0.3889,0.4000,6\n"
          "(micro),0.5000,0.5000,0.5000,6\n");
}

TEST_CASE("PrecisionRecallStatistics: classes have the names of the task if there are as many") {
    const auto title_row = [](int64_t classes) {
        const ptp::test::TempFolder run;
        auto statistic =
            make(std::string(kClasses) + "show_confusion_matrix = true",
                 {.globals = {{"num_classes", classes}, {"label_word_mappings", animals()}}}, &run);
        run_animals(statistic);
        statistic.aggregate();
        const std::string table = run.read("tables/scores/training_000000.confusion_matrix.csv");
        return table.substr(0, table.find('\n'));
    };
    CHECK(title_row(3) == "target,cat,dog,\u00fcbel");
    CHECK(title_row(4) == "target,0,1,2,3");
}

TEST_CASE("PrecisionRecallStatistics: a set is logged once, however often it is asked for") {
    const ptp::test::TempFolder run;
    auto statistic = make(std::string(kClasses) + "show_class_scores = true", kFour, &run);
    run_animals(statistic);
    statistic.aggregate();
    statistic.aggregate();
    CHECK(statistic.log_lines().size() == 1);
    run_animals(statistic);
    statistic.aggregate();
    CHECK(statistic.log_lines().size() == 2);
    statistic.reset();
    statistic.aggregate();
    CHECK(statistic.log_lines().size() == 2);
}

TEST_CASE("PrecisionRecallStatistics: without names classes are numbers; what is none has a row") {
    const ptp::test::TempFolder run;
    auto statistic = make(std::string(kClasses) + "show_confusion_matrix = true",
                          {.globals = {{"num_classes", 2}}}, &run);
    test::run_in_batches(
        statistic,
        {{"targets", test::integers({0, -100, 1})}, {"predictions", test::integers({0, 1, -100})}},
        3, 1);
    statistic.aggregate(1);
    REQUIRE(statistic.log_lines().size() == 1);
    CHECK(statistic.log_lines()[0] ==
          "confusion matrix, validation, 3 targets, predictions in columns\n"
          "  target  0  1  (none)\n"
          "  0       1  0       0\n"
          "  1       0  0       1\n"
          "  (none)  0  1       0");
}

TEST_CASE("PrecisionRecallStatistics: the counts of a part of an epoch move to another instance") {
    const std::string settings = std::string(kClasses) + "show_class_scores = true";
    const ptp::test::TempFolder run;
    auto whole = make(settings, kFour, &run);
    run_animals(whole);
    run_animals(whole, 1);
    run_animals(whole);
    auto first = make(settings, kFour, &run);
    run_animals(first);
    run_animals(first, 1);
    auto second = make(settings, kFour, &run);
    second.import_state(1, first.export_state());
    CHECK(second.export_state() == first.export_state());
    CHECK(second.aggregate(1) == whole.aggregate(1));
    CHECK(second.log_lines() == whole.log_lines());
    run_animals(second);
    CHECK(second.aggregate(0) == whole.aggregate(0));
    CHECK(second.export_state() == whole.export_state());
}

TEST_CASE("PrecisionRecallStatistics: what does not fit is refused, with the place and the value") {
    const auto refusal = [](const std::string& settings, test::Wiring wiring,
                            const std::map<std::string, at::Tensor>& inputs) -> std::string {
        try {
            auto statistic = make(settings, std::move(wiring));
            test::run_in_batches(statistic, inputs, 100);
        } catch (const std::exception& error) {
            return error.what();
        }
        return "it was not refused";
    };
    const at::Tensor scores = test::one_hot_scores(test::integers({0, 1}), 3);
    CHECK(refusal("", {}, {{"targets", test::integers({0, 3})}, {"predictions", scores}}) ==
          "targets[1] = 3: must be in [0, 3), or -100, which no prediction is right for");
    CHECK(refusal(kClasses, kFour,
                  {{"targets", test::integers({0, 3})}, {"predictions", test::integers({4, 0})}}) ==
          "predictions[0] = 4: must be in [0, 4), or -100, which no prediction is right for");
    CHECK(refusal(kClasses, {}, {}) ==
          "how many classes there are is not known: name a global for num_classes or for "
          "word_mappings");
    CHECK(refusal(kClasses, {.globals = {{"num_classes", 2}, {"word_mappings", animals()}}}, {}) ==
          "the global 'word_mappings' has a number 2, but there are 2 classes");
    CHECK(refusal("", {.sizes = {{"num_classes", 4}}},
                  {{"targets", test::integers({0, 1})}, {"predictions", scores}}) ==
          "predictions has scores for 3 classes, must have 4");
    CHECK(refusal("", {.globals = {{"word_mappings", animals()}}},
                  {{"targets", test::integers({0, 1})},
                   {"predictions", test::one_hot_scores(test::integers({0, 1}), 2)}}) ==
          "the global 'word_mappings' has a number 2, but there are 2 classes");
    CHECK(refusal("", {}, {{"targets", test::integers({0})}, {"predictions", scores}}) ==
          "targets has the sizes [1], must have [2], as predictions has for each class");
    CHECK(refusal(kClasses, kFour,
                  {{"targets", test::integers({0, 1})}, {"predictions", test::integers({0})}}) ==
          "targets has the sizes [2], must have [1], as predictions has");
}

}  // namespace precision_recall_statistics_test
