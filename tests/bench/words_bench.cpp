// How many words a second SentenceTokenizer and SentenceIndexer take, through the C boundary and in
// one thread: sentences of 20 words, in batches of 64. Prints the medians of CPU time, which other
// programs hardly change. Then the bags of words of a batch in a vocabulary of 50,000: BOWEncoder
// on words, and on the dense vectors that SentenceOneHotEncoder makes.
//
//   ptp-bench-words [TEXT]
//
// The words are those of the text, in their order; without one they are made up: 20,000 different
// ones, as frequent as in natural texts (Zipf's law).

#include "bench/made_up_words.hpp"
#include "support/paths.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <ptp/testing.hpp>
#include <ptp/testing/toml.hpp>

namespace {

using ptp::testing::Component;
using ptp::testing::Slot;
using Sentences = std::vector<std::string>;

constexpr std::size_t kWords = 200000;
constexpr std::size_t kLength = 20;  // words
constexpr std::size_t kBatch = 64;   // sentences
constexpr int kRounds = 7;

std::vector<Sentences> batches_of(const std::vector<std::string>& words) {
    std::vector<Sentences> batches(1);  // the last one may have fewer
    for (std::size_t i = 0; i + kLength <= words.size(); i += kLength) {
        if (batches.back().size() == kBatch) {
            batches.emplace_back();
        }
        std::string& sentence = batches.back().emplace_back();
        for (std::size_t j = i; j < i + kLength; ++j) {
            sentence += (j == i ? "" : " ") + words[j];
        }
    }
    return batches;
}

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void measure(const std::string& name, std::size_t words, const std::function<void()>& work) {
    std::vector<double> times;
    for (int i = 0; i < kRounds; ++i) {
        const double begin = cpu_seconds();
        work();
        times.push_back(cpu_seconds() - begin);
    }
    std::sort(times.begin(), times.end());
    fmt::print("{:<50} {:6.2f} million words/s\n", name,
               static_cast<double>(words) / times[times.size() / 2] * 1e-6);
}

// What a component that treats each sample by itself makes of a batch, as an input again.
Slot transformed(Component& component, const Slot& inputs) {
    static const std::vector<std::uint64_t> seeds(kBatch);
    const Slot outputs = component.transform({{"inputs", inputs}}, seeds).at("outputs");
    if (outputs.element() == PTP_TENSOR_LIST) {
        return outputs.tensors();
    }
    return outputs.element() == PTP_TOKENS ? Slot(outputs.tokens()) : outputs;
}

std::vector<Slot> tokenized(Component& tokenizer, const std::vector<Sentences>& batches) {
    std::vector<Slot> made;
    for (const Sentences& batch : batches) {
        made.push_back(transformed(tokenizer, batch));
    }
    return made;
}

ptp::Data vocabulary_of(const std::vector<Slot>& batches) {
    std::map<std::string, std::int64_t> indices;
    for (const Slot& batch : batches) {
        for (const auto& sentence : batch.tokens()) {
            for (const std::string& word : sentence) {
                indices.emplace(word, static_cast<std::int64_t>(indices.size()));
            }
        }
    }
    return indices;
}

// Seconds for the bags of words of one batch, on words and on dense vectors.
void measure_bags(const ptp::testing::Plugin& plugin, const Slot& tokens, const ptp::Data& words) {
    constexpr std::int64_t kVocabulary = 50000;
    ptp::Data::Table table = words.as_table();
    for (auto index = static_cast<std::int64_t>(table.size()); index < kVocabulary; ++index) {
        table.push_back({"more " + std::to_string(index), index});
    }
    const ptp::testing::Wiring with_words{.globals = {{"word_mappings", table}}};
    Component sparse = plugin.make("BOWEncoder", "input_mode = \"words\"", with_words);
    Component one_hot = plugin.make("SentenceOneHotEncoder", "", with_words);
    Component dense = plugin.make("BOWEncoder", "", {.globals = {{"bow_size", kVocabulary}}});
    std::vector<double> seconds_sparse;
    std::vector<double> seconds_dense;
    for (int i = 0; i < kRounds; ++i) {
        const double begin = cpu_seconds();
        transformed(sparse, tokens);
        const double between = cpu_seconds();
        transformed(dense, transformed(one_hot, tokens));
        seconds_sparse.push_back(between - begin);
        seconds_dense.push_back(cpu_seconds() - between);
    }
    std::sort(seconds_sparse.begin(), seconds_sparse.end());
    std::sort(seconds_dense.begin(), seconds_dense.end());
    const double fast = seconds_sparse[kRounds / 2];
    const double slow = seconds_dense[kRounds / 2];
    fmt::print(
        "bags of {} sentences, vocabulary of {}: BOWEncoder on words {:.2f} ms, on dense "
        "vectors {:.1f} ms: {:.0f} times\n",
        kBatch, kVocabulary, fast * 1e3, slow * 1e3, slow / fast);
}

}  // namespace

int main(int argc, char** argv) {
    constexpr std::size_t kDifferent = 20000;
    const std::vector<std::string> words = argc > 1 ? ptp::bench::words_of(argv[1], kWords)
                                                    : ptp::bench::made_up_words(kWords, kDifferent);
    const std::vector<Sentences> batches = batches_of(words);
    const ptp::testing::Plugin plugin(ptp::test::build_dir() / "lib/ptp/plugins/language.so");
    Component lowercase = plugin.make("SentenceTokenizer", "preprocessing = \"lowercase\"");
    Component all = plugin.make("SentenceTokenizer", "preprocessing = \"all\"");
    Component boundaries = plugin.make(
        "SentenceTokenizer", "preprocessing = \"lowercase\"\nsplit_at = \"word_boundaries\"");
    const std::vector<Slot> tokens = tokenized(lowercase, batches);
    const ptp::Data vocabulary = vocabulary_of(tokens);
    Component indexer = plugin.make("SentenceIndexer", "eos_token = true\noutput_lengths = true",
                                    {.globals = {{"word_mappings", vocabulary}}});
    fmt::print("{} words, {} different ones; medians of {} rounds of CPU time, one thread\n",
               words.size(), vocabulary.as_table().size(), kRounds);
    const auto tokenize_with = [&](Component& tokenizer) {
        for (const Sentences& batch : batches) {
            transformed(tokenizer, batch);
        }
    };
    measure("SentenceTokenizer, lowercase", words.size(), [&] { tokenize_with(lowercase); });
    measure("SentenceTokenizer, all", words.size(), [&] { tokenize_with(all); });
    measure("SentenceTokenizer, lowercase, word boundaries", words.size(),
            [&] { tokenize_with(boundaries); });
    measure("SentenceIndexer", words.size(), [&] {
        for (const Slot& batch : tokens) {
            transformed(indexer, batch);
        }
    });
    measure("SentenceTokenizer, lowercase; SentenceIndexer", words.size(), [&] {
        for (const Sentences& batch : batches) {
            transformed(indexer, transformed(lowercase, batch));
        }
    });
    measure_bags(plugin, tokens.front(), vocabulary);
    return 0;
}
