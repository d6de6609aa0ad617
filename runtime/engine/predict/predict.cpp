// Predictions for each sample of a section, with the losses of single samples.

#include "engine/predict/predict.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/number.hpp"
#include "base/ranges.hpp"
#include "base/text.hpp"
#include "engine/component/components.hpp"
#include "engine/component/frame.hpp"
#include "engine/output/progress_line.hpp"
#include "engine/predict/continuation.hpp"
#include "engine/predict/evaluated.hpp"
#include "engine/predict/prediction_columns.hpp"
#include "engine/predict/prediction_file.hpp"
#include "engine/predict/sample_losses.hpp"
#include "engine/predict/unknown_word_counts.hpp"
#include "engine/statistics/statistics.hpp"
#include "engine/train/data_facts.hpp"
#include "engine/train/episode.hpp"
#include "engine/train/process_setup.hpp"
#include "pipeline/prediction.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <string>
#include <utility>
#include <vector>

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

class Predict : private TrainedEvaluation {
public:
    explicit Predict(const PredictRequest& request)
        : TrainedEvaluation(request, request.experiment.device,
                            {request.verbosity, request.is_terminal, request.has_color}),
          request_(request),
          file_(request.output, folder_.path(),
                {request.is_json, request.worst, static_cast<bool>(request.next_items)}),
          line_(request.items_before),
          wrong_items_(request.items_before) {}

    int run() {
        console_.set_warned(request_.warned);
        const DeterminismWarnings determinism(device_, experiment_.is_deterministic, *log_);
        if (const int signal = predict_all(); signal != 0) {
            const bool is_partial = request_.next_items && line_ > 0;
            console_.line(fmt::format(
                "stopped by {}{}", Signals::name(signal),
                is_partial ? " after " + counted(line_, "line") : ": nothing is written"));
            return Signals::exit_code(signal);
        }
        report();
        return wrong_items_ == 0 ? kDone : kDataError;
    }

private:
    // Writes all predictions, unless a signal ends it: then returns that. Components, which end
    // with it, may warn of what they have seen.
    int predict_all() {
        EvaluatedPipeline pipeline(parts());
        warn_of_changed_data(experiment_, plan_, pipeline.saved.data, *log_);
        const bool is_done = !request_.continued.empty() ? continue_texts(pipeline)
                             : !request_.items.empty()   ? run_items(pipeline)
                                                         : run_section(pipeline);
        if (!is_done) {
            if (request_.next_items) {
                file_.flush();
            }
            return Signals::received();
        }
        pipeline.require_unchanged_weights();
        file_.finish();
        pipeline.tried.finish(pipeline.tried.counts(plan_));
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

    // Predicts each item in a batch of its own, and those that follow. Returns false if a signal
    // ended it.
    bool run_items(EvaluatedPipeline& pipeline) {
        losses_.emplace(pipeline.components, pipeline.frame, request_.prediction,
                        experiment_.training.loss_weights);
        {
            EvaluatedSection evaluated(experiment_, request_.section, pipeline);
            if (!run_group(request_.items, pipeline, &evaluated)) {
                return false;
            }
        }
        while (request_.next_items && file_.flush()) {
            std::optional<PredictGroup> group = request_.next_items("");
            if (!group) {
                break;
            }
            if (!run_next(*std::move(group), pipeline)) {
                return false;
            }
        }
        return true;
    }

    // Predicts items with another task, which has their samples.
    bool run_next(PredictGroup group, EvaluatedPipeline& pipeline) {
        while (group.samples) {
            pipeline::Node node = plan_.tasks.front();
            const auto setting = std::ranges::find(node.component->settings, group.samples->key,
                                                   &plugin::Setting::name);
            node.settings[static_cast<std::size_t>(setting - node.component->settings.begin())] =
                group.samples->value;
            Components components = pipeline.components;
            try {
                components.tasks = {
                    create_node(pipeline.context, node, pipeline.plugins.component(node))};
            } catch (const RunError& error) {
                auto accepted =
                    error.code() == kDataError ? request_.next_items(error.what()) : std::nullopt;
                if (!accepted) {
                    throw;
                }
                group = *std::move(accepted);
                continue;
            }
            pipeline.executor.rebind(components);
            EvaluatedSection evaluated(experiment_, request_.section, pipeline, components);
            return run_group(group.items, pipeline, &evaluated);
        }
        return run_group(group.items, pipeline, nullptr);
    }

    // `evaluated` has their samples; nullptr: none has one. Returns false if a signal ended it.
    bool run_group(const std::vector<PredictItem>& items, EvaluatedPipeline& pipeline,
                   EvaluatedSection* evaluated) {
        PassProgress progress(console_, "predicting");
        std::optional<Episode> episode;
        if (evaluated != nullptr) {
            episode.emplace(Episode::Parts{pipeline.executor, pipeline.frame},
                            Episode::Set{evaluated->section, set_named(request_.section)});
        }
        for (const PredictItem& item : items) {
            ++line_;
            std::string error = item.error;
            if (error.empty()) {
                error = run_item(item.sample, pipeline, evaluated->source, *episode);
            }
            if (!error.empty()) {
                add_wrong_item(error);
            }
            if (!request_.next_items) {  // the number of all lines is known
                progress.batch({line_, items.size()});
            }
            if (Signals::received() != 0) {
                break;
            }
        }
        pipeline.require_unchanged_weights();
        return Signals::received() == 0;
    }

    // Returns why the sample cannot be predicted; "" after adding its line. Throws what is no fault
    // of the sample, and would be wrong in every line.
    std::string run_item(std::int64_t sample, EvaluatedPipeline& pipeline, BatchSource& source,
                         Episode& episode) {
        try {
            const PassPlan one{{sample}};
            Batch batch = source.new_batch();
            source.fetch(one, 0, batch);
            pipeline.frame.clear();
            source.exchange(batch, pipeline.frame);
            episode.forward(source.task(), {0, 0}, {0, 1}, file_.rows() == 0);
            episode.count();
        } catch (const RunError& error) {
            if (error.code() != kDataError) {
                throw;
            }
            return without(without_names(error.what()), request_.items_folder.string());
        }
        if (file_.rows() == 0) {
            begin(pipeline, source);
        }
        add_rows(pipeline.frame, episode.facts());
        return "";
    }

    void add_wrong_item(const std::string& error) {
        ++wrong_items_;
        file_.add_json(Cell{{"line", line_}, {"error", error}});
    }

    // Returns a text without "items.csv:3: ", the names that the items have only here.
    [[nodiscard]] std::string without_names(std::string text) const {
        const std::string& names = request_.item_names;
        for (std::size_t at = 0; !names.empty() && (at = text.find(names, at)) != text.npos;) {
            const std::size_t end = text.find(": ", at + names.size());
            text.erase(at, end == text.npos ? names.size() : end + 2 - at);
        }
        return text;
    }

    // Returns a text without all parts that are `part`.
    static std::string without(std::string text, const std::string& part) {
        for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) {
            text.erase(at, part.size());
        }
        return text;
    }

