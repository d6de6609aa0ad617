#include "engine/train/run.hpp"

#include "config/write.hpp"
#include "engine/checkpoint/file.hpp"
#include "engine/error.hpp"
#include "engine/step/crash.hpp"
#include "engine/step/plugins.hpp"
#include "engine/train/console.hpp"
#include "engine/train/console_sink.hpp"
#include "engine/train/failure.hpp"
#include "engine/train/machine.hpp"
#include "engine/train/record_settings.hpp"
#include "engine/train/records.hpp"
#include "engine/train/run_folder.hpp"
#include "engine/train/session.hpp"
#include "engine/train/signals.hpp"
#include "engine/train/trainer.hpp"

#include <ATen/Parallel.h>
#include <fmt/core.h>
#include <spdlog/sinks/basic_file_sink.h>

#include <chrono>
#include <cstring>
#include <optional>
#include <random>
#include <utility>

namespace ptp::engine {

namespace {

std::int64_t drawn_seed() {
    std::random_device device;
    return static_cast<std::int64_t>(device());
}

class Run {
public:
    explicit Run(const RunRequest& request);

    // Leaves in the run's folder how it ended.
    int execute();

private:
    int train();
    std::shared_ptr<spdlog::logger> new_log(Verbosity verbosity);
    int finish(Session& session, Trainer& trainer, Status status);
    int interrupted();
    void note_failure(const RunError& reason);
    void announce(const Session& session);
    void say(const std::string& text);
    config::Value facts() const;

    config::Experiment experiment_;  // with the seed and the device that are used
    pipeline::Plan plan_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    at::Device device_;
    RunFolder folder_;
    Console console_;
    std::shared_ptr<spdlog::logger> log_;
    std::optional<Plugins> plugins_;
    Globals globals_;
    Surroundings surroundings_;
};

Run::Run(const RunRequest& request)
    : experiment_(request.experiment),
      plan_(request.plan),
      device_(usable_device(experiment_.device)),
      folder_(request.run_folder, experiment_.name, std::chrono::system_clock::now()),
      console_(stdout, {request.verbosity, request.is_terminal, request.has_colour}),
      log_(new_log(request.verbosity)),
      surroundings_{plan_, globals_, log_, folder_.path().string(), device_, 0} {
    if (!experiment_.seed) {
        experiment_.seed = drawn_seed();
    }
    surroundings_.seed = static_cast<std::uint64_t>(*experiment_.seed);
}

std::shared_ptr<spdlog::logger> Run::new_log(Verbosity verbosity) {
    const std::string file = (folder_.path() / "run.log").string();
    auto to_file = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file);
    auto to_console = std::make_shared<ConsoleSink>(console_);
    to_console->set_level(verbosity == Verbosity::kVerbose ? spdlog::level::debug
                                                           : spdlog::level::warn);
    const std::vector<spdlog::sink_ptr> sinks = {to_file, to_console};
    auto log = std::make_shared<spdlog::logger>("ptp", sinks.begin(), sinks.end());
    log->set_level(spdlog::level::debug);
    log->set_pattern("%Y-%m-%d %H:%M:%S.%e %l %n: %v");
    log->flush_on(spdlog::level::info);
    return log;
}

config::Value Run::facts() const {
    return config::Value::table({{"experiment", experiment_.name},
                                 {"seed", *experiment_.seed},
                                 {"plugins", plugins_->record()}});
}

void Run::announce(const Session& session) {
    console_.headline(fmt::format("{}  in {}", experiment_.name, folder_.path().string()));
    const int threads = at::get_num_threads();
    const std::string machine =
        fmt::format("seed {}; on {}, {} thread{} (OMP_NUM_THREADS)", *experiment_.seed,
                    device_.str(), threads, threads == 1 ? "" : "s");
    say(fmt::format("{} samples, {} episodes in an epoch; {}", session.training.sample_count(),
                    session.training.batch_count(), machine));
    if (const auto advice = slow_blas_advice(blas_file())) {
        log_->warn("{}", *advice);
    }
}

int Run::train() {
    replace_file(folder_.path() / "experiment.toml",
                 config::to_toml(config::resolved_tree(with_settings(experiment_, plan_))));
    const CrashReport crash(folder_.path());
    plugins_.emplace(plan_, folder_.path() / "plugins");
    const Signals signals;
    Session session(experiment_, surroundings_,
                    [this](const pipeline::Node& node) -> const ptp_component_info& {
                        return plugins_->component(node);
                    });
    Records records(folder_.path(), session.statistics.columns());
    announce(session);
    Trainer trainer({session, folder_, records, console_, *log_, facts()});
    const Status status = trainer.train();
    return finish(session, trainer, status);
}

int Run::finish(Session& session, Trainer& trainer, Status status) {
    if (status == Status::kInterrupted) {
        trainer.close_records();
        return interrupted();
    }
    const std::string reason = status_text(status, experiment_.training.terminal_conditions);
    say(reason);
    if (session.test) {
        const auto tested = trainer.test();
        if (!tested) {
            trainer.close_records();
            return interrupted();
        }
        console_.headline(fmt::format("test set, best weights  {}",
                                      set_text(session.statistics.columns(), *tested)));
        log_->info("test {}", set_text(session.statistics.columns(), *tested));
    }
    trainer.close_records();
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    say(fmt::format("{} episodes in {}; the run is in {}", trainer.position().episode + 1,
                    duration_text(seconds), folder_.path().string()));
    folder_.write_status("done", reason, kDone);
    return kDone;
}

void Run::say(const std::string& text) {
    console_.line(text);
    log_->debug("{}", text);
}

int Run::interrupted() {
    const int signal = Signals::received();
    const int code = 128 + signal;  // kHungUp, kInterrupted or kTerminated
    const std::string name = "SIG" + std::string(sigabbrev_np(signal));
    folder_.write_status("interrupted", name, code);
    log_->info("interrupted by {}", name);
    console_.line(fmt::format("interrupted by {}; the weights are in {}", name,
                              folder_.last_checkpoint().string()));
    return code;
}

int Run::execute() {
    try {
        folder_.write_status("running", "", 0);
        return train();
    } catch (const std::exception& error) {
        const RunError reason = as_run_error(error);
        note_failure(reason);
        throw reason;
    }
}

// What ended the run may also keep its status from being written: a full disk.
void Run::note_failure(const RunError& reason) {
    log_->log(spdlog::level::critical, spdlog::string_view_t(reason.what()));
    try {
        folder_.write_status("failed", reason.what(), reason.code());
    } catch (const std::exception& second) {
        log_->error("the run's status could not be written: {}", as_run_error(second).what());
    }
}

}  // namespace

int run(const RunRequest& request) {
    keep_freed_memory();
    bind_blas_threads();
    return Run(request).execute();
}

}  // namespace ptp::engine
