#include "base/terminal.hpp"

#include <sys/ioctl.h>
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
    winsize size{};
    const bool is_known = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return is_known ? std::optional<std::size_t>(size.ws_col) : std::nullopt;
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
