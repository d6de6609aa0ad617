// Predictions for each sample of a section, with the losses of single samples.

#include "engine/predict/predict.hpp"

#include "base/error.hpp"
#include "base/number.hpp"
#include "base/ranges.hpp"
#include "base/suggest.hpp"
#include "base/temporary_path.hpp"
#include "engine/component/components.hpp"
#include "engine/component/frame.hpp"
#include "engine/output/console.hpp"
#include "engine/output/progress_line.hpp"
#include "engine/predict/continuation.hpp"
#include "engine/predict/evaluated.hpp"
#include "engine/predict/prediction_columns.hpp"
#include "engine/predict/prediction_file.hpp"
#include "engine/predict/unknown_word_counts.hpp"
#include "engine/statistics/statistics.hpp"
#include "engine/train/episode.hpp"
#include "engine/train/failure.hpp"
#include "engine/train/process_setup.hpp"
#include "experiment/optimization.hpp"
#include "pipeline/globals.hpp"
#include "pipeline/prediction.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace {

int weight_statistic(const pipeline::Node& node, const std::string& port) {
    const auto& declared = node.component->statistics;
    for (std::size_t i = 0; i < declared.size(); ++i) {
        if (declared[i].name == port + "_weight" && declared[i].is_hidden &&
            !declared[i].is_set_only && node.has_statistic[i]) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

// Copies the sample's part of a stream, or all of a stream without a value for each sample.
void slice(const Slot& batch, const ptp_step& step, std::int64_t sample, Slot& out) {
    out.element = batch.element;
    if (is_tensor(batch.element)) {
        const bool has_samples = batch.tensor.dim() > 0 &&
                                 batch.tensor.size(0) == static_cast<std::int64_t>(step.batch_size);
        out.tensor = has_samples ? batch.tensor.narrow(0, sample, 1) : batch.tensor;
    } else if (batch.element == PTP_TENSOR_LIST) {
        out.list.resize(1);
        out.list.tensors()[0] = batch.list.tensors()[static_cast<std::size_t>(sample)];
    } else {
        out.text.assign_part(batch.text, static_cast<std::uint64_t>(sample), 1);
    }
}

// The losses of single samples: a loss component is run separately on each sample of a batch.
// [step] The components and the frame must outlive it.
class SampleLosses {
public:
    SampleLosses(const Components& components, Frame& frame, const pipeline::Prediction& prediction,
                 const std::vector<experiment::LossWeight>& weights)
        : frame_(frame) {
        for (const pipeline::PredictionLoss& found : prediction.losses) {
            Loss& loss = losses_.emplace_back();
            loss.name = found.name;
            loss.instance = components.nodes[static_cast<std::size_t>(found.node)].get();
            loss.output = static_cast<std::size_t>(found.output);
            const pipeline::Node& node = loss.instance->node();
            loss.weight = weight_statistic(node, node.outputs[loss.output].name);
            const auto own = std::ranges::find(weights, found.name, &experiment::LossWeight::loss);
            loss.factor = own == weights.end() ? 1 : own->weight;
            loss.inputs.resize(node.inputs.size());
            loss.outputs.resize(node.outputs.size());
            loss.statistics.resize(node.component->statistics.size());
        }
        has_total_ = losses_.size() > 1 || (!losses_.empty() && losses_.front().factor != 1);
    }

    [[nodiscard]] bool empty() const { return losses_.empty(); }

    // Returns "loss"; for several losses, the names of their streams, and then of their weighted
    // sum.
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> names =
            transformed(losses_, [&](const Loss& loss) { return has_total_ ? loss.name : "loss"; });
        if (has_total_) {
            names.emplace_back(pipeline::kTotalStatistic);
        }
        return names;
    }

    // After a batch was run: returns a cell for each name, empty for a sample that does not count,
    // such as a masked one.
    [[nodiscard]] std::vector<Cell> of_sample(const ptp_step& batch, std::int64_t sample) {
        std::vector<Cell> cells;
        double total = 0;
        bool counts = false;
        for (Loss& loss : losses_) {
            run(loss, batch, sample);
            if (loss.weight >= 0 && loss.statistics[static_cast<std::size_t>(loss.weight)] == 0) {
                cells.emplace_back(nullptr);
                continue;
            }
            const at::Tensor& value = loss.outputs[loss.output].tensor;
            cells.push_back(number_cell(value));
            total += loss.factor * value.item<double>();
            counts = true;
        }
        if (has_total_) {
            cells.push_back(counts ? real_cell(total) : Cell());
        }
        last_ = counts ? total : -HUGE_VAL;
        return cells;
    }

    // Returns the last result of of_sample(), for sorting.
    [[nodiscard]] double last() const { return last_; }

private:
    struct Loss {
        std::string name;
        Instance* instance = nullptr;
        std::size_t output = 0;
        int weight = -1;    // the place of its weight's statistic; -1: none
        double factor = 1;  // in the sum
        std::deque<Slot> inputs;
        std::deque<Slot> outputs;
        std::vector<double> statistics;
    };

    void run(Loss& loss, const ptp_step& batch, std::int64_t sample) {
        const pipeline::Node& node = loss.instance->node();
        std::vector<const ptp_value*> inputs;
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            if (node.inputs[i].stream >= 0) {
                slice(frame_[node.inputs[i].stream], batch, sample, loss.inputs[i]);
            }
            inputs.push_back(node.inputs[i].stream < 0 ? nullptr : loss.inputs[i].value());
        }
        std::vector<ptp_value*> outputs;
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            const int stream = node.outputs[i].stream;
            if (stream >= 0) {
                loss.outputs[i].element = frame_[stream].element;
                loss.outputs[i].clear();
            }
            outputs.push_back(stream < 0 ? nullptr : loss.outputs[i].value());
        }
        ptp_step step = batch;
        step.batch_size = 1;
        loss.instance->forward(step, inputs.data(), outputs.data());
        if (loss.instance->has_statistics()) {
            loss.instance->collect_statistics(step.set, loss.statistics.data());
        }
    }

    Frame& frame_;
    std::deque<Loss> losses_;  // a deque, so that their slots never move
    bool has_total_ = false;
    double last_ = 0;
};

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
    explicit Predict(const PredictRequest& request)
        : request_(request),
          experiment_(with_seed(request.experiment)),
          plan_(request.plan),
          device_(usable_device(experiment_.device, experiment_.is_deterministic)),
          console_(stderr, {request.verbosity, request.is_terminal, request.has_color}),
          log_(new_log(folder_.path() / "predict.log", console_, request.verbosity)),
          file_(request.output, folder_.path(), {request.is_json, request.worst}) {}

    int run() {
        const DeterminismWarnings determinism(device_, experiment_.is_deterministic, *log_);
        if (const int signal = predict_all(); signal != 0) {
            console_.line(fmt::format("stopped by {}: nothing is written", Signals::name(signal)));
            return Signals::exit_code(signal);
        }
        report();
        return kDone;
    }

