// Runs sections through trained components, and records their statistics in a folder.

#include "engine/predict/predict.hpp"

#include "base/error.hpp"
#include "base/number.hpp"
#include "base/output_file.hpp"
#include "base/toml_writer.hpp"
#include "engine/output/console.hpp"
#include "engine/output/progress.hpp"
#include "engine/output/progress_line.hpp"
#include "engine/output/sinks.hpp"
#include "engine/predict/evaluated.hpp"
#include "engine/statistics/records.hpp"
#include "engine/statistics/statistics.hpp"
#include "engine/train/data_facts.hpp"
#include "engine/train/episode.hpp"
#include "engine/train/process_setup.hpp"
#include "engine/train/stages.hpp"
#include "engine/train/status_file.hpp"
#include "run/paths.hpp"
#include "run/run_folder.hpp"

#include <fmt/core.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace {

// Returns the name of the tables of a section: "easy" for [process.easy].
std::string table_of(const std::string& section) {
    constexpr std::string_view kPrefix = "process.";
    return section.starts_with(kPrefix) ? section.substr(kPrefix.size()) : section;
}

// The statistics of a section as CSV: <section>_batches.csv with a row for each batch and, at the
// end, <section>.csv with one for the set. Throws RunError when the disk does not take them.
class SetRecords {
public:
    SetRecords(std::filesystem::path folder, std::string section, std::vector<Column> columns,
               StatisticSet set)
        : folder_(std::move(folder)),
          section_(std::move(section)),
          columns_(std::move(columns)),
          set_(set),
          batches_(OutputFile::create(folder_ / (section_ + "_batches.csv")), {"batch", "samples"},
                   batch_cells(columns_, std::vector<double>(columns_.size()), set)) {}

    void batch(std::uint64_t index, std::uint64_t samples, std::span<const double> values) {
        batches_.add(index);
        batches_.add(samples);
        batches_.add(batch_cells(columns_, values, set_));
        batches_.end_row();
    }

    // Both files are on the disk when it returns.
    void finish(std::uint64_t batches, std::uint64_t samples,
                const std::vector<Aggregate>& aggregates) {
        batches_.finish();
        const std::filesystem::path path = folder_ / (section_ + ".csv");
        const std::filesystem::path made = path.string() + ".new";
        try {
            const Cells cells = set_cells(columns_, aggregates);
            CsvFile file(OutputFile::create(made), {"batches", "samples"}, cells);
            file.add(batches);
            file.add(samples);
            file.add(cells);
            file.end_row();
            file.finish();
        } catch (...) {
            std::error_code ignored;
            std::filesystem::remove(made, ignored);
            throw;
        }
        std::filesystem::rename(made, path);
        sync_folder(folder_);
    }

private:
    std::filesystem::path folder_;
    std::string section_;
    std::vector<Column> columns_;
    StatisticSet set_;
    CsvFile batches_;
};

class Process {
public:
    explicit Process(const ProcessRequest& request)
        : request_(request),
          experiment_(with_seed(request.experiment)),
          plan_(request.plan),
          device_(usable_device(experiment_.device, experiment_.is_deterministic)),
          folder_(
              run::make_folder(request.folder, request.parent, std::chrono::system_clock::now())),
          status_(folder_ / run::kStatusFile),
          console_(stdout, {request.verbosity, request.is_terminal, request.has_color}, stderr),
          log_(new_log(folder_ / "process.log", console_, request.verbosity)),
          no_sinks_(*log_),
          ending_(status_, *log_, no_sinks_) {}

    // Returns the exit code. The status file in the folder then states how it ended.
    int execute() {
        return ending_.guard([this] {
            status_.begin();
            return run();
        });
    }

private:
    int run() {
        const DeterminismWarnings determinism(device_, experiment_.is_deterministic, *log_);
        replace_file(folder_ / run::kExperimentFile,
                     to_toml(experiment::resolved_tree(with_settings(experiment_, plan_))));
        EvaluatedPipeline pipeline(
            {experiment_, plan_, request_.checkpoint, folder_, log_, device_});
        statistics_.emplace(plan_, pipeline.components, experiment_.training.loss_weights);
        console_.headline(fmt::format("{}  in {}", experiment_.name, folder_.string()));
        warn_of_changed_data(experiment_, plan_, pipeline.saved.data, *log_);
        for (const std::string& section : request_.sections) {
            if (!run_section(section, pipeline)) {
                return interrupted();
            }
        }
        pipeline.tried.finish(pipeline.tried.counts(plan_));
        return ending_.done("");
    }

    // Returns false if a signal ended it.
    bool run_section(const std::string& name, EvaluatedPipeline& pipeline) {
        EvaluatedSection evaluated(experiment_, name, pipeline);
        const StatisticSet set = set_named(name);
        statistics_->begin(set, name);
        SetRecords records(folder_, table_of(name), statistics_->columns(), set);
        Episode episode({pipeline.executor, pipeline.frame, &*statistics_},
                        {evaluated.section, set});
        SetPass pass(episode, evaluated.source, {});
        PassProgress progress(console_, name);
        while (pass.next({batches_done_, 0})) {
            ++batches_done_;
            records.batch(pass.facts().batch_index, pass.facts().batch_size, statistics_->values());
            progress.batch({pass.samples_done(), pass.sample_count()});
            if (Signals::received() != 0) {
                return false;
            }
        }
        pipeline.require_unchanged_weights();
        const std::uint64_t samples = pass.samples_done();
        const std::vector<Aggregate> aggregates = statistics_->aggregate(set);
        records.finish(pass.batch_count(), samples, aggregates);
        const std::string text = fmt::format("{}  {}  {}", name, counted(samples, "sample"),
                                             set_text(statistics_->columns(), aggregates));
        console_.headline_and_log(text);
        return true;
    }

    int interrupted() {
        const int signal = Signals::received();
        console_.line(fmt::format("stopped by {}", Signals::name(signal)));
        return ending_.stopped(signal);
    }

    const ProcessRequest& request_;
    experiment::Experiment experiment_;
    pipeline::Plan plan_;
    at::Device device_;
    std::filesystem::path folder_;
    StatusFile status_;
    Console console_;
    std::shared_ptr<spdlog::logger> log_;
    Sinks no_sinks_;
    RunFinisher ending_;
    std::optional<Statistics> statistics_;
    std::uint64_t batches_done_ = 0;
};

}  // namespace

int process(const ProcessRequest& request) {
    set_up_process();
    return Process(request).execute();
}

}  // namespace ptp::engine
