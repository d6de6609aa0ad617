// Runs the samples, asks each method about each of them, and writes what it says.

#include "engine/explain/explain.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "base/json.hpp"
#include "base/number.hpp"
#include "base/output_file.hpp"
#include "base/ranges.hpp"
#include "base/text.hpp"
#include "engine/component/frame.hpp"
#include "engine/explain/attention.hpp"
#include "engine/explain/explained_classes.hpp"
#include "engine/explain/judgment.hpp"
#include "engine/explain/map_files.hpp"
#include "engine/explain/methods.hpp"
#include "engine/explain/scored_model.hpp"
#include "engine/output/progress_line.hpp"
#include "engine/predict/evaluated.hpp"
#include "engine/statistics/statistics.hpp"
#include "engine/train/episode.hpp"
#include "engine/train/process_setup.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace ptp::engine {

namespace {

namespace fs = std::filesystem;

constexpr int kFormat = 1;
constexpr double kHardlyDepends = 0.8;

Json number_or_null(const std::optional<double>& number) {
    return number && std::isfinite(*number) ? Json(*number) : Json();
}

void refuse_filled(const fs::path& folder) {
    std::error_code error;
    if (fs::exists(folder, error) && (!fs::is_directory(folder, error) || !fs::is_empty(folder))) {
        const bool is_folder = fs::is_directory(folder, error);
        fs::path other = folder.lexically_normal();
        other = other.has_filename() ? other : other.parent_path();  // "maps/"
        other = other == "." || other.filename() == ".." ? other / "explanation" : other;
        while (fs::exists(other, error)) {
            other += "_2";
        }
        throw WithFix<RunError>(
            kConfigurationError,
            Explanation{is_folder
                            ? fmt::format("the folder {} exists and is not empty", folder.string())
                            : fmt::format("{} is a file, not a folder", folder.string()),
                        "--output " + shell_word(other.lexically_normal().string())});
    }
}

void make_folder(const fs::path& folder) {
    refuse_filled(folder);
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        throw RunError(
            code_for_unwritable(error.value()),
            fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
    }
}

class Explain : private TrainedEvaluation {
public:
    explicit Explain(const ExplainRequest& request)
        : TrainedEvaluation(request, request.experiment.device,
                            {request.verbosity, request.is_terminal, request.has_color}),
          request_(request) {}

    int run() {
        const DeterminismWarnings determinism(device_, experiment_.is_deterministic, *log_);
        if (!methods_.empty()) {
            require_image(plan_, request_.prediction);
        }
        refuse_filled(request_.folder);
        if (const int signal = explain_all(); signal != 0) {
            console_.line(fmt::format("stopped by {}: {} has no explanations.json",
                                      Signals::name(signal), request_.folder.string()));
            return Signals::exit_code(signal);
        }
        warn_of_pictures();
        report();
        return kDone;
    }

private:
    // Returns the signal that ended it, or 0.
    int explain_all() {
        EvaluatedPipeline pipeline(parts());
        std::optional<ScoredModel> model;
        if (!methods_.empty()) {
            model.emplace(plan_, pipeline.components, request_.prediction);
        }
        AttentionWatch attention(plan_, pipeline.globals);
        EvaluatedSection evaluated(experiment_, request_.section, pipeline);
        Episode episode({pipeline.executor, pipeline.frame},
                        {evaluated.section, set_named(request_.section)});
        SetPass pass(episode, evaluated.source, {});
        PassProgress progress(console_, "explaining");
        const std::uint64_t wanted =
            std::min(static_cast<std::uint64_t>(request_.settings.samples), pass.sample_count());
        const bool has_attention = request_.settings.has_attention();
        const auto has_next = [&](std::uint64_t batch) {
            attention.begin_batch(static_cast<std::int64_t>(wanted - samples_.size()));
            const ObservedForward observed(pipeline.executor, has_attention ? &attention : nullptr);
            return samples_.size() < wanted && pass.next({batch, 0});
        };
        for (std::uint64_t batch = 0; has_next(batch); ++batch) {
            for (std::uint64_t i = 0; i < pass.facts().batch_size && samples_.size() < wanted;
                 ++i) {
                Json facts = facts_of(pipeline, i);
                try {
                    if (model) {
                        model->take(pipeline.frame, pass.facts(), static_cast<std::int64_t>(i));
                        explain_sample(pipeline, *model, static_cast<std::int64_t>(i), facts);
                    }
                } catch (const Stopped&) {
                    return Signals::received();
                }
                if (has_attention) {
                    show_attention(pipeline, attention, static_cast<std::int64_t>(i), facts);
                }
                samples_.push_back(std::move(facts));
                progress.batch({samples_.size(), wanted});
                if (Signals::received() != 0) {
                    return Signals::received();
                }
            }
        }
        pipeline.require_unchanged_weights();
        write_facts(model);
        return 0;
    }

