// Table: what it says of columns, labels and parts that are probably mistakes.

#include "plugins/refusal.hpp"
#include "plugins/support.hpp"
#include "support/temp_folder.hpp"

#include <filesystem>

namespace column_checks_test {

namespace {

using Words = std::vector<std::string>;

// Tables in a folder, and the lines that a task logs about one.
class Tables {
public:
    Words lines(const std::string& text, const std::string& settings) {
        const auto file = folder_.write("t.csv", text);
        Words lines;
        const auto task =
            test::build("tables", "Table", settings_of(file, settings), {.section = "training"});
        for (std::string line : task.log_lines()) {
            const std::string path = file.string();
            if (line.starts_with(path)) {
                line = line.substr(path.size());
            }
            if (!line.ends_with(" in each") && line.find(" rows of " + path) == std::string::npos) {
                lines.push_back(line);
            }
        }
        return lines;
    }

    std::string refusal(const std::string& text, const std::string& settings,
                        const std::string& section = "training") {
        return test::refusal(folder_.path(), [&] {
            test::build("tables", "Table", settings_of(folder_.write("t.csv", text), settings),
                        {.section = section});
        });
    }

private:
    static std::string settings_of(const std::filesystem::path& file, const std::string& settings) {
        return "file = \"" + file.string() + "\"\n" + settings;
    }

