// Reads the languages, texts and labels of WiLI-2018, and reports wrong lines.

#include "wili_files.hpp"

#include "training_words.hpp"
#include "unlabeled_texts.hpp"

#include <ptp/error.hpp>
#include <text_file.hpp>
#include <words.hpp>
#include <wrong_lines.hpp>

namespace fs = std::filesystem;

fs::path wili_file(const fs::path& folder, const char* kind, const char* part) {
    return folder / (std::string(kind) + "_" + part + ".txt");
}

std::vector<std::string> read_languages(const fs::path& file) {
    std::vector<std::string> languages;
    ptp::support::WrongLines wrong(file);
    const std::string text = ptp::support::read_text(file, kWiliObtain);
    ptp::support::for_each_line(text, [&](std::string_view line, int64_t number) {
        int64_t words = 0;
        ptp::support::for_each_word(line, [&](std::string_view word) {
            ++words;
            languages.emplace_back(word);
        });
        if (words != 1) {
            wrong.add(number,
                      ptp::detail::join("has ", words, " words, expected the code of a language"));
        }
    });
    wrong.throw_if_any();
    return languages;
}

void publish_wili_words(const fs::path& folder, const ptp::Setup& setup) {
    const fs::path file = wili_file(folder, "x", "train");
    publish_words_of(file, setup, [&] {
        const ptp::support::Texts texts = read_text_lines(file, kWiliObtain);
        ptp::support::WordTable words;
        for (size_t i = 0; i < texts.size(); ++i) {
            words.add_text(texts[i]);
        }
        return words;
    });
}

WiliPart read_wili(const fs::path& folder, const char* part) {
    const fs::path x = wili_file(folder, "x", part);
    const fs::path y = wili_file(folder, "y", part);
    WiliPart samples{read_text_lines(x, kWiliObtain), read_languages(y)};
    if (samples.texts.size() != samples.languages.size()) {
        throw ptp::DataError(x, ": has ", samples.texts.size(), " lines, but ", y, " has ",
                             samples.languages.size(), "; each text needs its language; ",
                             kWiliObtain);
    }
    return samples;
}
