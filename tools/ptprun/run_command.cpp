#include "base/exit_code.hpp"
#include "base/toml_writer.hpp"
#include "commands.hpp"
#include "console_options.hpp"
#include "control/run_tags.hpp"
#include "engine_library.hpp"
#include "experiment/short_runs.hpp"
#include "git_state.hpp"
#include "held_out_fold.hpp"
#include "prepare.hpp"
#include "run_operand.hpp"
#include "swap_check.hpp"
#include "sweep.hpp"

#include <fmt/core.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace ptp::ptprun {

namespace po = boost::program_options;

namespace {

// "1/5".
experiment::Fold fold_from(const std::string& text) {
    std::int64_t fold = -1;
    std::int64_t folds = -1;
    int end = 0;
    if (std::sscanf(text.c_str(), "%" SCNd64 "/%" SCNd64 "%n", &fold, &folds, &end) != 2 ||
        static_cast<std::size_t>(end) != text.size() || fold < 0 || folds < 2 || fold >= folds) {
        throw po::error(fmt::format(
            "--fold {}: must be I/K, such as 0/5, with I from 0 to K - 1 and K at least 2", text));
    }
    return {.number = fold, .count = folds};
}

experiment::Fold fold_from(const po::variables_map& map) {
    for (const char* other : {"overfit", "fast-dev-run"}) {
        if (map.count(other) > 0) {
            throw po::error(fmt::format("--fold and --{} exclude each other", other));
        }
    }
    return fold_from(map["fold"].as<std::string>());
}

// What a trial makes of the experiment.
std::function<void(experiment::Experiment&, Diagnostics&)> change_from(
    const po::variables_map& map) {
    const bool is_fast = map.count("fast-dev-run") > 0;
    if (map.count("overfit") == 0 && !is_fast) {
        return nullptr;
    }
    if (map.count("overfit") == 0) {
        return [](experiment::Experiment& experiment, Diagnostics&) {
            experiment::make_fast_dev_run(experiment);
        };
    }
    if (is_fast) {
        throw po::error("--fast-dev-run and --overfit exclude each other");
    }
    const auto batches = map["overfit"].as<std::int64_t>();
    if (batches < 1) {
        throw po::error(fmt::format("--overfit {}: must be 1 or more", batches));
    }
    return [batches](experiment::Experiment& experiment, Diagnostics& problems) {
        experiment::make_overfit(experiment, batches, problems);
    };
}

void check_tags(const po::variables_map& map) {
    if (map.count("tag") == 0) {
        return;
    }
    for (const std::string& tag : map["tag"].as<std::vector<std::string>>()) {
        if (const std::string why = control::refuse_tag(tag); !why.empty()) {
            throw po::error(fmt::format("--tag '{}': {}", tag, why));
        }
    }
}

}  // namespace

// Seed and device are values of the experiment, so that its record in the run folder has them.
Request run_request_from(const po::variables_map& map) {
    check_tags(map);
    Request request = request_from(map);
    if (map.count("seed") > 0) {
        const auto seed = map["seed"].as<std::int64_t>();
        if (seed < 0) {
            throw po::error(fmt::format("--seed {}: must be 0 or more", seed));
        }
        request.overrides.push_back(fmt::format("seed={}", seed));
    }
    add_device(map, request);
    if (map.count("worker") > 0) {
        const std::string& worker = map["worker"].as<std::string>();
        if (worker != "offline" && worker != "online") {
            throw po::error(fmt::format("--worker {}: must be offline or online", worker));
        }
        request.overrides.push_back("training.worker=" + inline_toml(Value(worker)));
    }
    request.change = change_from(map);
    if (map.count("fold") > 0) {
        hold_out(request, fold_from(map));
    }
    return request;
}

namespace {

engine::RunRequest engine_request(const po::variables_map& map, const Prepared& prepared,
                                  const Arguments& arguments) {
    engine::RunRequest request{prepared.experiment, *prepared.plan, {}};
    if (map.count("run-dir") > 0) {
        request.run_folder = map["run-dir"].as<std::string>();
    }
    apply_console_options(map, request);
    if (map.count("tag") > 0) {
        request.tags = map["tag"].as<std::vector<std::string>>();
    }
    request.is_profiled = map.count("profile") > 0;
    request.is_fast_dev_run = map.count("fast-dev-run") > 0;
    if (request.is_fast_dev_run) {
        request.trial = "a fast development run: one batch of each set";
        request.trial_kind = "fast_dev_run";
    } else if (map.count("overfit") > 0) {
        request.trial = fmt::format("overfitting: training and validation are the first {} batches",
                                    map["overfit"].as<std::int64_t>());
        request.trial_kind = "overfit";
    }
    request.command_line = {"ptprun"};
    request.command_line.insert(request.command_line.end(), arguments.begin(), arguments.end());
    request.git = git_state(map["experiment"].as<std::string>());
    return request;
}

}  // namespace

int run_command(const Arguments& arguments) {
    const po::variables_map map = parse(arguments, run_options());
    if (map.count("help") > 0) {
        fmt::print("{}", options_text(run_options()));
        return kDone;
    }
    check_console_options(map);
    Request request = run_request_from(map);
    const Subject subject = subject_operand(request.file);
    if (subject.run) {
        return explain_run(*subject.run);
    }
    request.file = subject.experiment;
    const bool is_several = is_sweep(request) || map.count("swap-check") > 0;
    if (is_several && map.count("paused") > 0) {
        throw po::error("--paused is for a single run");
    }
    if (is_sweep(request)) {
        return run_sweep(request, sweep_options(arguments, run_options()));
    }
    if (map.count("jobs") > 0) {
        throw po::error("--jobs is for a sweep: give a --set several values");
    }
    if (map.count("swap-check") > 0) {
        return swap_check(arguments, map);
    }
    Diagnostics problems;
    const Prepared prepared = prepare(request, problems);
    const int code = report(problems, prepared.catalog, prepared.overrides);
    if (!prepared.plan) {
        return code;
    }
    return report(run_in_engine(engine_request(map, prepared, arguments)), request.overrides);
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
         "runs of a sweep at a time (default: 1)")  //
        ("tag", po::value<std::vector<std::string>>()->composing()->value_name("NAME"),
         "a tag for the run, by which `ptprun runs` finds it; may be given several times")  //
        ("fold", po::value<std::string>()->value_name("I/K"),
         "train on all of K parts of the training set but the one with number I, from 0 on, and "
         "validate on that one; `ptprun cv` does it for all")  //
        ("fast-dev-run",
         "one batch of each set, to see that all works; no checkpoints are kept")  //
        ("overfit", po::value<std::int64_t>()->value_name("N"),
         "train on the first N batches again and again, and validate on them")  //
        ("profile", "report at the end where the time went; writes trace.json");
    add_console_options(description);
    add_json_option(description);
    add_show_option(description);
    add_watch_option(description);
    add_paused_option(description);
    description.add_options()("swap-check", po::value<std::int64_t>()->value_name("N"),
                              "run twice, the second time exchanging every plugin N times for a "
                              "copy of itself, and compare the results bit for bit");
    add_request_options(description);
    return description;
}

}  // namespace ptp::ptprun
