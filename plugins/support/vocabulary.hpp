// The vocabulary of a component: words and their indices, the settings and globals that they come
// from, and their form in a checkpoint. vocabulary_file.hpp reads the files.
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

// A file to which a vocabulary is to be saved.
struct VocabularyFile {
    std::filesystem::path folder;
    std::filesystem::path name;  // relative to the folder
    std::string csv;
};

// Words and their indices, each unique. A vocabulary only grows; imports from a global are copied.
class Vocabulary {
public:
    Vocabulary() = default;
    ~Vocabulary() = default;
    Vocabulary(Vocabulary&&) = default;
    Vocabulary& operator=(Vocabulary&&) = default;
    Vocabulary(const Vocabulary&) = delete;  // words_ points into indices_
    Vocabulary& operator=(const Vocabulary&) = delete;

    // Adds a word. REQUIRES: neither the word nor the index exists, and the index is not negative.
    void add(std::string_view word, std::int64_t index);
    // Adds a new word with the next index: size().
    void add_if_new(std::string_view word);

    [[nodiscard]] std::optional<std::int64_t> index_of(std::string_view word) const;
    // Returns null if no word has this index.
    [[nodiscard]] const std::string* word_of(std::int64_t index) const;
    // Returns the highest index plus 1.
    [[nodiscard]] std::int64_t size() const;
    // Returns the words by their indices.
    [[nodiscard]] const std::map<std::int64_t, const std::string*>& words() const { return words_; }

    // Returns a table from words to indices, in the order of indices, as in a global.
    [[nodiscard]] Data mappings() const;

    // Returns "additional_tokens = ["<PAD>", "<UNK>"]": the setting with one more word, for a fix.
    [[nodiscard]] std::string setting_with(std::string_view word) const;

    // Throws ConfigError unless there is a word for each score; SettingError with the fix where the
    // additional tokens are the reason.
    void require_scores(std::int64_t scores) const;

    // The setting, and those of its words that were new.
    std::vector<std::string> additional_tokens;
    std::vector<std::string> added_tokens;
    bool is_of_global = false;  // so that another component has made it

    // The file that is written with the first checkpoint; nullopt for a vocabulary that was read.
    std::optional<VocabularyFile> unsaved;

    // Save the content for a checkpoint, and check that another vocabulary is equal. Throws
    // DataError with both numbers of words and the first index with different words.
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

// The settings of a component with a vocabulary.
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
    reads_if_named("word_mappings", "The vocabulary: a table from words to indices")
        .purpose(PTP_PURPOSE_VOCABULARY),
    publishes_if_named("published_word_mappings",
                       "The vocabulary with its additional_tokens: a table from words to indices")
        .purpose(PTP_PURPOSE_VOCABULARY),
    publishes_if_named("vocabulary_size", "The highest index and one")};

// A vocabulary needs a source. vocabulary.cpp checks that, too, where the settings are read.
inline constexpr Requirement kVocabularyRequirement =
    requirement(
        "$word_mappings_file != '' or length($source_vocabulary_files) > 0",
        "there is no vocabulary: write globals = { word_mappings = \"NAME\" } with the name "
        "of a published one, or set this or source_vocabulary_files")
        .when("!word_mappings");

// Creates the vocabulary by settings and globals, and publishes it. If it will become
// word_mappings_file, it is first written into the run's folder for other components of the run.
// With the weights of a checkpoint it is the checkpoint's: existing files must have the same words,
// missing files are not needed, and none is written. Throws ConfigError for conflicting settings,
// DataError for invalid files (with their lines) and for a vocabulary that differs from the
// checkpoint's, and SystemError if the file cannot be written. `scores` is the number of scores for
// words that the component reads, if it is known: another size is refused.
Vocabulary make_vocabulary(const VocabularyConfig& config, const Setup& setup,
                           std::optional<std::int64_t> scores = std::nullopt);

// Writes the file, if there is one to write. Throws SystemError.
void save_file(Vocabulary& vocabulary);

// A component with a vocabulary, which is part of its state: a different one is rejected when a run
// is resumed or a build exchanged.
class WithVocabulary {
public:
    static constexpr std::uint32_t state_version = 1;
    // Also writes word_mappings_file, because the training has begun: commands that only show an
    // experiment, and resumed runs, do not write it.
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
