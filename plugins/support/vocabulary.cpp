// Chooses the source of a vocabulary (a global, word_mappings_file, texts or a checkpoint), and
// decides if it will be saved. vocabulary_file.cpp reads the files.

#include "vocabulary.hpp"

#include "vocabulary_file.hpp"
#include "word_mappings.hpp"

#include <ptp/error.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <system_error>
#include <utility>

#include <result_files.hpp>

namespace ptp::support {

namespace {

using SavedWords = std::map<std::int64_t, std::string>;

SavedWords saved_words(const Data& saved) {
    SavedWords words;
    const Data* list = saved.find("words");
    const Data* indices = saved.find("indices");
    std::int64_t next = 0;
    for (const Data& word : list == nullptr ? Data::List() : list->as_list()) {
        const auto place = static_cast<std::size_t>(next++);
        const std::int64_t index =
            indices == nullptr ? next - 1 : indices->as_list().at(place).as_integer();
        words.emplace(index, word.as_text());
    }
    return words;
}

std::string quoted_or_none(const std::string* word) {
    return word == nullptr ? "no word" : "'" + *word + "'";
}

void refuse_unused_files(const VocabularyConfig& config) {
    const auto refuse = [](const char* setting) {
        throw SettingError(setting,
                           "the global that 'word_mappings' names is the vocabulary; "
                           "remove this setting or that global");
    };
    if (!config.source_vocabulary_files.empty()) {
        refuse("source_vocabulary_files");
    }
    if (config.regenerate) {
        refuse("regenerate");
    }
}

// Returns where the components of a run find a vocabulary that has not been saved yet.
std::filesystem::path draft_name(const std::filesystem::path& file) {
    const std::size_t hash = std::hash<std::string>()(std::filesystem::absolute(file).string());
    return std::filesystem::path("vocabularies") /
           (std::to_string(hash) + "_" + file.filename().string());
}

// Returns the file, or its draft in the run's folder; nullopt if neither exists.
std::optional<std::filesystem::path> found_file(const std::filesystem::path& file,
                                                const Setup& setup) {
    std::error_code ignored;
    const std::filesystem::path draft = setup.run_folder() / draft_name(file);
    return std::filesystem::exists(file, ignored)    ? std::optional(file)
           : std::filesystem::exists(draft, ignored) ? std::optional(draft)
                                                     : std::nullopt;
}

void require_written_below(const VocabularyConfig& config) {
    const std::filesystem::path name = config.word_mappings_file;
    if (name.is_absolute() || std::ranges::find(name, "..") != name.end()) {
        throw SettingError("word_mappings_file", name, " is not below data_folder ",
                           config.data_folder, ", where alone a vocabulary is written");
    }
}

// Checks that a user's file with this name is not replaced.
void require_vocabulary(const std::filesystem::path& file) {
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) {
        return;
    }
    try {
        static_cast<void>(read_vocabulary(file));
    } catch (const DataError& error) {
        throw SettingError("regenerate", "does not replace ", file,
                           ", which is not a vocabulary: ", error.what());
    }
}

// Plans to save the vocabulary, unless the file already has its content.
void save_later(Vocabulary& vocabulary, const VocabularyConfig& config, const Setup& setup) {
    require_written_below(config);
    const std::filesystem::path name =
        std::filesystem::path(config.word_mappings_file).lexically_normal();
    const std::filesystem::path file = config.data_folder / name;
    require_vocabulary(file);
    std::string csv = vocabulary_csv(vocabulary);
    std::ifstream old(file, std::ios::binary);
    const std::string found{std::istreambuf_iterator<char>(old), {}};
    if (found != csv) {
        require_writable(config.data_folder, name);
        write_file(setup.run_folder(), draft_name(file), csv);
        vocabulary.unsaved = VocabularyFile{config.data_folder, name, std::move(csv)};
    }
}

bool is_there(const std::filesystem::path& file) {
    std::error_code ignored;
    return std::filesystem::exists(file, ignored);
}

// Saves the vocabulary of a global, or compares it with the existing file.
void keep(Vocabulary& vocabulary, const VocabularyConfig& config, const Setup& setup) {
    const std::filesystem::path file = config.data_folder / config.word_mappings_file;
    const auto words = static_cast<std::int64_t>(vocabulary.words().size());
    if (words != vocabulary.size()) {
        throw SettingError("word_mappings_file",
                           "has a word for each index; the global that 'word_mappings' names has ",
                           words, " words up to the index ", vocabulary.size() - 1);
    }
    const auto found = found_file(file, setup);
    if (!found) {
        save_later(vocabulary, config, setup);
        setup.log_info(
            detail::join("vocabulary of size ", words, ", to be saved as ", file.string()));
        return;
    }
    try {
        vocabulary.require_same(read_vocabulary(*found).save());
    } catch (const DataError& error) {
        throw SettingError("word_mappings_file", file,
                           " is not the vocabulary of the global that 'word_mappings' names: ",
                           error.what(), "; remove the file, this setting or that global");
    }
}

// Returns whether the required files of the settings exist.
bool has_files(const VocabularyConfig& config) {
    const bool has_words = !config.word_mappings_file.empty() &&
                           is_there(config.data_folder / config.word_mappings_file);
    const bool has_sources =
        !config.source_vocabulary_files.empty() &&
        std::ranges::all_of(config.source_vocabulary_files, [&](const std::string& name) {
            return is_there(config.data_folder / name);
        });
    return config.regenerate ? has_sources : has_words || has_sources;
}

Vocabulary from_checkpoint(const Data& saved, const Setup& setup) {
    Vocabulary vocabulary;
    for (const auto& [index, word] : saved_words(saved)) {
        vocabulary.add(word, index);
    }
    setup.log_info(detail::join("vocabulary of size ", vocabulary.size(),
                                " from the checkpoint, since its files are not there"));
    return vocabulary;
}

Vocabulary imported(const Data& global, const VocabularyConfig& config, const Setup& setup) {
    refuse_unused_files(config);
    const WordMappings mappings("word_mappings", global);
    Vocabulary vocabulary;
    for (const auto& [index, word] : mappings.words()) {
        vocabulary.add(word, index);
    }
    const std::filesystem::path file = config.data_folder / config.word_mappings_file;
    if (!config.word_mappings_file.empty() && (is_there(file) || !setup.saved_state())) {
        keep(vocabulary, config, setup);
    }
    return vocabulary;
}

// Refuses tables, whose quotes and separators would become parts of words. A run that began with
// one keeps its words.
void require_text(const std::filesystem::path& file, const Setup& setup) {
    constexpr std::array<std::string_view, 4> kTables{".csv", ".tsv", ".json", ".jsonl"};
    if (!setup.saved_state() && std::ranges::find(kTables, file.extension()) != kTables.end()) {
        throw SettingError(
            "source_vocabulary_files", file,
            " is not plain text: its quotes, separators and names of columns would become parts "
            "of words\nfix: publish the words of its column instead: write vocabulary = true and "
            "globals = { word_mappings = \"text_words\" } in training.task and in the tokenizer, "
            "and name what the tokenizer publishes here (docs/experiments.md, \"Words and vocabularies\")");
    }
}

Vocabulary generated(const VocabularyConfig& config, const Setup& setup) {
    std::vector<std::filesystem::path> texts;
    for (const std::string& name : config.source_vocabulary_files) {
        texts.push_back(config.data_folder / name);
        require_text(texts.back(), setup);
    }
    Vocabulary vocabulary = words_of(texts);
    if (vocabulary.size() == 0) {
        throw SettingError("source_vocabulary_files", "there is no word in these files");
    }
    std::string saved;
    if (!config.word_mappings_file.empty() && !setup.saved_state()) {
        const std::filesystem::path file = config.data_folder / config.word_mappings_file;
        save_later(vocabulary, config, setup);
        saved = ", to be saved as " + file.string();
    }
    setup.log_info(detail::join("vocabulary of size ", vocabulary.size(), " from ", texts.size(),
                                texts.size() == 1 ? " text" : " texts", saved));
    return vocabulary;
}

Vocabulary from_files(const VocabularyConfig& config, const Setup& setup) {
    const bool has_sources = !config.source_vocabulary_files.empty();
    const std::filesystem::path file = config.data_folder / config.word_mappings_file;
    if (config.word_mappings_file.empty() && !has_sources) {
        throw ConfigError(
            "there is no vocabulary: name a global for word_mappings, or set word_mappings_file "
            "or source_vocabulary_files");
    }
    if (config.regenerate && (!has_sources || config.word_mappings_file.empty())) {
        throw SettingError("regenerate", "needs source_vocabulary_files and word_mappings_file");
    }
    const auto found = config.word_mappings_file.empty() ? std::nullopt : found_file(file, setup);
    if (!found && !has_sources) {
        throw SettingError("word_mappings_file", file,
                           " does not exist, and there are no source_vocabulary_files to make it "
                           "from");
    }
    if (config.regenerate || !found) {
        return generated(config, setup);
    }
    Vocabulary vocabulary = read_vocabulary(*found);
    setup.log_info(detail::join("vocabulary of size ", vocabulary.size(), " from ", file.string(),
                                has_sources ? "; source_vocabulary_files are not read" : ""));
    return vocabulary;
}

}  // namespace

