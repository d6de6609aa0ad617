// Replaces the commands that run plugins, which need forks and libtorch: Windows has neither.

#include "commands.hpp"
#include "layout_diff.hpp"
#include "options.hpp"

#include <stdexcept>
#include <string>

namespace ptp::inspect {

namespace {

[[noreturn]] void refuse(const std::string& what) {
    throw std::runtime_error(
        what +
        " needs Linux: it runs plugins in processes of their own, with libtorch\n"
        "    fix: build the plugin's sources on Linux too, and do this there");
}

}  // namespace

int run_check(const tools::Given& /*given*/) {
    refuse("--check");
}

int show_bundles(const tools::Strings& /*files*/, bool /*is_json*/) {
    throw std::runtime_error(
        "bundles are read on Linux\n    fix: list one here with tar tf MODEL.ptpm");
}

LayoutDiff compare_layouts(const plugin::CatalogEntry& /*older*/,
                           const plugin::CatalogEntry& /*newer*/, std::chrono::seconds /*limit*/) {
    refuse("a comparison of parameters and state");
}

tools::Command why_command() {
    return {.name = "why",
            .summary = "explains what happens to a plugin or type; on Linux only",
            .operands = {{.name = "NAME", .what = "a name", .min = 0, .max = 1}},
            .example = "ptp-inspect why my_plugin",
            .run = [](const tools::Given&) -> int { refuse("why"); }};
}

tools::Command replay_command() {
    return {.name = "replay",
            .summary = "feeds a build of a component with a recording; on Linux only",
            .operands = {{.name = "FILE", .what = "the file of a recording", .min = 0},
                         {.name = "PLUGIN", .what = "the file of a plugin", .min = 0}},
            .example = "ptp-inspect replay net.ptprec my_plugin.dll",
            .run = [](const tools::Given&) -> int { refuse("replay"); }};
}

}  // namespace ptp::inspect
