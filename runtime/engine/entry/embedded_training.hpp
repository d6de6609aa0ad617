// A training in a program that embeds the engine: it waits before each episode, and the program can
// read the values of the last one.

#pragma once

#include "engine/component/stream_value.hpp"
#include "engine/embedding.hpp"
#include "engine/output/sinks.hpp"
#include "engine/train/live_training.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace ptp::engine {

// Keeps the streams and statistics of the last episode.
class KeptEpisode : public EpisodeView {
public:
    void begin(const RunInfo& run);
    void keep(const Frame& frame);
    void measured(const EpisodeRow& row);

    [[nodiscard]] std::uint64_t episodes() const override { return episodes_; }
    [[nodiscard]] const std::filesystem::path& run_folder() const override { return folder_; }
    void read(const std::string& stream, StreamValue& value, RunResult& result) const override;
    void measure(const std::string& statistic, double& value, RunResult& result) const override;
    [[nodiscard]] std::vector<std::string> statistics() const override;

private:
    std::uint64_t episodes_ = 0;
    std::filesystem::path folder_;
    std::vector<std::string> streams_;
    std::vector<KeptValue> values_;  // one for each of streams_; empty before the first episode
    std::vector<std::string> statistics_;  // "" for those that batches do not have
    std::vector<double> numbers_;          // one for each of statistics_
};

// [main] The embedding must outlive it.
class EmbeddedTraining final : public EpisodeWait {
public:
    explicit EmbeddedTraining(const Embedding& embedding) : embedding_(embedding) {}

    // Returns the sink that fills the view, which outlives everything else.
    [[nodiscard]] std::unique_ptr<Sink> sink() const;

    // Waits for the program before an episode, if it asks for that.
    bool wait(LiveTraining& training) override;

private:
    const Embedding& embedding_;
    std::shared_ptr<KeptEpisode> episode_ = std::make_shared<KeptEpisode>();
};

}  // namespace ptp::engine
