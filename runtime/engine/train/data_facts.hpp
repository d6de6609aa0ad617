// The record in a checkpoint of a training's data: the number of samples of each section, how many
// of them its sampler draws, and the content of the files that the settings of its task name. A
// training that continued with other data would see samples of an epoch twice, or never.

#pragma once

#include "base/error.hpp"
#include "base/value.hpp"
#include "engine/component/components.hpp"
#include "engine/request.hpp"
#include "engine/train/training_session.hpp"
#include "pipeline/plan.hpp"

#include <filesystem>
#include <optional>

namespace ptp::engine {

// Returns for each task, by its section, the files that its settings name, with their SHA-256, or
// only their size if they are large. Folders are ignored: other files in them may come and go.
Value named_files(const Components& components);

// Returns a table for each section: "samples", all of its task; "drawable", those that the passes
// may have; "epoch_samples", those of one pass; and "files" as returned by named_files().
Value data_facts(TrainingSession& session);

// Throws WithFix<RunError> (kDataError) with the differences, or only warns of them if the session
// accepts other data. `saved` may lack sections and facts in an older checkpoint.
void require_same_data(TrainingSession& session, const Value& saved);

// Warns of tasks that read a file of the training's task whose content is another than when the
// checkpoint was made: which rows are trained on may have been decided by those that were there.
// `saved` are the facts of the checkpoint, which may lack sections.
void warn_of_changed_data(const experiment::Experiment& experiment, const pipeline::Plan& plan,
                          const Value& saved, spdlog::logger& log);

// Returns the error of a training that could not continue from its checkpoint (optional); where
// files of its tasks have another content than then, and the request does not accept this, it is
// the cause and comes first. May throw RunError.
RunError with_other_data(const RunError& error, const pipeline::Plan& plan,
                         const RunRequest& request,
                         const std::optional<std::filesystem::path>& checkpoint);

}  // namespace ptp::engine
