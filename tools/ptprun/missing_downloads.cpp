// Finds the files that an experiment lacks in downloads.toml, and advises to fetch them.

#include "ptprun/missing_downloads.hpp"

#include "base/error.hpp"
#include "base/exit_code.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "moved_data.hpp"
#include "plugin/search_path.hpp"
#include "ptprun/report.hpp"
#include "ptprun/run_operand.hpp"
#include "ptprun/variable_fixes.hpp"
#include "schema/fields.hpp"
#include "table_fixes.hpp"

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <system_error>

namespace ptp::ptprun {

namespace {

namespace fs = std::filesystem;

// The keys of a table of the list.
struct Source {
    std::string component;
    std::string folder;
    schema::Map<schema::Raw> when;
    std::string default_in;  // the section in which a setting of `when` may be left out
    std::vector<std::string> files;
    std::vector<std::string> other_names;  // of the same files; fewer, or none
    std::string file;
    bool is_archive = false;
    std::string url;
    std::int64_t bytes = 0;
    std::string sha256;

    void read(const schema::Scope& scope, bool is_data) {
        std::vector<schema::Field> fields = {
            {.name = "url", .into = &url, .is_required = true},
            {.name = "bytes", .into = &bytes, .range = "[1, inf)"},
            {.name = "sha256",
             .into = &sha256,
             .is_required = true,
             .pattern = "[0-9a-f]{8}|[0-9a-f]{64}",
             .expected = "64 hexadecimal digits in lower case, or the first 8 of them"}};
        if (is_data) {
            fields.insert(fields.end(),
                          {{.name = "component", .into = &component, .is_required = true},
                           {.name = "folder", .into = &folder, .is_required = true},
                           {.name = "when", .into = &when},
                           {.name = "default_in", .into = &default_in},
                           {.name = "files", .into = &files, .is_required = true},
                           {.name = "or", .into = &other_names},
                           {.name = "unpack", .into = &is_archive}});
        } else {
            fields.push_back({.name = "file", .into = &file, .is_required = true});
        }
        schema::read_all_fields(scope, fields);
    }
};

struct SourceList {
    Value tree;
    std::vector<Source> data;
    std::vector<Source> weights;
};

void read_sources(const schema::Scope& scope, schema::Raw tables, const char* name,
                  std::vector<Source>& into) {
    if (tables == nullptr) {
        return;
    }
    if (!tables->is_list() || !std::ranges::all_of(tables->items(), &Value::is_table)) {
        scope.problems.error(tables->place(), name, "must be a list of tables");
        return;
    }
    for (const Value& table : tables->items()) {
        into.emplace_back().read(scope.at(table, name), std::string_view(name) == "data");
    }
}

SourceList read_list() {
    const char* const named = std::getenv("PTP_DOWNLOADS");
    const fs::path file =
        named != nullptr && *named != '\0'
            ? fs::path(named)
            : plugin::executable_path().parent_path() / PTP_SHARE_FOLDER / "downloads.toml";
    SourceList list;
    Diagnostics problems;
    if (auto tree = read_toml(read_text(file, kMaxTableBytes), file.string(), problems)) {
        list.tree = std::move(*tree);  // which `when` of the sources points into
        const schema::ReadOptions unused;
        const schema::Scope scope{list.tree, "", unused, problems};
        schema::Raw data = nullptr, weights = nullptr;
        schema::read_all_fields(
            scope, {{.name = "data", .into = &data}, {.name = "weights", .into = &weights}});
        read_sources(scope, data, "data", list.data);
        read_sources(scope, weights, "weights", list.weights);
    }
    if (!problems.ok()) {
        throw RunError(kConfigurationError, problems.text());
    }
    return list;
}

bool is_there(const fs::path& path) {
    std::error_code ignored;  // what cannot be looked at cannot be read either
    return fs::exists(path, ignored);
}

const Value* setting_of(const pipeline::Node& node, const std::string& name) {
    const auto& declared = node.component->settings;
    const auto found = std::ranges::find(declared, name, &plugin::Setting::name);
    if (found == declared.end()) {
        return nullptr;
    }
    const auto& value = node.settings[static_cast<std::size_t>(found - declared.begin())];
    return value ? &*value : nullptr;
}

// Returns whether it reads other files in place of the data set.
bool reads_unlabeled(const pipeline::Node& node) {
    return std::ranges::any_of(node.component->settings, [&](const plugin::Setting& setting) {
        return setting.takes_unlabeled && setting_of(node, setting.name) != nullptr;
    });
}

// Returns whether both are lists, and the items of the second are among those of the first.
bool has_all(const Value& list, const Value& wanted) {
    return list.is_list() && wanted.is_list() && !wanted.items().empty() &&
           std::ranges::all_of(wanted.items(),
                               [&](const Value& item) { return contains(list.items(), item); });
}

bool is_meant(const Source& source, const pipeline::Node& node) {
    return source.component == node.component->name && !reads_unlabeled(node) &&
           std::ranges::all_of(source.when, [&](const auto& one) {
               const Value* value = setting_of(node, one.key);
               return value == nullptr ? !node.section.empty() && source.default_in == node.section
                                       : *value == *one.value || has_all(*value, *one.value);
           });
}

class Missing {
public:
    explicit Missing(const SourceList& list) : list_(list) {}

    void look_at(const pipeline::Node& node) {
        for (const Source& source : list_.data) {
            const Value* folder =
                is_meant(source, node) ? setting_of(node, source.folder) : nullptr;
            if (folder != nullptr && folder->is_string()) {
                look_in(folder->as_string(), source, node.path + "." + source.folder);
            }
        }
        for (const plugin::Setting& setting : node.component->settings) {
            const Value* file = setting.obtain.empty() ? nullptr : setting_of(node, setting.name);
            if (file != nullptr && file->is_string()) {
                look_for(file->as_string(), node.path + "." + setting.name);
            }
        }
    }

