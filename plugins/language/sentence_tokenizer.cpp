// SentenceTokenizer: sentences to words, and words to sentences.

#include "vocabulary.hpp"
#include "word_breaking.hpp"
#include "word_mappings.hpp"
#include "words.hpp"

#include <ptp/component.hpp>
#include <text_cleaning.hpp>

#include <algorithm>

class SentenceTokenizer {
public:
    static constexpr ptp_kind kind = PTP_TRANSFORM;
    static constexpr const char* name = "SentenceTokenizer";
    static constexpr const char* summary = "Splits sentences into words, or joins words";
    static constexpr const char* description =
        "First \"lowercase\" of preprocessing makes letters lower-case, then each character of "
        "remove_characters becomes a space, then \"remove_punctuation\" removes Unicode's "
        "punctuation (the categories P*) and $+<=>^`|~, so that don't becomes dont. What is left "
        "is split at white space, or at Unicode's word boundaries (UAX #29), where each punctuation "
        "mark is a word of its own, and so is an emoji modifier behind a space. Combining marks "
        "behind a space, and characters that nothing is shown of, such as U+FEFF, are no words. The "
        "rules are those of no language in particular.\n"
        "With vocabulary = true the words of the global word_mappings, such as those of a task's "
        "texts, are split in the same way, and what they become is published as "
        "published_word_mappings: each word of texts that have the words of the one vocabulary is "
        "in the other. Indices are by first appearance.\n"
        "With detokenize = true words become a sentence, with a space between each two.";

    static constexpr std::array ports{
        ptp::input("inputs", PTP_STRING, "B", "Sentences").when("!detokenize"),
        ptp::input("inputs", PTP_TOKENS, "B", "The words of each sentence").when("detokenize"),
        ptp::output("outputs", PTP_TOKENS, "B", "The words of each sentence").when("!detokenize"),
        ptp::output("outputs", PTP_STRING, "B", "Sentences").when("detokenize")};
    static constexpr std::array globals{
        ptp::reads("word_mappings", "Words of the texts: a table to their indices")
            .purpose(PTP_PURPOSE_VOCABULARY)
            .when("vocabulary"),
        ptp::publishes("published_word_mappings",
                       "Words that they become: a table to their indices")
            .purpose(PTP_PURPOSE_VOCABULARY)
            .when("vocabulary")};

    enum class Preprocessing { kLowercase, kRemovePunctuation, kAll };
    enum class SplitAt { kWhiteSpace, kWordBoundaries };
    struct Config {
        bool detokenize = false;
        std::vector<Preprocessing> preprocessing;
        std::string remove_characters;
        SplitAt split_at = SplitAt::kWhiteSpace;
        bool vocabulary = false;

        static constexpr auto settings() {
            return std::tuple{
                ptp::setting("detokenize", &Config::detokenize,
                             {.help = "Join words instead of splitting sentences"}),
                ptp::setting("preprocessing", &Config::preprocessing,
                             {.help = "What is done before splitting, in the order of the choices",
                              .choices = "lowercase|remove_punctuation|all",
                              .takes_list_or_one = true}),
                ptp::setting("remove_characters", &Config::remove_characters,
                             {.help = "Characters that become spaces before splitting, such as "
                                      "\"-/\""}),
                ptp::setting(
                    "split_at", &Config::split_at,
                    {.help = "Where a word ends", .choices = "white_space|word_boundaries"}),
                ptp::setting("vocabulary", &Config::vocabulary,
                             {.help = "Also split the words of the vocabulary word_mappings, and "
                                      "publish those that they become"})};
        }
    };

