#include "base/exit_code.hpp"
#include "base/suggest.hpp"
#include "commands.hpp"
#include "prepare.hpp"
#include "run/condition.hpp"
#include "run/find_runs.hpp"
#include "run_operand.hpp"
#include "runs_view.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace ptp::ptprun {

namespace fs = std::filesystem;
namespace po = boost::program_options;

namespace {

using Strings = std::vector<std::string>;

Strings strings(const po::variables_map& map, const char* option) {
    return map.count(option) > 0 ? map[option].as<Strings>() : Strings();
}

struct Found {
    std::vector<run::Run> runs;
    std::size_t trials = 0;  // that are left out
};

// Trials only where somebody asks for them, or names one.
Found all_runs(const Strings& folders, bool with_trials) {
    const run::Machine machine = run::this_machine();
    Found found;
    for (const std::string& word : folders) {
        const fs::path folder = folder_operand(word);
        if (!fs::is_directory(folder)) {
            throw po::error(fmt::format("{}: is not a folder", word));
        }
        for (run::Run& run : run::find_runs(folder.lexically_normal(), machine)) {
            if (run.is_trial() && !with_trials && !run::is_run(folder)) {
                ++found.trials;
            } else {
                found.runs.push_back(std::move(run));
            }
        }
    }
    return found;
}

void keep(std::vector<run::Run>& all, const Strings& wanted, std::string run::Run::*member) {
    if (wanted.empty()) {
        return;
    }
    std::erase_if(all, [&](const run::Run& run) {
        return std::ranges::find(wanted, run.*member) == wanted.end();
    });
}

std::vector<run::Condition> conditions_from(const std::vector<run::Run>& all,
                                            const po::variables_map& map) {
    std::vector<run::Condition> conditions;
    if (all.empty()) {
        return conditions;
    }
    for (const std::string& text : strings(map, "where")) {
        const auto condition = run::read_condition(text, all);
        if (const auto* none = std::get_if<run::NoCondition>(&condition)) {
            throw po::error(fmt::format("--where: {}", none->why));
        }
        conditions.push_back(std::get<run::Condition>(condition));
    }
    return conditions;
}

void filter(std::vector<run::Run>& all, const std::vector<run::Condition>& conditions,
            const po::variables_map& map) {
    for (const std::string& state : strings(map, "status")) {
        const auto& known = run::states();
        if (std::ranges::find(known, state) == known.end()) {
            throw po::error(fmt::format("--status {}: unknown state{}", state, hint(state, known)));
        }
    }
    keep(all, strings(map, "status"), &run::Run::state);
    keep(all, strings(map, "experiment"), &run::Run::experiment);
    std::erase_if(all, [&](const run::Run& run) {
        const bool has_tags = std::ranges::all_of(strings(map, "tag"), [&](const auto& tag) {
            return std::ranges::find(run.tags, tag) != run.tags.end();
        });
        return !has_tags || !std::ranges::all_of(conditions, [&](const run::Condition& condition) {
            return run::meets(run, condition);
        });
    });
}

}  // namespace

void print_runs(const std::string& folder) {
    print_sweep(all_runs({folder}, true).runs);
}

int runs_command(const Arguments& arguments) {
    auto [map, folders] = parse_words(arguments, runs_options(), {.most = 1000});
    if (map.count("help") > 0) {
        fmt::print("{}", options_text(runs_options()));
        return kDone;
    }
    if (map.count("json") > 0 && map.count("csv") > 0) {
        throw po::error("--json and --csv exclude each other");
    }
    if (folders.empty()) {
        folders = {"runs"};
    }
    Found found = all_runs(folders, map.count("trials") > 0);
    std::vector<run::Run>& all = found.runs;
    if (all.empty() && found.trials == 0) {
        fmt::print(stderr, "no runs in {}\n", joined(folders));
    }
    const std::size_t count = all.size();
    const std::vector<run::Condition> conditions = conditions_from(all, map);
    const RunsView view = view_from(all, conditions, map);
    filter(all, conditions, map);
    if (all.empty() && count > 0) {
        fmt::print(stderr, "none of the {} runs in {} meets that\n", count, joined(folders));
    }
    print_view(all, view, map);
    if (found.trials > 0) {
        fmt::print(
            stderr, "{} left out (--overfit, --fast-dev-run); --trials lists {} too\n",
            found.trials == 1 ? "1 trial run is" : fmt::format("{} trial runs are", found.trials),
            found.trials == 1 ? "it" : "them");
    }
    return kDone;
}

Options runs_options() {
    Options description("Options of runs");
    description.add_options()  //
        ("where", po::value<Strings>()->composing()->value_name("CONDITION"),
         "only those with lr<0.01, loss<=0.5, accuracy>0.9, type=Adam; all of several hold")  //
        ("status", po::value<Strings>()->composing()->value_name("STATE"),
         "only those that are running, done, stopped, failed, died or unreadable")  //
        ("experiment", po::value<Strings>()->composing()->value_name("NAME"),
         "only those of this experiment")  //
        ("tag", po::value<Strings>()->composing()->value_name("NAME"),
         "only those with this tag; of several all")              //
        ("trials", "also those of --overfit and --fast-dev-run")  //
        ("sort", po::value<std::string>()->value_name("KEY"),
         "by loss, accuracy, lr, began ...; -KEY: the largest first")  //
        ("columns", po::value<Strings>()->composing()->value_name("KEY,..."),
         "these columns, in this order, and no others")  //
        ("group-by", po::value<Strings>()->composing()->value_name("KEY,..."),
         "a line for the runs that have the same values: their number, means and deviations")  //
        ("json", "all there is, for programs")                                                 //
        ("csv", "the table, for programs")                                                     //
        ("help,h", "show this help");
    return description;
}

}  // namespace ptp::ptprun
