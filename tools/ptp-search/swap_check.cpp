// `ptprun --swap-check`: trains without and with swaps, and compares the files of both runs.

#include "ptp-search/swap_check.hpp"

#include "base/exit_code.hpp"
#include "base/output_file.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "ptp-search/job_queue.hpp"
#include "ptp-search/planned_runs.hpp"
#include "ptprun/show_error.hpp"
#include "run/paths.hpp"
#include "run/training_record.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

namespace ptp::search {

using namespace ptprun;

namespace fs = std::filesystem;
namespace {

int run_swap_check(const Strings& arguments, const fs::path& output, const char* what) {
    fmt::print("{}\n", what);
    std::fflush(stdout);
    bool is_refused = false;
    const QueueEnd end = run_jobs({{arguments, output}}, 1,
                                  {[](std::size_t) {}, [](std::size_t, const JobEnd&) {},
                                   [&is_refused](std::size_t, const std::string& reason) {
                                       is_refused = true;
                                       show_error(reason);
                                   }});
    const int code = end.codes.front();
    if (code != kDone && !is_refused) {
        show_error(
            fmt::format("that run ended with {}; its output is in {}", code, output.string()));
    }
    return code;
}

// Returns the content without the parts that differ between the runs because of the swaps: the
// number of effective entries of the journal, and the active generations.
std::string comparable(const fs::path& file) {
    std::string text = read_text(file);
    if (file.extension() != ".toml") {
        return text;
    }
    Diagnostics ignored;
    auto tree = read_toml(text, file.string(), ignored);
    if (!tree) {
        return text;
    }
    tree->erase("plugins");
    Value* trainer = tree->find(run::kTrainerPart);
    if (trainer != nullptr && trainer->is_table()) {
        trainer->erase("journal");
    }
    return to_toml(*tree);
}

// Returns the files with results, relative to the run's folder.
std::set<std::string> results(const fs::path& folder) {
    std::set<std::string> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".csv") {
            files.insert(entry.path().filename().string());
        }
    }
    for (const char* name : {run::kLastCheckpoint, run::kBestCheckpoint}) {
        const fs::path checkpoint = folder / run::kCheckpointsFolder / name;
        std::error_code nothing_there;
        for (fs::directory_iterator it(checkpoint, nothing_there), end; it != end;
             it.increment(nothing_there)) {
            // The checksums are equal if the files are.
            if (it->path().filename() != run::kHashFile) {
                files.insert(fmt::format("{}/{}/{}", run::kCheckpointsFolder, name,
                                         it->path().filename().string()));
            }
        }
    }
    return files;
}

bool compare(const fs::path& plain, const fs::path& swapped) {
    std::set<std::string> files = results(plain);
    files.merge(results(swapped));
    bool are_equal = true;
    for (const std::string& file : files) {
        const bool is_there = fs::exists(plain / file) && fs::exists(swapped / file);
        const bool is_equal = is_there && comparable(plain / file) == comparable(swapped / file);
        fmt::print("{:<10} {}\n", is_equal ? "identical" : is_there ? "DIFFERS" : "MISSING", file);
        are_equal = are_equal && is_equal;
    }
    return are_equal;
}

}  // namespace

int swap_check(const Given& given) {
    const auto swaps = *given.integer("swap-check");
    if (given.has("fast-dev-run")) {
        throw UsageError("--swap-check compares checkpoints, and --fast-dev-run keeps none");
    }
    const fs::path folder = new_results_folder(given.text("run-dir"), "swap-check");
    const fs::path plain = folder / "plain";
    const fs::path swapped = folder / "swapped";

    Strings first = given.operands();
    const Strings options = given.options_without({"swap-check", "run-dir"});
    first.insert(first.end(), options.begin(), options.end());
    first.insert(first.end(), {"--run-dir", plain.string()});
    if (const int code = run_swap_check(first, folder / "plain.out", "without swaps ...");
        code != 0) {
        return code;
    }
    const Strings second = {"replay",    plain.string(),  "--swaps", fmt::format("{}", swaps),
                            "--run-dir", swapped.string()};
    const std::string what =
        fmt::format("with {} swap{} of every plugin ...", swaps, swaps == 1 ? "" : "s");
    if (const int code = run_swap_check(second, folder / "swapped.out", what.c_str()); code != 0) {
        return code;
    }
    const bool are_equal = compare(plain, swapped);
    fmt::print("{}; the runs are in {}\n",
               are_equal ? "the swaps have changed no bit" : "THE SWAPS HAVE CHANGED THE RESULTS",
               folder.string());
    return are_equal ? kDone : kSwapDiffers;
}

}  // namespace ptp::search
