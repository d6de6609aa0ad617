// ptp-search: trains an experiment several times, for `ptprun search`, `ptprun cv`, sweeps and
// --swap-check, whose words follow the name of the command. Each training is a ptprun of its own.

#include "base/exit_code.hpp"
#include "base/output_file.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "ptp-search/search.hpp"
#include "ptprun/command_line.hpp"
#include "ptprun/report.hpp"
#include "ptprun/results_folder.hpp"
#include "ptprun/run_operand.hpp"
#include "run/paths.hpp"
#include "run/training_record.hpp"

#include <fmt/core.h>

#include <optional>
#include <set>

namespace ptp::search {

namespace {

using namespace ptprun;

namespace fs = std::filesystem;

constexpr int kSwapDiffers = 1;

// One run of the two.
class CheckedRun : public Jobs {
public:
    explicit CheckedRun(Job job) : job_(std::move(job)) {}

    int run(const SweepOptions& options, const std::string& what) {
        say_progress(options, what);
        const int code = run_jobs(*this, 1, 1).codes.front();
        if (code != kDone && !is_refused_) {
            show_error(fmt::format("that run ended with {}; its output is in {}", code,
                                   job_.output.string()));
        }
        return code;
    }

private:
    std::optional<Job> claim(std::size_t /*job*/) override { return job_; }
    void refused(std::size_t /*job*/, const std::string& reason) override {
        is_refused_ = true;
        show_error(reason);
    }

    Job job_;
    bool is_refused_ = false;
};

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

bool compare(const SweepOptions& options, const fs::path& plain, const fs::path& swapped) {
    std::set<std::string> files = results(plain);
    files.merge(results(swapped));
    bool are_equal = true;
    for (const std::string& file : files) {
        const bool is_there = fs::exists(plain / file) && fs::exists(swapped / file);
        const bool is_equal = is_there && comparable(plain / file) == comparable(swapped / file);
        const std::string line = fmt::format("{:<10} {}",
                                             is_equal   ? "identical"
                                             : is_there ? "DIFFERS"
                                                        : "MISSING",
                                             file);
        is_equal ? say_progress(options, line) : say_failure(line);
        are_equal = are_equal && is_equal;
    }
    return are_equal;
}

int swap_check(const Given& given) {
    const auto swaps = *given.integer("swap-check");
    if (given.has("fast-dev-run")) {
        throw UsageError("--swap-check compares checkpoints, and --fast-dev-run keeps none");
    }
    const SweepOptions output = sweep_options(given);
    const fs::path folder = new_results_folder(given.text("run-dir"), "swap-check");
    const fs::path plain = folder / "plain";
    const fs::path swapped = folder / "swapped";

    Strings first = given.operands();
    const Strings options = given.options_without({"swap-check", "run-dir"});
    first.insert(first.end(), options.begin(), options.end());
    first.insert(first.end(), {"--run-dir", plain.string()});
    if (const int code = CheckedRun({first, folder / "plain.out"}).run(output, "without swaps ...");
        code != 0) {
        return code;
    }
    const Strings second = {"replay",    plain.string(),  "--swaps", fmt::format("{}", swaps),
                            "--run-dir", swapped.string()};
    const std::string what =
        fmt::format("with {} swap{} of every plugin ...", swaps, swaps == 1 ? "" : "s");
    if (const int code = CheckedRun({second, folder / "swapped.out"}).run(output, what);
        code != 0) {
        return code;
    }
    const bool are_equal = compare(output, plain, swapped);
    const std::string line = fmt::format(
        "{}; the runs are in {}",
        are_equal ? "the swaps have changed no bit" : "THE SWAPS HAVE CHANGED THE RESULTS",
        folder.string());
    are_equal ? say_progress(output, line) : say_failure(line);
    return are_equal ? kDone : kSwapDiffers;
}

}  // namespace

using namespace ptprun;

int run_program(const Strings& words) {
    return run_beside_ptprun(
        kSearchProgram,
        {run_by(search_command(), search), run_by(cv_command(), cross_validate),
         run_by(training_command(kSweep), sweep), run_by(training_command(kSwapCheck), swap_check)},
        words);
}

}  // namespace ptp::search

int main(int argc, char** argv) {
    return ptp::search::run_program({argv + 1, argv + argc});
}