    [[nodiscard]] Json facts_of(const EvaluatedPipeline& pipeline, std::uint64_t sample) const {
        Json facts = {{"index", pipeline.frame.samples().indices.data_ptr<std::int64_t>()[sample]}};
        if (request_.prediction.files >= 0) {
            facts["file"] =
                std::string(pipeline.frame[request_.prediction.files].text.string(sample));
        }
        return facts;
    }

    void explain_sample(const EvaluatedPipeline& pipeline, ScoredModel& model, std::int64_t sample,
                        Json& facts) {
        const at::Tensor scores = model.scores(model.image()).detach();
        const ExplainedClasses classes(pipeline.globals.values(), model.predicted(), scores.size(1),
                                       request_.settings.classes);
        const SampleClasses of_sample = {
            facts.at("index"), scores[0].argmax().item<std::int64_t>(),
            true_class(pipeline.frame, model.predicted(), sample, scores.size(1))};
        std::vector<Question> questions;
        for (const std::int64_t target : classes.asked(request_.settings.target, of_sample)) {
            Question& question = questions.emplace_back(
                Question{.model = model, .settings = request_.settings, .target = target});
            if (!request_.settings.against.empty()) {
                question.against = classes.number("--against", request_.settings.against);
            }
        }
        const std::vector<Map> maps = maps_of(questions);
        if (samples_.empty()) {
            make_folder(request_.folder);
        }
        const std::int64_t index = facts.at("index");
        const std::string image = fmt::format("{}.png", index);
        write_image(request_.folder / image, model.image()[0]);
        facts["image"] = image;
        facts["predicted"] = classes.name(of_sample.predicted);
        if (of_sample.target) {
            facts["true"] = classes.name(*of_sample.target);
        }
        facts["target"] = classes.name(questions.front().target);
        if (questions.front().against >= 0) {
            facts["against"] = classes.name(questions.front().against);
        }
        facts["score"] = number_or_null(questions.front().score(scores).item<double>());
        facts["maps"] = Json::array();
        for (const Map& map : maps) {
            const Question& question = questions[map.question];
            const std::string part = map.question == 0 ? "" : "_true";
            Json written_map =
                written(map, model.image()[0], fmt::format("{}{}_{}", index, part, map.method));
            written_map["target"] = classes.name(question.target);
            written_map["score"] = number_or_null(question.score(scores).item<double>());
            facts["maps"].push_back(std::move(written_map));
        }
        map_count_ += maps.size();
    }

    // Writes the attention that the batch in the frame was computed with.
    void show_attention(const EvaluatedPipeline& pipeline, const AttentionWatch& attention,
                        std::int64_t sample, Json& facts) {
        const std::vector<AttentionMap> maps = attention.of_sample(pipeline.frame, sample);
        if (maps.empty() && request_.settings.needs_attention()) {
            throw WithFix<RunError>(
                kConfigurationError,
                Explanation{"there is no attention to show: no model has computed a softmax over "
                            "the words or the places of a stream that it reads",
                            "--method saliency"});
        }
        if (samples_.empty() && methods_.empty()) {
            make_folder(request_.folder);
        }
        facts["attention"] = Json::array();
        add_prediction(pipeline, sample, facts);
        for (const AttentionMap& map : maps) {
            const at::Tensor image =
                map.places ? attention.image_before(map.component, pipeline.frame, sample)
                           : at::Tensor();
            if (image.defined() && !facts.contains("image")) {
                facts["image"] = fmt::format("{}.png", facts.at("index").get<std::int64_t>());
                write_image(request_.folder / facts.at("image").get<std::string>(), image);
            }
            facts["attention"].push_back(
                written_attention(request_.folder, facts.at("index"), map, image));
        }
        map_count_ += maps.size();
    }

    // Adds the predicted class to the facts of a sample, unless it is there, or there are no scores
    // of classes.
    void add_prediction(const EvaluatedPipeline& pipeline, std::int64_t sample, Json& facts) {
        const pipeline::PredictedStream& predicted = request_.prediction.next_word;
        const at::Tensor scores =
            predicted.stream < 0 ? at::Tensor() : pipeline.frame[predicted.stream].tensor;
        if (facts.contains("predicted") || !scores.defined() || scores.dim() != 2) {
            return;
        }
        const ExplainedClasses classes(pipeline.globals.values(), predicted, scores.size(1),
                                       request_.settings.classes);
        facts["predicted"] = classes.name(scores[sample].argmax().item<std::int64_t>());
    }

    struct Map {
        std::size_t question = 0;
        std::string method;
        Attribution made;
        std::optional<double> dependence;
    };

