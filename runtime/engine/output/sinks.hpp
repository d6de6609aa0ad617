// The sinks of a run. None of them can end it: rows that cannot be written wait in memory and in
// the checkpoints; a sink that fails, or whose rows become too many, is given up. The log states
// why.

#pragma once

#include "engine/component/saved_state.hpp"
#include "engine/output/sink.hpp"
#include "experiment/records.hpp"

#include <c10/util/FunctionRef.h>
#include <spdlog/logger.h>

#include <filesystem>
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ptp::engine {

// [main] The log must outlive it. No function throws.
class Sinks {
public:
    explicit Sinks(spdlog::logger& log) : log_(log) {}

    void add(std::unique_ptr<Sink> sink);

    // Passes an event to all sinks: tell(&Sink::episode, {position, values}).
    template <class... Parameters>
    void tell(void (Sink::*event)(Parameters...), std::type_identity_t<Parameters>... values) {
        each([&](Sink& sink) { (sink.*event)(values...); });
    }

    [[nodiscard]] bool read(std::string_view stream) const;
    [[nodiscard]] bool take_pictures() const;
    void pictures(const std::vector<Picture>& pictures);
    void end(const RunOutcome& outcome);

    // For a checkpoint: writes all rows to the disk; returns the lengths of the files, and the rows
    // that wait. restore() comes before begin(); what the files hold from later episodes is
    // removed.
    [[nodiscard]] SavedState save();
    void restore(const SavedState& saved);

    // Replaces restore() for a run that begins again, because its folder has no checkpoint.
    void restart();

private:
    struct Kept {
        std::unique_ptr<Sink> sink;
        bool is_given_up = false;
        FileNotes notes = {};
    };

    void each(c10::function_ref<void(Sink&)> function);
    void give_up(Kept& kept, const char* reason);
    void note_waiting(Kept& kept);
    void note_disturbances();

    spdlog::logger& log_;
    std::vector<Kept> sinks_;
};

// Adds those that the experiment asks for.
void add_record_sinks(Sinks& sinks, const experiment::Records& records,
                      const std::filesystem::path& run_folder);

}  // namespace ptp::engine
