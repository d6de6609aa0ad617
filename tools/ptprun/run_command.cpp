#include "commands.hpp"
#include "config/place.hpp"
#include "config/write.hpp"
#include "engine/exit_code.hpp"
#include "engine_library.hpp"
#include "prepare.hpp"
#include "sweep.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <regex>
#include <string_view>

namespace ptp::ptprun {

namespace po = boost::program_options;

namespace {

// Seed and device are values of the experiment, so that its record in the run folder has them.
Request run_request_from(const po::variables_map& map) {
    Request request = request_from(map);
    if (map.count("seed") > 0) {
        const auto seed = map["seed"].as<std::int64_t>();
        if (seed < 0)
            throw po::error(fmt::format("--seed {}: must be 0 or more", seed));
        request.overrides.push_back(fmt::format("seed={}", seed));
    }
    if (map.count("device") > 0) {
        const std::string& device = map["device"].as<std::string>();
        if (!std::regex_match(device, std::regex("cpu|cuda|cuda:[0-9]{1,3}")))
            throw po::error(fmt::format("--device {}: must be cpu, cuda or cuda:N", device));
        request.overrides.push_back("device=" + config::inline_toml(config::Value(device)));
    }
    return request;
}

engine::Verbosity verbosity_from(const po::variables_map& map) {
    if (map.count("quiet") > 0 && map.count("verbose") > 0) {
        throw po::error("--quiet and --verbose exclude each other");
    }
    if (map.count("quiet") > 0) {
        return engine::Verbosity::kQuiet;
    }
    return map.count("verbose") > 0 ? engine::Verbosity::kVerbose : engine::Verbosity::kNormal;
}

engine::RunRequest engine_request(const po::variables_map& map, const Prepared& prepared) {
    const char* no_colour = std::getenv("NO_COLOR");
    engine::RunRequest request{prepared.experiment, *prepared.plan, {}};
    if (map.count("run-dir") > 0) {
        request.run_folder = map["run-dir"].as<std::string>();
    }
    request.verbosity = verbosity_from(map);
    const char* terminal = std::getenv("TERM");
    const bool is_dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
    request.is_terminal = isatty(STDOUT_FILENO) == 1 && !is_dumb;
    request.has_colour = request.is_terminal && (no_colour == nullptr || *no_colour == '\0');
    return request;
}

}  // namespace

int run_command(const Arguments& arguments) {
    const po::variables_map map = parse(arguments, run_options());
    if (map.count("help") > 0) {
        fmt::print("{}", options_text(run_options()));
        return engine::kDone;
    }
    verbosity_from(map);
    const Request request = run_request_from(map);
    if (is_sweep(request))
        return run_sweep(request, sweep_options(arguments, run_options()));
    if (map.count("jobs") > 0)
        throw po::error("--jobs is for a sweep: give a --set several values");
    config::Diagnostics problems;
    const Prepared prepared = prepare(request, problems);
    const int code = report(problems, prepared.catalog);
    if (!prepared.plan) {
        return code;
    }
    const engine::RunResult result = run_in_engine(engine_request(map, prepared));
    if (!result.error.empty()) {
        const bool has_place = config::Place::begins(result.error);
        fmt::print(stderr, "{}{}\n", has_place ? "" : "ptprun: ", result.error);
    }
    return result.exit_code;
}

Options run_options() {
    Options description("Options of a run");
    description.add_options()  //
        ("run-dir", po::value<std::string>()->value_name("DIR"),
         "where the run goes; must be empty or not exist (default: runs/NAME/TIME)")  //
        ("seed", po::value<std::int64_t>()->value_name("N"),
         "the seed of all that is random")                                               //
        ("device", po::value<std::string>()->value_name("NAME"), "cpu, cuda or cuda:N")  //
        ("jobs,j", po::value<std::int64_t>()->value_name("N"),
         "runs of a sweep at a time (default: 1)")  //
        ("quiet", "say only what is wrong")         //
        ("verbose", "say also what components log");
    add_request_options(description);
    return description;
}

}  // namespace ptp::ptprun
