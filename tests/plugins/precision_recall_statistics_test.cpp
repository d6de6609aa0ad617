#include "class_batches.hpp"
#include "support/temp_folder.hpp"

namespace precision_recall_statistics_test {

namespace {

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

// Two right of three cats, one of two dogs, none of one that is neither.
void run_animals(test::Component& statistic, uint64_t set = 0) {
    test::run_in_batches(statistic,
                         {{"targets", test::integers({0, 0, 0, 1, 1, 2})},
                          {"predictions", test::integers({0, 1, 0, 1, 2, 1})}},
                         4, set);
}

}  // namespace

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

}  // namespace precision_recall_statistics_test
