// Reads words as a shell does.

#include "base/shell_words.hpp"

#include <algorithm>

namespace ptp {

std::string take_shell_word(std::string_view& text) {
    std::string word;
    bool is_quoted = false;
    std::size_t at = 0;
    for (; at < text.size() && (is_quoted || (text[at] != ' ' && text[at] != '\n')); ++at) {
        if (text[at] == '\'') {
            is_quoted = !is_quoted;
        } else if (!is_quoted && text[at] == '\\' && at + 1 < text.size()) {
            word += text[++at];
        } else {
            word += text[at];
        }
    }
    text.remove_prefix(std::min(at + 1, text.size()));
    return word;
}

std::vector<std::string> fix_lines(std::string_view fix) {
    std::vector<std::string> lines;
    for (std::size_t end = 0; end != fix.npos;) {
        end = fix.find(kNextFix);
        lines.emplace_back(fix.substr(0, end));
        fix.remove_prefix(end == fix.npos ? 0 : end + kNextFix.size());
    }
    return lines;
}

std::vector<std::string> set_options(std::string_view fix) {
    constexpr std::string_view kSet = "--set ";
    std::vector<std::string> values;
    fix.remove_prefix(std::min(fix.find(kSet), fix.size()));
    while (fix.starts_with(kSet)) {
        fix.remove_prefix(kSet.size());
        values.push_back(take_shell_word(fix));
    }
    return values;
}

}  // namespace ptp
