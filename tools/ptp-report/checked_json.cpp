// Reads a small file of JSON with the number of its format.

#include "ptp-report/checked_json.hpp"

#include "base/file_error.hpp"
#include "base/input_file.hpp"
#include "run/format.hpp"

#include <fmt/core.h>

#include <optional>

namespace ptp::report {

Json read_numbered_json(const std::filesystem::path& file, std::int64_t newest) {
    constexpr std::uint64_t kMaxBytes = 16U << 20U;
    constexpr std::size_t kMaxDepth = 8;
    const InputFile input(file);
    if (input.size() > kMaxBytes) {
        throw FileError(fmt::format("has more than {} MiB", kMaxBytes >> 20U));
    }
    const std::optional<Json> json = parsed_json(input.read(0, kMaxBytes), kMaxDepth);
    const Json format = json ? member_of(*json, run::kFormatKey) : Json(nullptr);
    if (!format.is_number_integer() || format.get<std::int64_t>() < 1) {
        throw FileError("is cut off or damaged");
    }
    if (format.get<std::int64_t>() > newest) {
        throw FileError(fmt::format("is of format {}, and this ptp reads up to {}",
                                    format.get<std::int64_t>(), newest));
    }
    return *json;
}

}  // namespace ptp::report
