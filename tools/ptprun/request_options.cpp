// Declares --set, --over, --plugins and the like, and makes the request for host::prepare() of
// them.
#include "request_options.hpp"

#include "base/explanation.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "experiment/familiar_names.hpp"
#include "experiment/load/load.hpp"
#include "experiment/load/override.hpp"
#include "experiment/possible_keys.hpp"
#include "run/paths.hpp"
#include "run/process.hpp"
#include "run/resolve.hpp"
#include "schema/device.hpp"
#include "schema/key_path.hpp"
#include "schema/pattern.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <system_error>
#include <utility>
#include <variant>

namespace ptp::ptprun {

namespace {

namespace fs = std::filesystem;
using KeyPath = std::vector<std::string>;

// Returns the values that the file of an experiment or a run states; nullopt if it cannot be read,
// which is reported elsewhere.
std::optional<Value> stated(const std::string& subject) {
    const auto found = run::resolve(subject, run::this_machine());
    const auto* path = std::get_if<fs::path>(&found);
    std::error_code ignored;
    if (path == nullptr) {
        return std::nullopt;
    }
    Diagnostics reported_elsewhere;
    return experiment::load_experiment(
        {fs::is_directory(*path, ignored) ? *path / run::kExperimentFile : *path,
         {},
         host::home_folder()},
        reported_elsewhere);
}

void add_values_ending_with(const KeyPath& end, const Value& table, KeyPath& path,
                            std::vector<std::string>& found) {
    for (const Member& member : table.members()) {
        path.push_back(member.key);
        if (member.value.is_table()) {
            add_values_ending_with(end, member.value, path, found);
        } else if (path.size() >= end.size() &&
                   std::equal(end.rbegin(), end.rend(), path.rbegin())) {
            std::string text;
            for (const std::string& part : path) {
                text = schema::below(text, part);
            }
            found.push_back(std::move(text));
        }
        path.pop_back();
    }
}

}  // namespace

std::string with_whole_key(const std::string& text, const std::string& subject) {
    const std::size_t equals = text.find('=');
    const auto key = equals == std::string::npos
                         ? std::nullopt
                         : experiment::read_key_path(text.substr(0, equals));
    if (!key || key->front() == "vars" || key->front() == "include" ||
        experiment::possible_keys(Value()).find("", key->front()) != nullptr) {
        return text;
    }
    const std::optional<Value> tree = stated(subject);
    std::vector<std::string> found;
    KeyPath path;
    if (tree && tree->find(key->front()) == nullptr) {
        add_values_ending_with(*key, *tree, path, found);
    }
    return found.size() == 1 ? found.front() + text.substr(equals) : text;
}

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
    const std::string& file = given.operands().front();
    Strings overrides = given.texts("set");
    for (std::string& override : overrides) {
        override = with_whole_key(override, file);
    }
    return {.file = file,
            .overrides = std::move(overrides),
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
        const auto meant = read_toml_value(experiment::familiar_value("device", Value(device)));
        throw UsageError(
            Explanation{fmt::format("--device {}: must be cpu, cuda or cuda:N", device),
                        meant ? "--device " + meant->as_string() : ""}
                .text());
    }
    return device;
}

void add_device(const Given& given, host::Request& request) {
    if (const auto device = device_from(given)) {
        request.overrides.push_back("device=" + inline_toml(Value(*device)));
    }
}

}  // namespace ptp::ptprun
