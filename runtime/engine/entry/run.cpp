#include "engine/entry/run.hpp"

#include "base/counted.hpp"
#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/sha256.hpp"
#include "base/stopwatch.hpp"
#include "base/time_text.hpp"
#include "base/toml_writer.hpp"
#include "engine/checkpoint/checkpoints.hpp"
#include "engine/checkpoint/recorded_globals.hpp"
#include "engine/component/call_recorder.hpp"
#include "engine/component/crash.hpp"
#include "engine/component/plugins.hpp"
#include "engine/component/profiler.hpp"
#include "engine/distributed/long_work.hpp"
#include "engine/distributed/rank_watch.hpp"
#include "engine/entry/embedded_training.hpp"
#include "engine/entry/ranks.hpp"
#include "engine/entry/resume_point.hpp"
#include "engine/entry/run_announcements.hpp"
#include "engine/entry/run_warnings.hpp"
#include "engine/entry/summary.hpp"
#include "engine/output/console.hpp"
#include "engine/output/json_lines.hpp"
#include "engine/output/run_log.hpp"
#include "engine/output/sinks.hpp"
#include "engine/statistics/records.hpp"
#include "engine/swap/changed_plugins.hpp"
#include "engine/swap/live_control.hpp"
#include "engine/swap/resumed_pipeline.hpp"
#include "engine/train/process_setup.hpp"
#include "engine/train/run_finisher.hpp"
#include "engine/train/run_record.hpp"
#include "engine/train/session.hpp"
#include "engine/train/signals.hpp"
#include "engine/train/stages.hpp"
#include "engine/train/status_file.hpp"
#include "engine/train/trainer.hpp"
#include "engine/train/training_state.hpp"
#include "engine/train/unknown_words.hpp"
#include "run/checkpoint_record.hpp"
#include "run/paths.hpp"
#include "run/run_folder.hpp"
#include "run/tags.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace {

class Run {
public:
    Run(const RunRequest& request, const Embedding* embedding, CallRecorder* recorder);

    // Leaves in the run's folder how it ended.
    int execute();

private:
    int train();
    int train(Session& session, ComponentContext& component_context, const std::string& resolved);
    std::string write_records();
    void restore(Trainer& trainer);
    int finish(Session& session, Trainer& trainer, Records& records, Status status);
    int interrupted(Trainer& trainer);
    void announce_training(Session& session, ComponentContext& component_context);
    run::CheckpointRecord facts(const Globals& globals) const;

    const RunRequest& request_;
    const Embedding* embedding_;         // (optional)
    std::unique_ptr<Group> group_;       // nullptr: this process trains alone
    experiment::Experiment experiment_;  // with the seed and the device that are used
    pipeline::Plan plan_;
    at::Device device_;
    std::unique_ptr<run::RunFolder> folder_;  // nullptr: the first process has it
    std::filesystem::path run_;               // the path of the run's folder
    std::optional<RankWatch> watch_;          // of a process that trains together with others
    std::filesystem::path own_;               // the same, or what this process has in it
    Stages stages_;
    StatusFile status_;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> nowhere_;  // the log has what others report
    Console console_;
    std::shared_ptr<spdlog::logger> log_;
    Checkpoints checkpoints_;
    Checkpoints::Found found_;  // where a resumed run continues
    Sinks sinks_;
    RunFinisher ending_;
    std::optional<Plugins> plugins_;
    std::unique_ptr<ChangedPlugins> changed_plugins_;  // what plan_ points into; often nullptr
    Globals globals_;
    ComponentContext component_context_;
    std::shared_ptr<NextPipeline> resumed_;  // with newer plugins than the run began with
    Stopwatch time_;
    double seconds_before_ = 0;  // of training, by earlier processes
};

