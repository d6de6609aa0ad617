// The sink that keeps the last episode for the embedding program, and the wait for that program.

#include "engine/entry/embedded_training.hpp"

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "engine/distributed/signals.hpp"
#include "engine/train/failure.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace ptp::engine {

namespace {

std::size_t place_of(const std::string& name, const std::vector<std::string>& known,
                     const char* what) {
    const auto found = std::ranges::find(known, name);
    if (name.empty() || found == known.end()) {
        std::vector<std::string> names = known;
        std::erase(names, "");
        throw RunError(kConfigurationError,
                       fmt::format("unknown {} '{}'{}", what, name, hint(name, names)));
    }
    return static_cast<std::size_t>(found - known.begin());
}

void require_episode(bool is_there) {
    if (!is_there) {
        throw RunError(kConfigurationError, "no episode has run yet");
    }
}

class EpisodeSink : public Sink {
public:
    explicit EpisodeSink(std::shared_ptr<KeptEpisode> episode) : episode_(std::move(episode)) {}

    [[nodiscard]] std::string_view name() const override { return "the embedding program"; }
    void begin(const RunInfo& run) override { episode_->begin(run); }
    [[nodiscard]] bool reads(std::string_view /*stream*/) const override { return true; }
    void look_at(Position, const Frame& frame) override { episode_->keep(frame); }
    void episode(const EpisodeRow& row) override { episode_->measured(row); }

private:
    std::shared_ptr<KeptEpisode> episode_;
};

}  // namespace

void KeptEpisode::begin(const RunInfo& run) {
    episodes_ = run.first_episode;
    folder_ = run.folder;
    streams_.clear();
    for (const pipeline::Stream& stream : run.plan.streams) {
        streams_.push_back(stream.name);
    }
    statistics_.clear();
    for (const Column& column : run.columns) {
        statistics_.push_back(is_in_batches(column, kTrainingSet) ? column.name : "");
    }
}

void KeptEpisode::keep(const Frame& frame) {
    values_.clear();
    for (std::size_t i = 0; i < streams_.size(); ++i) {
        values_.push_back(kept(frame[static_cast<int>(i)]));
    }
}

void KeptEpisode::measured(const EpisodeRow& row) {
    numbers_.assign(row.values.begin(), row.values.end());
    episodes_ = row.at.episode + 1;
}

void KeptEpisode::read(const std::string& stream, StreamValue& value, RunResult& result) const {
    report_into(result, [&] {
        require_episode(!values_.empty());
        value = value_of(values_[place_of(stream, streams_, "stream")], stream);
    });
}

void KeptEpisode::measure(const std::string& statistic, double& value, RunResult& result) const {
    report_into(result, [&] {
        require_episode(!numbers_.empty());
        value = numbers_[place_of(statistic, statistics_, "statistic")];
    });
}

std::vector<std::string> KeptEpisode::statistics() const {
    std::vector<std::string> names = statistics_;
    std::erase(names, "");
    return names;
}

std::unique_ptr<Sink> EmbeddedTraining::sink() const {
    return std::make_unique<EpisodeSink>(episode_);
}

bool EmbeddedTraining::wait(LiveTraining& training) {
    if (!embedding_.between_episodes) {
        return true;
    }
    embedding_.between_episodes({episode_, [&training](RunResult& result) {
                                     report_into(result, [&] { training.save_now(); });
                                 }});
    return Signals::received() == 0;
}

}  // namespace ptp::engine
