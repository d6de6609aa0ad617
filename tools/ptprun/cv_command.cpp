#include "base/exit_code.hpp"
#include "commands.hpp"
#include "console_options.hpp"
#include "prepare.hpp"
#include "run_operand.hpp"
#include "sweep.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <cstdio>

namespace ptp::ptprun {

namespace po = boost::program_options;

namespace {

constexpr std::int64_t kUsualFolds = 5;
constexpr std::int64_t kMaxFolds = 1000;

}  // namespace

int cv_command(const Arguments& arguments) {
    const po::variables_map map = parse(arguments, cv_options());
    if (map.count("help") > 0) {
        fmt::print("{}", options_text(cv_options()));
        return kDone;
    }
    check_console_options(map);
    for (const char* option :
         {"fold", "fast-dev-run", "overfit", "profile", "watch", "paused", "swap-check", "json"}) {
        if (map.count(option) > 0) {
            throw po::error(fmt::format("--{} is for a single run", option));
        }
    }
    const auto folds = map["folds"].as<std::int64_t>();
    if (folds < 2 || folds > kMaxFolds) {
        throw po::error(fmt::format("--folds {}: must be in [2, {}]", folds, kMaxFolds));
    }
    Request request = run_request_from(map);
    const Subject subject = subject_operand(request.file);
    if (subject.run) {
        return explain_run(*subject.run);
    }
    request.file = subject.experiment;
    SweepOptions options = sweep_options(arguments, cv_options());
    options.folds = folds;
    return run_sweep(request, options);
}

Options cv_options() {
    Options description("Options of cv, besides those of a run");
    description.add_options()(
        "folds", po::value<std::int64_t>()->default_value(kUsualFolds)->value_name("K"),
        "into how many parts the training set is cut; each is held out once, for validation");
    const Options of_run = run_options();  // not in the loop's head, where it would not live
    for (const auto& option : of_run.options()) {
        description.add(option);
    }
    return description;
}

}  // namespace ptp::ptprun