    SentenceTokenizer(const Config& config, const ptp::Setup& setup)
        : split_at_(config.split_at), cleaner_(options(config)) {
        const bool has_cleaning =
            !config.preprocessing.empty() || !config.remove_characters.empty();
        if (config.detokenize && (has_cleaning || split_at_ != SplitAt::kWhiteSpace)) {
            throw ptp::SettingError("detokenize",
                                    "joins words as they are: leave out preprocessing, "
                                    "remove_characters and split_at");
        }
        if (config.detokenize && config.vocabulary) {
            throw ptp::SettingError("vocabulary", "has no effect with detokenize = true");
        }
        if (config.vocabulary) {
            const ptp::support::WordMappings texts("word_mappings",
                                                   setup.global<ptp::Data>("word_mappings"));
            setup.publish("published_word_mappings", split(texts).mappings());
        }
    }

    std::tuple<std::vector<std::vector<std::string>>, std::vector<std::string>> forward(
        const ptp::Strings* sentences, const ptp::TokenLists* words, const ptp::Samples& samples) {
        if (sentences != nullptr) {
            return {split(*sentences, samples), {}};
        }
        return {std::vector<std::vector<std::string>>(), joined(*words)};
    }

private:
    static ptp::support::CleaningOptions options(const Config& config) {
        const auto has = [&](Preprocessing wanted) {
            return std::ranges::any_of(config.preprocessing, [wanted](Preprocessing given) {
                return given == wanted || given == Preprocessing::kAll;
            });
        };
        return {.has_lowercase = has(Preprocessing::kLowercase),
                .removed_characters = config.remove_characters,
                .has_punctuation_removed = has(Preprocessing::kRemovePunctuation)};
    }

    // A tokenizer for one thread.
    class Splitter {
    public:
        explicit Splitter(const SentenceTokenizer& tokenizer) : cleaner_(tokenizer.cleaner_) {
            if (tokenizer.split_at_ == SplitAt::kWordBoundaries) {
                session_.emplace(tokenizer.breaker_);
            }
        }

        // Returns false for a text that is not UTF-8.
        bool split(std::string_view text, std::vector<std::string>& words) {
            if (!cleaner_.clean(text, cleaned_)) {
                return false;
            }
            if (session_) {
                session_->split(cleaned_, words);
            } else {
                ptp::support::for_each_word(
                    cleaned_, [&](std::string_view word) { words.emplace_back(word); });
            }
            return true;
        }

    private:
        const ptp::support::TextCleaner& cleaner_;
        std::optional<language::WordBreaker::Session> session_;
        std::string cleaned_;
    };

    std::vector<std::vector<std::string>> split(const ptp::Strings& sentences,
                                                const ptp::Samples& samples) const {
        std::vector<std::vector<std::string>> all(sentences.size());
        Splitter splitter(*this);
        for (size_t i = 0; i < sentences.size(); ++i) {
            if (!splitter.split(sentences[i], all[i])) {
                throw ptp::DataError("sample ", samples.indices()[i],
                                     ": the sentence is not valid UTF-8");
            }
        }
        return all;
    }

    // Splits each word separately: the processing of a text does not depend on what is beyond white
    // space.
    ptp::support::Vocabulary split(const ptp::support::WordMappings& texts) const {
        ptp::support::Vocabulary vocabulary;
        Splitter splitter(*this);
        for (const auto& [index, word] : texts.words()) {
            std::vector<std::string> words;
            if (!splitter.split(word, words)) {
                throw ptp::ConfigError("the global 'word_mappings': the word with the index ",
                                       index, " is not valid UTF-8");
            }
            for (const std::string& one : words) {
                vocabulary.add_if_new(one);
            }
        }
        return vocabulary;
    }

    static std::vector<std::string> joined(const ptp::TokenLists& sentences) {
        std::vector<std::string> all;
        for (size_t i = 0; i < sentences.size(); ++i) {
            const auto words = sentences[i];
            std::string sentence;
            for (size_t j = 0; j < words.size(); ++j) {
                sentence += j == 0 ? "" : " ";
                sentence += words[j];
            }
            all.push_back(std::move(sentence));
        }
        return all;
    }

    SplitAt split_at_;
    ptp::support::TextCleaner cleaner_;
    language::WordBreaker breaker_;
};

template const ptp_component_info& ptp::component<SentenceTokenizer>();