Run::Run(const RunRequest& request, const Embedding* embedding, CallRecorder* recorder)
    : request_(request),
      embedding_(embedding),
      group_(join_group(request)),
      experiment_(with_common_seed(request.experiment, group_.get())),
      plan_(request.plan),
      device_(device_of_rank(experiment_, group_.get())),
      folder_(folder_of_run(request)),
      run_(common_folder(folder_ ? folder_->path() : std::filesystem::path(), group_.get())),
      own_(folder_ ? run_ : own_folder_of_rank(run_, *group_)),
      stages_({experiment_, plan_, folder_ ? run_ : std::filesystem::path()},
              request.stages.empty() ? std::vector{experiment_} : request.stages),
      status_(own_ / run::kStatusFile),
      nowhere_(std::fopen("/dev/null", "w"), std::fclose),
      console_(!folder_               ? nowhere_.get()
               : embedding == nullptr ? stdout
                                      : embedding->output,
               {request.verbosity, request.is_terminal, request.has_color, request.is_json},
               folder_ && embedding == nullptr ? stderr : nullptr),
      log_(new_log(folder_ ? run_ / run::kLogFile : run::rank_log(run_, request.place.rank),
                   console_, request.verbosity)),
      checkpoints_(run_ / run::kCheckpointsFolder, experiment_.checkpoint.keep, *log_),
      sinks_(*log_),
      ending_(status_, *log_, sinks_),
      component_context_{plan_,         globals_, log_,
                         own_.string(), device_,  static_cast<std::uint64_t>(*experiment_.seed),
                         recorder} {
    if (group_) {
        watch_.emplace(*group_, run_);
    }
    if (!folder_) {
        return;
    }
    if (request.is_json) {
        sinks_.add(std::make_unique<JsonEvents>(console_));
    }
    add_record_sinks(sinks_, experiment_.records, run_);
}

// The content of every checkpoint's record.
run::CheckpointRecord Run::facts(const Globals& globals) const {
    run::CheckpointRecord record;
    record.experiment = experiment_.name;
    record.seed = *experiment_.seed;
    record.is_reproducible = !experiment_.training.dataloader.is_reservoir() &&
                             (device_.is_cpu() || experiment_.is_deterministic);
    record.globals = globals.values();
    return record;
}

// Returns the text of experiment.toml. It is written last: with it the folder is the folder of a
// run, which can be resumed.
std::string Run::write_records() {
    if (!folder_) {
        return "";
    }
    const std::filesystem::path experiment = run_ / run::kExperimentFile;
    const std::string text = request_.is_resumed ? read_text(first_experiment(run_))
                                                 : experiment_text(experiment_, plan_);
    refuse_unreadable(text);
    const RunRecord record = {request_, experiment_.name,   *experiment_.seed,
                              device_,  plugins_->record(), sha256(text)};
    if (!request_.is_resumed) {
        if (!request_.tags.empty()) {
            run::change_tags(run_, [&](run::Tags& tags) { tags.tags = request_.tags; });
        }
        write_run_record(run_, record);
        if (!request_.git.problem.empty()) {
            log_->warn(
                fmt::format("the state of git is recorded as unknown: {}", request_.git.problem));
        }
        replace_file(experiment, text);
        warn_of_replay(request_, experiment_, device_, *log_);
        return text;
    }
    if (!request_.place.restart_reason.empty()) {  // which the launcher has shown
        log_->info(
            fmt::format("restart {}: {}", request_.place.restart, request_.place.restart_reason));
    }
    for (const std::string& difference : extend_run_record(run_, record)) {
        log_->warn(
            fmt::format("the numbers may differ in their last bits from the uninterrupted run: {}",
                        difference));
    }
    return read_text(experiment);
}

