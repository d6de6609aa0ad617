#include "run/format.hpp"

#include <fmt/core.h>

namespace ptp::run {

namespace {

std::string sentence(const std::string& file, std::int64_t found, std::int64_t newest) {
    return fmt::format("{}: written by format {}; this ptprun reads up to {}", file, found, newest);
}

}  // namespace

NewerFormat::NewerFormat(const std::filesystem::path& file, std::int64_t found, std::int64_t newest)
    : WithFix(kConfigurationError, {sentence(file.string(), found, newest),
                                    "use the ptprun that wrote it, or a newer one"}),
      short_text_(sentence(file.filename().string(), found, newest)) {}

void check_format(const std::filesystem::path& file, std::int64_t found, std::int64_t newest) {
    if (found > newest) {
        throw NewerFormat(file, found, newest);
    }
    if (found < 1) {
        throw RunError(kDataError, fmt::format("{}: the format {} is not one: they count from 1",
                                               file.string(), found));
    }
}

std::int64_t format_in(const Value& table, const std::filesystem::path& file, std::int64_t newest) {
    const Value* format = table.find(kFormatKey);
    if (format == nullptr) {
        return 1;
    }
    if (!format->is_integer()) {
        throw RunError(kDataError,
                       fmt::format("{}: '{}' must be an integer, and is {}", file.string(),
                                   kFormatKey, type_name(format->type())));
    }
    check_format(file, format->as_integer(), newest);
    return format->as_integer();
}

}  // namespace ptp::run
