// Asks for the width and colors of a terminal, which variables of the environment may override.

#include "base/terminal.hpp"

#include "base/system_file.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace ptp {

std::optional<std::size_t> terminal_width(int descriptor) {
    if (const char* columns = std::getenv("COLUMNS")) {
        const std::string_view text = columns;
        std::size_t width = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
        if (error == std::errc() && end == text.data() + text.size() && width > 0) {
            return width;
        }
    }
    const std::size_t columns = system::columns_of_terminal(descriptor);
    return columns > 0 ? std::optional(columns) : std::nullopt;
}

bool is_terminal(int descriptor) {
    const char* type = std::getenv("TERM");
    const bool is_dumb = type != nullptr && std::string_view(type) == "dumb";
    return isatty(descriptor) == 1 && !is_dumb;
}

bool has_color(int descriptor) {
    const char* variable = std::getenv(kColorVariable);
    const std::string_view choice = variable == nullptr ? "" : variable;
    if (choice == "always" || choice == "never") {
        return choice == "always";
    }
    const char* no_color = std::getenv("NO_COLOR");
    return is_terminal(descriptor) && (no_color == nullptr || *no_color == '\0');
}

}  // namespace ptp
