// Table: numbers to be predicted are standardized by the training's rows, and what is said of them.

#include "plugins/refusal.hpp"
#include "plugins/support.hpp"
#include "support/temp_folder.hpp"

#include <algorithm>
#include <filesystem>

namespace value_scales_test {

namespace {

using ptp::test::TempFolder;

// A table whose rows of the training have 10, 20 and 30 in v, and 1 in each w.
constexpr const char* kTable = "a,v,w,s\n1,10,1,tr\n2,20,1,tr\n3,30,1,tr\n4,50,3,va\n";
constexpr const char* kSettings =
    "features = \"a\"\nvalues = [\"v\", \"w\"]\nsplit = { column = \"s\", training = \"tr\", "
    "validation = \"va\" }\n";

test::Component build(const std::filesystem::path& file, const std::string& more,
                      const std::string& section, std::map<std::string, ptp::Data> saved = {}) {
    return test::build("tables", "Table", "file = \"" + file.string() + "\"\n" + more,
                       {.section = section, .saved_globals = std::move(saved)});
}

std::string warning_of(const test::Component& task) {
    const auto lines = task.log_lines();
    const auto found = std::ranges::find_if(lines, [](const std::string& line) {
        return line.find("has numbers around") != std::string::npos;
    });
    return found == lines.end() ? "" : *found;
}

}  // namespace

TEST_CASE("Table: values are standardized by the rows of the training") {
    const TempFolder folder;
    const auto file = folder.write("t.csv", kTable);
    const std::string settings = std::string(kSettings) + "standardize_values = true\n";
    auto training = build(file, settings, "training");
    // The mean of 10, 20 and 30 is 20, their variance is 200 / 3.
    const double deviation = std::sqrt(200.0 / 3);
    CHECK(torch::allclose(training.fetch({0, 1, 2}).at("values").tensor(),
                          test::floats({-10 / deviation, 0, 0, 0, 10 / deviation, 0}, {3, 2})));
    auto validation = build(file, settings, "validation");
    CHECK(torch::allclose(validation.fetch({0}).at("values").tensor(),
                          test::floats({30 / deviation, 2}, {1, 2})));
    const ptp::Data scales = training.published().at("value_scales");
    CHECK(validation.published().at("value_scales") == scales);
    CHECK(warning_of(training).empty());

    const auto columns = training.published().at("table_columns");
    auto later = build(folder.write("new.csv", "a,v,w\n1,100,5\n"),
                       "features = \"a\"\nvalues = [\"v\", \"w\"]\nunlisted = \"uncounted\"\n"
                       "standardize_values = true\n",
                       "validation", {{"table_columns", columns}, {"value_scales", scales}});
    CHECK(torch::allclose(later.fetch({0}).at("values").tensor(),
                          test::floats({80 / deviation, 4}, {1, 2})));
    CHECK(later.published().at("value_scales") == scales);
}

TEST_CASE("Table: a section that standardizes otherwise than the training is refused") {
    const TempFolder folder;
    const auto file = folder.write("t.csv", kTable);
    const std::string with = std::string(kSettings) + "standardize_values = true\n";
    const auto trained = build(file, with, "training").published();
    const auto plain = build(file, kSettings, "training").published();
    CHECK(test::refusal(folder.path(),
                        [&] {
                            build(file, kSettings, "validation",
                                  {{"table_columns", trained.at("table_columns")},
                                   {"value_scales", trained.at("value_scales")}});
                        }) ==
          "setting 'standardize_values': the training has standardized its values\nfix: set "
          "standardize_values = true in this section, too");
    CHECK(
        test::refusal(
            folder.path(),
            [&] {
                build(file, with, "validation", {{"table_columns", plain.at("table_columns")}});
            }) ==
        "setting 'standardize_values': the training has not standardized its values\nfix: remove it here");
}

TEST_CASE("Table: values that are equal in all rows have their number as mean, and deviation 1") {
    const TempFolder folder;
    // The mean of three times 0.1 is 0.10000000000000002, if it is added up in doubles.
    const auto file = folder.write("t.csv", "a,v\n1,0.1\n2,0.1\n3,0.1\n");
    auto task =
        build(file, "features = \"a\"\nvalues = \"v\"\nstandardize_values = true\n", "training");
    CHECK(torch::equal(task.fetch({0, 1, 2}).at("values").tensor(), torch::zeros({3, 1})));
    const ptp::Data scales = task.published().at("value_scales");
    CHECK(scales.find("means")->toml() == "[0.1]");
    CHECK(scales.find("deviations")->toml() == "[1.0]");
}

TEST_CASE("Table: large values that differ little keep their digits where they are standardized") {
    const TempFolder folder;
    // Floats near 1.7e9 are 128 apart.
    const auto file =
        folder.write("t.csv", "a,v\n1,1700000000\n2,1700000020\n3,1700000040\n4,1700000060\n");
    auto task =
        build(file, "features = \"a\"\nvalues = \"v\"\nstandardize_values = true\n", "training");
    // The mean is 1700000030, the variance (900 + 100 + 100 + 900) / 4.
    const double deviation = std::sqrt(500.0);
    CHECK(torch::allclose(
        task.fetch({0, 1, 2, 3}).at("values").tensor(),
        test::floats({-30 / deviation, -10 / deviation, 10 / deviation, 30 / deviation}, {4, 1})));
}

TEST_CASE("Table: wrong scales of a checkpoint are refused") {
    const TempFolder folder;
    const auto file = folder.write("t.csv", kTable);
    const std::string settings = std::string(kSettings) + "standardize_values = true\n";
    auto saved = build(file, settings, "training").published();
    using Numbers = std::vector<double>;
    const auto refusal = [&](const Numbers& means, const Numbers& deviations) {
        saved["value_scales"] =
            ptp::Data(ptp::Data::Table{{"means", means}, {"deviations", deviations}});
        return test::refusal(folder.path(), [&] { build(file, settings, "validation", saved); });
    };
    const std::string wrong =
        "the saved state 'value_scales': has no finite mean and positive deviation for each "
        "column\nfix: take another checkpoint, or train again";
    CHECK(refusal({20, 1}, {8}) == wrong);
    CHECK(refusal({20, 1}, {8, 0}) == wrong);
    CHECK(refusal({20, 1}, {8, -1}) == wrong);
    CHECK(refusal({20, 1}, {8, std::nan("")}) == wrong);
    CHECK(refusal({20, HUGE_VAL}, {8, 1}) == wrong);
    CHECK(refusal({20, 1}, {8, 1}) == "accepted");
}

TEST_CASE("Table: new rows without the values are read where no checkpoint has the scales") {
    const TempFolder folder;
    const auto file = folder.write("t.csv", kTable);
    auto task = build(file,
                      "rows = \"" + folder.write("new.csv", "a\n1\n3\n").string() +
                          "\"\nfeatures = \"a\"\nvalues = \"v\"\nstandardize_values = true\n",
                      "validation");
    CHECK(torch::equal(task.fetch({0, 1}).at("inputs").tensor(), test::floats({-1, 1}, {2, 1})));
    CHECK(task.published().at("value_scales").find("means")->as_list().empty());
    const auto lines = task.log_lines();
    CHECK(std::ranges::find(lines,
                            "no checkpoint has the means and deviations of `values`: predictions "
                            "are standardized numbers; predict by the folder of a run") !=
          lines.end());
}

TEST_CASE("Table: numbers that are far from 0 are warned of in the training") {
    const TempFolder folder;
    const auto file = folder.write("t.csv", kTable);
    CHECK(warning_of(build(file, "features = \"a\"\nvalues = \"v\"\n", "training")) ==
          "the column 'v' has numbers around 27.5 with a deviation of 14.8, and a network begins "
          "with predictions around 0: it may learn nothing for many epochs; set standardize_values "
          "= true in the task of each section: errors and predictions are shown in the unit of the "
          "column all the same");
    CHECK(warning_of(build(file, "features = \"a\"\nvalues = \"w\"\n", "training")).empty());
    CHECK(warning_of(build(file, kSettings, "validation")).empty());
    const auto small = folder.write("small.csv", "a,v\n1,0.001\n2,0.002\n3,0.003\n");
    CHECK(
        warning_of(build(small, "features = \"a\"\nvalues = \"v\"\n", "training"))
            .starts_with("the column 'v' has numbers around 0.002 with a deviation of 0.000816, "));
}

}  // namespace value_scales_test
