#include "check_running.hpp"

#include "base/temporary_path.hpp"
#include "child.hpp"

#include <fmt/core.h>

#include <exception>
#include <filesystem>
#include <sstream>
#include <string>

namespace ptp::inspect {

namespace {

namespace fs = std::filesystem;
using engine::ComponentVerdict;
using engine::Finding;

constexpr const char* kRuns = "runs, and does what it declares";
constexpr const char* kContinues = "continues after an interruption as if there had been none";

// From one process to the other: what it is about, the text, and an end that is in no text.
constexpr char kBroken = '!';
constexpr char kForgets = '~';
constexpr char kNote = '?';
constexpr char kEnd = '\0';

std::string record(char about, const std::string& text) {
    return about + text + kEnd;
}

std::string record(const ComponentVerdict& verdict) {
    const std::string text = fmt::format("{}: {}", verdict.component, verdict.reason);
    switch (verdict.finding) {
        case Finding::kPassed:
            return "";
        case Finding::kBroken:
            return record(kBroken, text);
        case Finding::kForgets:
            return record(kForgets, text);
        case Finding::kNotTried:
            return record(kNote, fmt::format("{} was not tried: {}\nfix: {}", verdict.component,
                                             verdict.reason, verdict.advice));
    }
    return "";
}

std::string ask_engine(const Engine& engine, const engine::CheckRequest& request) {
    engine::CheckResult result;
    engine.check(request, result);
    std::string records = result.error.empty() ? "" : record(kNote, result.error);
    for (const ComponentVerdict& verdict : result.verdicts) {
        records += record(verdict);
    }
    return records;
}

}  // namespace

std::vector<Verdict> check_running(const plugin::CatalogEntry& entry, const CheckOptions& options,
                                   Engine& engine) {
    Verdict runs{kRuns, {}, {}};
    Verdict continues{kContinues, {}, {}};
    try {
        engine.open();
    } catch (const std::exception& error) {
        runs.notes.emplace_back(error.what());
        return {runs, continues};
    }
    const TemporaryPath folder = TemporaryPath::new_folder();
    const auto tries = static_cast<int>(entry.manifest.components.size() + options.given.size());
    constexpr int kGrace = 15;  // seconds: the engine ends each component itself
    const ChildResult child = try_in_child(
        [&] {
            return ask_engine(
                engine, {entry, folder.path(), options.home, options.time_limit_s, options.given});
        },
        kGrace + tries * (options.time_limit_s + kGrace));
    std::istringstream records(child.output);
    for (std::string text; std::getline(records, text, kEnd);) {
        auto& texts = text.front() == kBroken    ? runs.problems
                      : text.front() == kForgets ? continues.problems
                                                 : runs.notes;
        texts.push_back(text.substr(1));
    }
    if (!child.failure.empty()) {
        runs.problems.push_back("running its components " + child.failure);
    }
    return {runs, continues};
}

}  // namespace ptp::inspect
