// Table: the columns of a checkpoint in predictions: their rules, their names, and what lacks them.

#include "plugins/refusal.hpp"
#include "plugins/support.hpp"
#include "support/temp_folder.hpp"

#include <filesystem>
#include <utility>

namespace saved_columns_test {

namespace {

using ptp::test::TempFolder;

// The training's mean of `a` is 2, its deviation 1; the categories of `k` are x and y.
class Trained {
public:
    explicit Trained(const std::string& more = "")
        : file_(folder_.write(
              "t.csv",
              "a,k,d,v\n1,x,2024-01-01,1\n3,y,2024-01-03,2\n1,x,2024-01-01,3\n3,x,2024-01-03,4\n")),
          columns_(
              test::build("tables", "Table", settings("file", file_, more), {.section = "training"})
                  .published()
                  .at("table_columns")) {}

    // Predicts the rows of a table.
    at::Tensor inputs(const std::string& text, const std::string& more = "") {
        auto task = build(text, more);
        CHECK(task.published().at("table_columns") == columns_);
        return task.fetch({0}).at("inputs").tensor();
    }

    std::string refusal(const std::string& text, const std::string& more = "") {
        return test::refusal(folder_.path(), [&] { build(text, more); });
    }

private:
    static std::string settings(const std::string& key, const std::filesystem::path& file,
                                const std::string& more) {
        const bool has_features = more.find("features = ") != std::string::npos;
        return key + " = \"" + file.string() + "\"\nvalues = \"v\"\n" +
               (has_features ? "" : "features = \"*\"\n") + more;
    }

    test::Component build(const std::string& text, const std::string& more) {
        return test::build(
            "tables", "Table",
            "file = \"" + file_.string() + "\"\n" +
                settings("rows", folder_.write("new.csv", text), more),
            {.section = "validation", .saved_globals = {{"table_columns", columns_}}});
    }

