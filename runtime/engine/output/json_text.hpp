// The events of a run as JSON objects on one line each; docs/records.md lists their members.

#pragma once

#include "engine/output/sink.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ptp::engine {

// All return a text without a line break. A statistic that is not measured in the row's set is
// omitted. A number that JSON does not have, such as NaN, is null; text that is not UTF-8 has
// U+FFFD in its place. `first_epoch` is the number of the first epoch.
std::string json_text(const RunInfo& facts);
std::string json_text(const EpisodeRow& row, const std::vector<Column>& columns,
                      std::uint64_t first_epoch);
std::string json_text(const SetRow& row, const std::vector<Column>& columns,
                      std::uint64_t first_epoch);
std::string json_text(const SavedCheckpoint& saved);
std::string json_text(const RunOutcome& outcome);

}  // namespace ptp::engine
