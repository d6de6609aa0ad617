// The vocabulary of a component: words and their indices, where they come from, and what a
// checkpoint keeps of them.
#pragma once

#include <ptp/declare.hpp>
#include <ptp/settings.hpp>
#include <ptp/setup.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace ptp::support {

// A file that a vocabulary is to be saved as.
struct VocabularyFile {
    std::filesystem::path folder;
    std::filesystem::path name;  // below it
    std::string csv;
};

// Words and their indices, each once. It only grows; what is imported from a global is copied.
class Vocabulary {
public:
    Vocabulary() = default;
    ~Vocabulary() = default;
    Vocabulary(Vocabulary&&) = default;
    Vocabulary& operator=(Vocabulary&&) = default;
    Vocabulary(const Vocabulary&) = delete;  // words_ points into indices_
    Vocabulary& operator=(const Vocabulary&) = delete;

    // REQUIRES: neither the word nor the index is there yet, and the index is not negative.
    void add(std::string_view word, std::int64_t index);
    // A word that is not there yet gets the next index: size().
    void add_if_new(std::string_view word);

    [[nodiscard]] std::optional<std::int64_t> index_of(std::string_view word) const;
    // Null if no word has this index.
    [[nodiscard]] const std::string* word_of(std::int64_t index) const;
    // The highest index and one.
    [[nodiscard]] std::int64_t size() const;
    // Words by their indices.
    [[nodiscard]] const std::map<std::int64_t, const std::string*>& words() const { return words_; }

    // As a global has it: a table from words to indices, in the order of indices.
    [[nodiscard]] Data mappings() const;

    // The file that is written with the first checkpoint; none for a vocabulary that was read.
    std::optional<VocabularyFile> unsaved;

    // What a checkpoint keeps, and the check that another vocabulary is the same. Throws DataError
    // with both numbers of words and the first index whose words differ.
    [[nodiscard]] Data save() const;
    void require_same(const Data& saved) const;

private:
    struct Hash {
        using is_transparent = void;  // NOLINT(readability-identifier-naming): a name of std
        std::size_t operator()(std::string_view text) const {
            return std::hash<std::string_view>()(text);
        }
    };

    std::unordered_map<std::string, std::int64_t, Hash, std::equal_to<>> indices_;
    std::map<std::int64_t, const std::string*> words_;
};

// The settings of a component that has a vocabulary.
struct VocabularyConfig {
    std::filesystem::path data_folder = "~/data";
    std::vector<std::string> source_vocabulary_files;
    std::string word_mappings_file;
    bool regenerate = false;
    std::vector<std::string> additional_tokens;

    static constexpr auto settings() {
        return std::tuple{
            setting("data_folder", &VocabularyConfig::data_folder,
                    {.help = "Folder that the names of the following files begin in"}),
            setting("source_vocabulary_files", &VocabularyConfig::source_vocabulary_files,
                    {.help = "Texts whose words make the vocabulary, if word_mappings_file is not "
                             "there: indices by first appearance",
                     .takes_list_or_one = true}),
            setting("word_mappings_file", &VocabularyConfig::word_mappings_file,
                    {.help = "CSV with the columns word and index; written from "
                             "source_vocabulary_files, or from the global word_mappings, if it is "
                             "not there"}),
            setting("regenerate", &VocabularyConfig::regenerate,
                    {.help = "Make the vocabulary from source_vocabulary_files, and write "
                             "word_mappings_file, even if that is there"}),
            setting("additional_tokens", &VocabularyConfig::additional_tokens,
                    {.help = "Words that get the next indices unless they are in the vocabulary",
                     .takes_list_or_one = true})};
    }
};

inline constexpr std::array kVocabularyGlobals{
    reads_if_named("word_mappings", "The vocabulary: a table from words to indices"),
    publishes_if_named("published_word_mappings",
                       "The vocabulary with its additional_tokens: a table from words to indices"),
    publishes_if_named("vocabulary_size", "The highest index and one")};

// Makes the vocabulary that settings and globals ask for, and publishes it. One that is to become
// word_mappings_file is written into the run's folder first, where other components of the run find
// it. With the weights of a checkpoint it is the one that the checkpoint has: files that are there
// must have the same words, those that are not there are not needed, and none is written. Throws
// ConfigError for settings that do not go together, DataError for files that are not right (with
// their lines) and for another vocabulary than the checkpoint's, and SystemError if the file cannot
// be written.
Vocabulary make_vocabulary(const VocabularyConfig& config, const Setup& setup);

// Writes the file, if there is one to write. Throws SystemError.
void save_file(Vocabulary& vocabulary);

// A component with a vocabulary, which is part of its state: another one is refused when a run is
// resumed or a build exchanged.
class WithVocabulary {
public:
    static constexpr std::uint32_t state_version = 1;
    // The training has begun: word_mappings_file is written, which no command does that only shows
    // an experiment, and no run that is resumed.
    [[nodiscard]] Data export_state() {
        save_file(vocabulary_);
        return vocabulary_.save();
    }
    void import_state(std::uint32_t, const Data& saved) {
        vocabulary_.require_same(saved);
        vocabulary_.unsaved.reset();
    }

protected:
    explicit WithVocabulary(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}

    [[nodiscard]] const Vocabulary& vocabulary() const { return vocabulary_; }

private:
    Vocabulary vocabulary_;
};

}  // namespace ptp::support
