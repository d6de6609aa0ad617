#include "show_error.hpp"

#include "config/override.hpp"
#include "config/render.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>

namespace ptp::ptprun {

namespace {

constexpr std::string_view kProgram = "ptprun";

}  // namespace

void show(const config::Diagnostics& problems, const std::vector<std::string>& overrides) {
    fmt::print(stderr, "{}",
               config::rendered(problems, kProgram, overrides, config::style_for(STDERR_FILENO)));
}

void show(const config::Problem& problem, const std::vector<std::string>& overrides) {
    fmt::print(stderr, "{}",
               config::rendered(problem, kProgram, overrides, config::style_for(STDERR_FILENO)));
}

void show_error(std::string_view message, const std::vector<std::string>& overrides) {
    config::Problem problem = config::problem_from(message);
    if (problem.place.file() == config::kCommandLine) {
        problem.place = config::place_in_overrides(overrides, problem.message);
    }
    show(problem, overrides);
}

void show_usage_error(std::string_view message, std::string_view command) {
    show_error(fmt::format("{}\n    help: ptprun help {}", message, command));
}

}  // namespace ptp::ptprun