    TempFolder folder_;
    std::filesystem::path file_;
    ptp::Data columns_;
};

}  // namespace

TEST_CASE("Table: a rule that the section states replaces that of the checkpoint") {
    Trained run("columns = { k = \"category\", d = \"ignore\" }");
    const std::string kind = "{ type = \"category\", unknown = \"zeros\" }";
    CHECK(torch::equal(run.inputs("a,k\n5,z\n", "columns = { k = " + kind + " }"),
                       test::floats({3, 0, 0}, {1, 3})));
    CHECK(torch::equal(run.inputs("a,k\n,x\n", "missing = \"mean\""),
                       test::floats({0, 1, 0}, {1, 3})));
    CHECK(torch::equal(run.inputs("a,k\n,x\n", "columns = { a = { missing = \"zero\" } }"),
                       test::floats({-2, 1, 0}, {1, 3})));
    CHECK(torch::equal(run.inputs("a,k\n3,\n", "missing = \"most_frequent\""),
                       test::floats({1, 1, 0}, {1, 3})));
    Trained plain("columns = { k = \"category\", d = \"ignore\", a = { standardize = false } }");
    CHECK(torch::equal(plain.inputs("a,k\n,x\n", "missing = \"mean\""),
                       test::floats({2, 1, 0}, {1, 3})));
}

TEST_CASE("Table: true in JSON is the category that the training's CSV has as True") {
    const TempFolder folder;
    const std::string settings = "features = [\"on\"]\nvalues = \"v\"\nfile = \"" +
                                 folder.write("t.csv", "on,v\nTrue,1\nFalse,2\n").string() + "\"\n";
    const ptp::Data columns = test::build("tables", "Table", settings, {.section = "training"})
                                  .published()
                                  .at("table_columns");
    const auto inputs = [&](const char* name, const std::string& text) {
        auto task = test::build(
            "tables", "Table", settings + "rows = \"" + folder.write(name, text).string() + "\"\n",
            {.section = "validation", .saved_globals = {{"table_columns", columns}}});
        return task.fetch({0, 1}).at("inputs").tensor();
    };
    CHECK(torch::equal(inputs("n.jsonl", "{\"on\": true}\n{\"on\": false}\n"),
                       inputs("n.csv", "on\nTrue\nFalse\n")));
    CHECK(test::refusal(folder.path(), [&] {
              inputs("m.csv", "on\ntrue\nFalse\n");
          }).find("fix: write 'True', as the rows of the training do") != std::string::npos);
}

TEST_CASE("Table: a rule that the checkpoint cannot follow is refused") {
    Trained run("columns = { k = \"category\", d = \"ignore\" }");
    CHECK(run.refusal("a,k\n5,z\n") ==
          "new.csv:2: column 'k' = 'z': is not a category of the training's rows\n"
          "fix: add rows with it to the training, or let it be zeros: columns = { k = { type = "
          "\"category\", unknown = \"zeros\" } }");
    CHECK(
        run.refusal("a,k\n?,z\n,x\n", "columns = { k = \"category\" }") ==
        "new.csv:2: column 'a' = '?': is not a number\nnew.csv:3: column 'a' = '': has no value\n"
        "new.csv:2: column 'k' = 'z': is not a category of the training's rows\n"
        "fix: write a number; or, if such cells have no value, have them replaced: "
        "missing_values = [\"?\"], columns = { k = { type = \"category\", unknown = \"zeros\" }, a = "
        "{ missing = \"mean\" } }");
    CHECK(run.refusal("a,k\n,x\n", "columns = { a = { missing = \"most_frequent\" } }") ==
          "setting 'columns': 'a': the training has not learned its most frequent number\n"
          "fix: set missing = \"mean\" or \"zero\" for it");
    CHECK(run.refusal("a,k\n1,x\n", "columns = { k = \"number\" }") ==
          "setting 'columns': 'k' is a category in the training, and here number\n"
          "fix: remove the type here");
    Trained zero(
        "missing = \"zero\"\ncolumns = { k = \"category\", d = \"ignore\", a = { "
        "standardize = false } }");
    CHECK(zero.refusal("a,k\n1,x\n", "columns = { a = { missing = \"mean\" } }") ==
          "setting 'columns': 'a': the training has not learned its mean\n"
          "fix: set missing = \"zero\" for it");
}

TEST_CASE("Table: a prediction leaves out no row, and says so of none") {
    Trained run("columns = { k = \"category\" }");
    const std::string fix = "fix: fill the cell, or remove the row";
    CHECK(run.refusal("a,k,d\n1,x,\n", "missing = \"drop\"") ==
          "new.csv:2: column 'd' = '': has no value\n" + fix + "; a date has no mean and no zero");
    CHECK(run.refusal("a,k,d\n,x,2024-01-01\n") ==
          "new.csv:2: column 'a' = '': has no value\n" + fix +
              "; or have it replaced: columns = { a = { missing = \"mean\" } }");
}

TEST_CASE("Table: another order of the features, or a scale that is not taken, is warned of") {
    const TempFolder folder;
    const std::string file = "file = \"" +
                             folder.write("t.csv", "a,b,v\n1,5,1\n3,7,2\n2,9,3\n").string() +
                             "\"\nvalues = \"v\"\n";
    const auto columns =
        test::build("tables", "Table", file + "features = \"*\"", {.section = "training"})
            .published()
            .at("table_columns");
    const auto lines = [&](const std::string& settings) {
        auto all =
            test::build("tables", "Table", file + settings,
                        {.section = "validation", .saved_globals = {{"table_columns", columns}}})
                .log_lines();
        all.pop_back();  // the count of the rows
        return all;
    };
    using Lines = std::vector<std::string>;
    CHECK(lines("features = [\"a\", \"b\"]").empty());
    CHECK(lines("features = \"*\"\ncolumns = { a = { standardize = true } }").empty());
    CHECK(
        lines("features = [\"b\", \"a\"]") ==
        Lines{"features = [\"b\", \"a\"], but [\"a\", \"b\"] in the training: the model sees other "
              "inputs than it is trained with; write them in the order of the training"});
    CHECK(
        lines("features = \"*\"\ncolumns = { a = { standardize = false } }") ==
        Lines{"columns: 'a' is standardized here, as in the training: standardize = false changes "
              "nothing; remove it here"});
}

TEST_CASE("Table: a table that lacks features of the training is refused with their names") {
    Trained run("columns = { k = \"category\" }");
    CHECK(run.refusal("a,k\n1,x\n") ==
          "new.csv: has no column 'd', which the training has as a feature; it has 'a', 'k'\n"
          "fix: add what is missing; or, if it has another name there, write that in its place: "
          "features = [\"a\", \"k\", \"d\"]");
    CHECK(run.refusal("a,k,D\n1,x,2024-01-01\n") ==
          "new.csv: has no column 'd', which the training has as a feature; it has 'a', 'k', 'D'\n"
          "fix: set features = [\"a\", \"k\", \"D\"]");
    CHECK(
        run.refusal("a,k,born,v\n1,x,2024-01-01,5\n") ==
        "new.csv: has no column 'd', which the training has as a feature; it has 'a', 'k', 'born', "
        "'v'\nfix: add what is missing; or, if it is 'born' there, write that in its place: "
        "features = [\"a\", \"k\", \"born\"]");
    CHECK(
        run.refusal("a,k,born,died\n1,x,2024-01-01,5\n") ==
        "new.csv: has no column 'd', which the training has as a feature; it has 'a', 'k', 'born', "
        "'died'\nfix: add what is missing; or, if it has another name there, write that in its "
        "place: features = [\"a\", \"k\", \"d\"]");
    CHECK(run.refusal("b,k\n1,x\n", "features = [\"a\", \"k\", \"d\"]") ==
          "new.csv: has no columns 'a', 'd', which the training has as features; it has 'b', 'k'\n"
          "fix: add what is missing; or, if it has another name there, write that in its place: "
          "features = [\"a\", \"k\", \"d\"]");
    CHECK(run.refusal("v03,k\n1,x\n", "features = [\"v01\", \"v02\", \"k\"]") ==
          "new.csv: has no columns 'v01', 'v02', which the training has as features; it has 'v03', "
          "'k'\nfix: add what is missing; or, if it has another name there, write that in its "
          "place: features = [\"v01\", \"v02\", \"k\"]");
    CHECK(run.refusal("1,x,2024-01-01,7\n3,y,2024-01-01,8\n") ==
          "new.csv: has no columns 'a', 'k', 'd', which the training has as features; it has '1', "
          "'x', '2024-01-01', '7'\nfix: the first line looks like data; write your names of the "
          "columns above it, in place of c1 to c4: sed -i '1i c1,c2,c3,c4' new.csv");
    CHECK(run.refusal("a;k;d\n1;x;2024-01-01\n") ==
          "setting 'features': new.csv has one column: its first line, 'a;k;d', has no comma\n"
          "fix: set separator = \"semicolon\"");
    CHECK(run.refusal("a,k\n1,x\n", "features = [\"a\", \"k\"]") ==
          "setting 'features': are 2 columns, and 3 in the training, 'a', 'k', 'd'\n"
          "fix: name as many, in the same order");
    CHECK(run.refusal("a,k,d,e\n1,x,2024-01-01,5\n",
                      "features = [\"a\", \"k\", \"d\", \"e\"]\n"
                      "columns = { e = \"number\" }") ==
          "setting 'features': are 4 columns, and 3 in the training, 'a', 'k', 'd'\n"
          "fix: set columns = { e = \"ignore\" } where the training ignores them, and otherwise "
          "features = [\"a\", \"k\", \"d\"]");
    CHECK(
        torch::equal(run.inputs("a,k,born\n3,x,2024-01-02\n", "features = [\"a\", \"k\", \"born\"]")
                         .select(1, 0),
                     test::floats({1}, {1})));
}

TEST_CASE("Table: a rule of a feature stays that of the training under another name") {
    Trained run("columns = { k = { type = \"category\", unknown = \"zeros\" } }");
    CHECK(
        torch::equal(run.inputs("a,K,d\n3,z,2024-01-02\n",
                                "features = [\"a\", \"K\", \"d\"]\ncolumns = { k = \"category\" }")
                         .narrow(1, 0, 3),
                     test::floats({1, 0, 0}, {1, 3})));
}

TEST_CASE("Table: a table that lacks another column of the training, or all rows, is refused") {
    Trained run("columns = { k = \"category\" }");
    const std::string row = "a,k,d,Words\n1,x,2024-01-01,w\n";
    const std::string has = ", which has 'a', 'k', 'd', 'Words'\nfix: ";
    CHECK(run.refusal(row, "text = \"words\"") ==
          "setting 'text': 'words' is not a column of new.csv" + has + "set text = \"Words\"");
    CHECK(run.refusal(row, "more_texts = \"words\"") ==
          "setting 'more_texts': 'words' is not a column of new.csv" + has +
              "rename the column 'Words' to 'words'");
    CHECK(run.refusal(row, "text = \"review\"") ==
          "setting 'text': 'review' is not a column of new.csv" + has +
              "add the column, which the training has, or rename the one that is it to 'review'");
    CHECK(run.refusal("a great film\n", "text = \"review\"") ==
          "new.csv: has no rows\nfix: write a line for each sample below the names of the columns; "
          "a text alone: ptprun predict RUN --text TEXT");
}

namespace {

// The warnings of new rows, for a training with other ones.
class FarRows {
public:
    FarRows(const std::string& table, std::string settings)
        : settings_(std::move(settings)),
          columns_(
              test::build("tables", "Table",
                          "file = \"" + folder_.write("t.csv", table).string() + "\"\n" + settings_,
                          {.section = "training"})
                  .published()
                  .at("table_columns")) {}

