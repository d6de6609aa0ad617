#include "ptp-runs/table.hpp"

#include <doctest/doctest.h>

#include <string>

namespace table_test {

using namespace ptp::runs;

namespace {

const Table kTable = {
    {.title = "run", .cells = {"a", "bb"}},
    {.title = "loss", .is_right = true, .cells = {"0.5", "0.125"}},
    {.title = "note", .cells = {"\xc3\xa4\xc3\xb6", "x,\"y\""}},
};

}  // namespace

TEST_CASE("table: columns are aligned, numbers at the right, no spaces at the end") {
    CHECK(text_of(kTable, {}) ==
          "run   loss  note\n"
          "a      0.5  \xc3\xa4\xc3\xb6\n"
          "bb   0.125  x,\"y\"\n");
}

TEST_CASE("table: columns that do not fit are named") {
    CHECK(text_of(kTable, 17) == text_of(kTable, {}));
    CHECK(text_of(kTable, 12) ==
          "run   loss\n"
          "a      0.5\n"
          "bb   0.125\n"
          "(too narrow for: note)\n");
    CHECK(text_of(kTable, 1) ==
          "run\n"
          "a\n"
          "bb\n"
          "(too narrow for: loss, note)\n");
}

TEST_CASE("table: whole columns stand however narrow it is, and are not cut") {
    Table table = kTable;
    table[2].is_whole = true;
    CHECK(text_of(table, 12) ==
          "run  note\n"
          "a    \xc3\xa4\xc3\xb6\n"
          "bb   x,\"y\"\n"
          "(too narrow for: loss)\n");
    table[2].cells[0] = std::string(100, 'z');
    CHECK(text_of(table, 12).find(std::string(100, 'z')) != std::string::npos);
    table[1].is_whole = true;
    CHECK(text_of(table, 1) == text_of(table, {}));
}

TEST_CASE("table: long cells are cut on a terminal, between characters, but the first column's") {
    std::string umlauts;
    for (int i = 0; i < 40; ++i) {
        umlauts += "\xc3\xa4";
    }
    const Table table = {{.title = "run", .cells = {std::string(40, 'r')}},
                         {.title = "x", .cells = {umlauts}}};
    CHECK(text_of(table, 200) == "run" + std::string(39, ' ') + "x\n" + std::string(40, 'r') +
                                     "  " + umlauts.substr(0, 60) + "..\n");
    CHECK(text_of(table, {}).find(umlauts) != std::string::npos);
}

TEST_CASE("table: names that leave no room for what is measured have lines of their own") {
    const Table table = {{.title = "run", .cells = {"nets/lr=0.01,batch_size=64", "a"}},
                         {.title = "state", .cells = {"done", "stopped"}},
                         {.title = "loss", .is_right = true, .cells = {"0.5", "0.125"}},
                         {.title = "accuracy", .is_right = true, .cells = {"0.75", "0.875"}}};
    CHECK(text_of(table, 24) ==
          "run\n"
          "  state     loss\n"
          "nets/lr=0.01,batch_size=64\n"
          "  done       0.5\n"
          "a\n"
          "  stopped  0.125\n"
          "(too narrow for: accuracy)\n");
    CHECK(text_of(table, 200) == text_of(table, {}));
}

TEST_CASE("table: of many columns that do not fit the first are named") {
    Table table = {{.title = "run", .cells = {}}};
    for (int i = 0; i < 9; ++i) {
        table.push_back({.title = "c" + std::to_string(i), .cells = {}});
    }
    CHECK(text_of(table, 3) == "run\n(too narrow for: c0, c1, c2, c3, c4, c5, c6, c7, c8)\n");
    table.push_back({.title = "c9", .cells = {}});
    CHECK(text_of(table, 3) ==
          "run\n(too narrow for: c0, c1, c2, c3, c4, c5, c6, c7 and 2 more)\n");
}

TEST_CASE("table: CSV quotes what needs it") {
    CHECK(csv_of(kTable) ==
          "run,loss,note\r\na,0.5,\xc3\xa4\xc3\xb6\r\nbb,0.125,\"x,\"\"y\"\"\"\r\n");
    CHECK(csv_of({}) == "\r\n");
}

}  // namespace table_test
