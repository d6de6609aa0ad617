// `ptprun diff`: compares two runs, or bundles in their place.

#include "ptp-runs/difference.hpp"

#include "base/exit_code.hpp"
#include "base/json.hpp"
#include "base/toml_writer.hpp"
#include "bundle/bundle.hpp"
#include "bundle/history.hpp"
#include "ptp-runs/table.hpp"
#include "ptprun/report.hpp"
#include "ptprun/run_operand.hpp"
#include "run/paths.hpp"
#include "run/read_run.hpp"
#include "schema/key_path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace ptp::runs {

using namespace run;

namespace {

constexpr const char* kResults = "results";  // all of its lines are shown

using Facts = std::vector<std::pair<std::string, std::string>>;

// Lists every key of either side once, the left's first.
Part part_of(std::string name, const Facts& left, const Facts& right) {
    Part part{std::move(name), {}};
    const auto find = [](const Facts& facts, const std::string& key) {
        return std::ranges::find(facts, key, &Facts::value_type::first);
    };
    for (const auto& [key, value] : left) {
        const auto other = find(right, key);
        part.lines.push_back({key, {value, other == right.end() ? "" : other->second}});
    }
    for (const auto& [key, value] : right) {
        if (find(left, key) == left.end()) {
            part.lines.push_back({key, {"", value}});
        }
    }
    return part;
}

Facts settings_of(const Run& run) {
    Facts facts;
    for (const auto& [path, value] : schema::flat(run.settings)) {
        if (path != "name" && path != "pipeline.name") {
            facts.emplace_back(path, plain(inline_toml(value)));
        }
    }
    return facts;
}

// Returns a text of a record, which may be arbitrary, in printable form.
std::string text_at(const Value& table, const char* key) {
    return plain(table.text_at(key));
}

Facts plugins_of(const Record& record) {
    Facts facts;
    for (const Value& plugin : record.plugins.items()) {
        if (plugin.is_table()) {
            facts.emplace_back(
                text_at(plugin, "name"),
                fmt::format("{} {}", text_at(plugin, "version"), text_at(plugin, "sha256")));
        }
    }
    return facts;
}

void add_values(const std::string& prefix, const Value& table, Facts& facts) {
    for (const auto& [key, place, value] : table.members()) {
        facts.emplace_back(
            prefix + plain(key),
            plain(value.is_string() ? value.as_string() : ptp::text_of(json_of(value))));
    }
}

Facts machine_of(const Record& record) {
    Facts facts;
    add_values("", record.machine, facts);
    add_values("git ", record.git, facts);
    return facts;
}

// Returns how many processes trained together, "2, then 1" where a resume had another number; ""
// for a bundle, which has no record of them.
std::string processes_of(const Record& record) {
    std::string text;
    std::int64_t last = 0;
    for (const Value& process : record.processes.items()) {
        const Value* const ranks = process.is_table() ? process.find("ranks") : nullptr;
        const std::int64_t count =
            ranks != nullptr && ranks->is_integer() ? ranks->as_integer() : 1;
        if (count != last) {
            text += fmt::format("{}{}", text.empty() ? "" : ", then ", count);
        }
        last = count;
    }
    return text;
}

// Formats all digits, so that two numbers look the same only if they are.
std::string exact(std::optional<double> number) {
    return number ? fmt::format("{}", *number) : "nan";
}

void add_measured(const std::string& prefix, const std::optional<Measurement>& measured,
                  Facts& facts) {
    if (!measured) {
        return;
    }
    facts.emplace_back(prefix + " loss", exact(measured->loss));
    facts.emplace_back(prefix + " epoch", fmt::format("{}", measured->epoch));
    for (const auto& [name, value] : measured->statistics) {
        if (name != "loss") {
            facts.emplace_back(fmt::format("{} {}", prefix, name), exact(value));
        }
    }
}

Facts results_of(const Run& run) {
    Facts facts = {{"state", run.state}, {"episodes", fmt::format("{}", run.episode)}};
    add_measured(kBestMeasured, run.best, facts);
    add_measured(kLastMeasured, run.last, facts);
    return facts;
}

std::string heading(const Part& part) {
    const std::size_t count = part.difference_count();
    if (part.lines.size() == 0) {
        return fmt::format("{}: not recorded\n", part.name);
    }
    if (count == 0) {
        return fmt::format("{}: same\n", part.name);
    }
    return fmt::format("{}: {} of {} differ{}\n", part.name, count, part.lines.size(),
                       count == 1 ? "s" : "");
}

constexpr int kDifferent = 1;  // as for diff

// A run, or a bundle in place of one, which is opened as long as this.
struct Side {
    explicit Side(const std::string& word)
        : subject(ptprun::subject_operand(word)),
          run(read_run(subject.run ? *subject.run : ptprun::run_operand(word), this_machine())) {}

