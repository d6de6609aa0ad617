// Options of commands that read an experiment or print while they run, and what they change.

#include "request_options.hpp"

#include "base/explanation.hpp"
#include "base/paths.hpp"
#include "base/terminal.hpp"
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

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <system_error>
#include <utility>
#include <variant>

namespace ptp::ptprun {

std::vector<Option> console_options() {
    return {
        {.name = "quiet", .help = "print warnings and errors only", .excludes = {"verbose"}},
        {.name = "verbose", .help = "print also what components log, and every line of progress"}};
}

std::vector<Option> training_console_options() {
    return {
        {.name = "json",
         .help = "print events for programs, a JSON object on each line",
         .excludes = {"quiet"}},
        {.name = "show",
         .value = "STATISTIC",
         .help = "the statistic beside the loss on the screen (default: the first one)"},
        {.name = "paused",
         .help = "wait for `ptprun control RUN continue` before the first episode"},
        {.name = "stop-after",
         .value = "N",
         .help =
             "stop cleanly after epoch N of the run (online worker: episode N); `ptprun resume` continues",
         .integers = tools::Integers{.min = 1}}};
}

Option watch_option() {
    return {.name = "watch",
            .help = "swap newer builds of the plugins in as soon as they are there"};
}

namespace {

template <class Request>
void apply(const Given& given, Request& request, int descriptor) {
    if (given.has("quiet")) {
        request.verbosity = engine::Verbosity::kQuiet;
    } else if (given.has("verbose")) {
        request.verbosity = engine::Verbosity::kVerbose;
    }
    request.is_terminal = is_terminal(descriptor);
    request.has_color = has_color(descriptor);
}

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
         home_folder()},
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

void apply_console_options(const Given& given, engine::RunRequest& request) {
    apply(given, request, STDOUT_FILENO);
    request.is_json = given.has("json");
    if (given.has("show")) {
        request.shown_statistic = given.text("show");
    }
    request.is_watching = given.has("watch");
    request.is_safe = given.has("safe-mode");
    request.is_paused = given.has("paused");
    request.stop_after = static_cast<std::uint64_t>(given.integer("stop-after").value_or(0));
}

void apply_console_options(const Given& given, engine::Screen& screen, int descriptor) {
    apply(given, screen, descriptor);
}

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

std::vector<Option> request_options(bool takes_sweeps) {
    return {{.name = "over",
             .value = "FILE",
             .help = "lay FILE over the experiment, as a file that includes both; may be given "
                     "several times, later ones win",
             .completions = {tools::kFiles},
             .is_repeatable = true},
            {.name = "set",
             .value = "KEY=VALUE",
             .help = std::string("replace a value of the experiment: training.task.batch_size=32") +
                     (takes_sweeps ? "; several values, training.optimizer.lr=0.1,0.01, are a sweep"
                                   : ""),
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
    return request_from(given, given.operands().front());
}

host::Request request_from(const Given& given, const std::string& file) {
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
