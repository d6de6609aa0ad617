// Table: wrong tables and settings, with the whole message of each, from wrong_tables.txt.

#include "plugins/refusal.hpp"
#include "plugins/support.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

#include <fstream>

namespace wrong_tables_test {

namespace {

// A block of the file: "=== FILE" and its text, "--- settings", "--- error".
struct WrongTable {
    std::string file;
    std::string text;
    std::string settings;
    std::string error;
};

std::vector<WrongTable> wrong_tables() {
    std::ifstream in(ptp::test::source_dir() / "tests/plugins/tables/wrong_tables.txt");
    std::vector<WrongTable> tables;
    std::string* part = nullptr;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("=== ")) {
            tables.push_back({line.substr(4), "", "", ""});
            part = &tables.back().text;
        } else if (line == "--- settings") {
            part = &tables.back().settings;
        } else if (line == "--- error") {
            part = &tables.back().error;
        } else if (part != nullptr) {
            *part += line + "\n";
        }
    }
    return tables;
}

}  // namespace

TEST_CASE("Table: a wrong table is refused with its line, column, value and fix") {
    const auto tables = wrong_tables();
    CHECK(tables.size() >= 60);
    for (const WrongTable& wrong : tables) {
        CAPTURE(wrong.text);
        CAPTURE(wrong.settings);
        const ptp::test::TempFolder folder;
        const auto file = folder.write(wrong.file, wrong.text);
        const std::string message = test::refusal(folder.path(), [&] {
            test::build("tables", "Table", "file = \"" + file.string() + "\"\n" + wrong.settings,
                        {.section = "training"});
        });
        CHECK(message + "\n" == wrong.error);
        CHECK(message.find("\nfix: ") != std::string::npos);
    }
}

TEST_CASE("Table: a section without the rows of the training is refused") {
    const ptp::test::TempFolder folder;
    const auto file = folder.write("v.csv", "a,b\n1,2\n3,4\n");
    const auto refusal = [&](const std::string& section, const std::string& settings) {
        return test::refusal(folder.path(), [&] {
            test::build("tables", "Table", "file = \"" + file.string() + "\"\n" + settings,
                        {.section = section});
        });
    };
    CHECK(refusal("validation", "features = \"a\"") ==
          "has a table without `split`, so the rows of the training, by which columns become "
          "numbers, are not known\n"
          "fix: set training_file to the table of [training], or for rows of that table split = { "
          "shares = [0.8, 0.2] } in each section");
    CHECK(refusal("more", "features = \"a\"\nsplit = { shares = [0.5, 0.5] }") ==
          "setting 'split': the section 'more' has the name of no part\n"
          "fix: set part = \"training\", \"validation\" or \"test\"");
}

}  // namespace wrong_tables_test
