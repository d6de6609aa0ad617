#include "run_each.hpp"

#include "support.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>

namespace ptp::test {

void run_each(const std::vector<std::string>& experiments) {
    for (const std::string& name : experiments) {
        CAPTURE(name);
        const TempFolder folder;
        const auto options = write_data_for(name, folder.path() / "data");
        std::vector<std::string> arguments{(configs_dir() / name).string(), "--run-dir",
                                           (folder.path() / "run").string()};
        if (options.empty()) {
            arguments.emplace_back("--fast-dev-run");
        } else {
            arguments.insert(arguments.end(),
                             {"--set", "training.terminal_conditions.epoch_limit=2"});
        }
        arguments.insert(arguments.end(), options.begin(), options.end());
        const auto result = run_program("ptprun", arguments, {{"OMP_NUM_THREADS", "1"}});
        if (result.status == 4 && options.empty()) {
            MESSAGE(name << ": its data are not there");
            continue;
        }
        CAPTURE(result.errors);
        CHECK(result.status == 0);
        CHECK(std::filesystem::exists(folder.path() / "run/status.json"));
    }
}

}  // namespace ptp::test
