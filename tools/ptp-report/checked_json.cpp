// Reads a small file of JSON with the number of its format, and shortens numbers.

#include "ptp-report/checked_json.hpp"

#include "base/file_error.hpp"
#include "base/input_file.hpp"
#include "run/format.hpp"

#include <fmt/core.h>

#include <charconv>
#include <iterator>
#include <system_error>

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

std::optional<Json> json_in_run(const std::filesystem::path& file, std::int64_t newest,
                                std::string_view rest, std::vector<std::string>& problems) {
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) {
        return std::nullopt;
    }
    try {
        return read_numbered_json(file, newest);
    } catch (const FileError& error) {
        problems.push_back(fmt::format("{}: {}{}", file.string(), error.what(), rest));
        return std::nullopt;
    }
}

void reserve_members(Json& object) {
    constexpr std::size_t kMembers = 32;
    object.get_ref<Json::object_t&>().reserve(kMembers);
}

Json rounded(double value) {
    if (!std::isfinite(value)) {
        return nullptr;
    }
    // Both numbers of the quotient are exact, so that it is the number that six digits are read as.
    constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};  // all exact
    constexpr int kExactPowers = std::size(kPowers) - 1;
    const int places =
        value == 0 ? 0 : 5 - static_cast<int>(std::floor(std::log10(std::abs(value))));
    if (places < 0 || places > kExactPowers) {
        double result = value;
        const std::string text = fmt::format("{:.6g}", value);
        std::from_chars(text.data(), text.data() + text.size(), result);
        return result;
    }
    const double scale = kPowers[places];
    const double result = std::nearbyint(value * scale) / scale;
    const auto whole = static_cast<std::int64_t>(result);
    return static_cast<double>(whole) == result ? Json(whole) : Json(result);
}

Json rounded(const std::vector<double>& values) {
    Json list = Json::array();
    for (const double value : values) {
        list.push_back(rounded(value));
    }
    return list;
}

Json exact(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

}  // namespace ptp::report
