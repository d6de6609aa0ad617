// Shows the vectors of embeddings in two dimensions, with the words of the vocabulary that fits.

#include "base/error.hpp"
#include "base/file_error.hpp"
#include "base/text.hpp"
#include "ptp-report/checked_json.hpp"
#include "ptp-report/model_section.hpp"
#include "ptp-report/principal_components.hpp"
#include "ptp-report/projector.hpp"
#include "ptp-report/sample_file.hpp"
#include "run/checkpoint_record.hpp"
#include "run/format.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace ptp::report {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMaxVectors = 2000;  // the first of an embedding: the most frequent words
constexpr std::uint64_t kMaxNumbers = 4U << 20U;  // of them
constexpr std::size_t kMaxEmbeddings = 8;
constexpr std::size_t kMaxAddedTokens = 16;  // that a vocabulary has not, such as "<PAD>"

// Returns the names of the tensors that operations look vectors up in, "embeddings.weight".
std::set<std::string> looked_up(const fs::path& run) {
    std::set<std::string> names;
    const Json facts = read_numbered_json(run / run::kModelFile, run::kModelFormat);
    for (const Json& component : list_in(facts, "components")) {
        for (const Json& operation : list_in(component, "operations")) {
            for (const Json& tensor : list_in(operation, "tensors")) {
                const Json& name = member_of(component, "name");
                if (text_in(operation, "name").starts_with("embedding") && name.is_string() &&
                    tensor.is_string()) {
                    names.insert(name.get<std::string>() + "." + tensor.get<std::string>());
                }
            }
        }
    }
    return names;
}

using Words = std::map<std::int64_t, std::string>;

// Returns the words of each vocabulary among the globals.
std::vector<Words> vocabularies(const fs::path& checkpoint) {
    std::vector<Words> all;
    const Value globals = run::read_checkpoint_record(checkpoint).globals;
    for (const Member& global : globals.members()) {
        if (!global.value.is_table()) {
            continue;
        }
        Words words;
        for (const Member& word : global.value.members()) {
            if (word.value.is_integer()) {
                words[word.value.as_integer()] = word.key;
            }
        }
        all.push_back(std::move(words));
    }
    return all;
}

// Returns the vocabulary with the most words that these vectors have room for, or none.
Words words_for(const std::vector<Words>& vocabularies, std::uint64_t vectors) {
    Words best;
    for (const Words& words : vocabularies) {
        const bool fits = words.size() <= vectors && words.size() + kMaxAddedTokens >= vectors;
        if (fits && words.size() > best.size()) {
            best = words;
        }
    }
    return best;
}

Json embedding_of(const SampleFile& file, const std::string& name, const Words& words) {
    const SampleFile::Tensor& tensor = *file.find(name);
    const std::uint64_t width = tensor.width();
    const std::uint64_t count = std::min({tensor.shape[0], kMaxVectors, kMaxNumbers / width});
    std::vector<float> numbers = file.reals(name);
    numbers.resize(count * width);
    const PrincipalComponents found = principal_components(numbers, width);
    Json texts = Json::array();
    for (std::size_t i = 0; i < found.x.size(); ++i) {
        const auto word = words.find(static_cast<std::int64_t>(i));
        texts.push_back(word == words.end() ? std::to_string(i) : harmless(word->second));
    }
    return {{"name", harmless(name)},
            {"sizes", tensor.shape},
            {"shares", {rounded(found.x_share), rounded(found.y_share)}},
            {"words", std::move(texts)},
            {"x", rounded(found.x)},
            {"y", rounded(found.y)}};
}

// Returns the names of the embeddings in the file that are shown.
std::vector<std::string> shown_embeddings(const fs::path& run, const SampleFile& file) {
    std::vector<std::string> names;
    for (const std::string& name : looked_up(run)) {
        const SampleFile::Tensor* const tensor = file.find(name);
        if (tensor != nullptr && tensor->type == "F32" && tensor->shape.size() == 2 &&
            tensor->size() > 0 && tensor->width() <= kMaxNumbers && names.size() < kMaxEmbeddings) {
            names.push_back(name);
        }
    }
    return names;
}

// Returns the weights whose embeddings are shown; "" if there are none.
fs::path weights_with_model(const fs::path& run) {
    std::error_code ignored;
    return fs::exists(run / run::kModelFile, ignored) ? recorded_weights(run) : fs::path();
}

// Calls use(file, name, words) with each embedding.
template <class Use>
void for_each_embedding(const fs::path& run, const fs::path& weights, const Use& use) {
    const SampleFile file(weights, SampleFile::Numbered::kNo);
    const std::vector<Words> known = vocabularies(weights.parent_path());
    for (const std::string& name : shown_embeddings(run, file)) {
        use(file, name, words_for(known, file.find(name)->shape[0]));
    }
}

}  // namespace

void project_embeddings(const fs::path& run, Projector& projector) {
    const fs::path weights = weights_with_model(run);
    if (weights.empty()) {
        return;
    }
    for_each_embedding(
        run, weights, [&](const SampleFile& file, const std::string& name, const Words& words) {
            const std::vector<float> numbers = file.reals(name);
            const std::uint64_t width = file.find(name)->width();
            std::string labels;
            for (std::uint64_t row = 0; row < numbers.size() / width; ++row) {
                const auto word = words.find(static_cast<std::int64_t>(row));
                labels += word == words.end() ? std::to_string(row)
                                              : projector_cell(harmless(word->second));
                labels += '\n';
            }
            projector.add({name, numbers, width, labels});
        });
}

void add_embeddings(Json& sections, const fs::path& run, std::vector<std::string>& problems) {
    const fs::path weights = weights_with_model(run);
    if (weights.empty()) {
        return;
    }
    const auto fail = [&](const std::string& what) {
        problems.push_back(fmt::format("{}: no embeddings are shown: {}", run.string(), what));
    };
    try {
        Json list = Json::array();
        for_each_embedding(run, weights,
                           [&](const auto&... one) { list.push_back(embedding_of(one...)); });
        if (!list.empty()) {
            sections.push_back({{"kind", "embeddings"},
                                {"file", harmless(weights.lexically_relative(run).string())},
                                {"list", std::move(list)}});
        }
    } catch (const FileError& error) {
        fail(error.what());
    } catch (const RunError& error) {
        fail(error.what());
    }
}

}  // namespace ptp::report