    std::string warnings(const std::string& table) { return warnings_in(log(table)); }

    // Returns the warnings of a section that is processed.
    std::string warnings_of_section(const std::string& table) {
        const auto file = folder_.write("new.csv", table);
        return warnings_in(log_of("file = \"" + file.string() + "\"\n"));
    }

    std::vector<std::string> log(const std::string& table) {
        const auto file = folder_.write("new.csv", table);
        return log_of("file = \"none.csv\"\nrows = \"" + file.string() + "\"\n");
    }

    // Makes the columns those of a version that saved no ranges.
    void forget_ranges() {
        ptp::Data::Table columns = columns_.as_table();
        ptp::Data::List features = columns[0].value.as_list();
        for (ptp::Data& feature : features) {
            ptp::Data::Table members = feature.as_table();
            CHECK(std::erase_if(members, [](const auto& one) { return one.key == "range"; }) == 1);
            feature = ptp::Data(members);
        }
        columns[0].value = ptp::Data(features);
        columns_ = ptp::Data(columns);
    }

private:
    [[nodiscard]] std::vector<std::string> log_of(const std::string& settings) const {
        return test::build("tables", "Table", settings + settings_,
                           {.saved_globals = {{"table_columns", columns_}}})
            .log_lines();
    }

    [[nodiscard]] std::string warnings_in(const std::vector<std::string>& lines) const {
        const std::string file = (folder_.path() / "new.csv").string();
        std::string all;
        for (const std::string& line : lines) {
            all += line.starts_with(file + ":") ? line.substr(file.size()) : "";
        }
        return all;
    }

