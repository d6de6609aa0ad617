#include "class_batches.hpp"
#include "png_files.hpp"
#include "support/scalar_reads.hpp"
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

TEST_CASE(
    "PrecisionRecallStatistics: tables of the batch are logged every N episodes of training") {
    const ptp::test::TempFolder run;
    auto statistic =
        make(std::string(kClasses) +
                 "show_class_scores = true\nshow_confusion_matrix = true\ninterval = 2",
             {.globals = {{"word_mappings", animals()}}}, &run);
    const auto see = [&](uint64_t episode, int64_t predicted, uint32_t set) {
        ptp_step step = test::Component::first_step();
        step.episode = episode;
        step.batch_size = 2;
        step.is_training = set == 0 ? 1 : 0;
        step.set = set;
        test::Slots inputs;
        inputs["targets"] = test::integers({0, 1});
        inputs["predictions"] = test::integers({0, predicted});
        statistic.run(std::move(inputs), step);
    };
    for (uint64_t episode = 1; episode < 4; ++episode) {
        see(episode, episode == 2 ? 0 : 1, 0);
    }
    see(4, 1, 1);
    CHECK(statistic.log_lines() ==
          std::vector<std::string>{
              "scores of classes, training, batch of episode 2, 2 targets\n"
              "  class       precision  recall  f1score  support\n"
              "  cat            0.5000  1.0000   0.6667        1\n"
              "  dog            0.0000  0.0000   0.0000        1\n"
              "  \u00fcbel           0.0000  0.0000   0.0000        0\n"
              "  (weighted)     0.2500  0.5000   0.3333        2\n"
              "  (macro)        0.2500  0.5000   0.3333        2\n"
              "  (micro)        0.5000  0.5000   0.5000        2",
              "confusion matrix, training, batch of episode 2, 2 targets, predictions in columns\n"
              "  target  cat  dog  \u00fcbel\n"
              "  cat       1    0     0\n"
              "  dog       1    0     0\n"
              "  \u00fcbel      0    0     0"});
    CHECK_FALSE(std::filesystem::exists(run.path() / "tables"));
}

TEST_CASE("PrecisionRecallStatistics: the matrix is a picture, darker for larger shares of a row") {
    const ptp::test::TempFolder run;
    auto statistic = make(std::string(kClasses) + "show_confusion_matrix = true",
                          {.globals = {{"word_mappings", animals()}}}, &run);
    run_animals(statistic);
    statistic.aggregate();
    const auto picture =
        test::read_png(run.path() / "tables/scores/training_000000.confusion_matrix.png");
    // Rows of 7 + 4 pixels, names of up to 6 glyphs of 6 pixels ("target"), cells of 4 glyphs.
    CHECK(picture.height == 4 * 11 + 4);
    CHECK(picture.width == (6 * 6 + 8) + 3 * (4 * 6 + 4) + 4);
    const auto corner = [&](int64_t row, int64_t column) {
        return picture.at(4 + row * 11 - 2, 44 + column * 28 - 2);
    };
    const std::vector<int> white{255, 255, 255};
    CHECK(corner(1, 2) == white);                            // no cat was taken for the third
    CHECK(corner(3, 1) == std::vector<int>{8, 48, 107});     // all of the third for dogs
    CHECK(corner(2, 1) == std::vector<int>{132, 152, 181});  // half of the dogs, (255 + 8) / 2
    CHECK(corner(2, 2) == corner(2, 1));
    // 255 - 2/3 (255 - 8) = 90.3, 255 - 2/3 (255 - 48) = 117, 255 - 2/3 (255 - 107) = 156.3
    CHECK(corner(1, 0) == std::vector<int>{90, 117, 156});
    CHECK(picture.count(15, 22, 44, 70, white) == 14);  // the 2 has 14 pixels, white where dark
}

TEST_CASE("PrecisionRecallStatistics: the scores of classes are a picture of bars") {
    const ptp::test::TempFolder run;
    auto statistic = make(std::string(kClasses) + "show_class_scores = true",
                          {.globals = {{"word_mappings", animals()}}}, &run);
    run_animals(statistic);
    statistic.aggregate();
    const auto picture =
        test::read_png(run.path() / "tables/scores/training_000000.class_scores.png");
    // A row of titles, three classes, three averages; names of up to 10 glyphs ("(weighted)").
    CHECK(picture.height == 7 * 11 + 4);
    CHECK(picture.width == (10 * 6 + 8) + 3 * (100 + 6 * 6 + 12));
    const std::vector<int> bar{70, 130, 180};
    const auto length = [&](int64_t row, int64_t column) {
        const int64_t left = 68 + column * 148;
        return picture.count(4 + row * 11, 4 + row * 11 + 1, left, left + 100, bar);
    };
    CHECK(length(1, 0) == 100);  // precision of cats 1
    CHECK(length(1, 1) == 67);   // recall 2 / 3
    CHECK(length(2, 2) == 40);   // F1 of dogs
    CHECK(length(3, 0) == 0);
    CHECK(length(4, 0) == 61);  // weighted precision 0.6111
}

TEST_CASE("PrecisionRecallStatistics: more than 200 classes have no picture, but their table") {
    for (const int64_t classes : {200, 201}) {
        CAPTURE(classes);
        const ptp::test::TempFolder run;
        auto statistic =
            make(std::string(kClasses) + "show_class_scores = true\nshow_confusion_matrix = true",
                 {.globals = {{"num_classes", classes}}}, &run);
        run_animals(statistic);
        statistic.aggregate();
        const auto folder = run.path() / "tables/scores";
        for (const char* what : {"class_scores", "confusion_matrix"}) {
            const std::string name = std::string("training_000000.") + what;
            CHECK(std::filesystem::exists(folder / (name + ".csv")));
            CHECK(std::filesystem::exists(folder / (name + ".png")) == (classes == 200));
        }
    }
}

TEST_CASE("PrecisionRecallStatistics: its counts are read at once") {
    auto statistic = make("use_masking = true");
    const at::Tensor scores = at::eye(3);
    const at::Tensor masks = at::ones({3}, at::kBool);
    const ptp::test::ScalarReads reads;
    test::run_in_batches(
        statistic,
        {{"targets", test::integers({0, 1, 1})}, {"predictions", scores}, {"masks", masks}}, 3);
    CHECK(reads.count() == 0);
    CHECK(statistic.collect().at("recall") == doctest::Approx(2.0 / 3));
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
