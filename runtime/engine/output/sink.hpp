// The destinations of a run's statistics besides its CSV files.

#pragma once

#include "base/output_file.hpp"
#include "base/value.hpp"
#include "engine/component/components.hpp"
#include "engine/component/frame.hpp"
#include "engine/component/picture.hpp"
#include "engine/statistics/records.hpp"
#include "engine/statistics/statistics.hpp"
#include "pipeline/plan.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace ptp::engine {

// Rows are gathered and written at least once a second while rows come. What cannot be written,
// because the disk is full for example, waits until it can; where too much waits, that is a
// RunError with the system's words. The file never holds a part of what was given to one add().
// Rows that are still gathered when it is destroyed are lost: sync() comes first.
class GrowingFile {
public:
    // Makes a new file, in a new folder if need be; where there is no room for it yet, rows wait.
    explicit GrowingFile(std::filesystem::path path);

    // Continues with one that exists, after its first `size` bytes: see OutputFile::append(). With
    // neither bytes nor a file, it makes a new one.
    GrowingFile(const std::filesystem::path& path, std::uint64_t size, const std::string& sha256);

    void add(std::string_view bytes);
    void flush();
    void sync();  // all but what waits is on the disk when it returns

    // Returns what another program has done to it: see OutputFile.
    [[nodiscard]] std::string disturbance() const { return file_ ? file_->disturbance() : ""; }

    // Returns why rows wait; empty if none does.
    [[nodiscard]] const std::error_code& problem() const { return problem_; }
    [[nodiscard]] const std::string& waiting() const { return gathered_; }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    // Return the length and the hash of the file after the last sync(), or when it was opened.
    [[nodiscard]] std::uint64_t synced_size() const { return synced_size_; }
    [[nodiscard]] const std::string& synced_hash() const { return synced_hash_; }

private:
    void open();

    std::filesystem::path path_;
    std::optional<OutputFile> file_;
    std::string gathered_;
    std::error_code problem_;
    std::uint64_t synced_size_ = 0;
    std::string synced_hash_;
    std::chrono::steady_clock::time_point last_flush_ = std::chrono::steady_clock::now();
};

struct RunInfo {
    std::string name;
    std::filesystem::path folder;
    std::int64_t seed = 0;
    std::string device;
    std::string experiment;  // resolved, as TOML
    const pipeline::Plan& plan;
    const std::vector<Column>& columns;
    std::uint64_t first_episode = 0;  // more than 0 in a resumed run
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

    // Called with the frame of an episode before its step, and the components after it, with the
    // gradients of their parameters.
    virtual void look_at(Position, const Frame&) {}
    virtual void learned(Position, const Components&) {}

    // Pictures of components come after look_at() of their episode, and before the row of the
    // episode or of the pass over its set. They are not collected if no sink takes them.
    [[nodiscard]] virtual bool takes_pictures() const { return false; }
    virtual void picture(const Picture&) {}

    virtual void checkpoint(const SavedCheckpoint&) {}
    // Also called for a run that failed before begin().
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

}  // namespace ptp::engine