void Vocabulary::add(std::string_view word, std::int64_t index) {
    const auto place = indices_.emplace(word, index).first;
    words_.emplace_hint(words_.end(), index, &place->first);
}

void Vocabulary::add_if_new(std::string_view word) {
    if (!indices_.contains(word)) {
        add(word, size());
    }
}

std::optional<std::int64_t> Vocabulary::index_of(std::string_view word) const {
    const auto found = indices_.find(word);
    return found == indices_.end() ? std::nullopt : std::optional(found->second);
}

const std::string* Vocabulary::word_of(std::int64_t index) const {
    const auto found = words_.find(index);
    return found == words_.end() ? nullptr : found->second;
}

std::int64_t Vocabulary::size() const {
    return words_.empty() ? 0 : words_.rbegin()->first + 1;
}

std::string Vocabulary::setting_with(std::string_view word) const {
    std::string list;
    for (const std::string& token : additional_tokens) {
        list += "\"" + token + "\", ";
    }
    return detail::join("additional_tokens = [", list, "\"", word, "\"]");
}

void Vocabulary::require_scores(std::int64_t scores) const {
    if (scores == size()) {
        return;
    }
    if (!added_tokens.empty() && scores == size() - std::ssize(added_tokens)) {
        std::string list;
        for (const std::string& token : added_tokens) {
            list += (list.empty() ? "'" : ", '") + token + "'";
        }
        throw SettingError("additional_tokens", "adds ", list, " to the ", scores,
                           " words of the vocabulary, but inputs has scores for those ", scores,
                           " alone\nfix: set additional_tokens = []");
    }
    throw ConfigError("inputs has ", scores, " scores for each word, the vocabulary has the size ",
                      size());
}

