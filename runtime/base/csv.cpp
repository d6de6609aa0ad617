#include "base/csv.hpp"

#include "base/characters.hpp"
#include "base/text.hpp"

namespace ptp {

std::string csv_cell(std::string_view text) {
    if (!is_utf8(text)) {
        return csv_cell(utf8_text(text));
    }
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
        return std::string(text);
    }
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c;
        if (c == '"') {
            quoted += c;
        }
    }
    return quoted + '"';
}

}  // namespace ptp
