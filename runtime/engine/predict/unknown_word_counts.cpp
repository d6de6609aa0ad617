// Finds the components that replace unknown words, and counts such words in what they read.

#include "engine/predict/unknown_word_counts.hpp"

#include "plugin/purpose.hpp"

namespace ptp::engine {

namespace {

// Returns the first table among its globals; nullptr for a vocabulary that the component alone has,
// of a file.
const ptp_data* vocabulary_of(const pipeline::Node& node, const Globals& globals) {
    for (const plugin::Global& declared : node.component->globals) {
        const auto global = node.globals.find(declared.name);
        const ptp_data* data =
            global == node.globals.end() ? nullptr : globals.find(global->second);
        if (data != nullptr && data->type == PTP_DATA_TABLE) {
            return data;
        }
    }
    return nullptr;
}

}  // namespace

bool replaces_unknown_words(const pipeline::Node& node) {
    const auto& declared = node.component->settings;
    const auto* found = plugin::find_purpose(declared, plugin::Purpose::kUnknownWords);
    if (found == nullptr) {
        return false;
    }
    const auto& value = node.settings[static_cast<std::size_t>(found - declared.data())];
    return value && value->is_string() && value->as_string() != "error";
}

UnknownWordCounts::UnknownWordCounts(const pipeline::Plan& plan, const Globals& globals) {
    for (const pipeline::Node& node : plan.nodes) {
        const ptp_data* words =
            replaces_unknown_words(node) ? vocabulary_of(node, globals) : nullptr;
        for (const pipeline::Binding& input : node.inputs) {
            if (words == nullptr || input.stream < 0) {
                continue;
            }
            const plugin::Element element = plan.stream(input.stream).element;
            if (element != plugin::Element::kString && element != plugin::Element::kTokens) {
                continue;
            }
            auto& known = known_[input.stream];
            for (std::uint64_t i = 0; i < words->item_count; ++i) {
                known.insert(words->items[i].key);
            }
        }
    }
}

Cell UnknownWordCounts::of_sample(const Frame& frame, std::uint64_t sample) const {
    std::uint64_t count = 0;
    for (const auto& [stream, known] : known_) {
        const TextBuffer& text = frame[stream].text;
        if (!text.is_written()) {
            continue;
        }
        const bool has_lists = text.rows != nullptr;
        const std::uint64_t end = has_lists ? text.rows[sample + 1] : sample + 1;
        for (std::uint64_t i = has_lists ? text.rows[sample] : sample; i < end; ++i) {
            count += known.contains(text.string(i)) ? 0 : 1;
        }
    }
    return count;
}

}  // namespace ptp::engine