    ptprun::Subject subject;
    Run run;
};

// The weights of a side, and what they come of.
struct Origin {
    std::string weights_sha256;
    bundle::History history;
};

Origin origin_of(const Side& side) {
    const std::filesystem::path checkpoint = side.run.folder / kCheckpointsFolder / kBestCheckpoint;
    if (side.subject.bundle) {
        const bundle::BundleManifest& manifest = side.subject.bundle->file().manifest();
        return {manifest.files.back().sha256, {manifest.lineage, {}, manifest.ancestors}};
    }
    return {bundle::hash_of_weights(checkpoint), bundle::history_of(side.run.folder, checkpoint)};
}

bool has_parent(const Origin& child, const std::string& weights_sha256) {
    return std::ranges::any_of(child.history.lineage.parents, [&](const bundle::Parent& parent) {
        return parent.weights_sha256 == weights_sha256;
    });
}

// Returns a sentence if the training of the second began, through any number of others, with the
// weights of the first, or with others of the same run.
std::string descent(const Origin& first, const Origin& second,
                    const std::array<std::string, 2>& names) {
    if (has_parent(second, first.weights_sha256)) {
        return fmt::format("{} began with the weights of {}\n", names[1], names[0]);
    }
    const bundle::Lineage& training = first.history.lineage;
    for (const bundle::Ancestor& ancestor : second.history.ancestors) {
        if (ancestor.weights_sha256 == first.weights_sha256) {
            return fmt::format("{} descends from {}\n", names[1], names[0]);
        }
        if (!training.run.empty() && ancestor.training.run == training.run &&
            ancestor.training.experiment_sha256 == training.experiment_sha256) {
            return fmt::format("{} descends from other weights of the run of {}, of epoch {}\n",
                               names[1], names[0], ancestor.training.epoch);
        }
    }
    return "";
}

// Returns how the weights of the two are related; "" if nothing is known of it.
std::string relation_of(const std::array<Side, 2>& sides, const std::array<std::string, 2>& names) {
    try {
        const Origin left = origin_of(sides[0]);
        const Origin right = origin_of(sides[1]);
        const std::string forward = descent(left, right, names);
        return forward.empty() ? descent(right, left, {names[1], names[0]}) : forward;
    } catch (const std::runtime_error&) {  // a run without weights, or whose records are damaged
        return "";
    }
}

}  // namespace

std::size_t Part::difference_count() const {
    return lines.size() - static_cast<std::size_t>(std::ranges::count_if(lines, &Line::is_same));
}

bool RunDifference::is_same() const {
    return problems.empty() && std::ranges::all_of(parts, [](const Part& part) {
               return part.difference_count() == 0;
           });
}

RunDifference difference_of(const Run& left, const Run& right) {
    RunDifference difference;
    std::array<Record, 2> records;
    const std::array<const Run*, 2> runs = {&left, &right};
    for (std::size_t i = 0; i < runs.size(); ++i) {
        std::string problem = runs[i]->problem;
        if (auto record = read_record(runs[i]->folder, problem)) {
            records[i] = std::move(*record);
        }
        if (!problem.empty()) {
            difference.problems.push_back(runs[i]->folder.string() + ": " + problem);
        }
    }
    std::array<Facts, 2> machines = {machine_of(records[0]), machine_of(records[1])};
    const std::array<std::string, 2> processes = {processes_of(records[0]),
                                                  processes_of(records[1])};
    for (std::size_t i = 0; i < 2 && !processes[0].empty() && !processes[1].empty(); ++i) {
        machines[i].emplace_back("processes", processes[i]);
    }
    difference.parts = {part_of("settings", settings_of(left), settings_of(right)),
                        part_of("plugins", plugins_of(records[0]), plugins_of(records[1])),
                        part_of("machine", machines[0], machines[1]),
                        part_of(kResults, results_of(left), results_of(right))};
    return difference;
}

std::string text_of(const RunDifference& difference, const std::array<std::string, 2>& names) {
    std::string text;
    for (const Part& part : difference.parts) {
        text += heading(part);
        Table table = {{.title = ""}, {.title = names[0]}, {.title = names[1]}};
        for (const Line& line : part.lines) {
            if (line.is_same() && part.name != kResults) {
                continue;
            }
            table[0].cells.push_back((line.is_same() ? "    " : "  * ") + line.key);
            table[1].cells.push_back(line.sides[0].empty() ? "-" : line.sides[0]);
            table[2].cells.push_back(line.sides[1].empty() ? "-" : line.sides[1]);
        }
        text += table[0].cells.empty() ? "" : text_of(table, std::nullopt);
    }
    return text + (difference.is_same() ? "the runs are the same\n" : "the runs differ\n");
}

int show_difference(const ptprun::Given& given) {
    const ptprun::Strings& folders = given.operands();
    const std::array<Side, 2> sides = {Side(folders[0]), Side(folders[1])};
    const RunDifference difference = difference_of(sides[0].run, sides[1].run);
    for (const std::string& problem : difference.problems) {
        ptprun::show_error(problem);
    }
    fmt::print("{}{}", relation_of(sides, {folders[0], folders[1]}),
               text_of(difference, {folders[0], folders[1]}));
    if (!difference.problems.empty()) {
        return kConfigurationError;
    }
    return difference.is_same() ? kDone : kDifferent;
}

}  // namespace ptp::runs