    TempFolder folder_;
    std::string settings_;
    ptp::Data columns_;
};

}  // namespace

TEST_CASE("Table: a number far outside of the training's is warned of once, with the others") {
    // The mean of 160, 170 and 180 is 170, their deviation the root of 200 / 3, 8.165.
    FarRows of("h,w,k\n160,1,a\n170,2.5,b\n180,3,a\n", "features = [\"w\", \"h\"]\n");
    const std::string of_height =
        ":3: column 'h' = 1.7 is far outside of the training's 160 to 180";
    CHECK(of.warnings("h,w\n170,2\n1.7,2\n") == of_height + "; is it in its unit?");
    CHECK(of.warnings("h,w\n170,2\n1.7,2\n1.8,2\n") ==
          of_height + ", as is one more cell; is it in its unit?");
    CHECK(of.warnings("h,w\n1.7,20\n1.8,2\n1.9,20\n") ==
          ":2: column 'w' = 20 is far outside of the training's 1 to 3, as are 4 more cells; is it "
          "in its unit?");
    CHECK(of.warnings_of_section("h,w,k\n170,2,a\n1.7,2,b\n") ==
          of_height + "; is it in its unit?");
    CHECK(of.warnings_of_section("h,w,k\n170,2,a\n") == "");
    CHECK(of.warnings("h,w\n89,9\n251,-5\n") == "");  // 9.9 deviations, 8.2, 9.9 and 8.4
    of.forget_ranges();
    CHECK(of.warnings("h,w\n1.7,20\n") == "");
}

TEST_CASE("Table: what the training has one value of is warned of where it differs") {
    FarRows of("d,n,k\n2024-03-01,380,a\n2024-05-02,380,b\n",
               "features = [\"d\", \"n\", \"k\"]\nmissing = \"mean\"\n"
               "columns = { k = { unknown = \"zeros\" } }\n");
    const std::string end =
        ": what it means for predictions is not learned; train with rows of several, or without "
        "the column";
    CHECK(of.warnings("d,n,k\n2024-07-01,380,a\n2024-01-01,380,z\n") == "");
    CHECK(of.warnings("d,n,k\n2024-07-01,380,a\n2025-01-01,380,a\n") ==
          ":3: column 'd' = 2025-01-01, where all rows of the training have the year 2024" + end);
    CHECK(of.warnings("d,n,k\n2025-01-01,381,a\n2026-01-01,380,a\n") ==
          ":2: column 'd' = 2025-01-01, where all rows of the training have the year 2024, as are "
          "2 more cells" +
              end);
    const auto said = [&](const std::string& rows, const std::string& begin) {
        const auto lines = of.log(rows);
        return std::ranges::any_of(
            lines, [&](const std::string& line) { return line.find(begin) != std::string::npos; });
    };
    const std::string unknown = "the column 'k' has no category of the training, as 'z' in ";
    CHECK(said("d,n,k\n2024-07-01,380,z\n2024-07-01,380,y\n", unknown));
    CHECK(!said("d,n,k\n2024-07-01,380,z\n2024-07-01,380,a\n", unknown));
    const std::string empty = " has a value in the column 'n': each counts as one by the rule";
    CHECK(said("d,n,k\n2024-07-01,,a\n2024-07-01,,b\n", empty));
    CHECK(!said("d,n,k\n2024-07-01,,a\n2024-07-01,380,b\n", empty));
}

TEST_CASE("Table: blank lines between the rows of one column are warned of") {
    FarRows of("h\n160\n170\n", "features = [\"h\"]\n");
    CHECK(of.log("h\n160\n\n\n170\n").front() ==
          "line 3 of the table is blank, as 1 other is: blank lines are no rows, and samples are "
          "counted without them; write \"\" in a line for a sample that is empty");
}

TEST_CASE("Table: a rare flag, a heavy tail and a missing number are not far") {
    std::string rows = "f,a,y\n1,1000,2014\n";
    for (int i = 1; i < 200; ++i) {
        rows += "0,1,201" + std::to_string(4 + i % 3) + "\n";
    }
    // The mean of f is 1 / 200, its deviation the root of 199 / 200^2: 1 is 14.1 of them away. Of
    // a the deviation is 70.5, and 1400 is 19.8 of them away, but near to 1000.
    FarRows of(rows, "features = \"*\"\nmissing = \"zero\"\n");
    CHECK(of.warnings(rows) == "");
    CHECK(of.warnings("f,a,y\n1,1400,2015\n,,\n") == "");
    CHECK(of.warnings("f,a,y\n0,1,20.15\n") ==
          ":2: column 'y' = 20.15 is far outside of the training's 2014 to 2016; is it in its "
          "unit?");
}

TEST_CASE("Table: of numbers that are not standardized the range alone is compared") {
    FarRows of("x\n100\n150\n200\n",
               "features = \"x\"\ncolumns = { x = { standardize = false } }\n");
    CHECK(of.warnings("x\n260\n399\n") == "");
    CHECK(of.warnings("x\n400\n") ==
          ":2: column 'x' = 400 is far outside of the training's 100 to 200; is it in its unit?");
}

}  // namespace saved_columns_test
