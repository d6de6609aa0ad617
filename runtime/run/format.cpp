// Checks the numbers of formats, and reads and writes the tables that have one.

#include "run/format.hpp"

#include "base/diagnostics.hpp"
#include "base/json.hpp"
#include "base/output_file.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"

#include <fmt/core.h>

#include <optional>
#include <utility>

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

Value read_json_table(const std::string& text, const std::filesystem::path& file,
                      std::int64_t newest) {
    const std::optional<Json> json = parsed_json(text, kMaxLevels);
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

Value toml_table_from(std::string_view text, const std::filesystem::path& file,
                      std::int64_t newest) {
    Diagnostics problems;
    auto table = read_toml(text, file.string(), problems);
    if (!table) {
        throw RunError(kDataError, problems.text());
    }
    format_in(*table, file, newest);
    table->erase(kFormatKey);
    return std::move(*table);
}

void write_toml_table(const std::filesystem::path& file, std::int64_t format, const Value& table) {
    Value whole = Value::table({{kFormatKey, format}});
    for (const Member& member : table.members()) {
        whole.set(member.key, member.value);
    }
    OutputFile out = OutputFile::create(file);
    out.write(to_toml(whole));
    out.finish();
}

}  // namespace ptp::run
