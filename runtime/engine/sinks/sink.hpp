// Where the statistics of a run go besides its CSV files.

#pragma once

#include "base/value.hpp"
#include "engine/component/components.hpp"
#include "engine/component/frame.hpp"
#include "engine/component/picture.hpp"
#include "engine/sinks/growing_file.hpp"
#include "engine/stats/records.hpp"
#include "engine/stats/statistics.hpp"
#include "pipeline/plan.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::engine {

struct RunInfo {
    std::string name;
    std::filesystem::path folder;
    std::int64_t seed = 0;
    std::string device;
    std::string experiment;  // the resolved one, as TOML
    const pipeline::Plan& plan;
    const std::vector<Column>& columns;
    std::uint64_t first_episode = 0;  // more than 0 in a run that was resumed
    std::uint64_t first_epoch = 1;    // its number in the folder's files
};

struct EpisodeRow {
    Position at;
    std::span<const double> values;  // one for each column; set-only ones have none
};

struct SetRow {
    std::string_view set;  // "training", "validation", "test"
    SetPosition position;
    const std::vector<Aggregate>& aggregates;  // one for each column
};

struct SavedCheckpoint {
    std::filesystem::path folder;
    Position at;
};

struct RunOutcome {
    std::string state;  // as in the run's status
    std::string reason;
    int exit_code = 0;
};

// [main] Any function may throw; see Sinks. A sink takes of this what it can use.
class Sink {
public:
    Sink() = default;
    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;
    virtual ~Sink() = default;

    // As the experiment calls it: "records.tensorboard".
    [[nodiscard]] virtual std::string_view name() const = 0;

    // Before everything else, but after restore(). What the facts refer to stays until the end.
    virtual void begin(const RunInfo&) {}

    virtual void episode(const EpisodeRow&) {}
    virtual void set(const SetRow&) {}

    // Whether look_at() reads this stream.
    [[nodiscard]] virtual bool reads(std::string_view /*stream*/) const { return false; }

    // The frame of an episode before it is learnt from, and the components afterwards, with the
    // gradients of their parameters.
    virtual void look_at(Position, const Frame&) {}
    virtual void learned(Position, const Components&) {}

    // What a component has shown, after the look at its episode, and before the row of its episode
    // or of the pass over its set. Pictures are not collected where no sink takes them.
    [[nodiscard]] virtual bool takes_pictures() const { return false; }
    virtual void picture(const Picture&) {}

    virtual void checkpoint(const SavedCheckpoint&) {}
    // Also of a run that failed before begin().
    virtual void end(const RunOutcome&) {}

    // All that was given is on the disk when it returns, or waits in file(). After end(), so before
    // begin() too.
    virtual void sync() {}

    // The file that its rows go to; nullptr if it has none, or none yet.
    [[nodiscard]] virtual GrowingFile* file() { return nullptr; }

    // How far its files are, as of the last sync(): what a run that is resumed from here gives to
    // restore(), so that nothing is in them twice. An empty table means before the first episode.
    [[nodiscard]] virtual Value save() const { return {}; }
    virtual void restore(const Value&) {}
};

}  // namespace ptp::engine
