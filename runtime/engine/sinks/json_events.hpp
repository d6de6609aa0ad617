// The events of a run as JSON on the standard output, for programs (--json). Episodes are the
// business of Progress, which knows how often one is worth a line.

#pragma once

#include "engine/console/console.hpp"
#include "engine/sinks/sink.hpp"

#include <string_view>
#include <vector>

namespace ptp::engine {

// The console must outlive it.
class JsonEvents : public Sink {
public:
    explicit JsonEvents(Console& console) : console_(console) {}

    [[nodiscard]] std::string_view name() const override { return "--json"; }
    void begin(const RunInfo& facts) override;
    void set(const SetRow& row) override;
    void checkpoint(const SavedCheckpoint& saved) override;
    void end(const RunOutcome& outcome) override;

private:
    Console& console_;
    const std::vector<Column>* columns_ = nullptr;
};

}  // namespace ptp::engine