Data Vocabulary::mappings() const {
    Data::Table table;
    for (const auto& [index, word] : words_) {
        table.push_back({*word, index});
    }
    return table;
}

Data Vocabulary::save() const {
    Data::List words;
    Data::List indices;
    for (const auto& [index, word] : words_) {
        words.emplace_back(*word);
        indices.emplace_back(index);
    }
    Data::Table table{{"words", std::move(words)}};
    if (size() != static_cast<std::int64_t>(words_.size())) {  // some indices have no word
        table.push_back({"indices", std::move(indices)});
    }
    return table;
}

void Vocabulary::require_same(const Data& saved) const {
    const SavedWords before = saved_words(saved);
    auto old = before.begin();
    auto now = words_.begin();
    while (old != before.end() && now != words_.end() && old->first == now->first &&
           old->second == *now->second) {
        ++old;
        ++now;
    }
    if (old == before.end() && now == words_.end()) {
        return;
    }
    constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
    const std::int64_t index = std::min(old == before.end() ? kNone : old->first,
                                        now == words_.end() ? kNone : now->first);
    const auto found = before.find(index);
    throw DataError("the vocabulary had the size ", before.empty() ? 0 : before.rbegin()->first + 1,
                    " and has the size ", size(), "; the first difference is at index ", index,
                    ": ", quoted_or_none(found == before.end() ? nullptr : &found->second),
                    " before, ", quoted_or_none(word_of(index)), " now");
}

void save_file(Vocabulary& vocabulary) {
    if (vocabulary.unsaved) {
        write_file(vocabulary.unsaved->folder, vocabulary.unsaved->name, vocabulary.unsaved->csv);
        vocabulary.unsaved.reset();
    }
}

Vocabulary make_vocabulary(const VocabularyConfig& config, const Setup& setup,
                           std::optional<std::int64_t> scores) {
    const auto global = setup.optional_global<Data>("word_mappings");
    const auto saved = setup.saved_state();
    const bool needs_files = !saved || has_files(config);
    Vocabulary vocabulary = global        ? imported(*global, config, setup)
                            : needs_files ? from_files(config, setup)
                                          : from_checkpoint(saved->state, setup);
    vocabulary.is_of_global = global.has_value();
    vocabulary.additional_tokens = config.additional_tokens;
    for (const std::string& token : config.additional_tokens) {
        if (!vocabulary.index_of(token)) {
            vocabulary.add_if_new(token);
            vocabulary.added_tokens.push_back(token);
        }
    }
    if (saved) {
        vocabulary.require_same(saved->state);
    }
    if (scores) {
        vocabulary.require_scores(*scores);
    }
    setup.publish("published_word_mappings", vocabulary.mappings());
    setup.publish("vocabulary_size", vocabulary.size());
    return vocabulary;
}

}  // namespace ptp::support
