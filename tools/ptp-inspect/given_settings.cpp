// Reads the file of --with: settings of the components that are checked.

#include "base/ranges.hpp"
#include "check.hpp"

#include "base/file_error.hpp"
#include "base/input_file.hpp"
#include "base/suggest.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "pipeline/settings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace ptp::inspect {

namespace {

using experiment::ComponentEntry;
using plugin::Component;

constexpr const char* kGlobals = "globals";
constexpr const char* kStreams = "streams";

template <class Declared>
std::vector<std::string> names_of(const std::vector<Declared>& declared) {
    return transformed(declared, &Declared::name);
}

// Reads the table of one component.
class Reader {
public:
    Reader(const Component& component, const std::filesystem::path& home, Diagnostics& problems)
        : component_(component), home_(home), problems_(problems) {}

    ComponentEntry read(const Value& table) {
        ComponentEntry entry;
        entry.name = "component";
        entry.path = component_.name;
        entry.type = component_.name;
        entry.place = table.place();
        for (const Member& member : table.members()) {
            if (member.key == kGlobals && member.value.is_table()) {
                read_globals(member.value, entry);
            } else if (member.key == kStreams && member.value.is_table()) {
                read_streams(member.value, entry);
            } else if (is_right(member)) {
                entry.settings.set(member.key, member.value, member.key_place);
            }
        }
        return entry;
    }

private:
    [[nodiscard]] std::string key(const std::string& name) const {
        return fmt::format("{}.{}", component_.name, toml_key(name));
    }

    bool is_right(const Member& member) {
        const auto setting =
            std::ranges::find(component_.settings, member.key, &plugin::Setting::name);
        if (setting == component_.settings.end()) {
            problems_.error(member.key_place, key(member.key),
                            "unknown setting" + hint(member.key, names_of(component_.settings)));
            return false;
        }
        return pipeline::check_setting_value(*setting, member.value, key(member.key), home_,
                                             problems_)
            .has_value();
    }

    // Returns the optional inputs that are not wired: `streams = { masks = false }`.
    void read_streams(const Value& table, ComponentEntry& entry) {
        std::vector<std::string> optional;
        for (const plugin::Port& port : component_.ports) {
            if (port.is_optional) {
                optional.push_back(port.name);
            }
        }
        for (const Member& member : table.members()) {
            if (!contains(optional, member.key)) {
                problems_.error(member.key_place, key(kStreams) + "." + member.key,
                                fmt::format("{} has no optional input of this name{}",
                                            component_.name, hint(member.key, optional)));
            } else if (!member.value.is_bool() || member.value.as_bool()) {
                problems_.error(member.value, key(kStreams) + "." + member.key,
                                "must be false, for an input that is not wired");
            } else {
                entry.names.streams.push_back(
                    {member.key, member.key_place, engine::kUnwired, member.value.place()});
            }
        }
    }

    void read_globals(const Value& table, ComponentEntry& entry) {
        for (const Member& member : table.members()) {
            const auto& declared = component_.globals;
            if (std::ranges::find(declared, member.key, &plugin::Global::name) == declared.end()) {
                problems_.error(member.key_place, key(kGlobals) + "." + member.key,
                                fmt::format("{} has no global of this name{}", component_.name,
                                            hint(member.key, names_of(declared))));
                continue;
            }
            experiment::Renaming renaming{member.key, member.key_place, "", member.value.place()};
            if (member.value.is_string()) {
                renaming.to = member.value.as_string();
            } else {
                renaming.constant = member.value;
            }
            entry.names.globals.push_back(std::move(renaming));
        }
    }

    const Component& component_;
    const std::filesystem::path& home_;
    Diagnostics& problems_;
};

std::optional<Value> read_settings_file(const std::filesystem::path& file, Diagnostics& problems) {
    try {
        return read_toml(read_written(file), file.string(), problems);
    } catch (const FileError& error) {
        problems.error({file.string(), 0, 0}, "", error.what());
        return std::nullopt;
    }
}

}  // namespace

std::vector<ComponentEntry> read_given_settings(const GivenSource& source,
                                                const std::vector<Component>& components,
                                                Diagnostics& problems) {
    std::vector<ComponentEntry> entries;
    const auto root = read_settings_file(source.file, problems);
    if (!root) {
        return entries;
    }
    const std::vector<std::string> types = transformed(components, &Component::name);
    for (const Member& member : root->members()) {
        const auto component = std::ranges::find(components, member.key, &Component::name);
        if (component == components.end()) {
            problems.error(member.key_place, toml_key(member.key),
                           "is not a component that is checked" + hint(member.key, types));
            continue;
        }
        const std::vector<Value> tables =
            member.value.is_list() ? member.value.items() : std::vector{member.value};
        for (const Value& table : tables) {
            if (table.is_table()) {
                entries.push_back(Reader(*component, source.home, problems).read(table));
            } else {
                problems.error(table, toml_key(member.key),
                               fmt::format("must be a table of settings, as in [{}]", member.key));
            }
        }
    }
    return entries;
}

}  // namespace ptp::inspect
