// Reads a vocabulary's CSV file and reports its wrong lines, writes one, and collects the words of
// texts.

#include "vocabulary_file.hpp"

#include "words.hpp"

#include <ptp/error.hpp>

#include <charconv>
#include <map>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include <csv_text.hpp>
#include <result_files.hpp>
#include <text_file.hpp>
#include <wrong_lines.hpp>

namespace ptp::support {

namespace {

struct ListedWord {
    std::string word;
    std::int64_t index = -1;
    std::int64_t line = 0;
};

// Returns "" if the row is valid.
std::string read_word(const CsvRow& row, ListedWord& listed) {
    if (!row.problem.empty()) {
        return row.problem;
    }
    if (row.cells.size() != 2) {
        return detail::join("expected a word and its index, with a comma between, found ",
                            row.cells.size(), row.cells.size() == 1 ? " cell" : " cells");
    }
    const std::string& index = row.cells[1];
    const char* const end = index.data() + index.size();
    const auto parsed = std::from_chars(index.data(), end, listed.index);
    if (parsed.ec != std::errc() || parsed.ptr != end || listed.index < 0) {
        return "the index is '" + index + "', must be a whole number of 0 or more";
    }
    listed.word = row.cells[0];
    listed.line = row.line;
    return "";
}

std::vector<ListedWord> read_words(std::string_view text, WrongLines& wrong) {
    std::vector<ListedWord> words;
    CsvText csv(text);
    bool is_first = true;
    while (auto row = csv.next()) {
        const bool is_header = std::exchange(is_first, false) &&
                               row->cells == std::vector<std::string>{"word", "index"};
        if (is_header || row->is_blank) {
            continue;
        }
        ListedWord listed;
        const std::string problem = read_word(*row, listed);
        if (problem.empty()) {
            words.push_back(std::move(listed));
        } else {
            wrong.add(row->line, problem);
        }
    }
    return words;
}

// Reports repeated words and indices, and indices without a word.
void check_indices(const std::vector<ListedWord>& words, WrongLines& wrong) {
    std::map<std::int64_t, const ListedWord*> by_index;
    std::unordered_map<std::string_view, const ListedWord*> by_word;
    for (const ListedWord& listed : words) {
        const auto [first, is_new] = by_index.emplace(listed.index, &listed);
        const auto [same, is_new_word] = by_word.emplace(listed.word, &listed);
        if (!is_new_word) {
            wrong.add(listed.line, detail::join("the word '", listed.word, "' is in line ",
                                                same->second->line, " too"));
        } else if (!is_new) {
            wrong.add(listed.line,
                      detail::join("'", listed.word, "' has the index ", listed.index, ", as '",
                                   first->second->word, "' in line ", first->second->line));
        }
    }
    wrong.throw_if_any();
    std::int64_t expected = 0;
    for (const auto& [index, listed] : by_index) {
        if (index != expected) {
            wrong.add(listed->line, detail::join("'", listed->word, "' has the index ", index,
                                                 ", but no word has ", expected));
            wrong.throw_if_any();
        }
        ++expected;
    }
}

}  // namespace

Vocabulary read_vocabulary(const std::filesystem::path& file) {
    const std::string text = read_text(file);
    WrongLines wrong(file);
    std::vector<ListedWord> words = read_words(text, wrong);
    check_indices(words, wrong);
    if (words.empty()) {
        throw DataError(file, ": has no words, expected a word and its index in each line");
    }
    Vocabulary vocabulary;
    for (const ListedWord& listed : words) {
        vocabulary.add(listed.word, listed.index);
    }
    return vocabulary;
}

std::string vocabulary_csv(const Vocabulary& vocabulary) {
    std::string text = "word,index\n";
    for (const auto& [index, word] : vocabulary.words()) {
        text += csv_cell(*word, ',') + "," + std::to_string(index) + "\n";
    }
    return text;
}

Vocabulary words_of(std::span<const std::filesystem::path> texts) {
    Vocabulary vocabulary;
    for (const std::filesystem::path& path : texts) {
        const std::string text = read_text(path);
        for_each_word(text, [&](std::string_view word) { vocabulary.add_if_new(word); });
    }
    return vocabulary;
}

}  // namespace ptp::support
