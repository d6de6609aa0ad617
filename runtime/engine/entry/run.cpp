// The run of a training: what its process prepares, trains and reports, and how it ends.

#include "engine/entry/run.hpp"

#include "base/duration.hpp"
#include "base/number.hpp"
#include "base/output_file.hpp"
#include "base/sha256.hpp"
#include "base/stopwatch.hpp"
#include "engine/checkpoint/checkpoint_folder.hpp"
#include "engine/checkpoint/recorded_globals.hpp"
#include "engine/component/call_recorder.hpp"
#include "engine/component/crash.hpp"
#include "engine/component/plugins.hpp"
#include "engine/component/profiler.hpp"
#include "engine/distributed/collective.hpp"
#include "engine/distributed/signals.hpp"
#include "engine/entry/embedded_training.hpp"
#include "engine/entry/ranks.hpp"
#include "engine/entry/run_files.hpp"
#include "engine/entry/run_messages.hpp"
#include "engine/entry/summary.hpp"
#include "engine/output/console.hpp"
#include "engine/output/json_lines.hpp"
#include "engine/output/reporter.hpp"
#include "engine/output/sinks.hpp"
#include "engine/statistics/records.hpp"
#include "engine/swap/live_control.hpp"
#include "engine/swap/run_plugins.hpp"
#include "engine/train/data_facts.hpp"
#include "engine/train/probe.hpp"
#include "engine/train/process_setup.hpp"
#include "engine/train/run_record.hpp"
#include "engine/train/stages.hpp"
#include "engine/train/status_file.hpp"
#include "engine/train/trainer.hpp"
#include "engine/train/training_session.hpp"
#include "engine/train/training_state.hpp"
#include "engine/train/unknown_words.hpp"
#include "run/checkpoint_record.hpp"
#include "run/events.hpp"
#include "run/paths.hpp"
#include "run/run_folder.hpp"
#include "run/tags.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

namespace ptp::engine {

namespace {

class Run {
public:
    Run(const RunRequest& request, const Embedding* embedding, CallRecorder* recorder);

    // Leaves in the run's folder how it ended.
    int execute();

private:
    int train();
    int train(TrainingSession& session, ComponentContext& component_context,
              const std::string& resolved);
    std::string write_records();
    std::string write_new_records(const RunRecord& record, const std::string& text);
    void restore(Trainer& trainer);
    int finish(TrainingSession& session, Trainer& trainer, Records& records, Status status);
    int interrupted(TrainingSession& session, const Trainer& trainer, Records& records);
    void announce_training(TrainingSession& session, ComponentContext& component_context);
    run::CheckpointRecord facts(const Globals& globals) const;

