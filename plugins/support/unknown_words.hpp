// Handles words that are not in a vocabulary.
#pragma once

#include "vocabulary.hpp"

#include <ptp/settings.hpp>
#include <ptp/setup.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptp::support {

inline constexpr SettingText kUnknownText{
    .help =
        "What a word becomes that is not in the vocabulary: an \"error\", or the index of this "
        "word of the vocabulary, such as \"<UNK>\"",
    .purpose = PTP_PURPOSE_UNKNOWN_WORDS};
inline constexpr const char* kUnknownIsError = "error";

class UnknownWords {
public:
    // Throws SettingError if the replacement of unknown words is not in the vocabulary. The
    // arguments must outlive this object.
    UnknownWords(const std::string& setting, const Vocabulary& vocabulary, const Setup& setup)
        : vocabulary_(vocabulary), setup_(setup) {
        if (setting == kUnknownIsError) {
            return;
        }
        index_ = vocabulary.index_of(setting);
        if (!index_) {
            throw SettingError("unknown", "'", setting, "' is not in the vocabulary\nfix: set ",
                               vocabulary.setting_with(setting));
        }
    }
    // Logs the warning of index_of() if there is reason for it since the last hundred.
    ~UnknownWords() {
        try {
            warn(detail::join(words_.load()));
        } catch (const std::exception&) {  // no memory for a warning
            return;
        }
    }
    UnknownWords(const UnknownWords&) = delete;
    UnknownWords& operator=(const UnknownWords&) = delete;

    // Returns the index of a word, or of its replacement. Throws DataError with the word and the
    // sentence, which `sentence` returns, if there is no replacement. Logs a mark of an end or a
    // beginning that is replaced, once. Logs once, with a few of
    // them, if more than a fifth of the words so far are unknown: after each hundred of the first
    // 10000, or at the end. [any]
    template <class Sentence>
    [[nodiscard]] std::int64_t index_of(std::string_view word, Sentence sentence) const {
        const auto index = vocabulary_.index_of(word);
        if (!index && !index_) {
            throw DataError(sentence(), ": '", word, "' is not in the vocabulary (size ",
                            vocabulary_.size(), ")\nfix: set ", fix());
        }
        if (!index && is_mark(word)) {
            warn_of_mark(word);
        }
        count(word, index.has_value());
        return index ? *index : *index_;
    }

    [[nodiscard]] std::int64_t index_of(std::string_view word, std::int64_t sample) const {
        return index_of(word, [&] { return "sample " + std::to_string(sample); });
    }

private:
    static constexpr std::int64_t kMinWords = 100;         // before the end
    static constexpr std::int64_t kCountedWords = 10'000;  // at most
    static constexpr std::size_t kShownWords = 3;
    static constexpr std::size_t kKeptWords = 20;  // to find the reason

    // Returns the settings that take unknown words. The vocabulary of a trained model takes no more
    // words.
    [[nodiscard]] std::string fix() const {
        for (const char* const usual : {"<UNK>", "<unk>", "[UNK]", "UNK", "unk"}) {
            if (vocabulary_.index_of(usual)) {
                return detail::join("unknown = \"", usual, "\"");
            }
        }
        return detail::join("unknown = \"<UNK>\" and ", vocabulary_.setting_with("<UNK>"),
                            " for the training, or leave the word out");
    }

    // Returns whether texts mark the end or the beginning of a sentence with this word.
    static bool is_mark(std::string_view word) {
        std::string name(word);
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
        constexpr std::array<std::string_view, 10> kMarks{"<eos>", "<bos>", "<sos>",   "</s>",
                                                          "<s>",   "<end>", "<start>", "[sep]",
                                                          "[cls]", "[eos]"};
        return std::ranges::find(kMarks, name) != kMarks.end();
    }

