#include "console_options.hpp"

#include "base/terminal.hpp"

#include <unistd.h>

#include <string>

namespace ptp::ptprun {

namespace po = boost::program_options;

void add_console_options(po::options_description& options) {
    options.add_options()                            //
        ("quiet", "print warnings and errors only")  //
        ("verbose", "print also what components log, and every line of progress");
}

void add_json_option(po::options_description& options) {
    options.add_options()("json", "print events for programs, a JSON object on each line");
}

void add_show_option(po::options_description& options) {
    options.add_options()("show", po::value<std::string>()->value_name("STATISTIC"),
                          "shown beside the loss while it trains (default: the first there is)");
}

void add_watch_option(po::options_description& options) {
    options.add_options()("watch", "swap newer builds of the plugins in as soon as they are there");
}

void add_paused_option(po::options_description& options) {
    options.add_options()("paused",
                          "wait for `ptprun control RUN continue` before the first episode");
}

void check_console_options(const po::variables_map& map) {
    if (map.count("quiet") > 0 && map.count("verbose") > 0) {
        throw po::error("--quiet and --verbose exclude each other");
    }
    if (map.count("json") > 0 && map.count("quiet") > 0) {
        throw po::error("--json and --quiet exclude each other");
    }
}

namespace {

template <class Request>
void apply(const po::variables_map& map, Request& request, int descriptor = STDOUT_FILENO) {
    if (map.count("quiet") > 0) {
        request.verbosity = engine::Verbosity::kQuiet;
    } else if (map.count("verbose") > 0) {
        request.verbosity = engine::Verbosity::kVerbose;
    }
    request.is_terminal = is_terminal(descriptor);
    request.has_color = has_color(descriptor);
}

}  // namespace

void apply_console_options(const po::variables_map& map, engine::RunRequest& request) {
    apply(map, request);
    request.is_json = map.count("json") > 0;
    if (map.count("show") > 0) {
        request.shown_statistic = map["show"].as<std::string>();
    }
    request.is_watching = map.count("watch") > 0;
    request.is_paused = map.count("paused") > 0;
}

void apply_console_options(const po::variables_map& map, engine::ProcessRequest& request) {
    apply(map, request);
}

void apply_console_options(const po::variables_map& map, engine::PredictRequest& request) {
    apply(map, request, STDERR_FILENO);
}

}  // namespace ptp::ptprun
