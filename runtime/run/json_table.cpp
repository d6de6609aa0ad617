#include "run/json_table.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/toml_reader.hpp"
#include "plugin/json_depth.hpp"
#include "run/format.hpp"

#include <fmt/core.h>

#include <optional>

namespace ptp::run {

Value read_json_table(const std::string& text, const std::filesystem::path& file,
                      std::int64_t newest) {
    const bool is_shallow = plugin::json_depth(text) <= kMaxLevels;
    const std::optional<Json> json = is_shallow ? parsed_json(text) : std::nullopt;
    if (!json || !json->is_object()) {
        throw RunError(kDataError, fmt::format("{}: is not a JSON object", file.string()));
    }
    Value table = ptp::value_of(*json);
    format_in(table, file, newest);
    return table;
}

std::string json_text(const Value& table) {
    return ptp::text_of(json_of(table), 2) + "\n";
}

}  // namespace ptp::run