    // Returns false if a signal ended it.
    bool continue_texts(EvaluatedPipeline& pipeline) {
        const UnknownWordCounts counts(plan_, pipeline.globals);
        Continuation continuation(
            {experiment_, request_.section, request_.prediction, request_.classes, counts},
            pipeline);
        const std::vector<Cell> unknown = continuation.count_unknown_words(request_.continued);
        std::vector<std::string> names = {"index", "text", "continued"};
        if (!unknown.empty()) {
            names.emplace_back("unknown_words");
        }
        file_.header(std::move(names));
        for (std::size_t i = 0; i < request_.continued.size(); ++i) {
            const std::string& text = request_.continued[i];
            std::vector<Cell> cells = {
                i, text, continuation.words_after(request_.continued, i, request_.continued_by)};
            if (Signals::received() != 0) {
                return false;
            }
            if (!unknown.empty()) {
                cells.push_back(unknown[i]);
            }
            file_.row(std::move(cells), 0);
        }
        return true;
    }

    [[noreturn]] void refuse_worst() const {
        const std::string reason = "--worst: there is no loss to sort by: ";
        const std::vector<std::string>& read = request_.prediction.judged_elsewhere;
        if (read.empty()) {
            throw RunError(kConfigurationError, reason + "no loss runs on these samples");
        }
        std::vector<std::string> shown;
        for (const pipeline::PredictedStream& stream : request_.prediction.streams) {
            shown.push_back(plan_.streams[static_cast<std::size_t>(stream.stream)].name);
        }
        const std::string fix =
            "--stream " + join(shown, " --stream ") + " --stream " + join(read, " --stream ");
        throw WithFix<RunError>(kConfigurationError,
                                {fmt::format("{}losses read '{}', and '{}' is predicted", reason,
                                             join(read, "', '"), join(shown, "', '")),
                                 fix});
    }

    // Sets the properties of the columns that follow from the first batch, once.
    void begin(const EvaluatedPipeline& pipeline, const BatchSource& source) {
        if (request_.worst && losses_->empty()) {
            refuse_worst();
        }
        if (source.sample_count() > 0) {
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
        std::vector<std::string> names = {request_.items.empty() ? "index" : "line"};
        has_files_ = request_.prediction.files >= 0 && request_.items.empty();
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
            std::vector<Cell> cells = {
                request_.items.empty() ? Cell(indices.data_ptr<std::int64_t>()[i]) : Cell(line_)};
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
        if (wrong_items_ > 0) {
            text += fmt::format(", {} of {} lines have errors", wrong_items_, line_);
        }
        if (request_.output) {
            text += fmt::format(", in {}", request_.output->string());
        }
        console_.headline(text);
    }

    const PredictRequest& request_;
    PredictionFile file_;
    std::optional<SampleLosses> losses_;
    std::deque<StreamColumns> streams_;
    std::optional<UnknownWordCounts> unknown_words_;
    bool has_files_ = false;
    std::uint64_t line_;  // of the item
    std::uint64_t wrong_items_;
};

}  // namespace

int predict(const PredictRequest& request) {
    set_up_process();
    return Predict(request).run();
}

}  // namespace ptp::engine
