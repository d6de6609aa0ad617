// `ptp-inspect replay FILE PLUGIN`: passes recorded inputs of a component to a build of it.

#include "base/json.hpp"
#include "base/paths.hpp"
#include "base/temporary_path.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "engine/solo_requests.hpp"
#include "host/open_engine.hpp"
#include "options.hpp"

#include <fmt/core.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::inspect {

namespace {

using tools::Given;
using tools::UsageError;

constexpr int kDiffers = 1;
constexpr std::int64_t kMaxRepeats = 1000000;
constexpr std::int64_t kUsualLimit = 600;
constexpr std::int64_t kMaxLimit = 86400;
constexpr std::size_t kMaxShown = 20;  // differences

[[noreturn]] void refuse_tolerance(const std::string& text) {
    throw UsageError(
        fmt::format("--tolerance {}: must be relative=R, absolute=A or both, such as "
                    "relative=1e-5,absolute=1e-8, with numbers from 0",
                    text));
}

double bound_from(const std::string& whole, const std::string& text) {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !std::isfinite(number) || number < 0) {
        refuse_tolerance(whole);
    }
    return number;
}

engine::ReplayTolerance tolerance_from(const std::string& text) {
    engine::ReplayTolerance tolerance;
    bool has_relative = false;
    bool has_absolute = false;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string part = text.substr(begin, end - begin);
        const std::size_t sign = part.find('=');
        const std::string name = part.substr(0, sign);
        const std::string number = sign == std::string::npos ? "" : part.substr(sign + 1);
        if (name == "relative" && !has_relative) {
            tolerance.relative = bound_from(text, number);
            has_relative = true;
        } else if (name == "absolute" && !has_absolute) {
            tolerance.absolute = bound_from(text, number);
            has_absolute = true;
        } else {
            refuse_tolerance(text);
        }
        begin = end + 1;
    }
    return tolerance;
}

std::int64_t integer_in(const Value& table, const char* key) {
    return static_cast<std::int64_t>(table.number_at(key).value_or(0));
}

