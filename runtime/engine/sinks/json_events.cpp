#include "engine/sinks/json_events.hpp"

#include "engine/sinks/json_text.hpp"

namespace ptp::engine {

void JsonEvents::begin(const RunInfo& facts) {
    columns_ = &facts.columns;
    console_.event(json_text(facts));
}

void JsonEvents::set(const SetRow& row) {
    console_.event(json_text(row, *columns_, 1));
}

void JsonEvents::checkpoint(const SavedCheckpoint& saved) {
    console_.event(json_text(saved));
}

void JsonEvents::end(const RunOutcome& outcome) {
    console_.event(json_text(outcome));
}

}  // namespace ptp::engine
