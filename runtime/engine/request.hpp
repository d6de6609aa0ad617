// Requests of a program to the engine, through the symbols that libptp-engine.so exports.
//
// Program and engine are built together, so C++ objects may cross; exceptions do not.

#pragma once

#include "base/explanation.hpp"
#include "distributed/place.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/draw/draw.hpp"
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
    double limit_s = 0;                  // for loading it in a process of its own
    bool is_only_remembered;             // its first use is in another process: it is not loaded
    const std::atomic<bool>& is_ending;  // then the result is unknown
};

// Returns why it must not be loaded, or nullopt if no reason is known. [any]
using TryBuild = std::function<std::optional<Explanation>(const BuildTrial& trial)>;

// The kernels with which OpenBLAS multiplies matrices.
struct BlasKernels {
    std::string family = {};              // "Haswell"; "" if the BLAS has only one
    std::string instead_of = {};          // OpenBLAS's own choice; "" if it was kept
    std::string recorded = {};            // the continued or replayed run's; or ""
    bool is_recorded_impossible = false;  // the processor or library lacks it
};

// A request to record the inputs and outputs of one component in a file (`ptprun record`).
struct RecordingRequest {
    std::string component;  // its Node::path
    std::filesystem::path file;
    std::uint64_t batches = 1;  // the first ones
};

// The additional options of a run that is resumed.
struct Resume {
    // The checkpoint of the run to continue from; empty: the newest whole one. Everything after it
    // is discarded.
    std::filesystem::path checkpoint = {};
    // KEY=VALUE texts that make one more stage, the last one, at the episode where the training
    // continues.
    std::vector<std::string> new_values = {};
    bool accepts_other_data = false;  // than those of the checkpoint
};

// The additional options of a run that repeats another one.
struct Replay {
    std::filesystem::path run;       // the folder of the other
    std::vector<run::Entry> script;  // the entries of its journal
    std::filesystem::path plugins;   // the folder of the files of its swaps
};

// A request to train: a new run, or with `resume` or `replay` one that continues or repeats
// another.
struct RunRequest {
    const experiment::Experiment& experiment;
    const pipeline::Plan& plan;  // the experiment's; its catalog must outlive the request

    // Must be empty or not exist; nullopt: a new one. For a resume, the folder of the run that
    // continues.
    std::optional<std::filesystem::path> run_folder;
    std::optional<Resume> resume = {};
    std::optional<Replay> replay = {};
    // The experiment at the start of the run, and after each `set` entry of its journal, or of the
    // replayed one's; empty: it never changed. `experiment` is the last one, in a replay the first.
    std::vector<experiment::Experiment> stages = {};

    distributed::Place place = {};  // this process's, in the training

    Verbosity verbosity = Verbosity::kNormal;
    bool is_terminal = false;  // progress on one line that is overwritten
    bool has_color = false;
    bool is_json = false;              // events for programs instead of lines for users
    std::string shown_statistic = {};  // beside the loss while it trains; "": the first one

    bool is_profiled = false;      // prints the times at the end
    bool is_fast_dev_run = false;  // a trial whose checkpoints are useless
    std::string trial = {};        // the changes for a trial, in words; "" for a real run
    std::string trial_kind = {};   // "overfit" or "fast_dev_run", for the record; "" for a real run

    bool is_watching = false;  // swaps in newer builds of the run's plugins
    bool is_safe = false;      // swaps only load plugins that come with ptp
    // The number of computing threads follows the cores that other processes leave free.
    bool adapts_threads = false;
    bool is_paused = false;  // waits before the first episode until a `continue` request
    // Epochs, or with the online worker episodes, of the whole training after which it is stopped
    // as by a signal; 0: none. Not part of the experiment: the training until then does not depend
    // on it.
    std::uint64_t stop_after = 0;
    std::uint64_t stop_after_episodes = 0;  // the same in episodes; 0: none
    // The stop after episodes comes after the validation of this epoch: of two runs that were
    // stopped after the last episode of an epoch, one may have measured it.
    std::uint64_t epochs_before_stop = 0;

    std::vector<std::string> tags = {};  // the new run's

    std::optional<RecordingRequest> recording = {};  // only for a new run

    // The record of the run has these.
    std::vector<std::string> command_line = {};
    GitState git = {};
    BlasKernels kernels = {};

    TryBuild try_build = {};  // for each swapped build; may be empty
};

struct RunResult {
    int exit_code = 0;
    std::string error;  // for users, possibly several lines; empty if there is none
    pipeline::ParameterCounts parameters = {};  // for a SummaryRequest
    std::vector<std::string> warnings = {};     // of the same request, and of what is fed
};

// Trains, and tests if the experiment has a test section. Prints progress on the standard output.
// [main], once in a process.
using RunFunction = void (*)(const RunRequest& request, RunResult& result) noexcept;

