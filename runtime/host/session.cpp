// Trains on a thread of its own, which waits between two steps of the caller.

#include "host/session.hpp"

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "host/begun_sessions.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <system_error>

namespace ptp::host {

namespace fs = std::filesystem;

namespace {

using engine::RunResult;

// Sets a flag while it exists.
class FlagSet {
public:
    explicit FlagSet(bool& flag) : flag_(flag) { flag_ = true; }
    ~FlagSet() { flag_ = false; }
    FlagSet(const FlagSet&) = delete;
    FlagSet& operator=(const FlagSet&) = delete;

private:
    bool& flag_;
};

}  // namespace

Session::Session(Request request, SessionOptions options)
    : request_(std::move(request)),
      options_(std::move(options)),
      nothing_(options_.output == nullptr ? std::fopen("/dev/null", "we") : nullptr) {
    std::error_code ignored;
    const bool is_run =
        options_.is_resumed ||
        (!request_.text &&
         fs::is_regular_file(fs::path(request_.file) / run::kExperimentFile, ignored));
    if (is_run) {
        run_ = request_.file;
        request_.file = (*run_ / run::kExperimentFile).string();
    }
}

Session::~Session() {
    if (pipeline_ != nullptr) {
        end_prediction();
    } else if (turns_.is_waiting()) {
        stop();
    }
    turns_.finish();
    begun().remove(this);
    if (nothing_ != nullptr) {
        std::fclose(nothing_);
    }
}

RunResult Session::check() {
    if (turns_.is_waiting()) {
        return misuse("the experiment is in use; check it before, or after its end");
    }
    problems_ = Diagnostics();
    if (!options_.why_unknown.empty()) {
        problems_.error(SourceLocation(request_.file, 0, 0), "", options_.why_unknown);
        return {.exit_code = kConfigurationError, .error = options_.why_unknown};
    }
    if (options_.is_resumed) {
        return check_resume();
    }
    prepared_ = run_ ? prepared_prediction(problems_).prepared : prepare(request_, problems_);
    const int code = exit_code_for(problems_, prepared_.catalog);
    return {.exit_code = code, .error = code == kDone ? std::string() : problems_.text()};
}

RunResult Session::check_resume() {
    resume_.reset();
    prepared_ = {};
    if (const auto reason = not_a_run(*run_)) {
        problems_.error(SourceLocation(run_->string(), 0, 0), "", *reason);
        return {.exit_code = kConfigurationError, .error = *reason};
    }
    const run::Status status = status_of(*run_);
    is_done_ = status.state == "done" && request_.overrides.empty();
    episodes_before_ = static_cast<std::uint64_t>(std::max<std::int64_t>(0, status.episode));
    if (is_done_) {
        return {};
    }
    resume_ = prepare_resume(*run_, {}, status.reason, request_, problems_);
    prepared_ = std::move(resume_->prepared);
    if (resume_->standing) {
        episodes_before_ = static_cast<std::uint64_t>(resume_->standing->episodes);
    }
    if (resume_->diverged) {
        problems_.error(SourceLocation(run_->string(), 0, 0), "", *resume_->diverged);
        return {.exit_code = resume_->exit_code, .error = resume_->diverged->text()};
    }
    return {.exit_code = resume_->exit_code,
            .error = problems_.ok() ? std::string() : problems_.text()};
}

engine::Embedding Session::embedding() const {
    return {.handles_signals = options_.handles_signals,
            .output = options_.output == nullptr ? nothing_ : options_.output};
}

// --- training ----------------------------------------------------------------------------------

void Session::wait_between_episodes(const engine::WaitingTraining& training) {
    view_ = training.view;
    save_ = training.save;
    if (!trains_to_end_ && !is_stopped_) {
        turns_.wait();
    }
    if (is_stopped_) {
        stop_engine();  // again: the training may not have begun at the first call
    }
    save_ = nullptr;
}

void Session::train() {
    engine::RunRequest request{prepared_.experiment, *prepared_.plan,
                               resume_ ? run_ : options_.run_folder};
    request.verbosity =
        options_.output == nullptr ? engine::Verbosity::kQuiet : engine::Verbosity::kNormal;
    request.command_line = {"libptp", request_.file};
    if (resume_) {
        use_kernels_of(*run_);
        request.resume = {.new_values = resume_->new_values};
        request.stages = resume_->stages.experiments;
        request.command_line = {"libptp", "resume", run_->string()};
    }
    engine::Embedding embedded = embedding();
    embedded.between_episodes = [this](const engine::WaitingTraining& training) {
        wait_between_episodes(training);
    };
    training_end_ = train_in_engine(request, embedded);
}

RunResult Session::begin_training() {
    if (Turns::is_worker()) {
        return misuse(kAskedByComponent);
    }
    if (request_.bundle) {
        return misuse("a bundle predicts; load in [pipeline] trains from its weights");
    }
    if (run_ && !options_.is_resumed) {
        return misuse(
            fmt::format("{} is a run, which predicts here: open its {} to train anew, or "
                        "continue it by ptp_experiment_resume() or ptprun resume",
                        run_->string(), run::kExperimentFile));
    }
    if (is_done_) {
        has_trained_ = true;
        return {};
    }
    if (!prepared_.plan || !problems_.ok()) {
        return misuse("the experiment has errors, or was not checked");
    }
    end_prediction();
    if (!begun().add(this, BegunSessions::Use::kAlone)) {
        return misuse(kOtherComputes);
    }
    Beginning beginning(this);
    turns_.begin([this] { train(); });
    beginning.keep();
    has_trained_ = true;
    return {};
}

RunResult Session::step(bool& is_running) {
    is_running = false;
    if (!has_trained_) {
        const RunResult begun = begin_training();
        if (begun.exit_code != kDone) {
            return begun;
        }
    }
    if (pipeline_ == nullptr && turns_.is_waiting()) {
        turns_.resume();
    }
    is_running = pipeline_ == nullptr && turns_.is_waiting();
    if (is_running) {
        return {};
    }
    if (pipeline_ == nullptr) {
        begun().remove(this);
    }
    return training_end_;
}

RunResult Session::run() {
    const FlagSet to_end(trains_to_end_);
    bool is_running = false;
    RunResult result = step(is_running);
    while (is_running) {
        result = step(is_running);
    }
    return result;
}

RunResult Session::save() {
    if (pipeline_ != nullptr || !turns_.is_waiting()) {
        return misuse("no training waits between two steps, so that there is nothing to save");
    }
    RunResult result;
    turns_.ask([&] { save_(result); });
    return result;
}

void Session::stop() noexcept {
    is_stopped_ = true;
    if (begun().has(this)) {
        stop_engine();
    }
}

fs::path Session::run_folder() const {
    return view_ ? view_->run_folder() : run_.value_or("");
}

RunResult Session::measure(const std::string& statistic, double& value) const {
    if (!view_) {
        return misuse("no episode has run yet");
    }
    RunResult result;
    view_->measure(statistic, value, result);
    return result;
}

}  // namespace ptp::host
