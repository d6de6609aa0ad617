// An experiment in a program that embeds ptp: checked, trained step by step, and used to predict.

#pragma once

#include "base/diagnostics.hpp"
#include "host/engine_library.hpp"
#include "host/prepare_prediction.hpp"
#include "host/prepare_resume.hpp"
#include "host/turns.hpp"

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ptp::host {

// A call that is not allowed now; nothing was done.
inline constexpr int kMisuse = 64;

struct SessionOptions {
    std::optional<std::filesystem::path> run_folder = {};  // of the training; nullopt: a new one
    // The folder of the checkpoint whose weights predict; nullopt: the best one of the run, or
    // without a run what the experiment loads.
    std::optional<std::filesystem::path> checkpoint = {};
    std::FILE* output = nullptr;  // (optional) for progress and warnings
    bool handles_signals = false;
    bool is_resumed = false;  // the request names a run that continues, in its folder
};

// One call at a time, on any thread, but for stop(). In a process one session at a time computes.
// What goes wrong is in the result: its exit code, or kMisuse, and a text.
class Session {
public:
    // `request` may name a run's folder: its experiment, with its plugins and weights. Of a run
    // that continues the overrides are what changes from there on.
    Session(Request request, SessionOptions options);
    // Ends what has begun; a training is left with a checkpoint.
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    // Reads and checks the experiment, again if something is missing no more.
    engine::RunResult check();
    // What the last check has found.
    [[nodiscard]] const Diagnostics& problems() const { return problems_; }

    // Trains for one episode, and does what is due after it. `is_running`: more can follow.
    engine::RunResult step(bool& is_running);
    // Trains to the end.
    engine::RunResult run();
    // Writes a checkpoint. REQUIRES of the caller: a training that waits; else misuse.
    engine::RunResult save();
    // Ends the training after the episode that is running, with a checkpoint. [any]
    void stop() noexcept;

    // That are done, also before a run continues.
    [[nodiscard]] std::uint64_t episodes() const {
        return view_ ? view_->episodes() : episodes_before_;
    }
    // "" before the training.
    [[nodiscard]] std::filesystem::path run_folder() const;
    engine::RunResult measure(const std::string& statistic, double& value) const;

    // Gives a stream of the task to the trained components.
    engine::RunResult feed(const std::string& stream, const DLManagedTensor& tensor);
    engine::RunResult feed(const std::string& stream, const std::vector<std::string>& strings);
    engine::RunResult predict();

    // What the last prediction, or else the last episode, has written.
    engine::RunResult read(const std::string& stream, engine::StreamValue& value);

private:
    engine::RunResult check_resume();
    engine::RunResult begin_training();
    engine::RunResult begin_prediction();
    void train();
    void serve(const PreparedPrediction& trained, const TrainedWeights& weights);
    void wait_between_episodes(const engine::WaitingTraining& training);
    engine::RunResult in_pipeline(
        const std::function<void(engine::FedPipeline&, engine::RunResult&)>& work);
    template <class Value>
    engine::RunResult feed_value(const std::string& stream, const Value& value);
    [[nodiscard]] TrainedWeights weights() const;
    // Without the data, which is fed.
    [[nodiscard]] PreparedPrediction prepared_prediction(Diagnostics& problems) const;
    [[nodiscard]] engine::Embedding embedding() const;
    void end_prediction();

    Request request_;
    const SessionOptions options_;
    std::optional<std::filesystem::path> run_;  // the folder that was named
    std::FILE* nothing_;                        // /dev/null, where there is no output
    Diagnostics problems_;
    Prepared prepared_;
    std::optional<PreparedResume> resume_;  // its `prepared` is in prepared_
    bool is_done_ = false;                  // the run that is to continue, and has nothing to do
    std::uint64_t episodes_before_ = 0;     // a run continues
    bool has_trained_ = false;              // or trains
    bool trains_to_end_ = false;
    std::atomic<bool> is_stopped_ = false;
    std::shared_ptr<const engine::EpisodeView> view_;
    std::function<void(engine::RunResult&)> save_;
    engine::FedPipeline* pipeline_ = nullptr;  // (optional) while it serves
    engine::RunResult training_end_;
    engine::RunResult prediction_end_;
    Turns turns_;  // destroyed first
};

}  // namespace ptp::host
