// Table: the streams of typed columns, what the training's rows determine, and splits.

#include "plugins/refusal.hpp"
#include "plugins/support.hpp"
#include "support/temp_folder.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

namespace table_test {

namespace {

using ptp::test::TempFolder;
using test::Slots;
using Words = std::vector<std::string>;

test::Component build(const std::filesystem::path& file, const std::string& more,
                      const std::string& section = "training") {
    return test::build("tables", "Table", "file = \"" + file.string() + "\"\n" + more,
                       {.section = section});
}

Slots all_of(test::Component& task) {
    std::vector<int64_t> all(static_cast<size_t>(task.size()));
    std::iota(all.begin(), all.end(), 0);
    return task.fetch(all);
}

constexpr const char* kPets =
    "name,kg,kind,born,size,note,w\n"
    "Rex,1,dog,2024-05-31,1 2,good,1\n"
    "Tom,2,cat,2024-06-01T12:00,3 4,\"very, very good\",0.5\n"
    "Kim,3,dog,2023-05-31,5 6,x,2\n";

}  // namespace

TEST_CASE("Table: each type of column becomes its numbers") {
    const TempFolder folder;
    auto task = build(folder.write("pets.csv", kPets),
                      "features = [\"kg\", \"kind\", \"size\"]\ncolumns = { kind = \"category\" }\n"
                      "text = \"note\"\nid = \"name\"\nlabel = \"w\"\n");
    const Slots batch = task.fetch({1, 0, 2});
    // The mean of 1, 2 and 3 is 2, their variance is 2 / 3; cat comes before dog.
    const double one = 1 / std::sqrt(2.0 / 3.0);
    CHECK(
        torch::allclose(batch.at("inputs").tensor(),
                        test::floats({0, 1, 0, 3, 4, -one, 0, 1, 1, 2, one, 0, 1, 5, 6}, {3, 5})));
    CHECK(batch.at("texts").strings() == Words{"very, very good", "good", "x"});
    CHECK(batch.at("ids").strings() == Words{"Tom", "Rex", "Kim"});
    CHECK(torch::equal(batch.at("targets").tensor(), test::integers({0, 1, 2})));
    CHECK(task.published().at("num_features") == ptp::Data(5));
}

TEST_CASE("Table: a missing text is a text without words, and counted in a warning") {
    const TempFolder folder;
    const auto file = folder.write("notes.csv", "a,t\n1,good\n2,\n,NA\n");
    const std::string settings = "features = \"a\"\ntext = \"t\"\nmissing_values = [\"NA\"]\n";
    auto task = build(file, settings + "missing = \"mean\"\n");
    CHECK(all_of(task).at("texts").strings() == Words{"good", "", ""});
    CHECK(task.log_lines().at(1) ==
          "column 't' is empty in 2 of 3 rows: each counts as a text without words; missing = "
          "\"drop\" leaves them out, with all other rows in which something is missing");
    auto dropped = build(file, settings + "missing = \"drop\"\n");
    CHECK(all_of(dropped).at("texts").strings() == Words{"good"});
}

TEST_CASE("Table: a date is year, month, day, weekday and hour") {
    const TempFolder folder;
    auto task = build(folder.write("pets.csv", kPets),
                      "features = \"born\"\nvalues = \"kg\"\nweight = \"w\"\n"
                      "columns = { born = { standardize = false } }\n");
    const Slots batch = all_of(task);
    CHECK(torch::equal(
        batch.at("inputs").tensor(),
        test::floats({2024, 5, 31, 5, 0, 2024, 6, 1, 6, 12, 2023, 5, 31, 3, 0}, {3, 5})));
    CHECK(torch::equal(batch.at("values").tensor(), test::floats({1, 2, 3}, {3, 1})));
    CHECK(torch::equal(batch.at("weights").tensor(), test::floats({1, 0.5, 2}, {3})));
}

TEST_CASE("Table: a cell of several classes becomes a 1 for each of them") {
    const TempFolder folder;
    const auto file =
        folder.write("t.csv", "a,k,s\n1,red; round,tr\n2,,tr\n3,blue,tr\n4,round,va\n");
    const std::string settings =
        "features = \"a\"\nlabel = \"k\"\nmulti_label = true\nmissing = \"drop\"\nsplit = { column "
        "= \"s\", training = \"tr\", validation = \"va\" }\n";
    auto training = build(file, settings);
    const Slots batch = all_of(training);
    CHECK(torch::equal(batch.at("targets").tensor(),
                       test::floats({0, 1, 1, 0, 0, 0, 1, 0, 0}, {3, 3})));
    CHECK(batch.at("labels").strings() == Words{"red; round", "", "blue"});
    CHECK(training.published().at("label_word_mappings") ==
          ptp::Data(ptp::Data::Table{{"blue", 0}, {"red", 1}, {"round", 2}}));
    auto validation = build(file, settings, "validation");
    CHECK(torch::equal(all_of(validation).at("targets").tensor(), test::floats({0, 0, 1}, {1, 3})));
    auto chosen = build(file, settings +
                                  "classes = [\"round\", \"blue\"]\nunlisted = \"uncounted\"\n"
                                  "label_separator = \"; \"\n");
    CHECK(torch::equal(all_of(chosen).at("targets").tensor(),
                       test::floats({1, 0, 0, 0, 0, 1, 1, 0}, {4, 2})));
}

TEST_CASE("Table: cells of several classes with another separator are warned of") {
    const TempFolder folder;
    const auto said = [&](const std::string& rows, const std::string& more = "") {
        const Words lines = build(folder.write("t.csv", "a,k\n" + rows),
                                  "features = \"a\"\nlabel = \"k\"\nmulti_label = true\n" + more)
                                .log_lines();
        const auto line = std::ranges::find_if(lines, [](const std::string& one) {
            return one.find("label_separator") != std::string::npos;
        });
        return line == lines.end() ? "" : *line;
    };
    const std::string rows = "1,sweet\n2,sweet|bitter\n3,bitter\n4,\n5,sweet|bitter\n";
    CHECK(
        said(rows) ==
        "no cell of the column 'k' has label_separator = \";\", and in 2 rows it has '|', so that "
        "'sweet|bitter' is one class\nfix: write label_separator = \"|\" in the task of each "
        "section");
    for (const std::string& other :
         {said(rows, "label_separator = \"|\"\n"), said("1,sweet|bitter;sour\n2,sweet\n3,bitter\n"),
          said("1,new york\n2,new jersey\n3,old york\n"), said("1,red\n2,blue\n")}) {
        CHECK(other == "");
    }
}

TEST_CASE("Table: with binary the second of two classes is 1, and other numbers are refused") {
    const TempFolder folder;
    const auto file = folder.write("t.csv", "a,k\n1,rich\n2,poor\n3,rich\n");
    auto task = build(file, "features = \"a\"\nlabel = \"k\"\nbinary = true\n");
    const Slots batch = all_of(task);
    CHECK(torch::equal(batch.at("targets").tensor(), test::floats({1, 0, 1}, {3, 1})));
    CHECK(batch.at("labels").strings() == Words{"rich", "poor", "rich"});
    CHECK(task.published().at("label_word_mappings") ==
          ptp::Data(ptp::Data::Table{{"poor", 0}, {"rich", 1}}));
    auto turned = build(file,
                        "features = \"a\"\nlabel = \"k\"\nbinary = true\n"
                        "classes = [\"rich\", \"poor\"]\n");
    CHECK(torch::equal(all_of(turned).at("targets").tensor(), test::floats({0, 1, 0}, {3, 1})));
}

TEST_CASE("Table: TSV and JSON lines have the samples of the same CSV file") {
    const TempFolder folder;
    const std::string settings = "features = [\"a\", \"b\"]\ntext = \"t\"\n";
    auto csv = build(folder.write("t.csv", "a,b,t\n1,x,\"u,v\"\n4,y,w\n"),
                     settings + "columns = { b = \"category\" }");
    auto tsv = build(folder.write("t.tsv", "a\tb\tt\n1\tx\tu,v\n4\ty\tw\n"),
                     settings + "columns = { b = \"category\" }");
    auto json = build(folder.write("t.jsonl",
                                   "{\"a\": 1, \"b\": \"x\", \"t\": \"u,v\"}\n\n"
                                   "{\"t\": \"w\", \"b\": \"y\", \"a\": 4}\n"),
                      settings + "columns = { b = \"category\" }");
    const Slots expected = all_of(csv);
    CHECK(torch::equal(expected.at("inputs").tensor(), test::floats({-1, 1, 0, 1, 0, 1}, {2, 3})));
    for (auto* other : {&tsv, &json}) {
        const Slots found = all_of(*other);
        CHECK(torch::equal(found.at("inputs").tensor(), expected.at("inputs").tensor()));
        CHECK(found.at("texts").strings() == expected.at("texts").strings());
    }
}

TEST_CASE("Table: missing values are replaced by their rule") {
    const TempFolder folder;
    const auto file = folder.write("t.csv", "a,k,v\n1,x,1\n,,2\n3,x,3\nNA,y,4\n");
    const auto inputs = [&](const std::string& rule) {
        auto task = build(file,
                          "features = [\"a\", \"k\"]\nvalues = \"v\"\nmissing_values = "
                          "[\"NA\"]\ncolumns = { a = { standardize = false }, k = "
                          "\"category\" }\nmissing = \"" +
                              rule + "\"");
        return all_of(task).at("inputs").tensor();
    };
    CHECK(torch::equal(inputs("mean"), test::floats({1, 1, 0, 2, 1, 0, 3, 1, 0, 2, 0, 1}, {4, 3})));
    CHECK(torch::equal(inputs("zero"), test::floats({1, 1, 0, 0, 0, 0, 3, 1, 0, 0, 0, 1}, {4, 3})));
    CHECK(torch::equal(inputs("most_frequent"),
                       test::floats({1, 1, 0, 1, 1, 0, 3, 1, 0, 1, 0, 1}, {4, 3})));
    CHECK(torch::equal(inputs("drop"), test::floats({1, 1, 3, 1}, {2, 2})));
}

TEST_CASE("Table: a column with one value becomes zeros") {
    const TempFolder folder;
    auto task = build(folder.write("t.csv", "a,v\n7,1\n7,2\n"), "features = \"a\"\nvalues = \"v\"");
    CHECK(torch::equal(all_of(task).at("inputs").tensor(), test::floats({0, 0}, {2, 1})));
}

TEST_CASE("Table: sections of one file have the numbers of the training's rows") {
    const TempFolder folder;
    const auto file = folder.write("t.csv", "a,k,s\n1,x,tr\n9,x,va\n3,y,tr\n");
    const std::string settings =
        "features = [\"a\", \"k\"]\ncolumns = { k = \"category\" }\n"
        "split = { column = \"s\", training = \"tr\", validation = \"va\" }\n";
    auto training = build(file, settings + "part = \"training\"");
    auto validation = build(file, settings, "validation");
    CHECK(torch::equal(all_of(training).at("inputs").tensor(),
                       test::floats({-1, 1, 0, 1, 0, 1}, {2, 3})));
    CHECK(torch::equal(all_of(validation).at("inputs").tensor(), test::floats({7, 1, 0}, {1, 3})));
    CHECK(validation.published().at("table_columns") == training.published().at("table_columns"));
    auto other = build(folder.write("v.csv", "k,a\ny,5\n"),
                       "features = [\"a\", \"k\"]\ncolumns = { k = \"category\" }\ntraining_file = "
                       "\"" +
                           folder.write("u.csv", "a,k\n1,x\n3,y\n").string() + "\"",
                       "validation");
    CHECK(torch::equal(all_of(other).at("inputs").tensor(), test::floats({3, 0, 1}, {1, 3})));
}

TEST_CASE("Table: shares are disjoint, complete, stratified, or keep groups together") {
    const TempFolder folder;
    std::string text = "id,k,g,v\n";
    for (int i = 0; i < 100; ++i) {
        text += std::to_string(i) + (i % 5 == 0 ? ",rare" : ",often") + ",g" +
                std::to_string(i / 4) + ",1\n";
    }
    const auto file = folder.write("t.csv", text);
    for (const std::string more : {"", ", stratify = \"k\"", ", group = \"g\""}) {
        CAPTURE(more);
        std::set<std::string> seen;
        std::map<std::string, std::string> part_of_group;
        for (const std::string part : {"training", "validation", "test"}) {
            auto task =
                build(file,
                      "features = \"v\"\nid = \"id\"\nlabel = \"k\"\nclasses = "
                      "[\"often\", \"rare\"]\npart = \"" +
                          part + "\"\nsplit = { shares = [0.6, 0.2, 0.2], seed = 3" + more + " }");
            const Slots batch = all_of(task);
            CHECK(task.size() == (part == "training" ? 60 : 20));
            if (more.find("stratify") != std::string::npos) {
                CHECK(batch.at("targets").tensor().sum().item<int64_t>() == task.size() / 5);
            }
            for (const std::string& id : batch.at("ids").strings()) {
                CHECK(seen.insert(id).second);
                const auto known =
                    part_of_group.emplace(std::to_string(std::stoi(id) / 4), part).first;
                CHECK((more.find("group") == std::string::npos || known->second == part));
            }
        }
        CHECK(seen.size() == 100);
    }
}

TEST_CASE("Table: `*` takes numbers, dates and categories, and leaves out texts and row numbers") {
    const TempFolder folder;
    std::string text = "id,a,k,d,t,v\n";
    for (int i = 0; i < 30; ++i) {
        text += std::to_string(i) + "," + std::to_string(i % 7) + ".5," + (i % 2 ? "x" : "y") +
                ",2024-01-" + std::to_string(10 + i % 15) + ",text " + std::to_string(i) + ",1\n";
    }
    auto task = build(folder.write("t.csv", text), "features = \"*\"\nvalues = \"v\"");
    CHECK(task.published().at("num_features") == ptp::Data(1 + 2 + 5));
}

TEST_CASE("Table: whether a column of names is left out follows from the whole table") {
    const TempFolder folder;
    std::string text = "a,k,v\n";
    for (int i = 0; i < 40; ++i) {  // 24 names, some of them in several rows
        text += std::to_string(i * 7 % 11) + ".5,n" + std::to_string(i < 20 ? i : i % 24) + ",1\n";
    }
    const auto file = folder.write("t.csv", text);
    for (const char* const seed : {"0", "1", "2", "3", "4", "5"}) {
        auto task = build(file, std::string("features = \"*\"\nvalues = \"v\"\nsplit = { shares = "
                                            "[0.5, 0.5], seed = ") +
                                    seed + " }");
        CHECK(task.published().at("num_features") == ptp::Data(1));
    }
}

TEST_CASE("Table: a cell that keeps a column from being numbers is warned of") {
    const TempFolder folder;
    std::string text = "a,k,v\n";
    for (int i = 0; i < 12; ++i) {
        text += std::to_string(i * 7 % 13) + (i % 2 == 0 ? ",x,1\n" : ",y,1\n");
    }
    const auto file = folder.write("t.csv", text + "b,x,1\n");
    auto task = build(file, "features = \"*\"\nvalues = \"v\"");
    CHECK(task.log_lines().at(0) ==
          file.string() +
              ":14: column 'a' = 'b': is not a number, as 12 of 13 cells of the column are, so "
              "that these are not taken as numbers; set columns = { a = \"number\" } and correct "
              "such cells, or columns = { a = \"category\" }");
    const std::string stated = "features = \"*\"\nvalues = \"v\"\ncolumns = { a = \"category\" }";
    auto other = build(file, stated);
    for (const std::string& line : other.log_lines()) {
        CHECK(line.find("is not a number") == std::string::npos);
    }
}

TEST_CASE("Table: classes that are probably one, or numbers, are warned of in the training alone") {
    const TempFolder folder;
    const std::string settings = "features = \"a\"\nlabel = \"b\"\n";
    const auto pets = folder.write("pets.csv", "a,b\n1,Cat\n2,cat\n3,dog\n4,NA\n");
    const auto warnings = [&](const std::filesystem::path& file, const std::string& more = "") {
        Words lines = build(file, settings + more).log_lines();
        std::erase_if(lines, [](const std::string& line) {
            return line.ends_with(" in each") || line.starts_with("column types inferred from");
        });
        return lines;
    };
    CHECK(warnings(pets) ==
          Words{"'NA' in the column 'b' is a class of its own, of 1 row; remove rows of missing "
                "values, or list it in `classes` if it is one",
                "'Cat' and 'cat' in the column 'b' are two classes, and differ only in blanks or "
                "capitals; write them alike, or list both in `classes`"});
    CHECK(warnings(pets, "classes = [\"Cat\", \"NA\", \"cat\", \"dog\"]").empty());
    std::string prices = "a,b\n";
    for (int i = 0; i < 21; ++i) {
        prices += std::to_string(i) + "," + std::to_string(100 + i) + ".5\n";
    }
    CHECK(
        warnings(folder.write("prices.csv", prices)) ==
        Words{"the column 'b' has 21 classes in 21 rows, all of them numbers; to predict numbers, "
              "write values = [\"b\"] in place of label, and take MSELoss"});
    CHECK(warnings(folder.write("prices.csv", prices),
                   "values = [\"b\"]\nstandardize_values = true") ==
          Words{"the column 'b' has 21 classes in 21 rows, all of them numbers, which `values` "
                "predicts; remove `label`"});
}

TEST_CASE("Table: texts take the place of a table whose column of texts alone is read") {
    const TempFolder folder;
    const auto file = folder.write("t.csv", "t,k,i,a\nx y,p,1,2\nz,q,2,3\n");
    const std::string columns = "text = \"t\"\nlabel = \"k\"\nid = \"i\"\n";
    const auto saved = build(file, columns).published().at("table_columns");
    const auto predicting = [&](const std::string& more) {
        return test::build("tables", "Table", "file = \"gone.csv\"\n" + columns + more,
                           {.section = "validation", .saved_globals = {{"table_columns", saved}}});
    };
    auto task = predicting("samples = [\"z, x\", \"a b\"]");
    const Slots batch = all_of(task);
    CHECK(batch.at("texts").strings() == Words{"z, x", "a b"});
    for (const char* stream : {"ids", "targets", "labels", "inputs"}) {
        CHECK_FALSE(batch.contains(stream));
    }
    CHECK(task.published().at("table_columns") == saved);
    CHECK_FALSE(task.published().contains("num_classes"));
    CHECK(
        test::refusal(
            folder.path(),
            [&] { predicting("samples = [\"a\"]\nfeatures = \"a\"\nmore_texts = \"i\""); }) ==
        "setting 'samples': are texts alone, and the model reads 'a', 'i', too, as a table with all "
        "columns has them\nfix: --data FILE.csv");
    CHECK(test::refusal(folder.path(), [&] { predicting("samples = [\"a\", \" \"]"); }) ==
          "setting 'samples': text 2 is blank");
}

TEST_CASE("Table: texts take the place of a table whose values the training has standardized") {
    const TempFolder folder;
    const auto file = folder.write("t.csv", "t,v\nx y,10\nz,30\n");
    const std::string columns = "text = \"t\"\nvalues = \"v\"\nstandardize_values = true\n";
    const auto trained = build(file, columns).published();
    auto task =
        test::build("tables", "Table", "file = \"gone.csv\"\n" + columns + "samples = [\"z\"]",
                    {.section = "validation", .saved_globals = trained});
    CHECK(all_of(task).at("texts").strings() == Words{"z"});
    CHECK(task.published().at("value_scales") == trained.at("value_scales"));
}

}  // namespace table_test
