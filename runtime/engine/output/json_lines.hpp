// The statistics and events of a run as JSON: the file statistics.jsonl, the output of --json, and
// the lines of both.

#pragma once

#include "engine/output/console.hpp"
#include "engine/output/sinks.hpp"
#include "experiment/records.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::engine {

// The events as JSON objects, whose members docs/records.md lists. All return a text without a line
// break. A statistic that is not measured in the row's set is omitted. A number that JSON does not
// have, such as NaN, is null; text that is not UTF-8 has U+FFFD in its place. `first_epoch` is the
// number of the first epoch.
std::string json_text(const RunInfo& facts);
std::string json_text(const EpisodeRow& row, const std::vector<Column>& columns,
                      std::uint64_t first_epoch);
std::string json_text(const SetRow& row, const std::vector<Column>& columns,
                      std::uint64_t first_epoch);
std::string json_text(const SavedCheckpoint& saved);
std::string json_text(const RunOutcome& outcome);

// The events on the standard output. Episodes are reported by Progress, which decides how often.
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

// The rows of the statistics, one JSON object on each line.
class JsonLines : public SinkWithFile {
public:
    JsonLines(std::filesystem::path path, const experiment::JsonLines& settings);

    [[nodiscard]] std::string_view name() const override { return "records.json_lines"; }
    void begin(const RunInfo& facts) override;
    void episode(const EpisodeRow& row) override;
    void set(const SetRow& row) override;
    void restore(const Value& saved) override;

private:
    void add(std::string text);

    std::uint64_t stride_;
    const std::vector<Column>* columns_ = nullptr;
    std::uint64_t first_epoch_ = 1;
};

// Makes the sink of the run with this folder.
std::unique_ptr<Sink> make_sink(const experiment::JsonLines& options,
                                const std::filesystem::path& run_folder);

}  // namespace ptp::engine
