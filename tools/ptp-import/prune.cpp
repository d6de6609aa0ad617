#include "prune.hpp"

#include "base/suggest.hpp"
#include "experiment/experiment.hpp"
#include "renames.hpp"
#include "schema/key_record.hpp"
#include "sections.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ptp::importer {

namespace {

std::vector<std::string> names_of(const std::vector<schema::Key>& keys) {
    std::vector<std::string> names;
    for (const schema::Key& key : keys) {
        names.push_back(key.name);
    }
    return names;
}

// Returns "*.sampler" for "training.sampler" and for "process.easy.sampler".
std::string pattern_of(std::string path) {
    if (path.starts_with("process.")) {
        path.erase(0, path.find('.') + 1);
    }
    const std::size_t dot = path.find('.');
    return dot == std::string::npos ? "*" : "*" + path.substr(dot);
}

void report_left_out(const Member& member, const std::string& path,
                     const std::vector<std::string>& known, Report& report) {
    const auto gone = gone_key(pattern_of(path), member.key);
    const auto meant = nearest(member.key, known);
    const std::string why =
        gone ? std::string(gone->why)
             : fmt::format("[{}] has no such key{}", path,
                           meant ? fmt::format("; did you mean '{}'?", *meant) : "");
    report.problems.warning(
        member.key_place, path + "." + member.key,
        Explanation{"left out: " + why, gone ? std::string(gone->instead) : ""});
}

void prune_table(Value& table, const std::string& path, const schema::KeyRecord& record,
                 Report& report) {
    const auto found = record.tables().find(path);
    if (found == record.tables().end() || path.ends_with(".task")) {
        return;
    }
    const std::vector<std::string> known = names_of(found->second.keys);
    std::erase_if(table.members(), [&](const Member& member) {
        const bool is_known = std::ranges::find(known, member.key) != known.end();
        if (!is_known) {
            report_left_out(member, path, known, report);
        }
        return !is_known;
    });
    for (Member& member : table.members()) {
        if (member.value.is_table()) {
            prune_table(member.value, path + "." + member.key, record, report);
        }
    }
}

}  // namespace

void prune(Value& experiment, const std::filesystem::path& home, Report& report) {
    schema::KeyRecord record;
    Diagnostics ignored;
    experiment::read_experiment(experiment, {.default_name = "", .home = home, .keys = &record},
                                ignored);
    for (const auto& [path, table] : section_tables(experiment)) {
        if (table->is_table()) {
            prune_table(*table, path, record, report);
        }
    }
}

}  // namespace ptp::importer
