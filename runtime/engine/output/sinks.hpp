// The destinations of a run's statistics besides its CSV files. None of them can end the run: rows
// that cannot be written wait in memory and in the checkpoints; a sink that fails, or whose rows
// become too many, is given up. The log states why.

#pragma once

#include "base/value.hpp"
#include "engine/component/components.hpp"
#include "engine/component/frame.hpp"
#include "engine/component/globals.hpp"
#include "engine/component/observation.hpp"
#include "engine/component/picture.hpp"
#include "engine/component/saved_state.hpp"
#include "engine/statistics/records.hpp"
#include "engine/statistics/statistics.hpp"
#include "experiment/records.hpp"
#include "pipeline/plan.hpp"

#include <c10/util/FunctionRef.h>
#include <spdlog/logger.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ptp::engine {

struct RunInfo {
    std::string name;
    std::filesystem::path folder;
    std::int64_t seed = 0;
    std::string device;
    std::string experiment;  // resolved, as TOML
    const pipeline::Plan& plan;
    const std::vector<Column>& columns;
    std::uint64_t first_episode = 0;   // more than 0 in a resumed run
    std::uint64_t first_epoch = 1;     // its number in the folder's files
    const Globals* globals = nullptr;  // of the pipeline
    spdlog::logger* log = nullptr;     // (optional) of the run, for what a sink leaves out
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

// The numbers of components for each sample of a batch, by COMPONENT.NAME.
using SampleNumbers = std::map<std::string, std::vector<double>>;

// A batch of a pass over a validation or test set, a whole one in any number of processes.
struct SetBatch {
    std::string_view section;
    std::uint64_t index = 0;  // within the pass
    const Frame& frame;
    const SampleNumbers& values;
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

// [main] Any function may throw; see Sinks. A sink implements those that it can use.
class Sink {
public:
    Sink() = default;
    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;
    virtual ~Sink() = default;

    // Returns its name in the experiment: "records.tensorboard".
    [[nodiscard]] virtual std::string_view name() const = 0;

    // Called before everything else, but after restore(). References in the facts stay valid until
    // the end.
    virtual void begin(const RunInfo&) {}

    virtual void episode(const EpisodeRow&) {}
    virtual void set(const SetRow&) {}

    // Returns whether look_at() reads this stream.
    [[nodiscard]] virtual bool reads(std::string_view /*stream*/) const { return false; }

    // Returns what looks at the components in the forward pass of the episode that begins; nullptr
    // for nothing.
    [[nodiscard]] virtual ForwardObserver* observer(Position, const Components&) { return nullptr; }

    // Called with the frame of an episode before its step, and the components after it, with the
    // gradients of their parameters.
    virtual void look_at(Position, const Frame&) {}
    virtual void learned(Position, const Components&) {}

    // Pictures of components come after look_at() of their episode, and before the row of the
    // episode or of the pass over its set. They are not collected if no sink takes them.
    [[nodiscard]] virtual bool takes_pictures() const { return false; }
    virtual void picture(const Picture&) {}

    // Returns whether evaluated() reads the batches of a pass: of a validation after this epoch, or,
    // without one, of another validation or the test. Called before each pass over a whole set, as
    // evaluated() is after each batch of it. The row of the pass follows, unless a signal
    // interrupts it: then it begins again with batch 0.
    [[nodiscard]] virtual bool takes_batches(std::optional<std::uint64_t> /*epoch*/) const {
        return false;
    }
    virtual void evaluated(const SetBatch&) {}
    // Returns the streams that evaluated() reads in the batches of a pass, which other processes
    // send to this one, the first. Called with its part of the first batch, without values.
    [[nodiscard]] virtual std::set<int> batch_streams(const SetBatch&) { return {}; }

    // Returns what the samples are that probed() shows after this epoch; nullptr for none.
    [[nodiscard]] virtual const experiment::Probe* probe(std::uint64_t /*epoch*/) const {
        return nullptr;
    }
    virtual void probed(Position, const Frame&) {}

    virtual void checkpoint(const SavedCheckpoint&) {}
    // The run has ended, or has failed before begin().
    virtual void end(const RunOutcome&) {}

    // When it returns, everything is on the disk, or waits in file(). Also called after end(),
    // possibly without begin().
    virtual void sync() {}

    // Returns the file with its rows; nullptr if it has none, or none yet.
    [[nodiscard]] virtual GrowingFile* file() { return nullptr; }

    // Returns the lengths of its files at the last sync(), which a resumed run passes to restore(),
    // so that nothing is in them twice. An empty table means before the first episode.
    [[nodiscard]] virtual Value save() const { return {}; }
    virtual void restore(const Value&) {}
};

// A sink with one file, whose length and hash a checkpoint has.
class SinkWithFile : public Sink {
public:
    explicit SinkWithFile(std::filesystem::path path) : path_(std::move(path)) {}

    void sync() override;
    [[nodiscard]] GrowingFile* file() override { return file_ ? &*file_ : nullptr; }
    [[nodiscard]] Value save() const override;

protected:
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    void new_file() { file_.emplace(path_); }

    // Continues the file from where it was when `saved` was made; an empty table: from its
    // beginning.
    void continue_file(const Value& saved);

private:
    std::filesystem::path path_;
    std::optional<GrowingFile> file_;
    std::uint64_t restored_size_ = 0;  // for a file that could not be continued
    std::string restored_hash_;
};

// Reads a number of a sink's state. Throws RunError with kDataError if the state has no such
// number, or a negative one.
std::uint64_t saved_number(const Value& saved, const char* name);

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

    // Gives up the sink of this name: what it asks for cannot be had.
    void give_up(std::string_view name, const std::string& reason);

    [[nodiscard]] bool read(std::string_view stream) const;
    // Returns the observer of the first sink that has one for this episode.
    [[nodiscard]] ForwardObserver* observer(Position at, const Components& components);
    [[nodiscard]] bool take_pictures() const;
    [[nodiscard]] bool take_batches(std::optional<std::uint64_t> epoch) const;
    [[nodiscard]] std::set<int> batch_streams(const SetBatch& batch);
    // Returns the probe of the first sink that has one after this epoch.
    [[nodiscard]] const experiment::Probe* probe(std::uint64_t epoch);
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