int Run::train() {
    const bool handles_signals = embedding_ == nullptr || embedding_->handles_signals;
    std::optional<CrashReport> crash;
    if (handles_signals) {
        crash.emplace(own_);
    }
    plugins_.emplace(own_ / run::kPluginsFolder);
    changed_plugins_ = load_plugins(experiment_, plan_, *plugins_, *log_);
    const Signals signals(handles_signals ? Signals::Handlers::kInstall : Signals::Handlers::kNone);
    if (group_) {
        require_same({experiment_text(experiment_, plan_), inline_toml(plugins_->record()),
                      request_.run_folder.value_or("")},
                     *group_);
    }
    const std::string resolved = write_records();
    if (request_.is_resumed) {
        found_ = common_resume_point(request_, run_, checkpoints_, group_.get());
    }
    if (group_) {
        start_together(*group_, device_, experiment_.distributed.is_compressed, *log_);
    }
    if (found_.newest_whole) {
        resumed_ = resumed_pipeline({experiment_, plan_, component_context_}, *plugins_, run_,
                                    *found_.newest_whole, request_.is_safe);
    }
    ComponentContext& component_context =
        resumed_ ? resumed_->component_context : component_context_;
    const auto known = pipeline::class_count_problems(component_context.plan, Value::table());
    const SavedComponents saved = read_saved(found_.newest_whole);
    component_context.saved = &saved;
    Session session(
        experiment_, component_context,
        [this](const pipeline::Node& node) -> const ptp_component_info& {
            return plugins_->component(node);
        },
        found_.newest_whole ? FirstWeights::kFromCheckpoint : FirstWeights::kFromExperiment);
    warn_of_classes(component_context, known, *log_);
    session.accepts_other_data = request_.accepts_other_data;
    if (group_) {
        session.share(*group_, *watch_);
    }
    CallRecorder* const recorder = component_context.recorder;
    const int code =
        record_training(recorder, [&] { return train(session, component_context, resolved); });
    if (recorder != nullptr) {
        console_.say(recorder->summary());
    }
    return code;
}

int Run::train(Session& session, ComponentContext& component_context, const std::string& resolved) {
    const std::uint64_t first_epoch_number = first_epoch(run_);
    Records records(run_, session.statistics.columns(), *log_, first_epoch_number,
                    session.validation_names());
    if (!folder_) {
        records.mute();
    }
    const auto announce = [&] { announce_training(session, component_context); };
    group_ ? work_in_first(*group_, "the summary of the data", announce) : announce();
    if (component_context.recorder != nullptr) {
        component_context.recorder->start();
    }
    TrainingThreads threads(request_.adapts_threads, *log_);
    session.threads = &threads;
    std::optional<Profiler> profiler;
    if (request_.is_profiled) {
        session.profiler = &profiler.emplace(plan_, device_);
        session.executor.profile(*profiler);
    }
    Swapper swapper({session, *plugins_, component_context.plan, component_context});
    LiveControl live(
        {session, *plugins_, swapper, *log_, run_, own_,
         [this](const std::string& text) { console_.announce(text); }, stages_},
        {request_.is_watching, request_.is_paused, request_.script, request_.script_plugins,
         request_.new_values, request_.is_safe, request_.try_build});
    std::optional<EmbeddedTraining> embedded;
    if (embedding_ != nullptr) {
        sinks_.add(embedded.emplace(*embedding_).sink());
    }
    session.drop_unread([this](std::string_view stream) { return sinks_.read(stream); });
    Trainer trainer({session, checkpoints_, records, sinks_, status_, console_, *log_,
                     embedded ? embedded->with_waits(live.hooks()) : live.hooks(),
                     facts(component_context.globals), request_.shown_statistic,
                     request_.stop_after, request_.stop_after_episodes});
    if (request_.is_resumed) {
        restore(trainer);
    } else {
        trainer.begin();
    }
    if (folder_) {
        folder_->keep();
    }
    sinks_.begin({experiment_.name, run_, *experiment_.seed, device_.str(), resolved, plan_,
                  session.statistics.columns(), trainer.episodes_done(), first_epoch_number});
    const Status status = trainer.train();
    const int code = finish(session, trainer, records, status);
    if (group_) {
        group_->barrier("the end");  // the first process keeps the store until then
    }
    if (profiler) {
        write_profile(*profiler, own_ / run::kTraceFile, console_, *log_);
    }
    return code;
}

