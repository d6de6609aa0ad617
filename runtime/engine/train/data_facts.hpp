// What a checkpoint has of the data of a training: how many samples each section has, and what is
// in the files that the settings of its task name. A training that continued with other data would
// see samples of an epoch twice, or never.

#pragma once

#include "base/value.hpp"
#include "engine/component/components.hpp"
#include "engine/train/session.hpp"

namespace ptp::engine {

// Of each task, by its section, the files that its settings name, with their SHA-256; with their
// size alone where they are large. Of folders nothing: other files in them may come and go.
Value named_files(const Components& components);

// A table for each section: "samples", and "files" as named_files() has found them.
Value data_facts(Session& session);

// Throws WithFix<RunError> (kDataError) that names what differs; warns of it instead where the
// session accepts other data. `saved` may lack sections and facts: they are of an older checkpoint.
void require_same_data(Session& session, const Value& saved);

}  // namespace ptp::engine
