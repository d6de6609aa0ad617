// The names of all that lies in the folder of a run. They are spelled here, and in no other file of
// the runtime and the programs (tests/structure/run_folder_names.sh), but for those that an
// experiment may name as initial weights: experiment/weights_file.hpp, in a layer below, has them.

#pragma once

#include "experiment/weights_file.hpp"

#include <cstdint>
#include <filesystem>

namespace ptp::run {

// Of a run. docs/run-folder.md describes the content of each.
inline constexpr const char* kExperimentFile = "experiment.toml";
inline constexpr const char* kFirstExperimentFile = "experiment_at_start.toml";
inline constexpr const char* kRecordFile = "run.json";           // see record.hpp
inline constexpr const char* kStatusFile = "status.json";        // see status.hpp
inline constexpr const char* kTagsFile = "tags.json";            // see tags.hpp
inline constexpr const char* kJournalFile = "journal.jsonl";     // see journal.hpp
inline constexpr const char* kPluginsLockFile = "plugins.lock";  // see plugins_lock.hpp
inline constexpr const char* kLockFile = "lock";                 // see run_folder.hpp
inline constexpr const char* kSocketFile = "control.sock";
inline constexpr const char* kLogFile = "run.log";
inline constexpr const char* kSummaryFile = "summary.txt";
inline constexpr const char* kTraceFile = "trace.json";
inline constexpr const char* kJsonLinesFile = "statistics.jsonl";
inline constexpr const char* kTensorBoardFolder = "tensorboard";
inline constexpr const char* kPluginsFolder = "plugins";
inline constexpr const char* kRanksFolder = "ranks";  // of a training in several processes
using experiment::kCheckpointsFolder;

// The folder of all runs: the one that the environment variable PTP_RUNS names, or "runs" in the
// current folder.
std::filesystem::path runs_root();

// Of one of several processes, in the folder of the run.
// What it keeps for itself.
std::filesystem::path rank_folder(const std::filesystem::path& run, std::int64_t rank);
std::filesystem::path rank_log(const std::filesystem::path& run, std::int64_t rank);
std::filesystem::path rank_state(const std::filesystem::path& run, std::int64_t rank);

// Its tables. That of a validation set is named after it, that of its first batches after
// kPartialPrefix and it: "validation.hard.csv", "partial_validation.hard.csv".
inline constexpr const char* kTrainingTable = "training.csv";
inline constexpr const char* kTrainingEpochsTable = "training_epochs.csv";
inline constexpr const char* kPartialPrefix = "partial_";
inline constexpr const char* kTableEnding = ".csv";
inline constexpr const char* kTestTable = "test.csv";

// In the folder of its checkpoints: names that point to two of them, and two for before_limit.
inline constexpr const char* kLastCheckpoint = "last";
using experiment::kBestCheckpoint;
inline constexpr const char* kBeforeLimitCheckpoint = "before_limit";
inline constexpr const char* kBestBeforeLimitCheckpoint = "before_limit_best";

// Of a checkpoint.
using experiment::kAveragesFile;
using experiment::kWeightsFile;
inline constexpr const char* kCheckpointFile = "checkpoint.toml";  // see checkpoint_record.hpp
inline constexpr const char* kTrainingFile = "training.toml";      // see training_record.hpp
inline constexpr const char* kTrainingTensorsFile = "training.safetensors";
inline constexpr const char* kHashFile = "SHA256SUMS";  // see hashes.hpp

}  // namespace ptp::run
