#include "engine/predict/predict.hpp"

#include "base/counted.hpp"
#include "base/error.hpp"
#include "base/suggest.hpp"
#include "base/temporary_path.hpp"
#include "engine/console/console.hpp"
#include "engine/console/pass_progress.hpp"
#include "engine/console/run_log.hpp"
#include "engine/predict/continuation.hpp"
#include "engine/predict/prediction_columns.hpp"
#include "engine/predict/prediction_file.hpp"
#include "engine/predict/sample_losses.hpp"
#include "engine/process/evaluated.hpp"
#include "engine/stats/statistics.hpp"
#include "engine/train/determinism_warnings.hpp"
#include "engine/train/episode.hpp"
#include "engine/train/failure.hpp"
#include "engine/train/process_setup.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <memory>
#include <utility>

namespace ptp::engine {

namespace {

// Makes the names unique: readers confuse columns with the same name.
void make_unique(std::vector<std::string>& names) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto before = names.begin() + static_cast<std::ptrdiff_t>(i);
        while (std::find(names.begin(), before, names[i]) != before) {
            names[i] += "_";
        }
    }
}

class Predict {
public:
    explicit Predict(const PredictRequest& request);

    int run();

private:
    bool run_section(EvaluatedPipeline& pipeline);
    bool continue_texts(EvaluatedPipeline& pipeline);
    void begin(const EvaluatedPipeline& pipeline, const BatchSource& source);
    void add_rows(const Frame& frame, const ptp_step& step);
    void report();

    const PredictRequest& request_;
    experiment::Experiment experiment_;
    pipeline::Plan plan_;
    at::Device device_;
    TemporaryPath folder_ =
        TemporaryPath::new_folder();  // for copies of plugins, and components' files
    Console console_;
    std::shared_ptr<spdlog::logger> log_;
    PredictionFile file_;
    std::optional<SampleLosses> losses_;
    std::deque<StreamColumns> streams_;
    bool has_files_ = false;
};

Predict::Predict(const PredictRequest& request)
    : request_(request),
      experiment_(with_seed(request.experiment)),
      plan_(request.plan),
      device_(usable_device(experiment_.device, experiment_.is_deterministic)),
      console_(stderr, {request.verbosity, request.is_terminal, request.has_color}),
      log_(new_log(folder_.path() / "predict.log", console_, request.verbosity)),
      file_(request.output, folder_.path(), {request.is_json, request.worst}) {}

int Predict::run() {
    const DeterminismWarnings determinism(device_, experiment_.is_deterministic, *log_);
    EvaluatedPipeline pipeline(
        {experiment_, plan_, request_.checkpoint, folder_.path(), log_, device_});
    if (!(request_.continued.empty() ? run_section(pipeline) : continue_texts(pipeline))) {
        const int signal = Signals::received();
        console_.line(fmt::format("stopped by {}: nothing is written", Signals::name(signal)));
        return Signals::exit_code(signal);
    }
    file_.finish();
    report();
    return kDone;
}

// Returns false if a signal ended it.
bool Predict::run_section(EvaluatedPipeline& pipeline) {
    EvaluatedSection evaluated(experiment_, request_.section, pipeline);
    losses_.emplace(plan_, pipeline.components, pipeline.frame, request_.prediction,
                    experiment_.training.loss_weights);
    Episode episode({pipeline.executor, pipeline.frame},
                    {evaluated.section, set_named(request_.section)});
    SetPass pass(episode, evaluated.source, {});
    PassProgress progress(console_, "predicting");
    for (std::uint64_t batch = 0; pass.next({batch, 0}); ++batch) {
        if (batch == 0) {
            begin(pipeline, evaluated.source);
        }
        add_rows(pipeline.frame, pass.step());
        progress.batch({pass.samples_done(), pass.sample_count()});
        if (Signals::received() != 0) {
            return false;
        }
    }
    return true;
}

// Returns false if a signal ended it.
bool Predict::continue_texts(EvaluatedPipeline& pipeline) {
    Continuation continuation(
        {experiment_, request_.section, request_.prediction, request_.classes}, pipeline);
    file_.header({"index", "text", "continued"});
    for (std::size_t i = 0; i < request_.continued.size(); ++i) {
        const std::string& text = request_.continued[i];
        file_.row({i, text, continuation.words_after(text, request_.continued_by)}, 0);
        if (Signals::received() != 0) {
            return false;
        }
    }
    return true;
}

// Sets the properties of the columns that follow from the first batch.
void Predict::begin(const EvaluatedPipeline& pipeline, const BatchSource& source) {
    if (request_.worst && losses_->empty()) {
        throw RunError(kConfigurationError,
                       "--worst: there is no loss to sort by: no loss runs on these samples");
    }
    if (streams_.empty() && source.sample_count() > 0) {
        const auto& predicted = request_.prediction.streams;
        for (const pipeline::PredictedStream& stream : predicted) {
            const std::string& name = plan_.streams[static_cast<std::size_t>(stream.stream)].name;
            streams_.emplace_back(plan_, pipeline.frame, pipeline.globals, stream,
                                  ColumnOptions{request_.top_k, request_.classes},
                                  predicted.size() == 1 ? "" : name + "_");
            if (streams_.back().has_numbers_for_names()) {
                log_->warn(fmt::format(
                    "the classes of '{}' have no names: no global is a table of that many, or "
                    "several are; choose one with --classes",
                    name));
            }
        }
    }
    std::vector<std::string> names = {"index"};
    has_files_ = request_.prediction.files >= 0;
    if (has_files_) {
        names.emplace_back("file");
    }
    for (const StreamColumns& stream : streams_) {
        names.insert(names.end(), stream.names().begin(), stream.names().end());
    }
    const std::vector<std::string> losses = losses_->names();
    names.insert(names.end(), losses.begin(), losses.end());
    make_unique(names);
    file_.header(std::move(names));
}

void Predict::add_rows(const Frame& frame, const ptp_step& step) {
    std::vector<std::vector<std::vector<Cell>>> streams;
    for (StreamColumns& stream : streams_) {
        streams.push_back(stream.rows(frame, step.batch_size));
    }
    const at::Tensor& indices = frame.samples().indices;
    for (std::uint64_t i = 0; i < step.batch_size; ++i) {
        const auto sample = static_cast<std::int64_t>(i);
        std::vector<Cell> cells = {indices.data_ptr<std::int64_t>()[i]};
        if (has_files_) {
            const TextBuffer& files = frame[request_.prediction.files].text;
            cells.emplace_back(std::string(files.bytes + files.offsets[i],
                                           files.offsets[i + 1] - files.offsets[i]));
        }
        for (const auto& rows : streams) {
            cells.insert(cells.end(), rows[i].begin(), rows[i].end());
        }
        const std::vector<Cell> losses = losses_->of_sample(step, sample);
        cells.insert(cells.end(), losses.begin(), losses.end());
        file_.row(std::move(cells), losses_->last());
    }
}

void Predict::report() {
    std::string text = counted(file_.rows(), "prediction");
    for (const StreamColumns& stream : streams_) {
        if (stream.is_judged()) {
            text += fmt::format(", {} of {} right", stream.right(), stream.judged());
        }
    }
    if (request_.output) {
        text += fmt::format(", in {}", request_.output->string());
    }
    console_.headline(text);
}

}  // namespace

int predict(const PredictRequest& request) {
    set_up_process();
    try {
        return Predict(request).run();
    } catch (const std::exception& error) {
        throw as_run_error(error);
    }
}

}  // namespace ptp::engine
