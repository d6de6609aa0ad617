// A trial that overfits a few batches validates on these batches.

#include "support.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace overfit_test {

namespace {

constexpr const char* kExport =
    "pipeline.export={ type = \"StreamFileExporter\", filename = \"rows.csv\", "
    "input_streams = [\"indices\", \"sources\"] }";

// The cells after section, epoch and episode, of the rows of a section.
std::vector<std::string> rows_of(const std::string& section, const std::string& table) {
    std::vector<std::string> rows;
    for (const std::string& line : ptp::test::lines_of(table)) {
        if (line.starts_with(section + ",")) {
            std::size_t begin = 0;
            for (int i = 0; i < 3; ++i) {
                begin = line.find(',', begin) + 1;
            }
            rows.push_back(line.substr(begin));
        }
    }
    return rows;
}

}  // namespace

TEST_CASE(
    "configs: --overfit validates on what it trains on, though the task has other samples for "
    "[validation]") {
    const std::string name = "translation_pairs/eng_fra_attention.toml";
    const ptp::test::TempFolder folder;
    std::vector<std::string> arguments{(ptp::test::configs_dir() / name).string(),
                                       "--overfit",
                                       "1",
                                       "--run-dir",
                                       (folder.path() / "run").string(),
                                       "--set",
                                       "training.terminal_conditions.epoch_limit=1",
                                       "--set",
                                       kExport};
    const auto options = ptp::test::write_data_for(name, folder.path() / "data");
    arguments.insert(arguments.end(), options.begin(), options.end());
    const auto result = ptp::test::run_program("ptprun", arguments, {{"OMP_NUM_THREADS", "1"}});
    CAPTURE(result.output);
    CHECK(result.errors == "");
    REQUIRE(result.status == 0);
    const std::string table = folder.read("run/exports/rows.csv");
    CHECK(rows_of("training", table).size() == 32);  // a batch; the validation's own pairs are 4
    CHECK(rows_of("validation", table) == rows_of("training", table));
}

}  // namespace overfit_test
