// Experiments with texts learn: on generated texts, whose best possible result is known.

#include "runs/support.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace learning_test {

using ptp::test::last_value;
using ptp::test::TempFolder;

namespace {

constexpr std::array<const char*, 8> kWords{"ba", "ce", "di", "fo", "gu", "ha", "je", "ki"};

// In [0, count), the same on every machine.
std::size_t below(std::mt19937& random, std::size_t count) {
    return random() % count;
}

// Trains on the data in the folder, into its folder `run`.
void train(const TempFolder& folder, const std::string& experiment,
           std::vector<std::string> options) {
    const auto file = ptp::test::source_dir() / "configs" / experiment;
    const auto run = folder.path() / "run";
    options.insert(options.begin(), {file.string(), "--run-dir", run.string(), "--set",
                                     "vars.data_folder=\"" + folder.path().string() + "\""});
    const auto result = ptp::test::run_program("ptprun", options, {{"OMP_NUM_THREADS", "1"}});
    CAPTURE(result.output);
    CHECK(result.errors == "");
    REQUIRE(result.status == 0);
}

double last_number(const TempFolder& folder, const char* table, const char* column) {
    return std::stod(last_value(folder.read(std::string("run/") + table), column));
}

// Each word is followed by one of two others, both as often: no model has a perplexity below 2.
std::string coin_text(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::string text = "<unk>";
    std::size_t word = 0;
    for (std::size_t i = 0; i < count; ++i) {
        word = (2 * word + below(random, 2)) % kWords.size();
        text += std::string(" ") + kWords.at(word);
    }
    return text + "\n";
}

// A sentence of 2 to 5 words, and the same in another order and other words.
std::pair<std::string, std::string> pair_of_sentences(std::mt19937& random) {
    std::string source;
    std::string target;
    for (std::size_t left = 2 + below(random, 4); left > 0; --left) {
        const std::string word = kWords.at(below(random, kWords.size()));
        source += (source.empty() ? "" : " ") + word;
        target = "z" + word + (target.empty() ? "" : " ") + target;
    }
    return {source, target};
}

// Every other word is one that both languages have.
std::string sentence(std::mt19937& random, const std::string& language) {
    std::string text;
    for (std::size_t i = 0; i < 4; ++i) {
        text += (i % 2 == 0 ? language : "") + kWords.at(below(random, kWords.size())) + " ";
    }
    return text + "\n";
}

}  // namespace

TEST_CASE("learning: the LSTM of wikitext reaches the entropy of a text") {
    const TempFolder folder;
    folder.write("wikitext-2/wiki.valid.tokens", coin_text(6000, 1));
    folder.write("wikitext-2/wiki.test.tokens", coin_text(3000, 2));
    train(folder, "wikitext/lstm.toml",
          {"--set", "vars.size=16", "--set", "vars.dropout_rate=0.0", "--set",
           "training.optimizer.lr=0.02", "--set", "training.terminal_conditions.epoch_limit=20"});
    const double perplexity = last_number(folder, "test.csv", "perplexity");
    CHECK(perplexity < 2.1);
    CHECK(perplexity > 1.95);
}

TEST_CASE("learning: the translation with attention knows sixty-four pairs by heart") {
    const TempFolder folder;
    std::mt19937 random(1);
    std::string pairs;
    for (int i = 0; i < 100; ++i) {
        const auto [source, target] = pair_of_sentences(random);
        pairs += source + "\t" + target + "\n";
    }
    folder.write("fra.txt", pairs);
    train(folder, "translation_pairs/eng_fra_attention.toml",
          {"--overfit", "2", "--set", "vars.size=64", "--set", "training.optimizer.lr=0.005",
           "--set", "training.terminal_conditions.epoch_limit=200", "--set",
           "training.terminal_conditions.early_stop_validations=0"});
    CHECK(last_number(folder, "validation.csv", "bleu") > 0.9);
}

TEST_CASE("learning: a bag of words tells languages apart that share half of their words") {
    const TempFolder folder;
    std::mt19937 random(1);
    for (const std::string part : {"training", "test"}) {
        for (const std::string language : {"english", "french"}) {
            std::string lines;
            for (int i = 0; i < 200; ++i) {
                lines += sentence(random, language.substr(0, 1));
            }
            folder.write(part + "/" + language + "/lines.txt", lines);
        }
    }
    train(folder, "language_identification/sentences_bag_of_words.toml",
          {"--set", "training.optimizer.lr=0.05"});
    CHECK(last_number(folder, "test.csv", "accuracy") == 1.0);
}

}  // namespace learning_test
