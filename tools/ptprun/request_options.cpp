#include "request_options.hpp"

#include "base/toml_writer.hpp"
#include "run/paths.hpp"
#include "schema/device.hpp"
#include "schema/pattern.hpp"

#include <fmt/core.h>

namespace ptp::ptprun {

Option plugins_option() {
    return {.name = "plugins",
            .value = "DIR",
            .help = "look for plugins here first; may be given several times",
            .completions = {tools::kFolders},
            .is_repeatable = true};
}

Option safe_mode_option() {
    return {.name = "safe-mode", .help = "use built-in plugins only", .excludes = {"watch"}};
}

Option device_option() {
    return {.name = "device",
            .value = "NAME",
            .help = "cpu, cuda or cuda:N",
            .completions = {"cpu", "cuda"}};
}

Option section_option(const char* help) {
    return {.name = "section", .value = "NAME", .help = help, .completions = {kSections}};
}

Option run_dir_option(const char* help) {
    return {.name = "run-dir", .value = "DIR", .help = help, .completions = {tools::kFolders}};
}

Option checkpoint_option() {
    return {.name = "checkpoint",
            .value = "NAME",
            .help = "best (the default) or last of the run, or the folder of a checkpoint",
            .completions = {run::kBestCheckpoint, run::kLastCheckpoint, tools::kFolders}};
}

std::vector<Option> request_options() {
    return {{.name = "over",
             .value = "FILE",
             .help = "lay FILE over the experiment, as a file that includes both; may be given "
                     "several times, later ones win",
             .completions = {tools::kFiles},
             .is_repeatable = true},
            {.name = "set",
             .value = "KEY=VALUE",
             .help = "replace a value of the experiment: training.task.batch_size=32; several "
                     "values, training.optimizer.lr=0.1,0.01, are a sweep",
             .completions = {kSettings},
             .is_repeatable = true},
            plugins_option(),
            safe_mode_option()};
}

std::vector<std::filesystem::path> paths_from(const Given& given, const char* option) {
    const Strings paths = given.texts(option);
    return {paths.begin(), paths.end()};
}

host::Request request_from(const Given& given) {
    return {.file = given.operands().front(),
            .overrides = given.texts("set"),
            .plugins = paths_from(given, "plugins"),
            .is_safe = given.has("safe-mode"),
            .over = paths_from(given, "over")};
}

std::optional<std::string> device_from(const Given& given) {
    if (!given.has("device")) {
        return std::nullopt;
    }
    const std::string device = given.text("device");
    if (!schema::matches(device, schema::kDevicePattern)) {
        throw UsageError(fmt::format("--device {}: must be cpu, cuda or cuda:N", device));
    }
    return device;
}

void add_device(const Given& given, host::Request& request) {
    if (const auto device = device_from(given)) {
        request.overrides.push_back("device=" + inline_toml(Value(*device)));
    }
}

}  // namespace ptp::ptprun
