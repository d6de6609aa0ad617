// The samples that `ptprun predict` is given: files, texts, or the standard input.

#pragma once

#include "base/diagnostics.hpp"
#include "base/temporary_path.hpp"
#include "base/value.hpp"
#include "commands.hpp"
#include "engine/request.hpp"
#include "experiment/experiment.hpp"
#include "pipeline/task_data.hpp"
#include "plugin/catalog.hpp"
#include "predict_items.hpp"
#include "run_operand.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace ptp::ptprun {

// The run that predicts, and its samples.
struct Job {
    std::string name;  // of the run, as given
    Subject subject;
    std::optional<std::filesystem::path> checkpoint;
    std::string section;  // whose task reads the data; "": the experiment's default
    std::string written;  // the section of the experiment from which that one is made; "": itself
    Strings words;        // as given: one section, or files and folders, or "-"
    Strings texts;        // as given, or of the standard input, in place of these
    bool is_continued = false;
    JsonLines* json_lines = nullptr;    // (optional) those of --jsonl
    Items items = {};                   // of these
    std::string unread = {};            // why the task cannot read the samples, if so
    std::string unread_fix = {};        // where no other task can
    std::optional<TemporaryPath> copy;  // of the standard input or of lines
    pipeline::DataScores scores = {};
    std::string note = {};  // of a name that means two things, or of data that are not new
};

// Returns the globals of the run, with the names of its classes; an empty table without a run.
Value recorded_globals(const Job& job);

// Returns samples without targets, for the task of this section. Reports files that are missing.
pipeline::UnlabeledData data_of(Job& job, const experiment::Experiment& experiment,
                                const experiment::Section& section, const plugin::Catalog& catalog,
                                Diagnostics& problems);

// Replaces the names of copies, of the standard input and of lines of JSON, in an error or a
// warning. There is a copy.
void name_copies(const Job& job, std::string& error);

}  // namespace ptp::ptprun
