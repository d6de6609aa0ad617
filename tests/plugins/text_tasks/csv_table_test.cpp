// CsvTable: columns of tables, and what is wrong with tables.

#include "text_task.hpp"

namespace csv_table_test {

using ptp::test::TempFolder;
using namespace test::csv;
using Words = std::vector<std::string>;

constexpr const char* kPets =
    "name,weight,legs,kind\n"
    "Rex,12.5,4,dog\n"
    "\"Tom, the \"\"cat\"\"\",-4e-1,4,cat\r\n"
    "\n"
    "\"Polly\nParrot\", +.25 ,2,\"bird\"\n"
    "Rex,7,3,dog";

constexpr const char* kFill =
    "\nfix: fill empty cells and those of missing values, or remove their rows, as type = \"Table\" "
    "does with missing = \"drop\" and missing_values = [\"NA\"]";

TEST_CASE("CsvTable: columns become streams of their types") {
    const TempFolder folder;
    auto task = build(folder.write("pets.csv", kPets),
                      "features = [\"weight\", \"legs\"]\nintegers = [\"legs\"]\ntext = \"name\"\n"
                      "label = \"kind\"\nvalues = [\"weight\"]");
    REQUIRE(task.size() == 4);
    const test::Slots batch = task.fetch({2, 0, 1, 3});
    CHECK(torch::equal(batch.at("inputs").tensor(),
                       test::floats({0.25, 2, 12.5, 4, -0.4, 4, 7, 3}, {4, 2})));
    CHECK(
        torch::equal(batch.at("integers").tensor(), test::integers({2, 4, 4, 3}).reshape({4, 1})));
    CHECK(batch.at("texts").strings() == Words{"Polly\nParrot", "Rex", "Tom, the \"cat\"", "Rex"});
    CHECK(batch.at("labels").strings() == Words{"bird", "dog", "cat", "dog"});
    CHECK(torch::equal(batch.at("targets").tensor(), test::integers({0, 2, 1, 2})));
    CHECK(torch::equal(batch.at("values").tensor(), test::floats({0.25, 12.5, -0.4, 7}, {4, 1})));
    CHECK(task.published().at("num_classes") == ptp::Data(3));
    CHECK(task.published().at("label_word_mappings").toml() == "{ bird = 0, cat = 1, dog = 2 }");
    test::check_threads(task, "texts");
}

TEST_CASE("CsvTable: JSON lines have the samples of the same CSV file") {
    const TempFolder folder;
    const std::string lines =
        "{\"name\": \"a, b\", \"legs\": 4, \"kind\": \"dog\"}\n\n"
        "{\"legs\": 2, \"kind\": \"bird\", \"name\": null}\r\n";
    const std::string settings =
        "features = [\"legs\"]\nintegers = [\"legs\"]\ntext = \"name\"\nlabel = \"kind\"";
    auto task = build(folder.write("t.jsonl", lines), settings);
    REQUIRE(task.size() == 2);
    const test::Slots batch = task.fetch({0, 1});
    CHECK(torch::equal(batch.at("inputs").tensor(), test::floats({4, 2}, {2, 1})));
    CHECK(torch::equal(batch.at("integers").tensor(), test::integers({4, 2}).reshape({2, 1})));
    CHECK(batch.at("texts").strings() == Words{"a, b", ""});
    CHECK(torch::equal(batch.at("targets").tensor(), test::integers({1, 0})));
    const std::string fix =
        "\nfix: write an object with the members of the first one in each line, with null where "
        "there is no value";
    CHECK(refusal("{\"legs\": 1}\n[2]\n{\"legs\": 1, \"a\": 1, \"b\": 2}\n{\"legs\": {}}\n",
                  "features = [\"legs\"]", "t.ndjson") ==
          "t.ndjson:2: is not a JSON object\n"
          "t.ndjson:3: has 'a', 'b', which the first object lacks\n"
          "t.ndjson:4: has in 'legs' {}, which is not text, a number, true, false, null or a list "
          "of numbers" +
              fix);
    CHECK(refusal("{}\n", "features = [\"legs\"]", "t.jsonl") ==
          "t.jsonl:1: is an object without members" + fix);
    CHECK(refusal(lines, "features = [\"leg\"]", "t.jsonl") ==
          "setting 'features': 'leg' is not a column of t.jsonl, which has 'name', 'legs', 'kind'\n"
          "fix: write features = ['legs']");
}

TEST_CASE("CsvTable: streams are there for the settings that are given") {
    const TempFolder folder;
    const auto file = folder.write("pets.csv", kPets);
    auto task = build(file, "text = \"kind\"");
    const test::Slots batch = task.fetch({0});
    CHECK(batch.at("texts").strings() == Words{"dog"});
    for (const char* name : {"inputs", "integers", "targets", "labels", "values"}) {
        CAPTURE(name);
        CHECK_FALSE(batch.contains(name));
    }
    CHECK(refusal(kPets, "label = \"kind\"") ==
          "no column is chosen: set at least one of features, integers and text");
}

TEST_CASE("CsvTable: with binary a target is 1 for the second of two classes") {
    const TempFolder folder;
    const std::string settings = "features = [\"a\"]\nlabel = \"k\"\nbinary = true\n";
    auto task = build(folder.write("t.csv", "a,k\n1,yes\n2,no\n3,yes\n"), settings);
    CHECK(torch::equal(task.fetch({1, 2, 0}).at("targets").tensor(),
                       test::floats({0, 1, 1}, {3, 1})));
    CHECK(task.published().at("label_word_mappings").toml() == "{ no = 0, yes = 1 }");
    CHECK(refusal("a,k\n1,yes\n", settings) ==
          "setting 'binary': needs two classes, and there is one: 'yes'\n"
          "fix: add samples of the other class");
    CHECK(refusal("a,k\n1,yes\n", "features = [\"a\"]\nbinary = true\n") ==
          "setting 'binary': needs `label`, the column of the classes\n"
          "fix: set label, or remove binary");
    CHECK(refusal("a,k\n1,yes\n2,no\n3,so\n",
                  settings + "classes = [\"no\", \"yes\"]\nunlisted = \"uncounted\"\n") ==
          "t.csv:4: the column 'k' has 'so', which `classes` does not list\n"
          "fix: add such names to classes, or remove their rows");
}

TEST_CASE("CsvTable: `classes` sets the numbers of the classes") {
    const TempFolder folder;
    const auto file = folder.write("pets.csv", kPets);
    const std::string columns = "integers = [\"legs\"]\nlabel = \"kind\"\n";
    auto task = build(file, columns + "classes = [\"dog\", \"fish\", \"cat\", \"bird\"]");
    CHECK(torch::equal(task.fetch({0, 1, 2}).at("targets").tensor(), test::integers({0, 2, 3})));
    CHECK(task.published().at("num_classes") == ptp::Data(4));
    CHECK(refusal(kPets, columns + "classes = [\"dog\", \"cat\"]") ==
          "t.csv:5: the column 'kind' has 'bird', which `classes` does not list\n"
          "fix: add such names to classes, or remove their rows");
    CHECK(refusal(kPets, columns + "classes = [\"dog\", \"dog\"]") ==
          "setting 'classes': 'dog' is listed twice");
    CHECK(refusal("a,b\n1,x\n2,\n", "integers = [\"a\"]\nlabel = \"b\"") ==
          std::string("t.csv:3: the column 'b' has an empty cell") + kFill);
}

TEST_CASE("CsvTable: the separator follows from the file's name or is set") {
    const TempFolder folder;
    const std::string column = "features = [\"b\"]";
    CHECK(build(folder.write("t.tsv", "a\tb\n1,5\t2\n"), column)
              .fetch({0})
              .at("inputs")
              .tensor()
              .item<float>() == 2);
    CHECK(build(folder.write("t.csv", "a;b\n1,5;3\n"), column + "\nseparator = \"semicolon\"")
              .fetch({0})
              .at("inputs")
              .tensor()
              .item<float>() == 3);
    CHECK(build(folder.write("t.txt", "a\tb\n1\t4\n"), column + "\nseparator = \"tab\"")
              .fetch({0})
              .at("inputs")
              .tensor()
              .item<float>() == 4);
    CHECK(build(folder.write("u.tsv", "a,b\n1,5\n"), column + "\nseparator = \"comma\"")
              .fetch({0})
              .at("inputs")
              .tensor()
              .item<float>() == 5);
}

TEST_CASE("CsvTable: rows without targets need no file and no column of them") {
    const TempFolder folder;
    const auto rows = folder.write("new.csv", "weight,name\n3,Max\n");
    auto task = test::text_task(kName, "rows = \"" + rows.string() +
                                           "\"\nfeatures = [\"weight\"]\ntext = \"name\"\n"
                                           "label = \"kind\"\nvalues = [\"height\"]");
    REQUIRE(task.size() == 1);
    const test::Slots batch = task.fetch({0});
    CHECK(batch.at("inputs").tensor().item<float>() == 3);
    CHECK(batch.at("texts").strings() == Words{"Max"});
    CHECK_FALSE(batch.contains("targets"));
    CHECK_FALSE(batch.contains("values"));
    CHECK_FALSE(task.published().contains("num_classes"));
}

TEST_CASE("CsvTable: a column with cells that are not numbers is named once, with their count") {
    CHECK(refusal("a,b\n1,x\n2,3\n\"4\n\",\n5,nan\n", "features = [\"b\"]") ==
          std::string("t.csv:2: the column 'b' has 'x', which is not a number (3 of 4 cells are "
                      "wrong, 1 of them empty)\nfix: ") +
              kNumbers);
    CHECK(
        refusal("sex,age,fare\nfemale,,x\nmale,3,1\nmale,,1\n",
                "features = [\"sex\", \"age\"]\nvalues = [\"fare\"]") ==
        "t.csv:2: the column 'sex' has 'female', which is not a number (3 of 3 cells are wrong)\n"
        "t.csv:2: the column 'age' has an empty cell (2 of 3 cells are wrong, all empty)\n"
        "t.csv:2: the column 'fare' has 'x', which is not a number\nfix: " +
            std::string(kNumbers) +
            "; fill empty cells and those of missing values, or remove their rows, as type = \"Table\" "
            "does with missing = \"drop\" and missing_values = [\"NA\"]");
    for (const char* cell : {"0x1", "\"1,234,5\"", "--2"}) {
        CAPTURE(cell);
        CHECK(refusal(std::string("a\n") + cell + "\n", "features = [\"a\"]")
                  .ends_with(std::string("', which is not a number\nfix: ") + kNumbers));
    }
    for (const std::string cell : {"nan", "NA", "?", "None", "inf"}) {
        std::string fill = kFill;
        fill.replace(fill.find("\"NA\""), 4, '"' + cell + '"');
        const std::string what =
            cell == "inf" ? "out of the range of 32-bit numbers" : "not a number";
        CHECK(refusal("a\n " + cell + "\n", "features = [\"a\"]")
                  .ends_with("', which is " + what + fill));
    }
    CHECK(
        refusal("a;b\n0,629; -1,5\n0,044;2\n",
                "features = [\"a\", \"b\"]\nseparator = \"semicolon\"") ==
        "t.csv:2: the column 'a' has '0,629', which is not a number: write 0.629, with a point (2 "
        "of 2 cells are wrong)\n"
        "t.csv:2: the column 'b' has ' -1,5', which is not a number: write -1.5, with a point\n"
        "fix: write the numbers with a point in place of the comma");
    for (const char* cell : {"1e39", "1e-400"}) {
        CHECK(refusal(std::string("a\n") + cell + "\n", "features = [\"a\"]")
                  .ends_with("', which is out of the range of 32-bit numbers\n"
                             "fix: write the column in other units"));
    }
    CHECK(refusal("a\n9223372036854775807\n9223372036854775808\n1.0\n", "integers = [\"a\"]") ==
          "t.csv:3: the column 'a' has '9223372036854775808', which is not a whole number in the "
          "range of 64 bits (2 of 3 cells are wrong)\nfix: read the column with `features`");
}

TEST_CASE("CsvTable: rows of a class that is not listed can be left uncounted") {
    const TempFolder folder;
    auto task = build(folder.write("t.csv", "a,b\n1,cat\n2,dgo\n3,dog\n4,\n"),
                      "features = [\"a\"]\nlabel = \"b\"\nunlisted = \"uncounted\"\n"
                      "classes = [\"dog\", \"cat\"]");
    const test::Slots batch = task.fetch({0, 1, 2, 3});
    CHECK(torch::equal(batch.at("targets").tensor(), test::integers({1, -100, 0, -100})));
    CHECK(batch.at("labels").strings() == Words{"cat", "dgo", "dog", ""});
    CHECK(task.published().at("num_classes") == ptp::Data(2));
    CHECK(task.log_lines().empty());
}

TEST_CASE("CsvTable: names of classes that are probably none are warned of, unless listed") {
    const TempFolder folder;
    const auto file = folder.write("t.csv", "a,b\n1,Rose\n2,rose \n3,NA\n4,NA\n5,lily\n");
    const std::string columns = "features = [\"a\"]\nlabel = \"b\"\n";
    CHECK(
        build(file, columns).log_lines() ==
        Words{"'NA' in the column 'b' is a class of its own, of 2 rows; remove rows of missing "
              "values, or list it in `classes` if it is one",
              "'Rose' and 'rose ' in the column 'b' are two classes, and differ only in blanks or "
              "capitals; write them alike, or list both in `classes`"});
    CHECK(build(file, columns + "classes = [\"NA\", \"Rose\", \"lily\", \"rose \"]")
              .log_lines()
              .empty());
}

TEST_CASE(
    "CsvTable: a class without rows, and more classes than a column can have, are warned of") {
    const TempFolder folder;
    const auto file = folder.write("t.csv", "a,b\n1,cat\n2,dog\n");
    const std::string columns = "features = [\"a\"]\nlabel = \"b\"\n";
    CHECK(build(file, columns + "classes = [\"cat\", \"dog\", \"zebra\"]").log_lines() ==
          Words{"`classes` lists 'zebra', but no row has it in the column 'b': it cannot be "
                "learned; add rows, or remove it from the list"});
    const auto warnings = [&](int classes, const std::string& name, const std::string& more) {
        std::string text = "a,b\n";
        for (int i = 0; i < classes; ++i) {
            text += "0," + name + std::to_string(i) + "\n";
        }
        return build(folder.write("u.csv", text + more), columns).log_lines();
    };
    CHECK(
        warnings(21, "1.", "3,1.1\n") ==
        Words{"the column 'b' has 21 classes in 22 rows, all of them numbers; to predict numbers, "
              "write values = [\"b\"] in place of label, and take MSELoss"});
    CHECK(warnings(21, "n", "3,n1\n") ==
          Words{"the column 'b' has 21 classes in 22 rows, so that most are in one row; is it a "
                "column of names or texts?"});
    CHECK(warnings(21, "n", "3,n1\n3,n1\n3,n1\n").empty());  // 21 of 24 rows
    CHECK(warnings(20, "1.", "").empty());
}

TEST_CASE("CsvTable: blank lines between the rows of one column are warned of, others are not") {
    const TempFolder folder;
    const auto lines = [&](const std::string& rows) {
        return build(folder.write("t.csv", "review\n" + rows), "text = \"review\"").log_lines();
    };
    constexpr const char* kRest =
        ": blank lines are no rows, and samples are counted without them; write \"\" in a line for "
        "a sample that is empty";
    CHECK(lines("good\n\nbad\n\n\n") == Words{"line 3 of the table is blank" + std::string(kRest)});
    CHECK(lines("\ngood\n\n\nbad\n") ==
          Words{"line 2 of the table is blank, as 2 others are" + std::string(kRest)});
    CHECK(lines("good\n\"\"\nbad\n\n").empty());
    CHECK(build(folder.write("u.csv", "a,b\n1,x\n\n2,y\n"), "text = \"b\"").log_lines().empty());
}

TEST_CASE("CsvTable: the vocabulary is that of the column of texts") {
    const TempFolder folder;
    const auto file = folder.write("t.csv", "a,b\n\"so, long\",x\nso dull,y\n");
    const std::string columns = "text = \"a\"\n";
    CHECK(build(file, columns + "vocabulary = true").published().at("word_mappings").toml() ==
          "{ \"so,\" = 0, long = 1, so = 2, dull = 3 }");
    CHECK_FALSE(build(file, columns).published().contains("word_mappings"));
    const auto rows =
        test::text_task(kName, "vocabulary = true\nrows = \"" + file.string() + "\"\n" + columns);
    CHECK_FALSE(rows.published().contains("word_mappings"));
    CHECK(refusal("a\n1\n", "features = [\"a\"]\nvocabulary = true") ==
          "setting 'vocabulary': needs `text`, the column of its words");
}

TEST_CASE("CsvTable: an input that is to be predicted is warned of") {
    const TempFolder folder;
    const auto file = folder.write("t.csv", "a,b\n1,0\n2,1\n");
    const auto warned = [](const std::string& column, const std::string& setting) {
        return "the column '" + column + "' is an input and is to be predicted, too: new data do " +
               "not have it; remove it from `" + setting + "`";
    };
    CHECK(build(file, "features = [\"a\", \"b\"]\nintegers = [\"b\"]\nlabel = \"b\"").log_lines() ==
          Words{warned("b", "features"), warned("b", "integers")});
    CHECK(build(file, "text = \"b\"\nlabel = \"b\"").log_lines() == Words{warned("b", "text")});
    CHECK(build(file, "features = [\"a\", \"b\"]\nvalues = [\"a\"]").log_lines() ==
          Words{warned("a", "features")});
    CHECK(build(file, "features = [\"a\", \"b\"]\nvalues = [\"a\", \"b\"]")
              .log_lines()
              .empty());  // an autoencoder
}

TEST_CASE("CsvTable: tables that are none are refused") {
    const std::string column = "features = [\"a\"]";
    CHECK(refusal("", column) ==
          "t.csv: is empty, expected the names of the columns in its first row");
    CHECK(
        refusal("a,b\n", column) ==
        "t.csv: has no rows but the names of the columns\n"
        "fix: write a row for each sample below them; ptprun predict RUN --text TEXT takes a text "
        "alone");
    CHECK(refusal("a,b,a\n1,2,3\n", column) == "t.csv:1: the column 'a' is there twice");
    CHECK(refusal("b,c\n1,2\n", column) ==
          "setting 'features': 'a' is not a column of t.csv, which has 'b', 'c'\nfix: "
          "add the column, or write the name of the one that is it");
    CHECK(refusal("a,b\n1\n1,2\n1,2,3\n", column) ==
          "t.csv:2: has 1 cell, but the header has 2; write an empty cell as two commas in a row\n"
          "t.csv:4: has 3 cells, but the header has 2; a text with a comma needs quotes");
    CHECK(refusal("a;b\n0,6;1\n0,5;2\n3;4\n", column) ==
          "t.csv:2: has 2 cells, but the header has 1, 'a;b' (and 1 more row)\n"
          "fix: set separator = \"semicolon\"");
    CHECK(
        refusal("a\n0,6\n0,5\n3\n1,1\n", column) ==
        "t.csv:2: has 2 cells, but the header has 1; a text with a comma needs quotes (and 2 more "
        "rows)");
    CHECK(refusal("0.6,1,cat\n0.5,2,dog\n", column) ==
          "setting 'features': 'a' is not a column of t.csv, which has '0.6', '1', 'cat'\nfix: the "
          "first line looks like data; write your names of the columns above it, in place of c1 to "
          "c3: sed -i '1i c1,c2,c3' t.csv");
    CHECK(refusal("a,b\n\"1\"x,2\n1,\"2\n", column) ==
          "t.csv:2: has text after a closing quote\nt.csv:3: has a quote that is not closed");
    CHECK(refusal("a,\"b\n1,2\n", column) == "t.csv:1: has a quote that is not closed");
    CHECK(
        refusal("a\n1\n\xFF\n", column) ==
        "t.csv:3: is not valid UTF-8; convert it, as from Windows: iconv -f WINDOWS-1252 -t UTF-8 t.csv > t.utf8.csv && mv t.utf8.csv t.csv");
    CHECK(
        refusal(std::string("\xFF\xFE") + "a\n", column) ==
        "t.csv:1: is not valid UTF-8; convert it, as from Windows: iconv -f UTF-16 -t UTF-8 t.csv > "
        "t.utf8.csv && mv t.utf8.csv t.csv");
}

}  // namespace csv_table_test