    void look_at(const std::optional<experiment::Load>& load, const std::string& path) {
        if (load) {
            look_for(load->from, path + ".load");
        }
    }

    [[nodiscard]] const std::vector<Download>& all() const { return all_; }

private:
    // Looks for a file that is known by its own name.
    void look_for(const fs::path& file, const std::string& key) {
        for (const Source& source : list_.weights) {
            if (file.filename() == source.file && !is_there(file)) {
                add(source, file, key);
            }
        }
    }

    void look_in(const fs::path& folder, const Source& source, const std::string& key) {
        for (std::size_t i = 0; i < source.files.size(); ++i) {
            const std::string& file = source.files[i];
            std::vector<fs::path> names = {folder / file};
            if (i < source.other_names.size()) {
                names.push_back(folder / source.other_names[i]);
            }
            if (std::ranges::any_of(names, is_there)) {
                continue;
            }
            const fs::path name =
                source.is_archive ? fs::path(source.url).filename() : fs::path(file);
            Download& download = add(source, folder / name, key);
            if (source.is_archive) {
                download.members.try_emplace(file, folder / file);
            }
            download.wanted.insert(download.wanted.end(), names.begin(), names.end());
        }
    }

    // Each file is fetched once, also an archive with several of the missing files.
    Download& add(const Source& source, const fs::path& path, const std::string& key) {
        auto found = std::ranges::find_if(
            all_, [&](const Download& one) { return one.url == source.url && one.path == path; });
        if (found == all_.end()) {
            found = all_.insert(found, {.keys = {},
                                        .url = source.url,
                                        .path = path,
                                        .bytes = static_cast<std::uint64_t>(source.bytes),
                                        .sha256 = source.sha256});
        }
        found->keys.push_back(key);
        return *found;
    }

    const SourceList& list_;
    std::vector<Download> all_;
};

// With the options that decide what it needs, as for a shell.
std::string fetching_command(const host::Request& request) {
    std::string command = "ptprun fetch " + shell_word(shown_file(request));
    for (const fs::path& file : request.over) {
        command += " --over " + shell_word(file.string());
    }
    for (const std::string& value : request.overrides) {
        command += " --set " + shell_word(value);
    }
    return command;
}

}  // namespace

std::vector<Download> missing_downloads(const host::Prepared& prepared) {
    assert(prepared.plan);
    const SourceList list = read_list();
    Missing missing(list);
    for (const auto* nodes :
         {&prepared.plan->tasks, &prepared.plan->only_recorded, &prepared.plan->nodes}) {
        for (const pipeline::Node& node : *nodes) {
            missing.look_at(node);
        }
    }
    missing.look_at(prepared.experiment.pipeline.load, "pipeline");
    for (const experiment::ComponentEntry& entry : prepared.experiment.pipeline.components) {
        if (entry.is_enabled) {
            missing.look_at(entry.load, entry.path);
        }
    }
    return missing.all();
}

namespace {

// Returns what can be fetched; nothing where that is not known.
std::vector<Download> known_downloads(const host::Prepared& prepared) {
    if (prepared.plan) {
        try {
            return missing_downloads(prepared);
        } catch (const RunError&) {  // `ptprun fetch` reports what is wrong with the list
        }
    }
    return {};
}

// Returns the keys whose files can be fetched.
std::vector<std::string> fetched_keys(const host::Prepared& prepared) {
    std::vector<std::string> keys;
    for (const Download& one : known_downloads(prepared)) {
        keys.insert(keys.end(), one.keys.begin(), one.keys.end());
    }
    return keys;
}

// Returns whether the error is that such a file is not there.
bool is_missed(const std::string& error, const Download& download) {
    return std::ranges::any_of(download.wanted, [&](const fs::path& file) {
        return error.find(file.string() + ": no such file") != std::string::npos;
    });
}

}  // namespace

int report(const Diagnostics& problems, const host::Prepared& prepared,
           const host::Request& request, const CompletesFix& completes) {
    const int code = host::exit_code_for(problems, prepared.catalog);
    std::vector<std::string> keys;
    if (code == kDataError) {
        Diagnostics unsaid;
        keys = fetched_keys(host::prepare(request, unsaid, pipeline::NeededFiles::kIgnored));
    }
    VariableFixes variables(request);
    std::vector<Problem> sorted = with_whole_values(problems, prepared.overrides);
    name_moved_data(sorted, keys);
    for (Problem& problem : sorted) {
        const bool can_be_fetched = problem.is_missing_data && problem.fix.empty() &&
                                    std::ranges::find(keys, problem.key) != keys.end();
        problem.fix = can_be_fetched ? fetching_command(request)
                                     : variables.with_variables(problem.fix, problem.key);
        problem.fix = completes ? completes(problem.fix) : problem.fix;
    }
    show(sorted, prepared.overrides);
    return code;
}

void complete_fix(engine::RunResult& result, const host::Prepared& prepared,
                  const host::Request& request) {
    if (has_fix(result.error)) {
        result.error = VariableFixes(request).with_variables_in(result.error, *prepared.plan);
        return;
    }
    if (result.exit_code != kDataError) {
        return;
    }
    for (const Download& one : known_downloads(prepared)) {
        if (is_missed(result.error, one)) {
            result.error += "\n    fix: " + fetching_command(request);
            return;
        }
    }
}

}  // namespace ptp::ptprun
