// Finds the image and the components between it and the scores, and runs these alone.

#include "engine/explain/scored_model.hpp"

#include "base/error.hpp"
#include "base/explanation.hpp"
#include "engine/component/observation.hpp"
#include "engine/component/operation_watch.hpp"

#include <ATen/ops/cat.h>
#include <c10/core/GradMode.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>

namespace ptp::engine {

namespace {

constexpr std::int64_t kImageDimensions = 4;
constexpr std::int64_t kScoreDimensions = 2;

[[noreturn]] void refuse_scores(const std::string& what) {
    throw WithFix<RunError>(
        kConfigurationError,
        Explanation{"there are no scores of classes to explain: " + what,
                    "explain a pipeline whose loss reads one row of scores for each image beside "
                    "the number of its class"});
}

// Returns the stream whose scores are explained: one score for each class, or one for two classes;
// nullptr if there is none.
const pipeline::PredictedStream* explained(const pipeline::Prediction& prediction) {
    if (prediction.next_word.stream >= 0) {
        return &prediction.next_word;
    }
    const auto found =
        std::ranges::find_if(prediction.streams, &pipeline::PredictedStream::is_yes_or_no);
    return found == prediction.streams.end() ? nullptr : &*found;
}

// [N, 1] -> [N, 2]: the scores of two classes that have one. Those of logits have its probabilities
// as their softmax, and it as their difference.
at::Tensor of_two_classes(const at::Tensor& score, bool is_logit) {
    return is_logit ? at::cat({score / -2, score / 2}, 1) : at::cat({1 - score, score}, 1);
}

[[noreturn]] void refuse_inputs(const pipeline::Plan& plan, int predicted,
                                const std::set<int>& needed) {
    std::string inputs;
    for (const int stream : plan.tasks.front().written_streams()) {
        if (needed.contains(stream)) {
            inputs += fmt::format("{}'{}'", inputs.empty() ? "" : ", ", plan.stream(stream).name);
        }
    }
    throw WithFix<RunError>(
        kConfigurationError,
        Explanation{fmt::format("there is no image to explain: '{}' depends on {}, and nothing on "
                                "the way has the form [B, channels, height, width]",
                                plan.stream(predicted).name, inputs),
                    "explain a pipeline that reads images, such as configs/fashion_mnist/"
                    "lenet5.toml"});
}

}  // namespace

void require_image(const pipeline::Plan& plan, const pipeline::Prediction& prediction) {
    const auto* const scores = explained(prediction);
    if (scores == nullptr) {
        refuse_scores("no loss compares a stream with numbers of classes");
    }
    const int predicted = scores->stream;
    const std::set<int> needed = pipeline::needed_streams(plan, std::set<int>{predicted});
    const bool may_have_image = std::ranges::any_of(needed, [&](int number) {
        const pipeline::Stream& stream = plan.stream(number);
        return number != predicted && stream.element == plugin::Element::kFloating &&
               (!stream.has_shape ||
                stream.shape.size() == static_cast<std::size_t>(kImageDimensions));
    });
    if (!may_have_image) {
        refuse_inputs(plan, predicted, needed);
    }
}

ScoredModel::ScoredModel(const pipeline::Plan& plan, const Components& components,
                         const pipeline::Prediction& prediction)
    : plan_(plan), components_(components), frame_(plan) {
    require_image(plan, prediction);
    predicted_ = *explained(prediction);
    behind_ = pipeline::needed_streams(plan, std::set<int>{predicted_.stream});
}

const std::string& ScoredModel::image_stream() const {
    return plan_.stream(image_stream_).name;
}

const std::string& ScoredModel::score_stream() const {
    return plan_.stream(predicted_.stream).name;
}

// Returns the nodes between the stream and the scores, in order.
std::vector<std::size_t> ScoredModel::path_from(int stream) const {
    std::vector<int> reached = {stream};
    std::vector<std::size_t> path;
    for (std::size_t i = 0; i < plan_.nodes.size(); ++i) {
        const pipeline::Node& node = plan_.nodes[i];
        const auto written = node.written_streams();
        const bool follows = std::ranges::any_of(node.read_streams(),
                                                 [&](int read) { return contains(reached, read); });
        const bool leads =
            std::ranges::any_of(written, [&](int made) { return behind_.contains(made); });
        if (follows && leads && node.writes_on(0)) {
            path.push_back(i);
            reached.insert(reached.end(), written.begin(), written.end());
        }
    }
    return path;
}

void ScoredModel::find_image(const Frame& frame) {
    std::vector<int> streams = plan_.tasks.front().written_streams();
    for (const pipeline::Node& node : plan_.nodes) {
        const auto written = node.written_streams();
        streams.insert(streams.end(), written.begin(), written.end());
    }
    for (const int stream : streams) {
        const Slot& slot = frame[stream];
        const bool is_image = behind_.contains(stream) && stream != predicted_.stream &&
                              is_tensor(slot.element) && !slot.is_dropped &&
                              slot.tensor.defined() && slot.tensor.is_floating_point() &&
                              slot.tensor.dim() == kImageDimensions;
        if (!is_image) {
            continue;
        }
        std::vector<std::size_t> path = path_from(stream);
        // A transform of single samples, such as a random crop, has no gradients, unless its input
        // is its output.
        if (std::ranges::none_of(path, [&](std::size_t i) {
                return components_.nodes[i]->is_per_sample() && !plan_.nodes[i].passes_on(0);
            })) {
            image_stream_ = stream;
            path_ = std::move(path);
            return;
        }
    }
    refuse_inputs(plan_, predicted_.stream, behind_);
}

void ScoredModel::take(const Frame& frame, const ptp_step& step, std::int64_t sample) {
    if (image_stream_ < 0) {
        find_image(frame);
    }
    const Slot& scores = frame[predicted_.stream];
    if (scores.tensor.dim() != kScoreDimensions) {
        refuse_scores(fmt::format("'{}' has {} dimensions, and not [B, classes]", score_stream(),
                                  scores.tensor.dim()));
    }
    step_ = step;
    step_.is_training = 0;
    sample_ = sample;
    image_ = frame[image_stream_].tensor.narrow(0, sample, 1).detach().clone();
    take_beside(frame);
}

void ScoredModel::take_beside(const Frame& frame) {
    std::vector<int> written = {image_stream_};
    beside_.clear();
    for (const std::size_t i : path_) {
        for (const int stream : plan_.nodes[i].read_streams()) {
            if (!contains(written, stream) && !contains(beside_, stream)) {
                beside_.push_back(stream);
            }
        }
        const auto made = plan_.nodes[i].written_streams();
        written.insert(written.end(), made.begin(), made.end());
    }
    rests_.clear();
    is_repeated_.clear();
    most_copies_ = std::numeric_limits<std::int64_t>::max();
    for (const int stream : beside_) {
        const Slot& slot = frame[stream];
        const bool has_samples = is_tensor(slot.element) && slot.tensor.dim() > 0 &&
                                 slot.tensor.size(0) == static_cast<std::int64_t>(step_.batch_size);
        is_repeated_.push_back(has_samples);
        rests_.push_back(has_samples ? slot.tensor.narrow(0, sample_, 1).detach() : slot.tensor);
        if (is_tensor(slot.element)) {
            continue;
        }
        most_copies_ = 1;
        if (slot.element == PTP_TENSOR_LIST) {
            frame_[stream].list.resize(1);
            frame_[stream].list.tensors()[0] =
                slot.list.tensors()[static_cast<std::size_t>(sample_)];
        } else {
            frame_[stream].text.assign_part(slot.text, static_cast<std::uint64_t>(sample_), 1);
        }
    }
}

void ScoredModel::put_beside(std::int64_t copies) {
    for (std::size_t i = 0; i < beside_.size(); ++i) {
        if (!is_tensor(frame_[beside_[i]].element)) {
            continue;
        }
        std::vector<std::int64_t> sizes = rests_[i].sizes().vec();
        if (is_repeated_[i]) {
            sizes.front() = copies;
        }
        frame_[beside_[i]].tensor = rests_[i].expand(sizes).contiguous();
    }
}

void ScoredModel::forward(std::size_t node, const ptp_step& step) {
    const pipeline::Node& facts = plan_.nodes[node];
    for (const int stream : facts.written_streams()) {
        frame_[stream].clear();
    }
    const FrameValues values(facts, frame_);
    if (facts.passes_on(0)) {  // as in the step that has made the prediction
        components_.nodes[node]->pass_through(values.inputs.data(), values.outputs.data());
    } else {
        components_.nodes[node]->forward(step, values.inputs.data(), values.outputs.data());
    }
}

at::Tensor ScoredModel::scores(const at::Tensor& images, LayerWatch* watch) {
    const c10::AutoGradMode with_gradients(true);
    const Observation observed;
    const SoftmaxWatch softmax;
    put_beside(images.size(0));
    frame_[image_stream_].tensor = images;
    ptp_step step = step_;
    step.batch_size = static_cast<std::uint64_t>(images.size(0));
    for (const std::size_t node : path_) {
        std::optional<OperationWatch> operations;
        if (watch != nullptr && plan_.nodes[node].component->kind == plugin::Kind::kModel &&
            !plan_.nodes[node].passes_on(0)) {
            watch->enter(plan_.nodes[node].name);
            operations.emplace([watch](std::string_view operation, const at::Tensor& result) {
                watch->computed(operation, result);
            });
        }
        forward(node, step);
    }
    const at::Tensor written = frame_[predicted_.stream].tensor;
    for (const std::size_t node : path_) {  // what a graph keeps is kept by the scores alone
        for (const int stream : plan_.nodes[node].written_streams()) {
            frame_[stream].clear();
        }
    }
    const std::optional<at::Tensor> before = softmax.before(written);
    is_before_softmax_ = before.has_value();
    const at::Tensor scores = before.value_or(written);
    return predicted_.is_yes_or_no ? of_two_classes(scores, predicted_.are_logits) : scores;
}

}  // namespace ptp::engine
