// The names of columns in the header of a table, as `ptprun check` reads them before the data.

#include "runs/predictions.hpp"
#include "runs/support.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>

namespace header_names_test {

using ptp::test::TempFolder;

namespace {

// Returns what is said of an experiment over this table, "" if nothing is wrong with it.
std::string said_of(const std::string& name, const std::string& text, const std::string& settings,
                    bool reads_data = false) {
    const TempFolder folder;
    const std::string table = folder.write(name, text).string();
    const std::string file =
        folder
            .write("e.toml",
                   "[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\ntask = { batch_size = 2, "
                   "file = \"" +
                       table + "\", features = [\"x\"], " + settings +
                       " }\nterminal_conditions.epoch_limit = 1\n[pipeline.net]\ntype = "
                       "\"FeedForwardNetwork\"\nglobals = { prediction_size = \"num_classes\" "
                       "}\n[pipeline.nll]\ntype = \"NLLLoss\"\n")
            .string();
    ptp::test::ProcessResult said = reads_data ? ptp::test::ptprun({"check", "--data", file})
                                               : ptp::test::ptprun({"check", file});
    std::string errors = ptp::test::without_excerpts(said.errors);
    for (const std::string& path : {table, file}) {
        for (std::size_t at = errors.find(path); at != std::string::npos; at = errors.find(path)) {
            errors.replace(at, path.size(), path == table ? name : "e.toml");
        }
    }
    return errors;
}

const std::string kTable = "type = \"Table\", label = \"kind\"";
const std::string kCsvTable = "type = \"CsvTable\", label = \"kind\"";

}  // namespace

TEST_CASE("header names: spaces around a name, and a byte order mark, are no part of it") {
    const std::string spaces = "x, kind \n1, low\n2, high\n";
    CHECK(said_of("t.csv", spaces, kTable) == "");
    CHECK(said_of("t.csv", spaces, kTable, true) == "");
    const std::string marked = "\xEF\xBB\xBFkind,x\nlow,1\nhigh,2\n";
    CHECK(said_of("t.csv", marked, kTable) == "");
    CHECK(said_of("t.csv", marked, kTable, true) == "");
    CHECK(said_of("t.csv", marked, kCsvTable) == "");
    // CsvTable takes the name as it is.
    CHECK(said_of("t.csv", "x, kind\n1,low\n2,high\n", "type = \"CsvTable\", label = \" kind\"") ==
          "");
}

TEST_CASE("header names: of names with spaces none is proposed, as tasks differ in these") {
    const std::string said =
        said_of("t.csv", "x, kind\n1, low\n2, high\n", "type = \"Table\", label = \"knid\"");
    CHECK(
        said.ends_with("training.task.label = \"knid\": 'knid' is not a column of t.csv, which has "
                       "'x', ' kind'\n    fix: write the name of one of these columns\n"));
}

TEST_CASE("header names: of columns in one text, the fix is their list") {
    const std::string table = "x,y,kind\n1,2,low\n2,1,high\n";
    const auto fix = [&](const std::string& values) {
        const std::string said = said_of("t.csv", table, kTable + ", values = " + values);
        return said.substr(std::min(said.find("fix: "), said.size()));
    };
    CHECK(fix("\"x, y\"") == "fix: write values = [\"x\", \"y\"]\n");
    CHECK(fix("[\"x, y\"]") == "fix: write values = [\"x\", \"y\"]\n");
    CHECK(fix("[\"x,y\", \"x\"]").starts_with("fix: write \"x\", \"y\" in place of it\n"));
    CHECK(fix("\"x, z\"").starts_with("fix: write the name of one of these columns\n"));
}

TEST_CASE("header names: where a name is none of a first line of data, names are missing") {
    const auto is_data = [](const std::string& table) {
        return said_of("t.csv", table, kTable, true)
                   .find(
                       "fix: the first line looks like data; write your names of the columns "
                       "above it, in place of c1 to c6: sed -i '1i c1,c2,c3,c4,c5,c6' t.csv\n") !=
               std::string::npos;
    };
    CHECK(is_data("P0,1.6,40.6,south,2018-01-09,leaking\nP1,1.0,46.7,north,2022-02-13,healthy\n"));
    // Words that come again as cells are data, too, unless the whole line comes again.
    CHECK(
        is_data("P0,red,big,south,4,leaking\nP1,red,low,north,3,healthy\nP2,tan,big,east,1,dry\n"));
    CHECK_FALSE(is_data("P0,red,big,south,4,leaking\nP1,red,low,north,3,healthy\n"));
    CHECK_FALSE(is_data("P0,red,big,south,4,leaking\nP0,red,big,south,4,leaking\n"));
}

TEST_CASE("header names: other separators, JSON lines, line breaks and long tables are read") {
    const auto absent = [](const std::string& columns) {
        return "'kind' is not a column of t." + columns;
    };
    const auto has = [](const std::string& said, const std::string& text) {
        CHECK_MESSAGE(said.find(text) != std::string::npos, said);
    };
    const std::string semicolon = kTable + ", separator = \"semicolon\"";
    CHECK(said_of("t.csv", "x;kind\n1;low\n2;high\n", semicolon) == "");
    has(said_of("t.csv", "x;kinds\n1;low\n2;high\n", semicolon),
        absent("csv, which has 'x', 'kinds'\n"));
    CHECK(said_of("t.jsonl", "{\"x\": 1, \"kind\": \"low\"}\n", kTable) == "");
    has(said_of("t.jsonl", "{\"x\": 1, \"kinds\": \"low\"}\n", kTable),
        absent("jsonl, which has 'x', 'kinds'\n"));
    has(said_of("t.csv", "\"x\n1\",x,kinds\n1,1,low\n", kTable),
        absent("csv, which has 'x\n    1', 'x', 'kinds'\n"));
    std::string rows = "x,kinds\n";
    while (rows.size() <= (1U << 20U)) {
        rows += "1,low\n2,high\n";
    }
    has(said_of("t.csv", rows, kTable), absent("csv, which has 'x', 'kinds'\n"));
}

}  // namespace header_names_test