void Run::announce_training(Session& session, ComponentContext& component_context) {
    engine::announce_training(session, component_context, request_, run_, console_);
    warn_of_training(session, *log_);
    if (request_.is_resumed && request_.verbosity != Verbosity::kVerbose) {
        return;  // It loads samples, and would not be shown.
    }
    const EvaluationState before = evaluation_state(session);
    const std::string text = model_summary(session.components) + data_summary(session, plan_);
    restore_evaluation(session, before);  // who only looks on changes nothing
    if (!request_.is_resumed) {
        refuse_unknown_words(session);
        replace_file(run_ / run::kSummaryFile, text);
    }
    if (request_.verbosity == Verbosity::kVerbose) {
        console_.line(text.substr(0, text.size() - 1));
    }
}

void Run::restore(Trainer& trainer) {
    for (const std::string& damage : found_.damaged) {
        log_->warn(damage);
    }
    if (!found_.newest_whole) {
        trainer.restart();
        return log_->warn("the run had no checkpoint yet: it begins again");
    }
    trainer.restore(*found_.newest_whole, seconds_before_);
    if (experiment_.training.dataloader.is_reservoir()) {
        log_->warn(
            "the reservoir begins empty: the run does not continue with the bits of the "
            "uninterrupted one");
    }
    console_.say(fmt::format("going on after episode {}, from {}", trainer.episodes_done(),
                             found_.newest_whole->string()));
}

int Run::finish(Session& session, Trainer& trainer, Records& records, Status status) {
    if (status == Status::kInterrupted) {
        records.finish();
        return interrupted(trainer);
    }
    if (status == Status::kDiverged) {
        records.finish();
        throw RunError(kDiverged, trainer.divergence_text());
    }
    const std::string reason = status_text(status, experiment_.training);
    announce_end(session, reason, trainer.best(), console_);
    if (session.test) {
        const bool has_best = std::filesystem::exists(checkpoints_.best());
        const auto tested = trainer.test();
        if (!tested) {
            records.finish();
            return interrupted(trainer);
        }
        console_.announce(fmt::format("test set, {} weights  {}", has_best ? "best" : "last",
                                      set_text(session.statistics.columns(), *tested)));
    }
    records.finish();
    console_.say(fmt::format("{} in {}; the run is in {}",
                             counted(trainer.episodes_done(), "episode"),
                             duration_text(time_.seconds(), DurationStyle::kProse), run_.string()));
    if (request_.is_fast_dev_run && folder_) {
        std::filesystem::remove_all(run_ / run::kCheckpointsFolder);
        console_.say("that was a fast development run: its checkpoints are removed");
    }
    return ending_.done(reason);
}

int Run::interrupted(Trainer& trainer) {
    const int signal = Signals::received();
    const int code = ending_.stopped(signal);
    console_.line(fmt::format("stopped by {} after episode {}; to continue: ptprun resume {}",
                              Signals::name(signal), trainer.episodes_done(), run_.string()));
    return code;
}

int Run::execute() {
    return ending_.guard([this] {
        try {
            seconds_before_ = status_.begin();
            return train();
        } catch (const std::exception& error) {
            const RunError reason =
                watch_ ? watch_->explained(as_run_error(error)) : as_run_error(error);
            if (folder_ && reason.code() != kConfigurationError && reason.code() != kDataError) {
                folder_->keep();
            }
            throw reason;
        }
    });
}

}  // namespace

int run(const RunRequest& request, const Embedding* embedding, CallRecorder* recorder) {
    embedding == nullptr ? set_up_process() : set_up_embedded();
    return Run(request, embedding, recorder).execute();
}

}  // namespace ptp::engine
