// ptp-mlflow: writes runs into a folder of MLflow, from where `mlflow ui` shows them. `ptprun
// mlflow` starts it.

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/number.hpp"
#include "common/program.hpp"
#include "ptp-mlflow/store.hpp"
#include "ptprun/report.hpp"
#include "ptprun/run_operand.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <vector>

namespace ptp::mlflow {

namespace {

namespace fs = std::filesystem;
using tools::Given;

constexpr std::size_t kMaxRuns = 10000;
constexpr const char* kUsualFolder = "mlruns";

int run_mlflow(const Given& given) {
    const std::string folder = given.has("output") ? given.text("output") : kUsualFolder;
    const std::vector<run::Run> runs = ptprun::run_operands(given.operands());
    std::size_t written = 0;
    try {
        Store store(folder);
        for (const run::Run& run : runs) {
            for (const std::string& problem : store.write(run)) {
                ptprun::show_warning(problem);
            }
            ++written;
        }
    } catch (const fs::filesystem_error& error) {
        throw RunError(kTrainingError, fmt::format("cannot write {}: {}", error.path1().string(),
                                                   error.code().message()));
    }
    tools::print(
        fmt::format("{} in {}\n  MLFLOW_ALLOW_FILE_STORE=true mlflow ui --backend-store-uri {}\n",
                    counted(written, "run"), folder, folder));
    return kDone;
}

tools::Command mlflow_command() {
    return {
        .summary = "writes runs into a folder of MLflow",
        .details =
            "Settings become parameters, statistics metrics by episode, tags and notes tags. The\n"
            "artifacts of a run are its own folder, which is not copied. What was written of a\n"
            "run before is replaced.\n",
        .operands = {{.name = "RUN",
                      .what = "a run folder, or a folder of runs",
                      .min = 1,
                      .max = kMaxRuns,
                      .completions = {tools::kFolders}}},
        .options = {{.name = "output,o",
                     .value = "DIR",
                     .help = fmt::format("the folder of MLflow (default: {})", kUsualFolder),
                     .completions = {tools::kFolders}},
                    {.name = "version", .help = "print the version"}},
        .example = "ptprun mlflow runs -o mlruns",
        .keeps_results = true,
        .run = run_mlflow};
}

}  // namespace

int run_program(const tools::Strings& words) {
    const tools::Command command = mlflow_command();
    return tools::run_program({"ptp-mlflow", command, "0 done, 2 wrong input, 5 writing failed"},
                              words);
}

}  // namespace ptp::mlflow

int main(int argc, char** argv) {
    return ptp::mlflow::run_program({argv + 1, argv + argc});
}
