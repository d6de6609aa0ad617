#include "check_interruptions.hpp"

#include "child.hpp"
#include "engine/check_request.hpp"
#include "open_engine.hpp"
#include "plugin/private_folder.hpp"

#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <sstream>
#include <string>

namespace ptp::inspect {

namespace {

namespace fs = std::filesystem;

constexpr const char* kRule = "continues after an interruption as if there had been none";
constexpr char kProblem = '!';
constexpr char kNote = '?';

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

// A line for each problem and each note.
std::string ask_engine(const plugin::CatalogEntry& entry, const fs::path& folder,
                       int time_limit_s) {
    try {
        const auto check =
            reinterpret_cast<engine::CheckFunction>(tools::engine_symbol(engine::kCheckSymbol));
        engine::CheckResult result;
        check({entry, folder, time_limit_s}, result);
        std::string lines = result.error.empty() ? "" : kNote + first_line(result.error) + "\n";
        for (const engine::ComponentVerdict& verdict : result.verdicts) {
            if (verdict.finding == engine::Finding::kFailed) {
                lines += fmt::format("{}{}: {}\n", kProblem, verdict.component,
                                     first_line(verdict.reason));
            } else if (verdict.finding == engine::Finding::kNotTried) {
                lines += fmt::format("{}{} was not tried: {}\n", kNote, verdict.component,
                                     first_line(verdict.reason));
            }
        }
        return lines;
    } catch (const std::exception& error) {
        return kNote + first_line(error.what()) + "\n";
    }
}

}  // namespace

Verdict check_interruptions(const plugin::CatalogEntry& entry, int time_limit_s) {
    constexpr int kEngineOpens = 30;  // seconds
    const int components = static_cast<int>(entry.manifest.components.size());
    const plugin::PrivateFolder folder;
    const ChildResult child =
        run_in_child([&] { return ask_engine(entry, folder.path(), time_limit_s); },
                     kEngineOpens + components * (time_limit_s + 1));
    Verdict verdict{kRule, {}, {}};
    std::istringstream lines(child.output);
    for (std::string line; std::getline(lines, line);) {
        (line.front() == kProblem ? verdict.problems : verdict.notes).push_back(line.substr(1));
    }
    if (!child.failure.empty()) {
        verdict.problems.push_back("running its components " + child.failure);
    }
    return verdict;
}

}  // namespace ptp::inspect