    const RunRequest& request_;
    const Embedding* embedding_;                   // (optional)
    const std::unique_ptr<Collective> processes_;  // that train together
    experiment::Experiment experiment_;            // with the seed and the device that are used
    pipeline::Plan plan_;
    at::Device device_;
    RunFiles files_;
    Stages stages_;
    StatusFile status_;
    Console console_;
    std::shared_ptr<spdlog::logger> log_;
    run::EventLog events_;
    CheckpointFolder checkpoints_;
    CheckpointFolder::Found found_;  // where a resumed run continues
    Sinks sinks_;
    RunFinisher ending_;
    std::optional<Plugins> plugins_;
    std::unique_ptr<plugin::Catalog> changed_plugins_;  // what plan_ points into; often nullptr
    Globals globals_;
    ComponentContext component_context_;
    std::shared_ptr<NextPipeline> resumed_;  // with newer plugins than the run began with
    ClassCounts class_counts_;
    Stopwatch time_;
    std::uint64_t episodes_before_ = 0;  // of a run that is continued
    double seconds_before_ = 0;          // of training, by earlier processes
};

Run::Run(const RunRequest& request, const Embedding* embedding, CallRecorder* recorder)
    : request_(request),
      embedding_(embedding),
      processes_(join_processes(request.place, request.experiment.distributed)),
      experiment_(with_common_seed(request.experiment, *processes_)),
      plan_(request.plan),
      device_(device_of_rank(experiment_, request.place)),
      files_(run_files(request, embedding, *processes_)),
      stages_({experiment_, plan_, files_.folder ? files_.run : std::filesystem::path()},
              request.stages),
      status_(files_.own / run::kStatusFile),
      console_(files_.output,
               {request.verbosity, request.is_terminal, request.has_color, request.is_json},
               files_.warnings),
      log_(new_log(files_.log, console_, request.verbosity)),
      events_(files_.run / run::kEventsFile),
      checkpoints_(files_.run / run::kCheckpointsFolder, experiment_.checkpoint.keep, *log_),
      sinks_(*log_),
      ending_(status_, *log_, sinks_),
      component_context_{plan_,   globals_,
                         log_,    files_.own.string(),
                         device_, static_cast<std::uint64_t>(*experiment_.seed),
                         recorder} {
    processes_->watch(files_.run);
    processes_->on_first([&] {
        if (request.is_json) {
            sinks_.add(std::make_unique<JsonEvents>(console_));
        }
        add_record_sinks(sinks_, experiment_.records, files_.run);
        if (experiment_.report) {  // the last sink: the files of the others are written then
            sinks_.add(std::make_unique<Reporter>(*experiment_.report, files_.run, *log_,
                                                  processes_->size() - 1));
        }
    });
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

// Returns the text of experiment.toml.
std::string Run::write_records() {
    const std::string text = request_.resume ? read_text(first_experiment(files_.run))
                                             : experiment_text(experiment_, plan_);
    refuse_unreadable(text);
    const RunRecord record = {request_, experiment_.name,   *experiment_.seed,
                              device_,  plugins_->record(), sha256(text)};
    if (!request_.resume) {
        return write_new_records(record, text);
    }
    if (!request_.place.restart_reason.empty()) {  // the launcher has printed it
        log_->info(
            fmt::format("restart {}: {}", request_.place.restart, request_.place.restart_reason));
    }
    for (const std::string& difference : extend_run_record(files_.run, record)) {
        log_->warn(
            fmt::format("the numbers may differ in their last bits from the uninterrupted run: {}",
                        difference));
    }
    return read_text(files_.run / run::kExperimentFile);
}

// The text is written last: with it the folder is the folder of a run, which can be resumed.
std::string Run::write_new_records(const RunRecord& record, const std::string& text) {
    if (!request_.tags.empty()) {
        run::TagsChange change(files_.run);
        change.tags.tags = request_.tags;
        change.write();
    }
    for (const std::string& warning : write_run_record(files_.run, record)) {
        log_->warn(warning);
    }
    if (!request_.git.problem.empty()) {
        log_->warn(
            fmt::format("the state of git is recorded as unknown: {}", request_.git.problem));
    }
    replace_file(files_.run / run::kExperimentFile, text);
    warn_of_replay(request_, experiment_, device_, *log_);
    return text;
}

int Run::train() {
    const bool handles_signals = embedding_ == nullptr || embedding_->handles_signals;
    std::optional<CrashReport> crash;
    if (handles_signals) {
        crash.emplace(files_.own);
    }
    plugins_.emplace(files_.own / run::kPluginsFolder);
    changed_plugins_ = load_plugins(experiment_, plan_, *plugins_, *log_);
    const Signals signals(handles_signals ? Signals::Handlers::kInstall : Signals::Handlers::kNone);
    require_same({experiment_, plan_, plugins_->record(), request_.run_folder.value_or(""),
                  request_.place.host},
                 *processes_);
    std::string resolved;
    processes_->on_first([&] { resolved = write_records(); });
    if (request_.resume) {
        found_ = resume_point(request_, files_.run, checkpoints_, *processes_);
    }
    processes_->start(device_, experiment_.distributed.is_compressed, *log_);
    if (found_.newest_whole) {
        resumed_ = resumed_pipeline({experiment_, plan_, component_context_}, *plugins_, files_.run,
                                    *found_.newest_whole, request_.is_safe);
    }
    ComponentContext& component_context =
        resumed_ ? resumed_->component_context : component_context_;
    const auto known = pipeline::class_count_problems(component_context.plan, Value::table());
    const SavedComponents saved = read_saved(found_.newest_whole);
    component_context.saved = &saved;
    TrainingSession session(
        experiment_, component_context, *plugins_, *processes_,
        found_.newest_whole ? FirstWeights::kFromCheckpoint : FirstWeights::kFromExperiment);
    class_counts_ = check_classes(component_context, experiment_.training, known, *log_);
    session.accepts_other_data = request_.resume && request_.resume->accepts_other_data;
    session.share();
    CallRecorder* const recorder = component_context.recorder;
    const int code =
        record_training(recorder, [&] { return train(session, component_context, resolved); });
    if (recorder != nullptr) {
        console_.line_and_log(recorder->summary());
    }
    return code;
}

int Run::train(TrainingSession& session, ComponentContext& component_context,
               const std::string& resolved) {
    const std::uint64_t first_epoch_number = first_epoch(files_.run);
    Records records(files_.run, session.statistics.columns(), *log_, first_epoch_number,
                    session.validation_names());
    processes_->on_others([&] { records.mute(); });
    processes_->in_first(
        "the summary of the data", [&] { announce_training(session, component_context); }, *log_);
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
        {session, *plugins_, swapper, *log_, console_, files_.run, files_.own, stages_}, request_);
    std::optional<EmbeddedTraining> embedded;
    if (embedding_ != nullptr) {
        sinks_.add(embedded.emplace(*embedding_).sink());
    }
    session.drop_unread(sinks_);
    check_probe(session);
    Trainer trainer({session, checkpoints_, records, sinks_, status_, console_, *log_, live,
                     facts(component_context.globals), embedded ? &*embedded : nullptr,
                     request_.shown_statistic, request_.stop_after, request_.stop_after_episodes,
                     request_.epochs_before_stop, files_.folder ? &events_ : nullptr,
                     files_.folder ? files_.run / run::kModelFile : std::filesystem::path(),
                     &component_context.plan});
    if (request_.resume) {
        restore(trainer);
    } else {
        trainer.begin();
    }
    processes_->on_first([&] { files_.folder->keep(); });
    sinks_.tell(&Sink::begin,
                {experiment_.name, files_.run, *experiment_.seed, device_.str(), resolved, plan_,
                 session.statistics.columns(), trainer.episodes_done(), first_epoch_number,
                 &component_context.globals, log_.get()});
    const int code = finish(session, trainer, records, trainer.train());
    wait_at_end(*processes_, *log_);  // the first process keeps the store until then
    if (profiler) {
        write_profile(*profiler, files_.own / run::kTraceFile, console_, *log_);
    }
    return code;
}

void Run::announce_training(TrainingSession& session, ComponentContext& component_context) {
    engine::announce_training(session, component_context, request_, files_.run, console_);
    warn_of_training(session, request_, *log_);
    if (request_.resume && request_.verbosity != Verbosity::kVerbose) {
        return;  // It loads samples, and would not be shown.
    }
    const EvaluationState before = evaluation_state(session);
    const std::string text =
        model_summary(session.components, plan_) + data_summary(session, plan_);
    restore_evaluation(session, before);  // the summary must not change generators
    if (!request_.resume) {
        refuse_unknown_words(session, false);  // the first epoch reads the training set anyway
        replace_file(files_.run / run::kSummaryFile, text);
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
        log_->warn(begins_again_text(status_.epochs()));
        return trainer.restart();
    }
    const std::int64_t before = status_.episodes();  // which the trainer sets back
    trainer.restore(*found_.newest_whole, seconds_before_);
    episodes_before_ = trainer.episodes_done();
    if (experiment_.training.dataloader.is_reservoir()) {
        log_->warn(
            "the reservoir begins empty: the run does not continue with the bits of the "
            "uninterrupted one");
    }
    const std::string warning =
        files_.folder ? events_.add({"resume", episodes_before_, trainer.epoch_number()}) : "";
    if (!warning.empty()) {
        log_->warn(warning);
    }
    console_.line_and_log(continuing_text(episodes_before_, before, *found_.newest_whole,
                                          !request_.resume->checkpoint.empty()));
}

int Run::finish(TrainingSession& session, Trainer& trainer, Records& records, Status status) {
    const auto finish_records = [&] {
        records.finish();
        finish_tried(session, files_.run);
    };
    if (status == Status::kInterrupted) {
        return interrupted(session, trainer, records);
    }
    if (status == Status::kDiverged) {
        finish_records();
        throw RunError(kDiverged, trainer.divergence_text());
    }
    const std::string reason = status_text(status, experiment_.training);
    announce_end(session, reason, trainer.best(), console_);
    if (session.test) {
        const bool has_best = std::filesystem::exists(checkpoints_.best());
        const auto tested = trainer.test();
        if (!tested) {
            return interrupted(session, trainer, records);
        }
        console_.headline_and_log(fmt::format("test set, {} weights  {}",
                                              has_best ? "best" : "last",
                                              set_text(session.statistics.columns(), *tested)));
    }
    finish_records();
    const std::uint64_t count = trainer.episodes_done();
    const std::uint64_t own = count - std::min(count, episodes_before_);
    console_.line_and_log(fmt::format("{}{} in {}; the run is in {}", counted(count, "episode"),
                                      own == count ? "" : fmt::format(", {} of them", own),
                                      duration_text(time_.seconds(), DurationStyle::kProse),
                                      files_.run.string()));
    if (request_.is_fast_dev_run) {
        processes_->on_first(
            [&] { std::filesystem::remove_all(files_.run / run::kCheckpointsFolder); });
        console_.line_and_log("that was a fast development run: its checkpoints are removed");
    }
    return ending_.done(reason);
}

int Run::interrupted(TrainingSession& session, const Trainer& trainer, Records& records) {
    const int signal = Signals::received();
    records.finish();
    const int code = ending_.stopped(signal);
    console_.line(fmt::format("stopped by {} after episode {}; to continue: ptprun resume {}",
                              Signals::name(signal), trainer.episodes_done(), files_.run.string()));
    finish_tried(session, files_.run);  // last: others may be killed soon after the signal
    return code;
}

int Run::execute() {
    return ending_.guard([this] {
        try {
            seconds_before_ = status_.begin();
            return train();
        } catch (const std::exception& error) {
            const RunError reason = processes_->explained(with_other_data(
                with_class_fix(error, class_counts_), plan_, request_, found_.newest_whole));
            if (reason.code() != kConfigurationError && reason.code() != kDataError) {
                processes_->on_first([&] { files_.folder->keep(); });
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
