// Fits tables to the declarations of plugins, and resolves names that several components share.

#include "base/suggest.hpp"
#include "conversions.hpp"
#include "renames.hpp"

#include <ptp/reserved_names.h>

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace ptp::importer {

namespace {

using plugin::Setting;
using plugin::SettingType;

constexpr const char* kReserved[] = {PTP_RESERVED_NAMES};

bool is_reserved(std::string_view key) {
    return std::ranges::find(kReserved, key) != std::end(kReserved);
}

// Returns the names in one of the tables, or of the settings.
std::vector<std::string> names_in(const plugin::Component& component, std::string_view table) {
    std::vector<std::string> names;
    const auto add = [&](const auto& declared) {
        for (const auto& one : declared) {
            names.push_back(one.name);
        }
    };
    if (table == "streams") {
        add(component.ports);
    } else if (table == "globals") {
        add(component.globals);
    } else if (table == "statistics") {
        add(component.statistics);
    } else {
        add(component.settings);
    }
    return names;
}

std::string_view kind_of_name(std::string_view table) {
    return table == "streams"      ? "stream"
           : table == "globals"    ? "global"
           : table == "statistics" ? "statistic"
                                   : "setting";
}

void report_unknown(const Member& member, const std::string& path, std::string_view table,
                    const plugin::Component& component, Report& report) {
    const auto gone = table.empty() ? gone_key(component.name, member.key) : std::nullopt;
    const std::string key =
        fmt::format("{}{}{}.{}", path, table.empty() ? "" : ".", table, member.key);
    Explanation explanation;
    if (gone) {
        explanation = {fmt::format("left out: {}", gone->why), std::string(gone->instead)};
    } else {
        const auto meant = nearest(member.key, names_in(component, table));
        explanation = {
            fmt::format("left out: {} has no such {}{}", component.name, kind_of_name(table),
                        meant ? fmt::format("; did you mean '{}'?", *meant) : ""),
            ""};
    }
    report.problems.warning(member.key_place, key, explanation);
}

// Removes names that are not declared, in the component's table or one of its tables.
void remove_unknown(Value& members, const std::string& path, std::string_view table,
                    const plugin::Component& component, Report& report) {
    std::erase_if(members.members(), [&](const Member& member) {
        if ((table.empty() && is_reserved(member.key)) ||
            is_declared(component, table, member.key)) {
            return false;
        }
        report_unknown(member, path, table, component, report);
        return true;
    });
}

Value list_from(const Value& text, const Setting& setting) {
    const bool is_number =
        setting.type == SettingType::kInteger || setting.type == SettingType::kReal;
    std::vector<Value> items;
    for (const std::string& item : names_in_text(text.as_string())) {
        items.push_back((is_number ? plain_scalar(item) : Value(item)).at(text.place()));
    }
    return Value::list(std::move(items)).at(text.place());
}

void split_texts(Value& table, const plugin::Component& component) {
    for (const Setting& setting : component.settings) {
        Value* const value = table.find(setting.name);
        if (value == nullptr || !value->is_string() || setting.list_depth != 1) {
            continue;
        }
        const std::string& text = value->as_string();
        if (!setting.takes_list_or_one || text.empty() || text.find(',') != std::string::npos) {
            *value = list_from(*value, setting);
        }
    }
}

using plugin::Direction;
using plugin::Global;
using plugin::GlobalAccess;
using plugin::Port;
using Names = std::set<std::string>;

struct Part {
    std::string path;
    Value* table;
    const plugin::Component* declared;
};

// Returns the declared components that are not disabled.
std::vector<Part> parts_of_pipeline(Value& experiment, const plugin::Catalog& catalog) {
    std::vector<Part> parts;
    Value* const pipeline = experiment.find("pipeline");
    if (pipeline == nullptr) {
        return parts;
    }
    Names disabled;
    if (const Value* list = pipeline->find("disable"); list != nullptr && list->is_list()) {
        for (const Value& name : list->items()) {
            disabled.insert(name.is_string() ? name.as_string() : "");
        }
    }
    for (Member& member : pipeline->members()) {
        const plugin::Component* const declared = find_declared(catalog, member.value);
        if (declared != nullptr && !disabled.contains(member.key)) {
            parts.push_back({"pipeline." + member.key, &member.value, declared});
        }
    }
    return parts;
}

std::vector<Part> tasks_of(Value& experiment, const plugin::Catalog& catalog) {
    std::vector<Part> parts;
    for (const auto& [path, table] : section_tables(experiment)) {
        Value* const task = table->find("task");
        const plugin::Component* const declared =
            task == nullptr ? nullptr : find_declared(catalog, *task);
        if (declared != nullptr) {
            parts.push_back({path + ".task", task, declared});
        }
    }
    return parts;
}

// Adds the names in a setting, which is named by a text that begins with '$'.
void add_names_of_setting(const Value& table, const std::string& setting, Names& names) {
    const Value* const value = table.find(setting.substr(1));
    if (value == nullptr) {
        return;
    }
    for (const Value& name : value->is_list() ? value->items() : std::vector<Value>{*value}) {
        names.insert(name.is_string() ? name.as_string() : "");
    }
}

// Returns the names in all settings with names, such as the keys of a GlobalVariablePublisher.
Names listed_by(const std::vector<Part>& parts) {
    Names names;
    for (const Part& part : parts) {
        for (const Global& global : part.declared->globals) {
            if (global.is_written() && global.name.starts_with('$')) {
                add_names_of_setting(*part.table, global.name, names);
            }
        }
    }
    return names;
}

Names published_by(const std::vector<Part>& parts) {
    Names names;
    for (const Part& part : parts) {
        const Value* const renamed = part.table->find("globals");
        for (const Global& global : part.declared->globals) {
            if (!global.is_written()) {
                continue;
            }
            if (global.name.starts_with('$')) {
                add_names_of_setting(*part.table, global.name, names);
            } else if (!global.is_only_if_named() ||
                       (renamed != nullptr && renamed->find(global.name) != nullptr)) {
                names.insert(text_at(renamed, global.name, global.name));
            }
        }
    }
    return names;
}

Names written_by(const std::vector<Part>& parts) {
    Names names;
    for (const Part& part : parts) {
        for (const Port& port : part.declared->ports) {
            if (port.direction == Direction::kOutput) {
                names.insert(text_at(part.table->find("streams"), port.name, port.name));
            }
        }
    }
    return names;
}

// Removes streams that no component writes: PyTorchPipe's viewers and exporters skip them.
void drop_unwritten(const std::vector<Part>& parts, const Names& written, Report& report) {
    for (const Part& part : parts) {
        Value* const streams = part.table->find("input_streams");
        const bool skips =
            part.declared->name == "StreamViewer" || part.declared->name == "StreamFileExporter";
        if (!skips || streams == nullptr || !streams->is_list()) {
            continue;
        }
        std::vector<Value> kept;
        for (const Value& stream : streams->items()) {
            if (!stream.is_string() || written.contains(stream.as_string())) {
                kept.push_back(stream);
                continue;
            }
            report.problems.warning(
                stream.place(), part.path + ".input_streams",
                fmt::format("left out: no component writes {}; PyTorchPipe skips it",
                            stream.as_string()));
        }
        *streams = Value::list(std::move(kept)).at(streams->place());
    }
}

// Removes `input_size = "features_size"` if no component publishes features_size.
void drop_unpublished(const std::vector<Part>& parts, const Names& published, Report& report) {
    for (const Part& part : parts) {
        Value* const globals = part.table->find("globals");
        if (globals == nullptr || !globals->is_table()) {
            continue;
        }
        for (const Global& global : part.declared->globals) {
            const Value* const name = globals->find(global.name);
            if (global.access != GlobalAccess::kReadIfNamed || name == nullptr ||
                !name->is_string() || published.contains(name->as_string())) {
                continue;
            }
            report.problems.warning(
                key_place(*globals, global.name), part.path + ".globals." + global.name,
                fmt::format("left out: no component publishes {}", name->as_string()));
            globals->erase(global.name);
        }
        erase_if_empty(*part.table, "globals");
    }
}

// Keeps only the first publisher of a global: PyTorchPipe accepts several with one value. The
// others publish names that no component reads.
void part_doubles(const std::vector<Part>& parts, Report& report) {
    Names seen = listed_by(parts);
    for (const Part& part : parts) {
        for (const Global& global : part.declared->globals) {
            const Value* const renamed = part.table->find("globals");
            const std::string name = text_at(renamed, global.name, global.name);
            if (global.access != GlobalAccess::kWrite || global.name.starts_with('$') ||
                !global.when.empty() || seen.insert(name).second) {
                continue;
            }
            const std::string other =
                fmt::format("{}_of_{}", name, part.path.substr(part.path.find('.') + 1));
            table_in(*part.table, "globals").set(global.name, Value(other).at(part.table->place()));
            report.note(part.table->place(), part.path + ".globals." + global.name,
                        fmt::format("is {}: another component publishes {}", other, name));
        }
    }
}

// Renames a name of the task that the pipeline has too, and that is not written, to "task_targets".
void move_name(const Part& task, const std::string& table, const std::string& name,
               Report& report) {
    Value& names = table_in(*task.table, table);
    if (names.find(name) != nullptr) {
        return;
    }
    const std::string other = "task_" + name;
    names.set(name, Value(other).at(task.table->place()));
    report.note(task.table->place(), fmt::format("{}.{}.{}", task.path, table, name),
                fmt::format("is {}: the pipeline has its own {}", other, name));
}

void avoid_names(const std::vector<Part>& tasks, const Names& streams, const Names& globals,
                 Report& report) {
    for (const Part& task : tasks) {
        for (const Port& port : task.declared->ports) {
            if (streams.contains(port.name)) {
                move_name(task, "streams", port.name, report);
            }
        }
        for (const Global& global : task.declared->globals) {
            if (global.access == GlobalAccess::kWrite && globals.contains(global.name)) {
                move_name(task, "globals", global.name, report);
            }
        }
        erase_if_empty(*task.table, "streams");
        erase_if_empty(*task.table, "globals");
    }
}

}  // namespace

bool is_declared(const plugin::Component& component, std::string_view table,
                 std::string_view name) {
    return std::ranges::any_of(names_in(component, table), [&](const std::string& known) {
        return known == name || (known.starts_with('$') && table == "globals");
    });
}

void fit(Value& table, const std::string& path, const plugin::Component& component,
         Report& report) {
    remove_unknown(table, path, "", component, report);
    for (const std::string_view name : {"streams", "globals", "statistics"}) {
        Value* const names = table.find(name);
        if (names != nullptr && names->is_table()) {
            remove_unknown(*names, path, name, component, report);
        }
        erase_if_empty(table, name);
    }
    split_texts(table, component);
}

void settle_names(Value& experiment, const plugin::Catalog& catalog, Report& report) {
    const auto components = parts_of_pipeline(experiment, catalog);
    part_doubles(components, report);
    const auto tasks = tasks_of(experiment, catalog);
    const Names published = published_by(components);
    avoid_names(tasks, written_by(components), published, report);
    Names written = written_by(components);
    written.merge(written_by(tasks));
    written.insert("indices");
    drop_unwritten(components, written, report);
    Names all = published_by(tasks);
    all.insert(published.begin(), published.end());
    drop_unpublished(components, all, report);
}

}  // namespace ptp::importer
