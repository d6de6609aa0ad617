// `ptprun schema`: prints the JSON schema of experiments, which reference/schema.cpp makes.
#include "base/exit_code.hpp"
#include "base/json.hpp"
#include "commands.hpp"
#include "host/prepare.hpp"
#include "reference/schema.hpp"
#include "request_options.hpp"
#include "show_error.hpp"

#include <fmt/core.h>

#include <cstdio>

namespace ptp::ptprun {

namespace {

int run_schema(const Given& given) {
    const plugin::Catalog catalog = host::find_plugins({.file = {},
                                                        .overrides = {},
                                                        .plugins = paths_from(given, "plugins"),
                                                        .is_safe = given.has("safe-mode")},
                                                       {});
    for (const plugin::RejectedFile& file : catalog.rejected) {
        show({Severity::kWarning, SourceLocation(file.path.string(), 0, 0), "", "", file.reason});
    }
    const auto scope =
        given.has("part") ? reference::SchemaScope::kPart : reference::SchemaScope::kWhole;
    fmt::print("{}\n", text_of(reference::experiment_schema(catalog, scope), 2));
    return kDone;
}

}  // namespace

Command schema_command() {
    return {.name = "schema",
            .summary = "prints a JSON schema of experiments",
            .options = {{.name = "part",
                         .help = "for files that include others or are included: nothing is "
                                 "required"},
                        plugins_option(),
                        safe_mode_option()},
            .example = "ptprun schema > experiment.schema.json",
            .run = run_schema};
}

}  // namespace ptp::ptprun