    // Computes all maps of an image before anything is written: a method may refuse the model.
    std::vector<Map> maps_of(const std::vector<Question>& questions) {
        std::vector<Map> maps;
        for (std::size_t i = 0; i < questions.size(); ++i) {
            for (const std::string& method : methods_) {
                if (contains(left_out_, method)) {
                    continue;
                }
                try {
                    Map map{i, method, attribution(method, questions[i]), {}};
                    if (request_.settings.has_check) {
                        map.dependence = dependence(method, questions[i], map.made.values);
                    }
                    maps.push_back(std::move(map));
                } catch (const NoLayer& none) {
                    leave_out(method, none);
                }
            }
        }
        return maps;
    }

    // Leaves a method out that does not suit the model, unless it was asked for by its name.
    void leave_out(const std::string& method, const NoLayer& none) {
        if (!request_.settings.are_usual() || !request_.settings.layer.empty()) {
            throw none;
        }
        left_out_.push_back(method);
        const auto& [reason, fix] = none.explanation();
        log_->warn(
            fmt::format("{} is left out: {}{}", method, reason.substr(reason.find(": ") + 2),
                        fix.starts_with("--layer")
                            ? fmt::format("; --method {} {} takes another operation", method, fix)
                            : ""));
    }

    // Writes a map into files of this name, and returns its facts.
    Json written(const Map& map, const at::Tensor& image, const std::string& name) {
        const at::Tensor heat = heat_of(map.method, map.made.values);
        write_npy(request_.folder / (name + ".npy"), map.made.values);
        write_heat(request_.folder / (name + ".png"), image, heat);
        Json facts = {{"method", map.method},
                      {"settings", map.made.settings},
                      {"numbers", name + ".npy"},
                      {"picture", name + ".png"},
                      {"smallest", number_or_null(heat.min().item<double>())},
                      {"largest", number_or_null(heat.max().item<double>())}};
        if (map.made.delta) {
            facts["delta"] = number_or_null(map.made.delta);
            facts["relative_delta"] = number_or_null(map.made.relative_delta);
        }
        if (request_.settings.has_check) {
            facts["rank_correlation_with_last_layer_drawn_anew"] = number_or_null(map.dependence);
            if (map.dependence && *map.dependence > kHardlyDepends) {
                warn_of(map.method);
            }
        }
        return facts;
    }

    void warn_of(const std::string& method) {
        if (std::ranges::find(warned_, method) == warned_.end()) {
            warned_.push_back(method);
        }
    }

    // Warns once of all methods together, and names those that may show more.
    void warn_of_pictures() const {
        if (warned_.empty()) {
            return;
        }
        std::vector<std::string> better;
        std::vector<std::string> untried;
        for (const std::string method : experiment::kExplainMethods) {
            if (!contains(methods_, method)) {
                untried.push_back(method);
            } else if (!contains(warned_, method) && !contains(left_out_, method)) {
                better.push_back(method);
            }
        }
        log_->warn(fmt::format(
            "{}: maps hardly depend on the model: with the last layer drawn anew the rank "
            "correlation is above {}; they show the images, rather than what the model looks at{}",
            join(warned_, ", "), kHardlyDepends,
            !better.empty()    ? fmt::format(": look at those of {}", join(better, ", "))
            : !untried.empty() ? fmt::format(": try --method {}", join(untried, " or "))
                               : ", whatever the method is"));
    }

    void write_facts(const std::optional<ScoredModel>& model) {
        if (samples_.empty()) {
            throw RunError(kDataError, "there is no sample to explain");
        }
        Json facts = {
            {"format", kFormat},
            {"experiment", experiment_.name},
            {"checkpoint", request_.checkpoint ? Json(request_.checkpoint->string()) : Json()},
            {"section", request_.section}};
        if (model) {
            facts["image_stream"] = model->image_stream();
            facts["score_stream"] = model->score_stream();
            facts["is_score_before_softmax"] = model->is_before_softmax();
            facts["preset"] = request_.settings.is_captum() ? "captum" : "paper";
        }
        if (!left_out_.empty()) {
            facts["left_out"] = left_out_;
        }
        facts["samples"] = samples_;
        replace_file(request_.folder / kExplanationsFile, text_of(facts, 2) + "\n");
    }

    void report() {
        console_.headline(
            fmt::format("{} of {}, in {}", counted(map_count_, "map"),
                        counted(samples_.size(), methods_.empty() ? "sample" : "image"),
                        request_.folder.string()));
    }

    const ExplainRequest& request_;
    std::vector<std::string> methods_ = request_.settings.pixel_methods();
    std::vector<Json> samples_;
    std::size_t map_count_ = 0;
    std::vector<std::string> warned_;
    std::vector<std::string> left_out_;  // methods that do not suit the model
};

}  // namespace

int explain(const ExplainRequest& request) {
    set_up_process();
    return Explain(request).run();
}

}  // namespace ptp::engine
