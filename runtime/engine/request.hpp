// What a program asks of the engine, through the symbols that libptp-engine.so exports.
//
// Program and engine are built together, so C++ objects may cross; exceptions do not.

#pragma once

#include "base/explanation.hpp"
#include "distributed/place.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/draw/picture.hpp"
#include "pipeline/plan.hpp"
#include "pipeline/prediction.hpp"
#include "plugin/staging.hpp"
#include "run/journal.hpp"
#include "run/record.hpp"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

enum class Verbosity { kQuiet, kNormal, kVerbose };

using run::GitState;

// A build that is to be swapped into a training, before its code runs there.
struct BuildTrial {
    const plugin::Staged& build;
    double limit_s = 0;       // for loading it in a process of its own
    bool is_only_remembered;  // its first use is in another process anyway: nothing is loaded
    const std::atomic<bool>& is_ending;  // then nothing is known of it
};

// Why it must not be loaded; nullopt: as far as is known, it may be. [any]
using TryBuild = std::function<std::optional<Explanation>(const BuildTrial& trial)>;

// With which of its kernels OpenBLAS multiplies matrices.
struct BlasKernels {
    std::string family = {};      // "Haswell"; "" where the BLAS has none to choose from
    std::string instead_of = {};  // what OpenBLAS had taken by itself; "" where it was left alone
    std::string recorded = {};    // the family of the run that is continued or replayed; or ""
    bool is_recorded_impossible = false;  // the processor or the library lacks that family
};

// What flows into and out of one component is kept in a file (`ptprun record`).
struct RecordingRequest {
    std::string component;  // its Node::path
    std::filesystem::path file;
    std::uint64_t batches = 1;  // the first ones
};

struct RunRequest {
    const experiment::Experiment& experiment;
    const pipeline::Plan& plan;  // of the same experiment; its catalog must live on

    // Must be empty or not exist; nullopt: a new one. With `is_resumed` the folder of a run that is
    // to continue.
    std::optional<std::filesystem::path> run_folder;
    bool is_resumed = false;
    // Of a resume: the checkpoint of the run to continue from; empty: the newest whole one. What
    // came after it is given up.
    std::filesystem::path checkpoint = {};

    distributed::Place place = {};  // of this process among those that train together

    Verbosity verbosity = Verbosity::kNormal;
    bool is_terminal = false;  // progress on one line that is written over
    bool has_color = false;
    bool is_json = false;              // events for a program instead of lines for a person
    std::string shown_statistic = {};  // beside the loss while it trains; "": the first there is

    bool is_summary = false;       // prints what would be trained and on what, and trains nothing
    bool is_counted = false;       // counts parameters, and trains nothing
    bool is_profiled = false;      // prints at the end where the time went
    bool is_fast_dev_run = false;  // an attempt whose checkpoints are of no use
    std::string trial = {};        // what was changed for an attempt, in words; "" for a real run
    std::string trial_kind = {};   // "overfit" or "fast_dev_run", for the record; "" for a real run

    bool is_watching = false;  // newer builds of the run's plugins are swapped in
    bool is_safe = false;      // no swap brings a plugin that does not come with ptp
    // The number of threads that compute follows the cores that other processes leave.
    bool adapts_threads = false;
    bool is_paused = false;  // waits before the first episode until a `resume` request
    // Epochs, with the online worker episodes, of the whole training after which it is stopped as
    // by a signal; 0: none. No part of the experiment: what is trained until then does not depend
    // on it.
    std::uint64_t stop_after = 0;
    // Interventions of another run that are done again in this one; the files of its swaps are in
    // `script_plugins`.
    std::vector<run::Entry> script = {};
    std::filesystem::path script_plugins = {};
    std::filesystem::path replayed_run = {};  // its folder; empty: this is not a replay

    // The experiment as the run began with it, and after each `set` entry of its journal, or of
    // `script`; empty: it was never changed. `experiment` is the last one, in a replay the first.
    std::vector<experiment::Experiment> stages = {};
    // Of a resume: KEY=VALUE that make one more stage, the last one, at the episode where the
    // training continues.
    std::vector<std::string> new_values = {};

    std::vector<std::string> tags = {};  // of the new run

    std::optional<RecordingRequest> recording = {};  // of a new run

    // For the record.
    std::vector<std::string> command_line = {};
    GitState git = {};
    BlasKernels kernels = {};

    TryBuild try_build = {};  // of each build that is swapped in; may be empty
};

struct RunResult {
    int exit_code = 0;
    std::string error;  // for a person; may have several lines; empty if there is none
    pipeline::ParameterCounts parameters = {};  // of a request that only counts them
};

// Trains, and tests if the experiment has a test section. Prints progress on the standard output.
// [main], once in a process.
using RunFunction = void (*)(const RunRequest& request, RunResult& result) noexcept;

// What is to be processed.
struct ProcessRequest {
    const experiment::Experiment& experiment;
    const pipeline::Plan& plan;         // of the same experiment, made to process these sections
    std::vector<std::string> sections;  // in this order

    // The folder of a checkpoint; nullopt: what the experiment loads.
    std::optional<std::filesystem::path> checkpoint;

    // Must be empty or not exist; nullopt: a new one in `parent`.
    std::optional<std::filesystem::path> folder;
    std::filesystem::path parent;

    Verbosity verbosity = Verbosity::kNormal;
    bool is_terminal = false;
    bool has_color = false;
};

// What is to be predicted.
struct PredictRequest {
    const experiment::Experiment& experiment;
    const pipeline::Plan& plan;              // of the same experiment, made to process this section
    const pipeline::Prediction& prediction;  // found in the same plan
    std::string section;

    // The folder of a checkpoint; nullopt: what the experiment loads.
    std::optional<std::filesystem::path> checkpoint;

    std::optional<std::filesystem::path> output = {};  // nullopt: the standard output
    bool is_json = false;                              // JSON lines in place of CSV
    std::int64_t top_k = 1;
    std::optional<std::uint64_t> worst = {};  // only N samples, the highest losses first
    std::optional<std::string> classes = {};  // the global with the names of the classes

    Verbosity verbosity = Verbosity::kNormal;
    bool is_terminal = false;
    bool has_color = false;
};

// Writes a table with a row for each sample. [main], once in a process.
using PredictFunction = void (*)(const PredictRequest& request, RunResult& result) noexcept;

// Runs each of the sections once, without training. [main], once in a process.
using ProcessFunction = void (*)(const ProcessRequest& request, RunResult& result) noexcept;

inline constexpr const char* kProcessSymbol = "ptp_engine_process";  // is a ProcessFunction
inline constexpr const char* kPredictSymbol = "ptp_engine_predict";  // is a PredictFunction
inline constexpr const char* kRunSymbol = "ptp_engine_run";          // is a RunFunction
inline constexpr const char* kLibraryName = "libptp-engine.so";

}  // namespace ptp::engine