// A request to create what would be trained, and to leave nothing on the disk: counts the
// parameters of each component, or prints them on the standard output with the data.
struct SummaryRequest {
    const experiment::Experiment& experiment;
    const pipeline::Plan& plan;
    bool is_printed = false;
    bool reads_texts = false;  // of all sections, to find unknown words
};

// [main], once in a process.
using SummaryFunction = void (*)(const SummaryRequest& request, RunResult& result) noexcept;

// The common part of all requests that compute with trained weights.
struct TrainedRequest {
    const experiment::Experiment& experiment;
    const pipeline::Plan& plan;  // the experiment's, for processing the section or sections
    // The folder of a checkpoint; nullopt: the weights that the experiment loads.
    std::optional<std::filesystem::path> checkpoint;
};

// The samples of a section, and what is predicted of them.
struct SectionRequest : TrainedRequest {
    const pipeline::Prediction& prediction;  // found in the same plan
    std::string section;
};

// The form of what is shown to a person.
struct Screen {
    Verbosity verbosity = Verbosity::kNormal;
    bool is_terminal = false;  // progress on one line that is overwritten
    bool has_color = false;
};

// A request to process sections.
struct ProcessRequest : TrainedRequest, Screen {
    std::vector<std::string> sections;  // in this order

    // Must be empty or not exist; nullopt: a new one in `parent`.
    std::optional<std::filesystem::path> folder;
    std::filesystem::path parent;
};

// A line of JSON that is predicted by itself.
struct PredictItem {
    std::int64_t sample = -1;  // of the section; -1: it has none
    std::string error = {};    // why
};

// Lines that follow others, for the same task with other samples.
struct PredictGroup {
    std::vector<PredictItem> items = {};
    std::optional<Member> samples = {};  // the task's setting; nullopt: no item has a sample
};

// A request for predictions.
struct PredictRequest : SectionRequest, Screen {
    std::optional<std::filesystem::path> output = {};  // nullopt: the standard output
    bool is_json = false;                              // JSON lines instead of CSV
    std::int64_t top_k = 1;
    std::optional<std::uint64_t> worst = {};  // only N samples, the highest losses first
    std::optional<std::string> classes = {};  // the global with the names of the classes
    // Texts to continue, each by N words; none: the predicted streams are shown.
    std::vector<std::string> continued = {};
    std::uint64_t continued_by = 0;
    // Items, each predicted in a batch of its own: an object for each, with what is wrong with it
    // where it cannot be predicted; none: a table of all samples.
    std::vector<PredictItem> items = {};
    std::uint64_t items_before = 0;  // lines; none could be predicted
    // (optional) Waits for the items after those, whose lines are then on the standard output, and
    // returns them: none now and then, so that signals are seen; nullopt at the end. If `error` is
    // why the task does not take the last ones, returns them without those that are to blame;
    // nullopt: there are none.
    std::function<std::optional<PredictGroup>(const std::string& error)> next_items = {};
    std::string item_names = {};              // how they begin: errors of lines do not have them
    std::filesystem::path items_folder = {};  // nor this one, below which files have own paths
    // (optional) Returns a warning with the names that the data have for the user.
    std::function<std::string(std::string)> warned = {};
};

// Writes a table with a row for each sample. [main], once in a process.
using PredictFunction = void (*)(const PredictRequest& request, RunResult& result) noexcept;

// Runs each of the sections once, without training. [main], once in a process.
using ProcessFunction = void (*)(const ProcessRequest& request, RunResult& result) noexcept;

// A request to store samples of trained components in a file, with what they compute of them.
struct SamplesRequest : SectionRequest {
    std::int64_t count = 0;      // of samples; fewer are stored where the section has fewer
    std::filesystem::path file;  // to write
};

// Writes the first samples of the section. `stored` is set to their number. [main], once in a
// process.
using SamplesFunction = void (*)(const SamplesRequest& request, std::int64_t& stored,
                                 RunResult& result) noexcept;

inline constexpr const char* kSamplesSymbol = "ptp_engine_samples";  // is a SamplesFunction
inline constexpr const char* kProcessSymbol = "ptp_engine_process";  // is a ProcessFunction
inline constexpr const char* kPredictSymbol = "ptp_engine_predict";  // is a PredictFunction
inline constexpr const char* kRunSymbol = "ptp_engine_run";          // is a RunFunction
inline constexpr const char* kRecordSymbol = "ptp_engine_record";    // the same, with `recording`
inline constexpr const char* kSummarySymbol = "ptp_engine_summary";  // is a SummaryFunction
inline constexpr const char* kLibraryName = "libptp-engine.so";

}  // namespace ptp::engine
