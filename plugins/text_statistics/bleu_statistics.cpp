// BLEUStatistics: the share of predicted phrases that are in the target sentence.

#include "bleu.hpp"
#include "sentences.hpp"

#include <ptp/by_set.hpp>
#include <ptp/component.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

class BLEUStatistics {
public:
    static constexpr ptp_kind kind = PTP_STATISTIC;
    static constexpr const char* name = "BLEUStatistics";
    static constexpr const char* summary = "BLEU of predicted sentences, over the whole set";
    static constexpr const char* description =
        "bleu = min(1, exp(1 - t / p)) * exp(sum of w_n log precision_n / sum of w_n), with t the "
        "words of all targets, p those of all predictions, and precision_n the share of predicted "
        "n-grams that are in the target of their sentence, each counted at most as often as it is "
        "there. It is in [0, 1]; times 100 it is the corpus score of sacreBLEU 2 for sentences "
        "that are words already (tokenize = none). That of a set is made of "
        "its counts, not a mean over its batches; 0 where nothing is right.\n"
        "Smoothing is for orders without a right n-gram: exp halves, for one after the other, the "
        "share of one half n-gram, floor takes smooth_value n-grams as right, and add-k adds it to "
        "the counts of all orders from 2. With none, such an order makes the score 0.\n"
        "With reference_streams samples have several right sentences: an n-gram counts at most as "
        "often as in the one that has it most often, and t has the words of the one whose length is "
        "closest to the prediction's, the shorter one of two. Where such a stream has no words for "
        "a sample, that sample has fewer.\n"
        "Sentences are lists of words (use_tokens), indices of a vocabulary, or scores of its "
        "words: the highest is the prediction, the first of equal ones, and nan among them a word "
        "that is never right. What follows the first of end_words is left out, and then "
        "ignored_words are.\n"
        "The value of a sample, where a run records it, is the score of its sentence alone, with "
        "use_effective_order, as sentence_bleu() of sacreBLEU 2 has it.";

    static constexpr auto ports = [] {
        std::array<ptp::Port, sentences::kPorts.size() + sentences::kReferencePorts.size()> all{};
        std::ranges::copy(sentences::kReferencePorts,
                          std::ranges::copy(sentences::kPorts, all.begin()).out);
        return all;
    }();
    static constexpr std::array globals{sentences::kWordMappings};
    static constexpr std::array requirements{
        ptp::requirement("!$smooth_value or $smooth_method = 'floor'|'add-k'",
                         "is for smooth_method \"floor\" and \"add-k\"")};
    static constexpr std::array statistics{
        ptp::computed("bleu", "BLEU, in [0, 1]").decimals(6).spread().larger_is_better()};
    static constexpr std::array sample_values{"bleu"};

    struct Config : sentences::SentenceConfig {
        std::vector<std::string> reference_streams;
        std::vector<double> weights = {0.25, 0.25, 0.25, 0.25};
        bleu::Smoothing smooth_method = bleu::Smoothing::kExp;
        std::optional<double> smooth_value;
        bool use_effective_order = false;

        static constexpr auto settings() {
            return std::tuple_cat(
                SentenceConfig::settings(),
                std::tuple{
                    ptp::setting("reference_streams", &Config::reference_streams,
                                 {.help = "Names of streams with other right sentences",
                                  .takes_list_or_one = true}),
                    ptp::setting("weights", &Config::weights,
                                 {.help = "How much the precisions of n-grams of 1, 2 and more "
                                          "words count, as shares of their sum",
                                  .range = "[0, inf)",
                                  .length = "[1, inf)"}),
                    ptp::setting("smooth_method", &Config::smooth_method,
                                 {.help = "What the precision of an order without a right n-gram "
                                          "is",
                                  .choices = "exp|floor|add-k|none"}),
                    ptp::setting("smooth_value", &Config::smooth_value,
                                 {.help = "N-grams that floor and add-k add; 0.1 and 1 without it",
                                  .range = "[0, inf)"}),
                    ptp::setting("use_effective_order", &Config::use_effective_order,
                                 {.help = "Whether orders of more words than any prediction has "
                                          "are left out, instead of making the score 0"})});
        }
    };

    BLEUStatistics(const Config& config, ptp::Setup& setup)
        : reader_(config, setup),
          options_{.weights = config.weights,
                   .smoothing = config.smooth_method,
                   .smooth_value = smooth_value_of(config),
                   .uses_effective_order = config.use_effective_order} {
        if (std::ranges::all_of(config.weights, [](double weight) { return weight == 0; })) {
            throw ptp::SettingError("weights", "all are 0, so that no precision would count");
        }
    }

    void forward(const at::Tensor* target_indices, const ptp::TokenLists* target_tokens,
                 const at::Tensor* scores, const at::Tensor* indices, const ptp::TokenLists* tokens,
                 const ptp::List<at::Tensor>& reference_indices,
                 const ptp::List<ptp::TokenLists>& reference_tokens, const ptp::Step& step) {
        batch_ = {};
        pairs_ = reader_.read({target_indices, target_tokens, scores, indices, tokens,
                               &reference_indices, &reference_tokens});
        for (const sentences::Pair& pair : pairs_) {
            batch_.add(pair, options_.weights.size());
        }
        sets_[step.set()].add(batch_);
    }

    static constexpr auto state() { return ptp::kept(&BLEUStatistics::sets_); }

    std::array<double, 1> collect(uint64_t) const { return {bleu::score(batch_, options_)}; }
    std::array<double, 1> aggregate(uint64_t set) { return {bleu::score(sets_[set], options_)}; }
    void reset(uint64_t set) { sets_.reset(set); }

    // Writes the score of each sentence of the last batch.
    void collect_samples(uint64_t samples, std::span<double> out) const {
        bleu::Options options = options_;
        options.uses_effective_order = true;
        for (std::size_t i = 0; i < std::min<std::size_t>(samples, pairs_.size()); ++i) {
            bleu::Counts counts;
            counts.add(pairs_[i], options.weights.size());
            out[i] = bleu::score(counts, options);
        }
    }

private:
    static double smooth_value_of(const Config& config) {
        const bool is_used = config.smooth_method == bleu::Smoothing::kFloor ||
                             config.smooth_method == bleu::Smoothing::kAddK;
        if (config.smooth_value && !is_used) {
            throw ptp::SettingError("smooth_value", "is for smooth_method \"floor\" and \"add-k\"");
        }
        constexpr double kFloor = 0.1;
        constexpr double kAddK = 1;
        return config.smooth_value.value_or(
            config.smooth_method == bleu::Smoothing::kFloor ? kFloor : kAddK);
    }

    sentences::Reader reader_;
    bleu::Options options_;
    bleu::Counts batch_;
    std::vector<sentences::Pair> pairs_;  // of the last batch
    ptp::BySet<bleu::Counts> sets_;
};

template const ptp_component_info& ptp::component<BLEUStatistics>();
