#include "base/text_check.hpp"

namespace ptp {

bool is_sha256(std::string_view text) {
    return text.size() == 64 &&
           text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_file_name(std::string_view text) {
    constexpr std::string_view kForbidden("/\0", 2);
    return !text.empty() && text != "." && text != ".." &&
           text.find_first_of(kForbidden) == std::string_view::npos;
}

}  // namespace ptp
