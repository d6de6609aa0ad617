// The interface of the engine for programs that embed it, besides requests: a training that waits
// between its episodes, and trained components whose inputs the program provides.
//
// All of it runs on the thread that calls the engine, unless stated otherwise; nothing throws.

#pragma once

#include "engine/request.hpp"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct DLManagedTensor;

namespace ptp::engine {

// The value of a stream outside the engine.
struct StreamValue {
    // Owned by the caller, who calls its deleter; nullptr: strings.
    DLManagedTensor* tensor = nullptr;
    std::vector<std::string> strings = {};
};

// The values of the last episode; exists longer than the training. [any], but not while an episode
// runs.
class EpisodeView {
public:
    EpisodeView() = default;
    EpisodeView(const EpisodeView&) = delete;
    EpisodeView& operator=(const EpisodeView&) = delete;
    virtual ~EpisodeView() = default;

    // Returns the number of completed episodes.
    [[nodiscard]] virtual std::uint64_t episodes() const = 0;

    [[nodiscard]] virtual const std::filesystem::path& run_folder() const = 0;

    // Reads a stream of the last episode, without gradients. A tensor shares its memory.
    virtual void read(const std::string& stream, StreamValue& value, RunResult& result) const = 0;

    // Reads a statistic of the last episode, by its name in the tables of the run: "loss".
    virtual void measure(const std::string& statistic, double& value, RunResult& result) const = 0;

    // Returns the names of the statistics that an episode has.
    [[nodiscard]] virtual std::vector<std::string> statistics() const = 0;
};

// A training that waits. [main], while it waits.
struct WaitingTraining {
    std::shared_ptr<const EpisodeView> view;
    std::function<void(RunResult&)> save;  // writes a checkpoint now
};

struct Embedding {
    // If true, SIGINT and similar signals end a training, and crashes are reported while the engine
    // computes. Otherwise the engine has no handlers.
    bool handles_signals = false;
    std::FILE* output;  // for progress and warnings

    // (optional, for a training) Called before each episode.
    std::function<void(const WaitingTraining&)> between_episodes = {};
};

// Trains, like RunFunction, in a program that embeds the engine. At most one engine function at a
// time in a process, or any number of FeedFunction, of which one computes at a time.
using TrainFunction = void (*)(const RunRequest& request, const Embedding& embedding,
                               RunResult& result) noexcept;

// Trained components without their task: a program writes the streams of the task.
class FedPipeline {
public:
    FedPipeline() = default;
    FedPipeline(const FedPipeline&) = delete;
    FedPipeline& operator=(const FedPipeline&) = delete;
    virtual ~FedPipeline() = default;

    // Copies the tensor, or the strings, into a stream of the task. Its value stays until it is
    // replaced.
    virtual void feed(const std::string& stream, const DLManagedTensor& tensor,
                      RunResult& result) = 0;
    virtual void feed(const std::string& stream, const std::vector<std::string>& strings,
                      RunResult& result) = 0;

    // Takes the value of a stream away, as if it had never been fed.
    virtual void take_away(const std::string& stream, RunResult& result) = 0;

    // Runs the components whose inputs exist.
    virtual void compute(RunResult& result) = 0;

    // Reads an output of compute().
    virtual void read(const std::string& stream, StreamValue& value, RunResult& result) const = 0;
};

struct FeedRequest : TrainedRequest {
    // Uses the pipeline, which does not outlive it.
    std::function<void(FedPipeline&)> use;
};

using FeedFunction = void (*)(const FeedRequest& request, const Embedding& embedding,
                              RunResult& result) noexcept;

// Ends the engine's current work, like a signal. [any]
using StopFunction = void (*)() noexcept;

inline constexpr const char* kTrainSymbol = "ptp_engine_train";  // is a TrainFunction
inline constexpr const char* kFeedSymbol = "ptp_engine_feed";    // is a FeedFunction
inline constexpr const char* kStopSymbol = "ptp_engine_stop";    // is a StopFunction

}  // namespace ptp::engine
