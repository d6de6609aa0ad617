#include "output.hpp"

#include "base/terminal.hpp"
#include "experiment/render.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

namespace ptp::inspect {

namespace {

std::size_t end_of_error(const std::string& text, std::size_t begin) {
    std::size_t end = text.find('\n', begin);
    while (end != std::string::npos && end + 1 < text.size() && text[end + 1] == ' ') {
        end = text.find('\n', end + 1);
    }
    return std::min(end, text.size());
}

}  // namespace

void print(const std::string& text) {
    const bool is_whole =
        std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    if (!is_whole) {
        throw OutputError("cannot write the standard output: " +
                          std::generic_category().message(errno));
    }
}

int complain(const std::string& text, int status) {
    std::fflush(stdout);
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = end_of_error(text, begin);
        const ptp::Problem problem = experiment::problem_from(text.substr(begin, end - begin));
        const std::string shown =
            experiment::rendered(problem, "ptp-inspect", {}, experiment::style_for(STDERR_FILENO));
        std::fputs(shown.c_str(), stderr);
        begin = end + 1;
    }
    return status;
}

void warn(const std::string& text) {
    ptp::Problem problem;
    problem.severity = ptp::Severity::kWarning;
    problem.message = text;
    const std::string shown =
        experiment::rendered(problem, "ptp-inspect", {}, experiment::style_for(STDERR_FILENO));
    std::fputs(shown.c_str(), stderr);
}

Style style_of_output() {
    return {.has_colors = ptp::has_color(STDOUT_FILENO)};
}

std::filesystem::path home_folder() {
    const char* const home = std::getenv("HOME");
    return home == nullptr ? "" : home;
}

}  // namespace ptp::inspect