    void warn_of_mark(std::string_view word) const {
        if (!has_warned_of_mark_.exchange(true)) {
            setup_.log_warning(detail::join(
                "'", word,
                "', which marks an end or a beginning, is not in the vocabulary: it is "
                "one of all unknown words, and nothing learns where it belongs\nfix: ",
                vocabulary_.is_of_global && vocabulary_.added_tokens.empty()
                    ? detail::join("add it to additional_tokens of the component that publishes "
                                   "the words; if that has no such setting, set ")
                    : "set ",
                vocabulary_.setting_with(std::string(word)), ", for the training"));
        }
    }

    void count(std::string_view word, bool is_known) const {
        if (words_.load(std::memory_order_relaxed) >= kCountedWords) {
            return;
        }
        have_capitals_ = have_capitals_ || has_any(word, std::isupper);
        have_marks_ = have_marks_ || has_any(word, std::ispunct);
        if (!is_known) {
            ++unknown_;
            const std::lock_guard lock(mutex_);
            if (few_.size() < kKeptWords && std::ranges::find(few_, word) == few_.end()) {
                few_.emplace_back(word);
            }
        }
        if (const std::int64_t words = ++words_; words % kMinWords == 0) {
            warn(detail::join("the first ", words));
        }
    }

    void warn(const std::string& words) const {
        const std::lock_guard lock(mutex_);
        if (5 * unknown_ <= words_ || std::exchange(has_warned_, true)) {
            return;
        }
        std::string few;
        for (std::size_t i = 0; i < std::min(few_.size(), kShownWords + 1); ++i) {
            few += i == 0 ? "" : ", ";
            few += i == kShownWords ? "..." : detail::join("'", few_[i], "'");
        }
        setup_.log_warning(detail::join(unknown_.load(), " of ", words,
                                        " words are not in the vocabulary (", few, "): ", why()));
    }

    static bool has_any(std::string_view word, int (*is_one)(int)) {
        return std::ranges::any_of(
            word, [&](char c) { return is_one(static_cast<unsigned char>(c)) != 0; });
    }

    // Returns whether the vocabulary has words in another form than the texts: capitals, or
    // punctuation, in one of both alone.
    [[nodiscard]] bool has_other_form() const {
        const auto has_words = [&](int (*is_one)(int)) {
            return std::ranges::any_of(vocabulary_.words(), [&](const auto& word) {
                return has_any(*word.second, is_one);
            });
        };
        return has_words(std::isupper) != have_capitals_ || has_words(std::ispunct) != have_marks_;
    }

    // Returns the word in lower case, without punctuation unless it is nothing else.
    static std::string plain(std::string_view word) {
        std::string text;
        for (const char c : word) {
            const auto byte = static_cast<unsigned char>(c);
            text += std::ispunct(byte) != 0 ? ""
                                            : std::string(1, static_cast<char>(std::tolower(byte)));
        }
        return text.empty() ? std::string(word) : text;
    }

    // Returns the probable reason, with what to do where only upper and lower case, or punctuation,
    // differ.
    [[nodiscard]] std::string why() const {
        for (const std::string& word : has_other_form() ? few_ : std::vector<std::string>()) {
            const std::string text = plain(word);
            for (const auto& [index, known] : vocabulary_.words()) {
                if (plain(*known) == text) {
                    return detail::join(
                        "it has '", *known, "' for '", word,
                        "': give it words in one case, or, in a training, let SentenceTokenizer "
                        "make it of its own words: vocabulary = true");
                }
            }
        }
        return "the vocabulary was probably made from other texts, from few, or from texts in other "
               "upper and lower case";
    }

    const Vocabulary& vocabulary_;
    const Setup& setup_;
    mutable std::atomic<bool> have_capitals_ = false;  // the words of the texts so far
    mutable std::atomic<bool> have_marks_ = false;
    std::optional<std::int64_t> index_;
    mutable std::atomic<std::int64_t> words_ = 0;  // number of words so far, in any order
    mutable std::atomic<std::int64_t> unknown_ = 0;
    mutable std::mutex mutex_;
    mutable std::vector<std::string> few_;  // unknown words
    mutable bool has_warned_ = false;
    mutable std::atomic<bool> has_warned_of_mark_ = false;
};

}  // namespace ptp::support