private:
    // Writes all predictions, unless a signal ends it: then returns that. Components, which end
    // with it, may warn of what they have seen.
    int predict_all() {
        EvaluatedPipeline pipeline(
            {experiment_, plan_, request_.checkpoint, folder_.path(), log_, device_});
        if (!(request_.continued.empty() ? run_section(pipeline) : continue_texts(pipeline))) {
            return Signals::received();
        }
        file_.finish();
        return 0;
    }

    // Returns false if a signal ended it.
    bool run_section(EvaluatedPipeline& pipeline) {
        EvaluatedSection evaluated(experiment_, request_.section, pipeline);
        losses_.emplace(pipeline.components, pipeline.frame, request_.prediction,
                        experiment_.training.loss_weights);
        Episode episode({pipeline.executor, pipeline.frame},
                        {evaluated.section, set_named(request_.section)});
        SetPass pass(episode, evaluated.source, {});
        PassProgress progress(console_, "predicting");
        for (std::uint64_t batch = 0; pass.next({batch, 0}); ++batch) {
            if (batch == 0) {
                begin(pipeline, evaluated.source);
            }
            add_rows(pipeline.frame, pass.facts());
            progress.batch({pass.samples_done(), pass.sample_count()});
            if (Signals::received() != 0) {
                return false;
            }
        }
        return true;
    }

    // Returns false if a signal ended it.
    bool continue_texts(EvaluatedPipeline& pipeline) {
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
    void begin(const EvaluatedPipeline& pipeline, const BatchSource& source) {
        if (request_.worst && losses_->empty()) {
            throw RunError(kConfigurationError,
                           "--worst: there is no loss to sort by: no loss runs on these samples");
        }
        if (streams_.empty() && source.sample_count() > 0) {
            const auto& predicted = request_.prediction.streams;
            for (const pipeline::PredictedStream& stream : predicted) {
                const std::string& name =
                    plan_.streams[static_cast<std::size_t>(stream.stream)].name;
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
        unknown_words_.emplace(plan_, pipeline.globals);
        if (!unknown_words_->empty()) {
            names.emplace_back("unknown_words");
        }
        make_unique(names);
        file_.header(std::move(names));
    }

    void add_rows(const Frame& frame, const ptp_step& step) {
        std::vector<std::vector<std::vector<Cell>>> streams = transformed(
            streams_, [&](StreamColumns& stream) { return stream.rows(frame, step.batch_size); });
        const at::Tensor& indices = frame.samples().indices;
        for (std::uint64_t i = 0; i < step.batch_size; ++i) {
            const auto sample = static_cast<std::int64_t>(i);
            std::vector<Cell> cells = {indices.data_ptr<std::int64_t>()[i]};
            if (has_files_) {
                cells.emplace_back(std::string(frame[request_.prediction.files].text.string(i)));
            }
            for (const auto& rows : streams) {
                cells.insert(cells.end(), rows[i].begin(), rows[i].end());
            }
            const std::vector<Cell> losses = losses_->of_sample(step, sample);
            cells.insert(cells.end(), losses.begin(), losses.end());
            if (!unknown_words_->empty()) {
                cells.push_back(unknown_words_->of_sample(frame, i));
            }
            file_.row(std::move(cells), losses_->last());
        }
    }

    void report() {
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
    std::optional<UnknownWordCounts> unknown_words_;
    bool has_files_ = false;
};

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
