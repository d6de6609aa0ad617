#include "commands.hpp"
#include "config/suggest.hpp"
#include "engine/exit_code.hpp"
#include "prepare.hpp"
#include "run_operand.hpp"
#include "runs/compare.hpp"
#include "runs/condition.hpp"
#include "runs/find_runs.hpp"
#include "runs/json_listing.hpp"
#include "terminal.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace ptp::ptprun {

namespace fs = std::filesystem;
namespace po = boost::program_options;

namespace {

using Strings = std::vector<std::string>;

Strings strings(const po::variables_map& map, const char* option) {
    return map.count(option) > 0 ? map[option].as<Strings>() : Strings();
}

std::vector<runs::Run> all_runs(const Strings& folders) {
    const runs::Machine machine = runs::this_machine();
    std::vector<runs::Run> found;
    for (const std::string& word : folders) {
        const fs::path folder = folder_operand(word);
        if (!fs::is_directory(folder)) {
            throw po::error(fmt::format("{}: is not a folder", word));
        }
        std::ranges::move(runs::find_runs(folder.lexically_normal(), machine),
                          std::back_inserter(found));
    }
    return found;
}

runs::Column column_of(const std::string& key, const std::vector<runs::Run>& all) {
    const auto column = runs::find_column(key, all);
    if (const auto* none = std::get_if<runs::NoColumn>(&column))
        throw po::error(none->why);
    return std::get<runs::Column>(column);
}

void keep(std::vector<runs::Run>& all, const Strings& wanted, std::string runs::Run::*member) {
    if (wanted.empty())
        return;
    std::erase_if(all, [&](const runs::Run& run) {
        return std::ranges::find(wanted, run.*member) == wanted.end();
    });
}

void filter(std::vector<runs::Run>& all, const po::variables_map& map) {
    for (const std::string& state : strings(map, "status")) {
        const auto& known = runs::states();
        if (std::ranges::find(known, state) == known.end()) {
            throw po::error(
                fmt::format("--status {}: unknown state{}", state, config::hint(state, known)));
        }
    }
    std::vector<runs::Condition> conditions;
    if (!all.empty()) {
        for (const std::string& text : strings(map, "where")) {
            const auto condition = runs::read_condition(text, all);
            if (const auto* none = std::get_if<runs::NoCondition>(&condition))
                throw po::error(fmt::format("--where: {}", none->why));
            conditions.push_back(std::get<runs::Condition>(condition));
        }
    }
    keep(all, strings(map, "status"), &runs::Run::state);
    keep(all, strings(map, "experiment"), &runs::Run::experiment);
    std::erase_if(all, [&](const runs::Run& run) {
        return !std::ranges::all_of(conditions, [&](const runs::Condition& condition) {
            return runs::meets(run, condition);
        });
    });
}

void sort(std::vector<runs::Run>& all, const po::variables_map& map) {
    if (map.count("sort") == 0 || all.empty())
        return;
    std::string key = map["sort"].as<std::string>();
    const bool is_descending = key.starts_with('-');
    if (is_descending)
        key.erase(0, 1);
    try {
        runs::sort_by(all, column_of(key, all), is_descending);
    } catch (const po::error& error) {
        throw po::error(fmt::format("--sort: {}", error.what()));
    }
}

// Runs that have little in common differ in hundreds of settings.
void print_table(const std::vector<runs::Run>& all) {
    constexpr std::size_t kWidthWithoutTerminal = 200;
    fmt::print("{}", runs::text_of(runs::table_of(all, runs::comparison(all)),
                                   terminal_width().value_or(kWidthWithoutTerminal)));
}

void print(const std::vector<runs::Run>& all, const po::variables_map& map) {
    if (map.count("json") > 0) {
        fmt::print("{}\n",
                   runs::listing_of(all).dump(2, ' ', false, runs::Json::error_handler_t::replace));
        return;
    }
    if (map.count("csv") > 0) {
        fmt::print("{}", runs::csv_of(runs::table_of(all, runs::comparison(all))));
    } else if (!all.empty()) {
        print_table(all);
    }
}

}  // namespace

void print_runs(const std::string& folder) {
    print_table(all_runs({folder}));
}

int runs_command(const Arguments& arguments) {
    auto [map, folders] = parse_words(arguments, runs_options(), {.most = 1000});
    if (map.count("help") > 0) {
        fmt::print("{}", options_text(runs_options()));
        return engine::kDone;
    }
    if (map.count("json") > 0 && map.count("csv") > 0)
        throw po::error("--json and --csv exclude each other");
    if (folders.empty())
        folders = {"runs"};
    std::vector<runs::Run> all = all_runs(folders);
    if (all.empty())
        fmt::print(stderr, "no runs in {}\n", config::joined(folders));
    const std::size_t count = all.size();
    filter(all, map);
    if (all.empty() && count > 0)
        fmt::print(stderr, "none of the {} runs in {} meets that\n", count,
                   config::joined(folders));
    sort(all, map);
    print(all, map);
    return engine::kDone;
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
        ("sort", po::value<std::string>()->value_name("KEY"),
         "by loss, accuracy, lr, began ...; -KEY: the largest first")  //
        ("json", "all there is, for programs")                         //
        ("csv", "the table, for programs")                             //
        ("help,h", "say this");
    return description;
}

}  // namespace ptp::ptprun
