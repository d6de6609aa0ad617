// Returns the texts, labels and class numbers of a batch.

#include "labelled_texts.hpp"

#include <class_table.hpp>

#include <algorithm>
#include <set>
#include <utility>

ptp::TensorData LabelledTexts::targets_of(const ptp::Fetch& fetch) const {
    auto result = ptp::TensorData::zeros<int64_t>({static_cast<int64_t>(fetch.size())});
    if (!targets.empty()) {
        std::ranges::transform(fetch.indices(), result.elements<int64_t>().begin(),
                               [&](int64_t i) { return targets[static_cast<size_t>(i)]; });
    }
    return result;
}

std::vector<std::string_view> LabelledTexts::labels_of(const ptp::Fetch& fetch) const {
    std::vector<std::string_view> result(fetch.size());
    if (!targets.empty()) {
        std::ranges::transform(fetch.indices(), result.begin(), [&](int64_t i) {
            return std::string_view(classes[static_cast<size_t>(targets[static_cast<size_t>(i)])]);
        });
    }
    return result;
}

void LabelledTexts::publish_classes(const ptp::Setup& setup) const {
    // The names come first: where another section has others, they say more than the number.
    setup.publish("label_word_mappings", ptp::support::class_table(classes));
    setup.publish("num_classes", classes.size());
}

ptp::TensorData binary_targets(const std::vector<int64_t>& targets, const ptp::Fetch& fetch) {
    auto result = ptp::TensorData::zeros<float>({static_cast<int64_t>(fetch.size()), 1});
    if (!targets.empty()) {
        std::ranges::transform(fetch.indices(), result.elements<float>().begin(), [&](int64_t i) {
            return static_cast<float>(targets[static_cast<size_t>(i)]);
        });
    }
    return result;
}

LabelledTexts number_labels(ptp::support::Texts texts, const std::vector<std::string>& labels,
                            const std::vector<std::string>& all_labels) {
    const std::set<std::string> sorted(all_labels.begin(), all_labels.end());
    LabelledTexts result{
        .texts = std::move(texts), .targets = {}, .classes = {sorted.begin(), sorted.end()}};
    for (const std::string& label : labels) {
        const auto found = std::ranges::lower_bound(result.classes, label);
        result.targets.push_back(found - result.classes.begin());
    }
    return result;
}
