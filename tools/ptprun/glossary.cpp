// The words of ptp, and terms of other programs with their meaning here.

#include "experiment/familiar_names.hpp"
#include "help.hpp"

#include <fmt/core.h>

namespace ptp::ptprun {

std::string glossary() {
    std::string text;
    for (const experiment::Word& word : experiment::glossary()) {
        text += fmt::format("{:<40}  {}\n", word.name, word.meaning);
    }
    return text;
}

std::string meaning_of(std::string_view word) {
    std::string text;
    for (const std::string_view meaning : experiment::meanings_of(word)) {
        text += fmt::format("{}: {}\n", word, meaning);
    }
    return text;
}

}  // namespace ptp::ptprun
