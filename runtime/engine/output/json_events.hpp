// The events of a run as JSON on the standard output, for programs (--json). Episodes are reported
// by Progress, which decides how often.

#pragma once

#include "engine/output/console.hpp"
#include "engine/output/json_text.hpp"
#include "engine/output/sink.hpp"

#include <string_view>
#include <vector>

namespace ptp::engine {

// The console must outlive it.
class JsonEvents : public Sink {
public:
    explicit JsonEvents(Console& console) : console_(console) {}

    [[nodiscard]] std::string_view name() const override { return "--json"; }
    void begin(const RunInfo& facts) override {
        columns_ = &facts.columns;
        console_.event(json_text(facts));
    }
    void set(const SetRow& row) override { console_.event(json_text(row, *columns_, 1)); }
    void checkpoint(const SavedCheckpoint& saved) override { console_.event(json_text(saved)); }
    void end(const RunOutcome& outcome) override { console_.event(json_text(outcome)); }

private:
    Console& console_;
    const std::vector<Column>* columns_ = nullptr;
};

}  // namespace ptp::engine
