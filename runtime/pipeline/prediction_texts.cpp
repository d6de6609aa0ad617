#include "pipeline/prediction_texts.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace ptp::pipeline {

namespace {

constexpr std::size_t kDimensionsOfSentences = 3;  // samples, steps and words

const Stream& stream_at(const Plan& plan, int stream) {
    return plan.streams[static_cast<std::size_t>(stream)];
}

bool has_text(const Plan& plan, int stream) {
    const plugin::Element element = stream_at(plan, stream).element;
    return element == plugin::Element::kString || element == plugin::Element::kTokens;
}

// The last texts that transforms make of a stream: sentences rather than their words.
std::vector<int> texts_made_of(const Plan& plan, int stream) {
    std::vector<int> texts;
    for (const Node& node : plan.nodes) {
        const bool reads =
            std::ranges::find(node.inputs, stream, &Binding::stream) != node.inputs.end();
        if (node.component->kind != plugin::Kind::kTransform || !reads) {
            continue;
        }
        for (const Binding& output : node.outputs) {
            if (output.stream < 0 || !writes_stream(plan, output.stream) ||
                !has_text(plan, output.stream)) {
                continue;
            }
            const std::vector<int> further = texts_made_of(plan, output.stream);
            texts.insert(texts.end(), further.begin(), further.end());
            if (further.empty()) {
                texts.push_back(output.stream);
            }
        }
    }
    return texts;
}

// Returns the texts that are made from any output of the model that writes the stream.
std::vector<int> texts_beside(const Plan& plan, int stream) {
    std::vector<int> texts;
    const Node& model = plan.nodes[static_cast<std::size_t>(stream_at(plan, stream).producer)];
    for (const Binding& output : model.outputs) {
        if (output.stream >= 0) {
            const std::vector<int> made = texts_made_of(plan, output.stream);
            texts.insert(texts.end(), made.begin(), made.end());
        }
    }
    return texts;
}

}  // namespace

bool writes_stream(const Plan& plan, int stream) {
    const int producer = stream_at(plan, stream).producer;
    if (producer >= 0) {
        return plan.nodes[static_cast<std::size_t>(producer)].runs_on(0);  // the plan has one task
    }
    const Node& task = plan.tasks.front();
    return stream == task.indices_stream ||
           std::ranges::find(task.outputs, stream, &Binding::stream) != task.outputs.end();
}

std::vector<int> with_texts(const Plan& plan, const std::vector<int>& streams) {
    std::vector<int> shown;
    for (const int stream : streams) {
        const Stream& scores = stream_at(plan, stream);
        const bool is_of_sentences =
            scores.has_shape && scores.shape.size() == kDimensionsOfSentences;
        std::vector<int> texts = is_of_sentences ? texts_made_of(plan, stream) : std::vector<int>();
        if (is_of_sentences && texts.empty()) {
            texts = texts_beside(plan, stream);
        }
        if (texts.empty()) {
            shown.push_back(stream);
        }
        std::ranges::copy_if(texts, std::back_inserter(shown), [&](int text) {
            return std::ranges::find(shown, text) == shown.end();
        });
    }
    return shown;
}

}  // namespace ptp::pipeline
