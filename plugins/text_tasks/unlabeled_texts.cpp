// Reads texts from settings, or from the lines of a file.

#include "unlabeled_texts.hpp"

#include <ptp/error.hpp>
#include <text_file.hpp>
#include <words.hpp>
#include <wrong_lines.hpp>

#include <cassert>
#include <cstdint>
#include <string_view>

ptp::support::Texts UnlabeledTextsConfig::read() const {
    assert(is_unlabeled());
    return samples ? ptp::support::given_texts(*samples) : read_text_lines(*texts, "");
}

ptp::support::Texts read_text_lines(const std::filesystem::path& file, const std::string& remedy) {
    ptp::support::Texts texts;
    ptp::support::WrongLines wrong(file);
    const std::string text = ptp::support::read_text(file, remedy);
    ptp::support::for_each_line(text, [&](std::string_view line, int64_t number) {
        if (!ptp::support::has_words(line)) {
            wrong.add(number, "is blank, expected a text");
        }
        texts.add(line);
    });
    wrong.throw_if_any();
    if (texts.size() == 0) {
        throw ptp::DataError(file, ": is empty, expected a text in each line");
    }
    return texts;
}
