// JoinMaskedPredictions: one answer for each sample, from the model whose mask includes it.

#include "tensor_checks.hpp"
#include "word_mappings.hpp"

#include <ptp/component.hpp>

#include <ATen/ATen.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

class JoinMaskedPredictions {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "JoinMaskedPredictions";
    static constexpr const char* summary =
        "The answer of each sample, from the predictions whose mask covers it";
    static constexpr const char* description =
        "Each stream of predictions has a stream of masks and a vocabulary, at the same place of "
        "its list. The answer of a sample is the word with the highest score in the predictions "
        "whose mask is true for it (the first of equal ones), and the number of that word in "
        "output_word_mappings. A sample that no mask covers is an error, or \"<UNK>\"; one that "
        "several cover is an error, or the first of them answers. \"<UNK>\" has its number in "
        "output_word_mappings if it is there, else -100, which no target of a statistic equals. "
        "The answer to a nan among the scores is \"<UNK>\" and -100. No gradient flows back.";

    static constexpr std::array ports{
        ptp::input("predictions", PTP_FLOAT, "B, *", "Scores of the words of one vocabulary")
            .streams_from("input_prediction_streams"),
        ptp::input("masks", PTP_BOOL, "B", "True for samples that these predictions are for")
            .streams_from("input_mask_streams"),
        ptp::input("indices", PTP_INTEGER, "B", "Numbers of the samples, for messages").optional(),
        ptp::output("output_indices", PTP_INTEGER, "B", "Number of the answer"),
        ptp::output("output_strings", PTP_STRING, "B", "The answer")};
    static constexpr std::array globals{
        ptp::reads("$input_word_mappings", "The vocabulary of a stream of predictions"),
        ptp::reads("output_word_mappings", "The vocabulary of the answers")};

    enum class OnUncovered { kError, kUnknown };
    enum class OnOverlap { kError, kFirst };
    enum class OnMissingWord { kError, kUnknown };
    struct Config {
        std::vector<std::string> input_prediction_streams;
        std::vector<std::string> input_mask_streams;
        std::vector<std::string> input_word_mappings;
        OnUncovered on_uncovered = OnUncovered::kError;
        OnOverlap on_overlap = OnOverlap::kError;
        OnMissingWord on_missing_word = OnMissingWord::kError;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("input_prediction_streams", &Config::input_prediction_streams,
                             {.help = "Names of the streams of predictions",
                              .length = "[1, inf)",
                              .is_required = true}),
                ptp::setting("input_mask_streams", &Config::input_mask_streams,
                             {.help = "Names of the streams of masks, one for each of them",
                              .length = "[1, inf)",
                              .is_required = true}),
                ptp::setting("input_word_mappings", &Config::input_word_mappings,
                             {.help = "Names of the globals with the vocabularies, one for each",
                              .length = "[1, inf)",
                              .is_required = true}),
                ptp::setting("on_uncovered", &Config::on_uncovered,
                             {.help = "What a sample is that no mask covers: an error, or <UNK>",
                              .choices = "error|unknown"}),
                ptp::setting("on_overlap", &Config::on_overlap,
                             {.help = "What a sample is that several masks cover: an error, or of "
                                      "the first",
                              .choices = "error|first"}),
                ptp::setting("on_missing_word", &Config::on_missing_word,
                             {.help = "What a word is that output_word_mappings lacks: an error "
                                      "when the pipeline is built, or <UNK>",
                              .choices = "error|unknown"})};
        }
    };

    JoinMaskedPredictions(const Config& config, ptp::Setup& setup)
        : config_(config),
          output_("output_word_mappings", setup.global<ptp::Data>("output_word_mappings")),
          unknown_(output_.number_of(kUnknownWord).value_or(kNoWord)),
          device_(setup.device()) {
        check_lengths();
        for (const std::string& global : config_.input_word_mappings) {
            inputs_.emplace_back(global, setup.global<ptp::Data>(global));
            check_words(global, inputs_.back());
        }
        const std::vector<ptp::Binding> wired = setup.inputs("predictions");
        for (size_t i = 0; i < wired.size(); ++i) {
            if (wired[i].shape && wired[i].shape->size() == 2 && wired[i].shape->at(1) != -1) {
                check_width(i, wired[i].shape->at(1));
            }
        }
    }

    std::tuple<at::Tensor, std::vector<std::string>> forward(
        const ptp::List<at::Tensor>& predictions, const ptp::List<at::Tensor>& masks,
        const at::Tensor* indices) {
        const int64_t samples = predictions[0].size(0);
        std::vector<at::Tensor> best;
        std::vector<at::Tensor> covers;
        for (size_t i = 0; i < predictions.size(); ++i) {
            ptp::support::require_sizes(config_.input_mask_streams[i].c_str(), masks[i], {samples},
                                        "one for each sample");
            check_width(i, predictions[i].size(1));
            const at::Tensor is_bad = predictions[i].isnan().any(1);
            best.push_back(predictions[i].argmax(1).masked_fill(is_bad, kNoWord).cpu());  // -> [B]
            covers.push_back(masks[i].cpu().contiguous());
        }
        at::Tensor numbers = at::empty({samples}, at::kLong);
        std::vector<std::string> words;
        for (int64_t sample = 0; sample < samples; ++sample) {
            const auto source = covering(covers, sample, indices);
            const int64_t place = source ? best[*source].data_ptr<int64_t>()[sample] : int64_t{0};
            const std::string* word =
                source && place != kNoWord ? inputs_[*source].word_of(place) : nullptr;
            const auto number = word != nullptr ? output_.number_of(*word) : std::nullopt;
            numbers.data_ptr<int64_t>()[sample] =
                place == kNoWord ? kNoWord : number.value_or(unknown_);
            words.push_back(number ? *word : kUnknownWord);
        }
        return {numbers.to(device_), std::move(words)};
    }

