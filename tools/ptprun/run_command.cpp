#include "commands.hpp"
#include "config/write.hpp"
#include "console_options.hpp"
#include "engine/exit_code.hpp"
#include "engine_library.hpp"
#include "git_state.hpp"
#include "prepare.hpp"
#include "sweep.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <cstdio>
#include <regex>
#include <string>

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
    if (map.count("worker") > 0) {
        const std::string& worker = map["worker"].as<std::string>();
        if (worker != "offline" && worker != "online")
            throw po::error(fmt::format("--worker {}: must be offline or online", worker));
        request.overrides.push_back("training.worker=" +
                                    config::inline_toml(config::Value(worker)));
    }
    return request;
}

engine::RunRequest engine_request(const po::variables_map& map, const Prepared& prepared,
                                  const Arguments& arguments) {
    engine::RunRequest request{prepared.experiment, *prepared.plan, {}};
    if (map.count("run-dir") > 0) {
        request.run_folder = map["run-dir"].as<std::string>();
    }
    apply_console_options(map, request);
    request.command_line = {"ptprun"};
    request.command_line.insert(request.command_line.end(), arguments.begin(), arguments.end());
    const GitState git = git_state(map["experiment"].as<std::string>());
    request.git_commit = git.commit;
    request.is_git_clean = git.is_clean;
    return request;
}

}  // namespace

int run_command(const Arguments& arguments) {
    const po::variables_map map = parse(arguments, run_options());
    if (map.count("help") > 0) {
        fmt::print("{}", options_text(run_options()));
        return engine::kDone;
    }
    check_console_options(map);
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
    return report(run_in_engine(engine_request(map, prepared, arguments)));
}

Options run_options() {
    Options description("Options of a run");
    description.add_options()  //
        ("run-dir", po::value<std::string>()->value_name("DIR"),
         "where the run goes; must be empty or not exist (default: runs/NAME/TIME)")  //
        ("seed", po::value<std::int64_t>()->value_name("N"),
         "the seed of all that is random")                                               //
        ("device", po::value<std::string>()->value_name("NAME"), "cpu, cuda or cuda:N")  //
        ("worker", po::value<std::string>()->value_name("NAME"),
         "offline (epochs) or online (episodes)")  //
        ("jobs,j", po::value<std::int64_t>()->value_name("N"),
         "runs of a sweep at a time (default: 1)");
    add_console_options(description);
    add_request_options(description);
    return description;
}

}  // namespace ptp::ptprun
