// The names of all files in the folder of a run. They are spelled only here in the runtime and the
// programs (tests/structure/run_folder_names.sh), except for those that an experiment may name as
// initial weights, which are in a lower layer: experiment/weights_file.hpp.

#pragma once

#include "experiment/weights_file.hpp"

#include <cstdint>
#include <filesystem>

namespace ptp::run {

// The files of a run. docs/run-folder.md describes their content.
inline constexpr const char* kExperimentFile = "experiment.toml";
inline constexpr const char* kFirstExperimentFile = "experiment_at_start.toml";
inline constexpr const char* kRecordFile = "run.json";           // see record.hpp
inline constexpr const char* kStatusFile = "status.json";        // see status.hpp
inline constexpr const char* kTagsFile = "tags.json";            // see tags.hpp
inline constexpr const char* kJournalFile = "journal.jsonl";     // see journal.hpp
inline constexpr const char* kEventsFile = "events.jsonl";       // see events.hpp
inline constexpr const char* kPluginsLockFile = "plugins.lock";  // see plugins_lock.hpp
inline constexpr const char* kLockFile = "lock";                 // see run_folder.hpp
inline constexpr const char* kSocketFile = "control.sock";
inline constexpr const char* kLogFile = "run.log";
inline constexpr const char* kSummaryFile = "summary.txt";
inline constexpr const char* kModelFile = "model.json";
inline constexpr const char* kDataFile = "data.json";  // that a report has asked for
inline constexpr const char* kTraceFile = "trace.json";
inline constexpr const char* kJsonLinesFile = "statistics.jsonl";
inline constexpr const char* kLayersTable = "layers.csv";
inline constexpr const char* kTensorBoardFolder = "tensorboard";
inline constexpr const char* kSampleValuesFolder = "samples";
inline constexpr const char* kReportFile = "report.html";
inline constexpr const char* kReportLogFile = "report.log";  // while one is written
inline constexpr const char* kProbeFolder = "probe";
inline constexpr const char* kPluginsFolder = "plugins";
inline constexpr const char* kRanksFolder = "ranks";  // for a training in several processes
using experiment::kCheckpointsFolder;

// Returns the folder of all runs: the value of the environment variable PTP_RUNS, or "runs" in the
// current folder.
std::filesystem::path runs_root();

// Return the folder and files of one of several processes, within the folder of the run.
std::filesystem::path rank_folder(const std::filesystem::path& run, std::int64_t rank);
std::filesystem::path rank_log(const std::filesystem::path& run, std::int64_t rank);
std::filesystem::path rank_state(const std::filesystem::path& run, std::int64_t rank);

// The tables of a run. The table of a validation set is named after the set; that of its first
// batches has kPartialPrefix too: "validation.hard.csv", "partial_validation.hard.csv".
inline constexpr const char* kTrainingTable = "training.csv";
inline constexpr const char* kTrainingEpochsTable = "training_epochs.csv";
inline constexpr const char* kPartialPrefix = "partial_";
inline constexpr const char* kTableEnding = ".csv";
inline constexpr const char* kTestTable = "test.csv";

// The file in which a search describes itself, beside its trials.
inline constexpr const char* kSearchFile = "search.json";

// The file with the rates, losses and suggestion of `ptprun find-lr`, in the folder of its run.
inline constexpr const char* kRangeTestFile = "find_lr.json";

// The links in the folder of checkpoints: to the last and best, and to those of before_limit.
inline constexpr const char* kLastCheckpoint = "last";
using experiment::kBestCheckpoint;
inline constexpr const char* kBeforeLimitCheckpoint = "before_limit";
inline constexpr const char* kBestBeforeLimitCheckpoint = "before_limit_best";

// The files of a checkpoint.
using experiment::kAveragesFile;
using experiment::kWeightsFile;
inline constexpr const char* kCheckpointFile = "checkpoint.toml";  // see checkpoint_record.hpp
inline constexpr const char* kTrainingFile = "training.toml";      // see training_record.hpp
inline constexpr const char* kTrainingTensorsFile = "training.safetensors";
inline constexpr const char* kHashFile = "SHA256SUMS";  // see hashes.hpp

}  // namespace ptp::run
