// Declares --quiet, --verbose, --json and the like, and copies them into requests to the engine.
#include "console_options.hpp"

#include "base/terminal.hpp"

#include <unistd.h>

#include <cstdint>
#include <string>

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
         .help = "stop cleanly after N epochs (online worker: N steps); `ptprun resume` continues",
         .integers = tools::Integers{.min = 1}}};
}

Option watch_option() {
    return {.name = "watch",
            .help = "swap newer builds of the plugins in as soon as they are there"};
}

namespace {

template <class Request>
void apply(const Given& given, Request& request, int descriptor = STDOUT_FILENO) {
    if (given.has("quiet")) {
        request.verbosity = engine::Verbosity::kQuiet;
    } else if (given.has("verbose")) {
        request.verbosity = engine::Verbosity::kVerbose;
    }
    request.is_terminal = is_terminal(descriptor);
    request.has_color = has_color(descriptor);
}

}  // namespace

void apply_console_options(const Given& given, engine::RunRequest& request) {
    apply(given, request);
    request.is_json = given.has("json");
    if (given.has("show")) {
        request.shown_statistic = given.text("show");
    }
    request.is_watching = given.has("watch");
    request.is_safe = given.has("safe-mode");
    request.is_paused = given.has("paused");
    request.stop_after = static_cast<std::uint64_t>(given.integer("stop-after").value_or(0));
}

void apply_console_options(const Given& given, engine::ProcessRequest& request) {
    apply(given, request);
}

void apply_console_options(const Given& given, engine::PredictRequest& request) {
    apply(given, request, STDERR_FILENO);
}

}  // namespace ptp::ptprun