std::string plural(std::int64_t count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string difference_text(const Value& difference, bool is_repeated) {
    std::vector<std::int64_t> element;
    for (const Value& place : difference.find("element")->items()) {
        element.push_back(place.as_integer());
    }
    const std::int64_t elements = integer_in(difference, "elements");
    std::string text = "differs: ";
    if (is_repeated) {
        text += fmt::format("repetition {}, ", integer_in(difference, "repeat"));
    }
    text += fmt::format("{}: {}", difference.text_at("where"), difference.text_at("what"));
    if (!element.empty()) {
        text += fmt::format(" at [{}]", join(element, ", "));
    }
    text += fmt::format(": recorded {}, now {}", difference.text_at("recorded"),
                        difference.text_at("now"));
    if (elements > 1) {
        text += fmt::format("; {} of {} elements differ", integer_in(difference, "differing"),
                            elements);
        const double largest = difference.number_at("largest").value_or(0);
        if (largest > 0) {
            text += fmt::format(", by {:.3g} at most", largest);
        }
    }
    return text + "\n";
}

std::string result_text(const Value& report,
                        const std::optional<engine::ReplayTolerance>& tolerance) {
    const std::int64_t compared = integer_in(report, "compared");
    const std::int64_t differing = integer_in(report, "differing");
    if (differing > 0) {
        return fmt::format("{} of {} differ{}\n", differing, plural(compared, "value", "values"),
                           differing == 1 ? "s" : "");
    }
    if (compared == 0) {
        return "nothing was compared: the recording has no output, gradient, buffer, number or "
               "picture of a complete batch; all calls have returned\n";
    }
    const std::string values = plural(compared, "value", "values");
    return tolerance ? fmt::format("equal: {}, within relative={:g},absolute={:g}\n", values,
                                   tolerance->relative, tolerance->absolute)
                     : fmt::format("equal: {}, bit for bit\n", values);
}

std::string report_text(const Value& report, const engine::ReplayRequest& request) {
    std::string out = fmt::format(
        "{} ({}): {} recorded with {} {}, replayed with {} {}\n", report.text_at("path"),
        report.text_at("type"), plural(integer_in(report, "batches"), "batch", "batches"),
        report.text_at("recorded_plugin"), report.text_at("recorded_version"),
        report.text_at("plugin"), report.text_at("version"));
    const std::string unfinished = report.text_at("unfinished");
    out += unfinished.empty() ? "" : fmt::format("unfinished: {}\n", unfinished);
    const std::vector<Value>& differences = report.find("differences")->items();
    for (std::size_t i = 0; i < std::min(differences.size(), kMaxShown); ++i) {
        out += difference_text(differences[i], request.repeats > 1);
    }
    if (differences.size() > kMaxShown) {
        out += "... --json names more\n";
    }
    out += result_text(report, request.tolerance);
    if (request.repeats > 1) {
        for (const Value& time : report.find("times")->items()) {
            out += fmt::format("{}: {:.3f} ms, the median of {} calls ({:.3f} to {:.3f})\n",
                               time.text_at("call"), time.number_at("median_ms").value_or(0),
                               integer_in(time, "count"), time.number_at("min_ms").value_or(0),
                               time.number_at("max_ms").value_or(0));
        }
    }
    return out;
}

int run_replay(const Given& given) {
    const TemporaryPath folder = TemporaryPath::new_folder();
    const plugin::CatalogEntry plugin = read_plugin_file(given.operands()[1]);
    engine::ReplayRequest request{given.operands()[0], plugin, folder.path(), home_folder()};
    request.time_limit_s = static_cast<int>(*given.integer("time-limit"));
    request.repeats = *given.integer("repeat");
    if (given.has("tolerance")) {
        request.tolerance = tolerance_from(given.text("tolerance"));
    }
    const auto replay =
        reinterpret_cast<engine::ReplayFunction>(host::engine_symbol(engine::kReplaySymbol));
    engine::ReplayResult result;
    replay(request, result);
    if (!result.error.empty()) {
        return complain(result.error, result.exit_code);
    }
    const bool differs = integer_in(result.report, "differing") > 0;
    if (given.has("json")) {
        Value report = result.report;
        if (integer_in(report, "compared") > 0) {
            report.set("is_equal", !differs);
        }
        print(ptp::text_of(ptp::json_of(report), 2) + "\n");
    } else {
        print(report_text(result.report, request));
    }
    return differs ? kDiffers : EXIT_SUCCESS;
}

}  // namespace

tools::Command replay_command() {
    return {
        .name = "replay",
        .summary = "feeds a build of a component with what `ptprun record` has kept of it",
        .details =
            "The component runs alone, in a process of its own, with the recorded settings,\n"
            "weights, random numbers and values; what comes of each call is compared with the\n"
            "recording.\n\n"
            "exit codes: 0 equal, 1 it differs, 2 wrong command line, 3 the plugin cannot be\n"
            "read, does not fit the recording, fails or crashes, 4 the recording cannot be read\n"
            "or is damaged\n",
        .operands = {{.name = "FILE",
                      .what = "the file of a recording",
                      .completions = {tools::kFiles}},
                     {.name = "PLUGIN",
                      .what = "the file of a plugin with a build of the component",
                      .completions = {tools::kFiles}}},
        .options = {{.name = "tolerance",
                     .value = "relative=R,absolute=A",
                     .help = "numbers are equal if |now - recorded| <= A + R |recorded| (default: "
                             "bit for bit)"},
                    {.name = "repeat",
                     .value = "N",
                     .help = "replay it N times, and print how long its calls take",
                     .integers = tools::Integers{.min = 1, .max = kMaxRepeats, .usual = 1}},
                    {.name = "time-limit",
                     .value = "SECONDS",
                     .help = "how long all of it may take (default: 600)",
                     .integers = tools::Integers{.min = 1, .max = kMaxLimit, .usual = kUsualLimit}},
                    {.name = "json", .help = "print JSON"}},
        .example = "ptp-inspect replay model.ptprec build/my_plugin.so --repeat 20",
        .run = run_replay};
}

}  // namespace ptp::inspect
