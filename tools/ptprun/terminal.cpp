#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace ptp::ptprun {

std::optional<std::size_t> terminal_width() {
    if (const char* columns = std::getenv("COLUMNS")) {
        const std::string_view text = columns;
        std::size_t width = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
        if (error == std::errc() && end == text.data() + text.size() && width > 0)
            return width;
    }
    winsize size{};
    const bool is_terminal = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return is_terminal ? std::optional<std::size_t>(size.ws_col) : std::nullopt;
}

}  // namespace ptp::ptprun
