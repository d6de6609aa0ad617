// Predicts on the session's thread, which waits between two calls, and describes the streams that
// are fed and predicted.

#include "base/exit_code.hpp"
#include "host/begun_sessions.hpp"
#include "host/session.hpp"
#include "pipeline/pass_through.hpp"
#include "pipeline/sizes.hpp"
#include "plugin/enum_names.hpp"
#include "run/paths.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>
#include <system_error>

namespace ptp::host {

namespace fs = std::filesystem;

using engine::RunResult;

namespace {

std::optional<fs::path> newest_checkpoint(const fs::path& run) {
    for (const char* name : {run::kBestCheckpoint, run::kLastCheckpoint}) {
        fs::path folder = run / run::kCheckpointsFolder / name;
        std::error_code ignored;
        if (fs::is_directory(folder, ignored)) {
            return folder;
        }
    }
    return std::nullopt;
}

// "float" and so on; "other" for what programs neither feed nor get.
std::string element_name(plugin::Element element) {
    return element <= plugin::Element::kString ? std::string(plugin::to_string(element)) : "other";
}

// Returns the streams that a program can feed, and then those that are predicted. The plan is made
// to process one section.
std::vector<DescribedStream> described_streams(const pipeline::Plan& plan,
                                               const pipeline::Prediction& prediction) {
    const std::set<int> needed = pipeline::needed_streams(plan, prediction);
    std::vector<DescribedStream> described;
    const auto add = [&](const pipeline::Node& node, const pipeline::Binding& binding) {
        const pipeline::Stream& stream = plan.stream(binding.stream);
        described.push_back({.name = stream.name,
                             .element = element_name(stream.element),
                             .shape = stream.has_shape ? shape_text(plan, stream.shape) : "",
                             .help = node.port(binding).help});
        return &described.back();
    };
    const pipeline::Node& task = plan.tasks.front();
    for (const pipeline::Binding& output : task.outputs) {
        if (output.stream >= 0) {
            DescribedStream* const fed = add(task, output);
            fed->is_fed = true;
            fed->is_needed = needed.contains(output.stream);
        }
    }
    for (const pipeline::PredictedStream& predicted : prediction.streams) {
        for (const pipeline::Node& node : plan.nodes) {
            const auto output =
                std::ranges::find(node.outputs, predicted.stream, &pipeline::Binding::stream);
            if (output != node.outputs.end()) {
                add(node, *output)->is_predicted = true;
            }
        }
    }
    return described;
}

}  // namespace

TrainedWeights Session::weights() const {
    TrainedWeights found{.run = run_, .checkpoint = options_.checkpoint};
    if (const fs::path run = run_folder(); !found.checkpoint && !run.empty()) {
        found.run = run;
        found.checkpoint = newest_checkpoint(run);
    }
    return found;
}

PreparedPrediction Session::prepared_prediction(Diagnostics& problems) const {
    Request request = request_;
    request.processed = std::vector<std::string>();
    request.change = [](experiment::Experiment& experiment, Diagnostics&) {
        allow_missing_inputs(experiment);
    };
    PreparedPrediction made =
        prepare_prediction(request, weights(), {}, pipeline::NeededFiles::kIgnored, problems);
    if (made.prepared.plan) {
        pipeline::leave_targets_out(*made.prepared.plan);
    }
    return made;
}

void Session::serve(const PreparedPrediction& trained, const TrainedWeights& weights) {
    const engine::FeedRequest request{
        {trained.prepared.experiment, *trained.prepared.plan, weights.checkpoint},
        [this](engine::FedPipeline& pipeline) {
            pipeline_ = &pipeline;
            turns_.wait();
            pipeline_ = nullptr;
        }};
    prediction_end_ = feed_in_engine(request, embedding());
}

RunResult Session::streams(std::vector<DescribedStream>& streams) const {
    Diagnostics problems;
    const PreparedPrediction prepared = prepared_prediction(problems);
    if (!prepared.prepared.plan || !prepared.prediction || !problems.ok()) {
        return {.exit_code = exit_code_for(problems, prepared.prepared.catalog),
                .error = problems.text()};
    }
    streams = described_streams(*prepared.prepared.plan, *prepared.prediction);
    return {};
}

RunResult Session::begin_prediction() {
    if (Turns::is_worker()) {
        return misuse(kAskedByComponent);
    }
    if (turns_.is_waiting()) {
        return misuse("the training is not at its end: run it, or stop it and step once more");
    }
    const auto use =
        options_.handles_signals ? BegunSessions::Use::kAlone : BegunSessions::Use::kShared;
    if (!begun().add(this, use)) {
        return misuse(kOtherComputes);
    }
    Beginning beginning(this);
    Diagnostics problems;
    auto prepared = std::make_shared<PreparedPrediction>(prepared_prediction(problems));
    if (!prepared->prepared.plan || !problems.ok()) {
        return {.exit_code = exit_code_for(problems, prepared->prepared.catalog),
                .error = problems.text()};
    }
    const std::lock_guard<std::mutex> computing(begun().computing());
    turns_.begin([this, prepared, trained = weights()] { serve(*prepared, trained); });
    if (pipeline_ == nullptr) {
        return prediction_end_;
    }
    beginning.keep();
    return {};
}

void Session::end_prediction() {
    if (pipeline_ != nullptr) {
        std::unique_lock<std::mutex> computing(begun().computing(), std::defer_lock);
        if (!Turns::is_worker()) {  // The caller of a component holds it.
            computing.lock();
        }
        turns_.finish();
        begun().remove(this);
    }
}

template <class Work>
RunResult Session::in_pipeline(const Work& work) {
    if (Turns::is_worker()) {
        return misuse(kAskedByComponent);
    }
    const std::lock_guard<std::mutex> computing(begun().computing());
    RunResult result;
    turns_.ask([&] { work(*pipeline_, result); });
    return result;
}

template <class Value>
RunResult Session::feed_value(const std::string& stream, const Value& value) {
    if (pipeline_ == nullptr) {
        RunResult begun = begin_prediction();
        if (begun.exit_code != kDone) {
            return begun;
        }
    }
    RunResult fed = in_pipeline([&](engine::FedPipeline& pipeline, RunResult& result) {
        pipeline.feed(stream, value, result);
    });
    for (const std::string& warning : fed.warnings) {
        problems_.warning(SourceLocation(), "", warning);
    }
    return fed;
}

RunResult Session::feed(const std::string& stream, const DLManagedTensor& tensor) {
    return feed_value(stream, tensor);
}

RunResult Session::feed(const std::string& stream, const std::vector<std::string>& strings) {
    return feed_value(stream, strings);
}

RunResult Session::take_away(const std::string& stream) {
    if (pipeline_ == nullptr) {
        return misuse("nothing was fed");
    }
    return in_pipeline([&](engine::FedPipeline& pipeline, RunResult& result) {
        pipeline.take_away(stream, result);
    });
}

RunResult Session::predict() {
    if (pipeline_ == nullptr) {
        return misuse("nothing was fed");
    }
    return in_pipeline(
        [](engine::FedPipeline& pipeline, RunResult& result) { pipeline.compute(result); });
}

RunResult Session::read(const std::string& stream, engine::StreamValue& value) {
    if (pipeline_ != nullptr) {
        return in_pipeline([&](engine::FedPipeline& pipeline, RunResult& result) {
            pipeline.read(stream, value, result);
        });
    }
    if (!view_) {
        return misuse("nothing was computed yet");
    }
    RunResult result;
    view_->read(stream, value, result);
    return result;
}

}  // namespace ptp::host