private:
    static constexpr const char* kUnknownWord = "<UNK>";
    static constexpr int64_t kNoWord = -100;

    void check_lengths() const {
        const size_t wanted = config_.input_prediction_streams.size();
        const auto check = [&](const char* setting, size_t count) {
            if (count != wanted) {
                throw ptp::ConfigError(setting, ": ", count, " given, must be ", wanted,
                                       ", one for each of input_prediction_streams");
            }
        };
        check("input_mask_streams", config_.input_mask_streams.size());
        check("input_word_mappings", config_.input_word_mappings.size());
    }

    void check_words(const std::string& global, const ptp::support::WordMappings& words) const {
        if (config_.on_missing_word == OnMissingWord::kUnknown) {
            return;
        }
        for (const auto& [number, word] : words.words()) {
            if (!output_.number_of(word)) {
                throw ptp::ConfigError("'", word, "', a word of the global '", global,
                                       "', is not in the global 'output_word_mappings'; add it "
                                       "there, or write on_missing_word = \"unknown\"");
            }
        }
    }

    // Checks that each score represents a word.
    void check_width(size_t place, int64_t scores) const {
        const auto words = static_cast<int64_t>(inputs_[place].words().size());
        if (scores != words || inputs_[place].size() != words) {
            throw ptp::ConfigError("the stream '", config_.input_prediction_streams[place],
                                   "' has ", scores, " scores for each sample, but the global '",
                                   config_.input_word_mappings[place], "' has ", words,
                                   " words, with numbers up to ", inputs_[place].size() - 1);
        }
    }

    // Returns the index of the predictions that answer a sample.
    std::optional<size_t> covering(const std::vector<at::Tensor>& masks, int64_t sample,
                                   const at::Tensor* indices) const {
        std::optional<size_t> first;
        for (size_t i = 0; i < masks.size(); ++i) {
            if (!masks[i].data_ptr<bool>()[sample]) {
                continue;
            }
            if (first && config_.on_overlap == OnOverlap::kError) {
                throw ptp::DataError(sample_text(sample, indices), " is covered by two masks, '",
                                     config_.input_mask_streams[*first], "' and '",
                                     config_.input_mask_streams[i],
                                     "'; on_overlap = \"first\" would take the first");
            }
            first = first ? first : i;
        }
        if (!first && config_.on_uncovered == OnUncovered::kError) {
            throw ptp::DataError(
                sample_text(sample, indices),
                " is covered by no mask; on_uncovered = \"unknown\" would answer \"<UNK>\"");
        }
        return first;
    }

    static std::string sample_text(int64_t sample, const at::Tensor* indices) {
        std::string text = "sample " + std::to_string(sample) + " of the batch";
        if (indices != nullptr) {
            text += " (index " + std::to_string((*indices)[sample].item<int64_t>()) + ")";
        }
        return text;
    }

    Config config_;
    ptp::support::WordMappings output_;
    int64_t unknown_;
    at::Device device_;
    std::vector<ptp::support::WordMappings> inputs_;
};

template const ptp_component_info& ptp::component<JoinMaskedPredictions>();