    ptp::test::TempFolder folder_;
};

}  // namespace

TEST_CASE("Table: a listed class without rows, and a text that is the label, are warned of") {
    Tables tables;
    CHECK(tables.lines("t,b\nso,cat\nit,dog\n",
                       "text = \"t\"\nlabel = \"b\"\nclasses = [\"cat\", \"dog\", \"zebra\"]") ==
          Words{"`classes` lists 'zebra', but no row has it in the column 'b': it cannot be "
                "learned; add rows, or remove it from the list"});
    CHECK(tables.lines("t,b\nso,cat\nit,dog\n", "text = \"b\"\nlabel = \"b\"") ==
          Words{"the column 'b' is an input and is to be predicted, too: new data do not have it; "
                "remove it from `text`"});
}

TEST_CASE(
    "Table: a number that is not a class of a label of numbers is to be predicted by values") {
    Tables tables;
    std::string text = "a,b,s\n1,0.5,va\n";
    for (int i = 1; i <= 21; ++i) {
        text += "1," + std::to_string(i) + ",tr\n";
    }
    const std::string settings =
        "features = [\"a\"]\nlabel = \"b\"\nsplit = { column = \"s\", training = \"tr\", "
        "validation = \"va\" }\n";
    CHECK(
        tables.refusal(text, settings, "validation") ==
        "t.csv:2: column 'b' = '0.5': is not a class of the training's rows\n"
        "fix: to predict numbers, set values = [\"b\"] in place of label in each section, and take MSELoss");
}

TEST_CASE("Table: types that are inferred are shown, and what is left out") {
    Tables tables;
    std::string text = "n,a,k,d,t,v\n";
    for (int i = 0; i < 24; ++i) {
        text += std::to_string(i) + "," + std::to_string(i % 7) + ".5," + (i % 2 ? "x" : "y") +
                ",2024-01-" + std::to_string(10 + i % 15) + ",text " + std::to_string(i) + ",1\n";
    }
    CHECK(
        tables.lines(text, "features = \"*\"\nvalues = \"v\"") ==
        Words{
            "column types inferred from t.csv: k: category; d: date; a: number; n, t: left out, as texts or "
            "numbers of rows (columns = { NAME = \"category\" } takes one)"});
    CHECK(tables.lines(text, "features = \"a\"\ncolumns = { a = \"number\" }\nvalues = \"v\"")
              .empty());
}

TEST_CASE("Table: marks of missing values among numbers are refused with their settings") {
    Tables tables;
    std::string text = "a,b,v\n";
    for (int i = 0; i < 20; ++i) {
        text += std::to_string(i * 7 % 13) + ",2,1\n";
    }
    text += "NA,3,1\nnan,2,1\n";
    const std::string all = "features = \"*\"\nvalues = \"v\"\n";
    const std::string what =
        "setting 'features': 'a' has in t.csv:22 'NA', which is not a number, as 20 of 22 cells of "
        "the column are\nfix: if such cells have no value, set missing_values = [\"NA\", \"nan\"]";
    const std::string names = "; or take all cells as names: columns = { a = \"category\" }";
    CHECK(tables.refusal(text, all) == what + " and missing = \"mean\"" + names);
    CHECK(tables.refusal(text, all + "missing = \"drop\"\n") == what + names);
    CHECK(tables.refusal(text, all + "missing = \"drop\"\nmissing_values = [\"nan\"]\n") ==
          "setting 'features': 'a' has in t.csv:22 'NA', which is not a number, as 20 of 21 cells "
          "of the column are\nfix: if such cells have no value, set missing_values = [\"nan\", "
          "\"NA\"]" +
              names);
    for (const char* const fix : {"missing_values = [\"NA\", \"nan\"]\nmissing = \"mean\"",
                                  "columns = { a = \"category\" }"}) {
        CHECK(tables.refusal(text, all + fix) == "accepted");
    }
}

TEST_CASE("Table: inf and numbers that are too large are no names") {
    Tables tables;
    for (const std::string cell : {"inf", "-Infinity", "+inf", "1e500", "N.A.", "#N/A"}) {
        CAPTURE(cell);
        std::string text = "a,v\n";
        for (int i = 0; i < 20; ++i) {
            text += std::to_string(i * 7 % 13) + ",1\n";
        }
        text += cell + ",1\n";
        CHECK(tables.refusal(text, "features = \"*\"\nvalues = \"v\"\n") ==
              "setting 'features': 'a' has in t.csv:22 '" + cell +
                  "', which is not a number, as 20 of 21 cells of the column are\nfix: if such "
                  "cells have no value, set missing_values = [\"" +
                  cell +
                  "\"] and missing = \"mean\"; or take all cells as names: columns = { a = "
                  "\"category\" }");
    }
}

TEST_CASE("Table: rows are dropped for columns that are read alone, and counted by these") {
    Tables tables;
    std::string text = "t,a,b,v\n";
    for (int i = 0; i < 30; ++i) {
        text += (i < 25 ? "text number " + std::to_string(i) : "") + "," +
                (i % 10 == 0 ? "" : std::to_string(i * 7 % 13)) + "," +
                (i % 15 == 0 ? "" : std::to_string(i * 5 % 11)) + ",1\n";
    }
    const std::string settings = "features = \"*\"\nvalues = \"v\"\nmissing = \"drop\"\n";
    const Words lines = tables.lines(text, settings);
    REQUIRE(lines.size() == 2);
    CHECK(lines[0] == "4 of 30 rows of t.csv left out for missing values: a 3, b 2");
    CHECK(lines[1].find("t: left out, as texts") != std::string::npos);
    CHECK(tables.refusal("a,v\n,1\n,2\n", settings) ==
          "t.csv: each row has a missing value: a 2\nfix: set another rule than drop");
}

TEST_CASE("Table: the fix for missing values names all columns that lack some") {
    Tables tables;
    std::string text = "a,k,d,v\n";
    for (int i = 0; i < 30; ++i) {
        text += (i < 12 ? "" : std::to_string(i * 7 % 13)) + "," + (i < 2 ? "" : "x") +
                (i % 2 == 0 ? "" : "y") + "," + "2024-01-" + std::to_string(i % 9 + 10) + ",1\n";
    }
    const std::string settings = "features = \"*\"\nvalues = \"v\"\n";
    const std::string said = tables.refusal(text, settings);
    CHECK(
        said.substr(said.find("\nand ")) ==
        "\nand 3 more\nfix: fill the cells of a (12), k (1), or have them replaced: columns = { a "
        "= { missing = \"mean\" }, k = { missing = \"most_frequent\" } }; or leave out the 12 "
        "rows: missing = \"drop\"");
    CHECK(tables.refusal(text, settings + "columns = { a = { missing = \"mean\" }, k = { missing = "
                                          "\"most_frequent\" } }") == "accepted");
    CHECK(tables.refusal("a,d,v\n1,2024-01-01,1\n,2024-01-02,2\n3,,1\n", settings)
              .ends_with("fix: fill the cells of a (1), d (1), or set columns = { a = { missing = "
                         "\"mean\" }, d = { missing = \"drop\" } }; or leave out the 2 rows: "
                         "missing = \"drop\""));
}

TEST_CASE("Table: one fix has empty cells and the texts that mark missing numbers") {
    Tables tables;
    const std::string settings =
        "features = \"*\"\nvalues = \"v\"\ncolumns = { a = { type = "
        "\"number\" }, b = { type = \"number\" } }\n";
    const std::string fix =
        "fix: fill the cell, or have it replaced: columns = { a = { type = \"number\", missing = "
        "\"mean\" }, b = { type = \"number\", missing = \"mean\" } }; or leave out the 2 rows: "
        "missing = \"drop\"; if such texts in place of numbers have no value either, set "
        "missing_values = [\"NA\"] besides";
    const std::string said = tables.refusal("a,b,v\n1,1,1\n,2,2\n3,NA,3\n4,4,4\n", settings);
    CHECK(said.substr(said.find("fix: ")) == fix);
    const std::string other = tables.refusal("a,b,v\n1,1,1\n2,,2\nNA,3,3\n4,4,4\n", settings);
    CHECK(other.substr(other.find("fix: ")) == fix);
    CHECK(tables.refusal("a,b,v\n1,1,1\n,2,2\n3,NA,3\n4,4,4\n",
                         "features = \"*\"\nvalues = \"v\"\nmissing_values = [\"NA\"]\ncolumns = { "
                         "a = { missing = \"mean\" }, b = { missing = \"mean\" } }\n") ==
          "accepted");
}

TEST_CASE("Table: a column whose cells are numbers or dates of another form is refused") {
    Tables tables;
    struct Case {
        const char* cells[2];
        const char* first;  // the cell that is named
        const char* line;
        const char* fix;
    };
    const Case cases[] = {
        {{"\"0,5\"", "\"1,5\""}, "0,5", "2", "write 0.5, with a point, in place of it"},
        {{"1", "\"$3,337.50\""},
         "$3,337.50",
         "3",
         "write 3337.50, without '$' and ',', in place of it"},
        {{"20 %", "35 %"}, "20 %", "2", "write 20, without '%', in place of it"},
        {{"31.12.2020", "2024-01-31"},
         "31.12.2020",
         "2",
         "dates are written as 2024-05-31, or 2024-05-31 14:30; write these so"},
        {{"2024-01-31", "1/31/2020 14:30"},
         "1/31/2020 14:30",
         "3",
         "dates are written as 2024-05-31, or 2024-05-31 14:30; write these so"},
        {{"5/31/24", "5/1/24"},
         "5/31/24",
         "2",
         "dates are written as 2024-05-31, or 2024-05-31 14:30; write these so"},
        {{"2024.05.31", "2024.5.1"},
         "2024.05.31",
         "2",
         "dates are written as 2024-05-31, or 2024-05-31 14:30; write these so"},
        {{"31.05.24", "01.06.24"},
         "31.05.24",
         "2",
         "dates are written as 2024-05-31, or 2024-05-31 14:30; write these so"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.first);
        std::string text = "x,c,v\n";
        for (int i = 0; i < 30; ++i) {  // too many values for a category, or few
            text += std::to_string(i * 7 % 13) + "," + c.cells[i % 2] + ",1\n";
        }
        const bool is_date = std::string(c.fix).starts_with("dates");
        const std::string settings = "features = \"*\"\nvalues = \"v\"\n";
        const std::string problem = "', which is not taken as a " +
                                    std::string(is_date ? "date" : "number") + "\nfix: " + c.fix +
                                    "; or leave the column out: columns = { c = \"ignore\" }, or "
                                    "take its cells as names: columns = { c = \"category\" }";
        CHECK(tables.refusal(text, settings) ==
              std::string("setting 'features': 'c' has in t.csv:") + c.line + " '" + c.first +
                  problem);
        // So the other sections, whatever they are read for.
        CHECK(tables.refusal(text, settings + "split = { shares = [0.5, 0.5] }\n", "validation")
                  .ends_with(problem));
        CHECK(tables.lines(text, settings + "columns = { c = \"ignore\" }") ==
              Words{"column types inferred from t.csv: x: number"});
        CHECK(tables.lines(text, settings + "columns = { c = \"category\" }") ==
              Words{"column types inferred from t.csv: x: number"});
    }
}

TEST_CASE("Table: a column of another form keeps its former type only where it has one") {
    Tables tables;
    const auto refusal = [&](const auto& cell) {
        std::string text = "x,c,v\n";
        for (int i = 0; i < 30; ++i) {
            text += std::to_string(i * 7 % 13) + "," + cell(i) + ",1\n";
        }
        return tables.refusal(text, "features = \"*\"\nvalues = \"v\"\n");
    };
    CHECK(refusal([](int i) { return "$" + std::to_string(100 + i); }) ==
          "setting 'features': 'c' has in t.csv:2 '$100', which is not taken as a number\nfix: "
          "write 100, without '$', in place of it; or leave the column out: columns = { c = "
          "\"ignore\" }");
    CHECK(refusal([](int i) { return std::to_string(1 + i) + " 200"; }) ==
          "setting 'features': 'c' has in t.csv:2 '1 200', which is not taken as a number\nfix: "
          "write 1200, without ' ', in place of it; or leave the column out: columns = { c = "
          "\"ignore\" }, or take its cells as lists of numbers: columns = { c = \"list\" }");
}

TEST_CASE("Table: versions and codes that are no dates of one form are taken as before") {
    Tables tables;
    const Words columns[] = {
        {"1.0.2", "1.1.2", "1.2.2"},  {"2.11.0", "2.12.0"},          {"1-2-3", "4-5-6"},
        {"4/8/4", "4/8/5"},           {"99.99.9999", "1.1.1"},       {"10.4.12", "10.4.13"},
        {"31.12.2020", "12.31.2020"},  // no form has both
        {"2024-01-31", "2024-02-30"},  // a day that does not exist
        {"30.02.2024", "31.01.2024"}, {"1.2.2020 beta", "1.3.2020"}, {"4.8.4000", "4.9.4000"},
        {"1.2.3.2020", "1.2.4.2020"},
    };
    for (const Words& cells : columns) {
        CAPTURE(cells.front());
        std::string text = "x,c,v\n";
        for (std::size_t i = 0; i < 30; ++i) {
            text += std::to_string(i * 7 % 13) + "," + cells[i % cells.size()] + ",1\n";
        }
        CHECK(tables.lines(text, "features = \"*\"\nvalues = \"v\"\n") ==
              Words{"column types inferred from t.csv: c: category; x: number"});
    }
}

TEST_CASE("Table: a few cells among dates that are none are warned of") {
    Tables tables;
    const auto first_line = [&](const std::string& last) {
        std::string text = "d,x,v\n";
        for (int i = 0; i < 20; ++i) {
            text += "2024-01-" + std::to_string(10 + i) + "," + std::to_string(i * 7 % 13) + ",1\n";
        }
        return tables.lines(text + last + ",3,1\n", "features = \"*\"\nvalues = \"v\"").at(0);
    };
    const std::string few =
        "': is not a date, as 20 of 21 cells of the column are, so that these are not taken as "
        "dates; ";
    const std::string fix =
        "set columns = { d = \"date\" } and correct such cells, or columns = { d = \"category\" }";
    CHECK(first_line("soon") == ":22: column 'd' = 'soon" + few + fix);
}

TEST_CASE("Table: all features are a star") {
    Tables tables;
    CHECK(tables.refusal("a,b\n1,x\n2,y\n", "features = \"all\"\nlabel = \"b\"") ==
          "setting 'features': 'all' is not a column of t.csv, which has 'a', 'b'\n"
          "fix: write features = \"*\"");
    CHECK(tables.refusal("a,b,c\n1,2,x\n2,1,y\n", "features = \"a, b\"\nlabel = \"c\"") ==
          "setting 'features': 'a, b' is not a column of t.csv, which has 'a', 'b', 'c'\n"
          "fix: write [\"a\", \"b\"] in place of it");
}

TEST_CASE("Table: a rule of a column that is not there is to be removed") {
    Tables tables;
    const auto refusal = [&](const std::string& columns) {
        return tables.refusal("a,b\n1,x\n2,y\n", "features = \"a\"\nlabel = \"b\"\n" + columns);
    };
    const std::string has = "setting 'columns': 'id' is not a column of t.csv, which has 'a', 'b'";
    CHECK(refusal("columns = { id = \"ignore\" }") ==
          has + "\nfix: name one of these, or write columns = {}");
    CHECK(refusal("columns = { a = \"number\", id = \"ignore\" }") ==
          has + "\nfix: name one of these in place of 'id', or remove it from columns");
    // A first line of data has no names that a rule could have.
    CHECK(
        tables.refusal("5.1,3.5\n4.9,3\n", "features = \"*\"\ncolumns = { id = \"ignore\" }") ==
        "setting 'columns': 'id' is not a column of t.csv, which has '5.1', '3.5'\nfix: the first "
        "line looks like data; write your names of the columns above it, in place of c1 to c2: "
        "sed -i '1i c1,c2' t.csv");
    CHECK(refusal("columns = {}") == "accepted");
    CHECK(refusal("columns = { A = \"number\" }") ==
          "setting 'columns': 'A' is not a column of t.csv, which has 'a', 'b'\nfix: write 'a'");
}

TEST_CASE("Table: marks of missing values in up to half of a column are named") {
    Tables tables;
    const std::string half = "x,b\n1,cat\nNA,dog\n2,cat\nNA,dog\n3,cat\n4,dog\n";
    CHECK(tables.refusal(half, "features = \"*\"\nlabel = \"b\"") ==
          "setting 'features': 'x' has in t.csv:3 'NA', which is not a number, as 4 of 6 cells of "
          "the column are\nfix: if such cells have no value, set missing_values = [\"NA\"] and "
          "missing = \"mean\"; or take all cells as names: columns = { x = \"category\" }");
    const std::string dates = "d,b\n2024-01-31,cat\n?,dog\n2024-03-31,cat\n";
    CHECK(
        tables.refusal(dates, "features = \"*\"\nlabel = \"b\"") ==
        "setting 'features': 'd' has in t.csv:3 '?', which is not a date, as 2 of 3 cells of the "
        "column are\nfix: if such cells have no value, set missing_values = [\"?\"] and missing = "
        "\"drop\"; or take all cells as names: columns = { d = \"category\" }");
    const std::string more = "x,b\n1,cat\nNA,dog\n2,cat\nNA,dog\nNA,cat\n";
    CHECK(tables.lines(more, "features = [\"x\"]\nlabel = \"b\"") ==
          Words{"column types inferred from t.csv: x: category"});
}

TEST_CASE("Table: a first line that looks like a row is warned of, names counted from 0 are not") {
    Tables tables;
    const std::string settings = "features = \"*\"\nlabel = \"x\"\ncolumns = { 4 = \"number\" }";
    const Words lines = tables.lines("1.5,4,x\n2,5,y\n3,9,z\n", settings);
    REQUIRE_FALSE(lines.empty());
    CHECK(lines.front().starts_with(
        ": the names of the columns are '1.5', '4', 'x': the first line looks like data; write your "
        "names of the columns above it, in place of c1 to c3: sed -i '1i c1,c2,c3' "));
    CHECK(tables.lines("0,1,x\n2,5,y\n3,9,z\n", "features = \"*\"\nlabel = \"x\"").size() == 1);
}

TEST_CASE("Table: a feature whose number is 0.1 in all rows is warned of") {
    // The mean of three times 0.1 is 0.10000000000000002, if it is added up in doubles.
    Tables tables;
    CHECK(tables.lines("a,c,v\n1,0.1,1\n2,0.1,1\n3,0.1,1\n",
                       "features = [\"a\", \"c\"]\nvalues = \"v\"\ncolumns = { a = \"number\", c = "
                       "\"number\" }") ==
          Words{"the column 'c' has one value in all rows of the training: nothing can be learned "
                "of it; remove it: columns = { c = \"ignore\" }"});
}

TEST_CASE("Table: shares that leave rows out are warned of") {
    Tables tables;
    CHECK(tables.lines("a,b\n1,x\n2,y\n3,x\n4,y\n",
                       "features = \"a\"\nlabel = \"b\"\ncolumns = { a = \"number\" }\nsplit = { "
                       "shares = [0.5, 0.25], seed = 1 }") ==
          Words{"split.shares have a sum below 1: 1 of 4 rows are in no part of the split"});
    CHECK(tables.lines("a,b\n1,x\n2,y\n3,x\n4,y\n",
                       "features = \"a\"\nlabel = \"b\"\ncolumns = { a = \"number\" }\nsplit = { "
                       "shares = [0.5, 0.5], seed = 1 }") == Words{});
}

}  // namespace column_checks_test
