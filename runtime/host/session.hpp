// An experiment in a program that embeds ptp: checked, trained step by step, and used to predict.

#pragma once

#include "base/diagnostics.hpp"
#include "host/engine_library.hpp"
#include "host/prepare.hpp"
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
#include <utility>
#include <vector>

namespace ptp::host {

// The exit code of a call that is not allowed now, and had no effect.
inline constexpr int kMisuse = 64;

// Returns the result of such a call.
inline engine::RunResult misuse(std::string text) {
    return {.exit_code = kMisuse, .error = std::move(text)};
}

// A stream that can be fed or is predicted, as ptp_stream of <ptp/host.h> states it.
struct DescribedStream {
    std::string name;
    std::string element;
    std::string shape;
    std::string help;
    bool is_fed = false;
    bool is_needed = false;
    bool is_predicted = false;
};

struct SessionOptions {
    std::optional<std::filesystem::path> run_folder = {};  // of the training; nullopt: a new one
    // The folder of the checkpoint whose weights predict; nullopt: the best one of the run, or
    // without a run, those that the experiment loads.
    std::optional<std::filesystem::path> checkpoint = {};
    std::string why_unknown = {};  // why the request names nothing; the check reports it
    std::FILE* output = nullptr;   // (optional) for progress and warnings
    bool handles_signals = false;
    bool is_resumed = false;  // the request names the folder of a run that continues
};

// One call at a time, on any thread, except stop(). In a process one session at a time computes.
// Errors are in the result: an exit code, or kMisuse, and a text.
class Session {
public:
    // `request` may name a run's folder, also that of a bundle: its experiment, with its plugins
    // and weights. For a run that continues, the overrides are changes from there on.
    Session(Request request, SessionOptions options);
    // Ends everything that has begun; a training ends with a checkpoint.
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    // Reads and checks the experiment, again if missing files may exist now.
    engine::RunResult check();
    // Returns the problems of the last check, with warnings of what was fed.
    [[nodiscard]] const Diagnostics& problems() const { return problems_; }

    // Trains for one episode, and does everything due after it. `is_running`: more can follow.
    engine::RunResult step(bool& is_running);
    // Trains to the end.
    engine::RunResult run();
    // Writes a checkpoint. Returns kMisuse unless a training waits.
    engine::RunResult save();
    // Ends the training after the current episode, with a checkpoint. [any]
    void stop() noexcept;

    // Returns the number of completed episodes, including those before a run continues.
    [[nodiscard]] std::uint64_t episodes() const {
        return view_ ? view_->episodes() : episodes_before_;
    }
    // Returns "" before the training.
    [[nodiscard]] std::filesystem::path run_folder() const;
    engine::RunResult measure(const std::string& statistic, double& value) const;
    // Returns the names of an episode's statistics; none before the first.
    [[nodiscard]] std::vector<std::string> statistics() const {
        return view_ ? view_->statistics() : std::vector<std::string>();
    }

    // Lists the streams that can be fed, and then those that a prediction computes.
    engine::RunResult streams(std::vector<DescribedStream>& streams) const;

    // Sets a stream of the task for the trained components.
    engine::RunResult feed(const std::string& stream, const DLManagedTensor& tensor);
    engine::RunResult feed(const std::string& stream, const std::vector<std::string>& strings);
    // Takes what was fed to a stream away.
    engine::RunResult take_away(const std::string& stream);
    engine::RunResult predict();

    // Reads a stream of the last prediction, or else of the last episode.
    engine::RunResult read(const std::string& stream, engine::StreamValue& value);

private:
    engine::RunResult check_resume();
    engine::RunResult begin_training();
    engine::RunResult begin_prediction();
    void train();
    void serve(const PreparedPrediction& trained, const TrainedWeights& weights);
    void wait_between_episodes(const engine::WaitingTraining& training);
    template <class Work>
    engine::RunResult in_pipeline(const Work& work);
    template <class Value>
    engine::RunResult feed_value(const std::string& stream, const Value& value);
    [[nodiscard]] TrainedWeights weights() const;
    // Prepares without the data, which is fed.
    [[nodiscard]] PreparedPrediction prepared_prediction(Diagnostics& problems) const;
    [[nodiscard]] engine::Embedding embedding() const;
    void end_prediction();

    Request request_;
    const SessionOptions options_;
    std::optional<std::filesystem::path> run_;  // the given folder of a run
    std::FILE* nothing_;                        // /dev/null, if there is no output
    Diagnostics problems_;
    Prepared prepared_;
    std::optional<PreparedResume> resume_;  // its `prepared` is in prepared_
    bool is_done_ = false;                  // the run to continue has nothing left to do
    std::uint64_t episodes_before_ = 0;     // before a run continues
    bool has_trained_ = false;              // true also while it trains
    bool trains_to_end_ = false;
    std::atomic<bool> is_stopped_ = false;
    std::shared_ptr<const engine::EpisodeView> view_;
    std::function<void(engine::RunResult&)> save_;
    engine::FedPipeline* pipeline_ = nullptr;  // (optional) while it is available
    engine::RunResult training_end_;
    engine::RunResult prediction_end_;
    Turns turns_;  // destroyed first
};

}  // namespace ptp::host
