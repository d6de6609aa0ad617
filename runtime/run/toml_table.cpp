#include "run/toml_table.hpp"

#include "base/diagnostics.hpp"
#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "run/format.hpp"

#include <utility>

namespace ptp::run {

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
