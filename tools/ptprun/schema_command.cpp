#include "base/exit_code.hpp"
#include "commands.hpp"
#include "prepare.hpp"
#include "reference/schema.hpp"
#include "show_error.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <cstdio>

namespace ptp::ptprun {

int schema_command(const Arguments& arguments) {
    const auto [map, operands] = parse_words(arguments, schema_options(), {});
    if (map.count("help") > 0) {
        fmt::print("{}", options_text(schema_options()));
        return kDone;
    }
    const plugin::Catalog catalog = find_plugins({"", {}, plugins_from(map)}, {});
    for (const plugin::RejectedFile& file : catalog.rejected) {
        show({Severity::kWarning, SourceLocation(file.path.string(), 0, 0), "", "", file.reason});
    }
    const auto scope =
        map.count("part") > 0 ? reference::SchemaScope::kPart : reference::SchemaScope::kWhole;
    fmt::print("{}\n", reference::experiment_schema(catalog, scope).dump(2));
    return kDone;
}

Options schema_options() {
    Options description("Options of schema");
    description.add_options()  //
        ("part", "for files that include others or are included: nothing is required");
    add_plugin_options(description);
    return description;
}

}  // namespace ptp::ptprun
