// A training in a program that embeds the engine: it waits before each episode, and what the last
// episode has written can be read.

#pragma once

#include "engine/component/stream_value.hpp"
#include "engine/embedding.hpp"
#include "engine/sinks/sink.hpp"
#include "engine/train/live_training.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ptp::engine {

// Keeps what the last episode has written and measured.
class KeptEpisode : public EpisodeView {
public:
    void begin(const RunInfo& run);
    void keep(const Frame& frame);
    void measured(const EpisodeRow& row);

    [[nodiscard]] std::uint64_t episodes() const override { return episodes_; }
    [[nodiscard]] const std::filesystem::path& run_folder() const override { return folder_; }
    void read(const std::string& stream, StreamValue& value, RunResult& result) const override;
    void measure(const std::string& statistic, double& value, RunResult& result) const override;

private:
    std::uint64_t episodes_ = 0;
    std::filesystem::path folder_;
    std::vector<std::string> streams_;
    std::vector<KeptValue> values_;        // of streams_; empty before the first episode
    std::vector<std::string> statistics_;  // "" for what batches do not have
    std::vector<double> numbers_;          // of statistics_
};

// [main] The embedding must outlive it.
class EmbeddedTraining {
public:
    explicit EmbeddedTraining(const Embedding& embedding) : embedding_(embedding) {}

    // What feeds the view; the view outlives all of it.
    [[nodiscard]] std::unique_ptr<Sink> sink() const;

    // With a wait for the program before each episode, after all else that is due.
    [[nodiscard]] LiveHooks with_waits(LiveHooks hooks) const;

private:
    const Embedding& embedding_;
    std::shared_ptr<KeptEpisode> episode_ = std::make_shared<KeptEpisode>();
};

}  // namespace ptp::engine
