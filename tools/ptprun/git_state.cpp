#include "git_state.hpp"

#include "bounded_process.hpp"
#include "plugin/search_path.hpp"

#include <fmt/core.h>

#include <chrono>
#include <sstream>
#include <string>

namespace ptp::ptprun {

namespace {

constexpr std::chrono::seconds kTimeLimit(2);

engine::GitState parse(const std::string& answer) {
    engine::GitState state;
    std::istringstream lines(answer);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t space = line.find(' ');
        const std::string key = line.substr(0, space);
        const std::string value = space == std::string::npos ? "" : line.substr(space + 1);
        if (key == "commit") {
            state.commit = value;
        } else if (key == "clean" || key == "changed") {
            state.is_clean = key == "clean";
        } else if (key == "problem") {
            state.problem = value;
        }
    }
    return state;
}

}  // namespace

engine::GitState git_state(const std::filesystem::path& file) {
    const std::filesystem::path program =
        plugin::executable_path().parent_path() / PTP_LIBEXEC_FOLDER / "ptp-git-state";
    const std::string folder = std::filesystem::absolute(file).parent_path().string();
    const BoundedResult result = run_bounded(program, {folder}, kTimeLimit);
    engine::GitState state = parse(result.output);
    if (!result.problem.empty()) {
        state.problem = result.problem;
    }
    return state;
}

}  // namespace ptp::ptprun
