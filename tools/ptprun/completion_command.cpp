#include "base/exit_code.hpp"
#include "candidates.hpp"
#include "commands.hpp"
#include "completion_scripts.hpp"
#include "prepare.hpp"

#include <fmt/core.h>

#include <cstdio>

namespace ptp::ptprun {

namespace po = boost::program_options;

int completion_command(const Arguments& arguments) {
    // The words of a command line that is being written are not options of this one.
    if (!arguments.empty() && arguments.front() == "--words") {
        for (const std::string& one : candidates({arguments.begin() + 1, arguments.end()})) {
            fmt::print("{}\n", one);
        }
        return kDone;
    }
    const auto [map, shells] =
        parse_words(arguments, completion_options(), {1, 1, "bash, zsh or fish is needed"});
    if (map.count("help") > 0) {
        fmt::print("{}", options_text(completion_options()));
        return kDone;
    }
    if (map.count("words") > 0) {
        throw po::error("--words must come first");
    }
    const std::string_view script = completion_script(shells.front());
    if (script.empty()) {
        throw po::error(fmt::format("'{}': must be bash, zsh or fish", shells.front()));
    }
    fmt::print("{}", script);
    return kDone;
}

Options completion_options() {
    Options description("Options of completion");
    description.add_options()                                                                  //
        ("words", "print what the last of the words that follow may become; for the scripts")  //
        ("help,h", "show this help");
    return description;
}

}  // namespace ptp::ptprun
