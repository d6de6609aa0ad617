#include "ptp-pack/key_limits.hpp"

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "base/toml_reader.hpp"
#include "base/toml_writer.hpp"
#include "ptp-pack/fetch.hpp"
#include "ptp-pack/folders.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace ptp::pack {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kKeyDigits = "0123456789ABCDEF";
constexpr std::size_t kKeyIdLength = 16;

bool is_key_id(std::string_view text) {
    return text.size() == kKeyIdLength &&
           text.find_first_not_of(kKeyDigits) == std::string_view::npos;
}

// Returns whether the name matches; '*' represents any number of letters.
bool fits_pattern(std::string_view pattern, std::string_view name) {
    const std::size_t star = pattern.find('*');
    if (star == std::string_view::npos) {
        return pattern == name;
    }
    if (!name.starts_with(pattern.substr(0, star))) {
        return false;
    }
    const std::string_view rest = pattern.substr(star + 1);
    for (std::size_t at = star; at <= name.size(); ++at) {
        if (fits_pattern(rest, name.substr(at))) {
            return true;
        }
    }
    return false;
}

KeyLimits read_limits(const schema::Scope& scope) {
    KeyLimits limits;
    schema::read_all_fields(scope, limits.fields());
    for (const std::string& pattern : limits.packages) {
        if (const std::string why = refuse_pattern(pattern); !why.empty()) {
            scope.problems.error(*scope.table.find("packages"), scope.key("packages"),
                                 fmt::format("'{}' {}", pattern, why));
        }
    }
    if (scope.table.members().empty()) {
        scope.problems.error(scope.table.place(), scope.key("packages"),
                             Explanation{"is missing, and so is repositories",
                                         "add one of them, or remove this table"});
    }
    return limits;
}

}  // namespace

std::vector<schema::Field> KeyLimits::fields() {
    return {{.name = "packages",
             .into = &packages,
             .help = "names of packages, where '*' represents any letters",
             .length = "[1, inf)",
             .is_filled = true},
            {.name = "repositories",
             .into = &repositories,
             .help = "addresses and folders of repositories",
             .length = "[1, inf)",
             .is_filled = true}};
}

bool KeyLimits::have_package(std::string_view name) const {
    return packages.empty() || std::ranges::any_of(packages, [&](const std::string& pattern) {
               return fits_pattern(pattern, name);
           });
}

bool KeyLimits::have_location(const std::string& location) const {
    const std::string unique = unique_location(location);
    return repositories.empty() || std::ranges::any_of(repositories, [&](const std::string& one) {
               const std::string repository = unique_location(one);
               if (unique == repository || !unique.starts_with(repository + "/")) {
                   return unique == repository;
               }
               // A path could leave the address's folder by "..", also if percent-encoded.
               const std::string_view rest = std::string_view(unique).substr(repository.size());
               return !is_address(unique) || (rest.find("..") == std::string_view::npos &&
                                              rest.find('%') == std::string_view::npos);
           });
}

std::string KeyLimits::text() const {
    const std::string named =
        packages.empty() ? "packages" : "the packages " + join(packages, ", ");
    return repositories.empty() ? named : named + " from " + join(repositories, ", ");
}

KeyLimitsById read_key_limits(const fs::path& folder) {
    KeyLimitsById all;
    const fs::path file = folder / kKeyLimitsFile;
    // A dangling link is an error below: otherwise the limits would not apply.
    if (folder.empty() || is_absent(file)) {
        return all;
    }
    Diagnostics problems;
    if (const auto root = read_toml(read_text(file), file.string(), problems)) {
        const schema::ReadOptions unused;
        const schema::Scope scope{*root, "", unused, problems};
        for (const Member& member : root->members()) {
            if (!is_key_id(member.key) || !member.value.is_table()) {
                problems.error(member.value, member.key,
                               "must be a table with the id of a key, 16 hexadecimal digits");
                continue;
            }
            all.emplace(member.key, read_limits(scope.at(member.value, member.key)));
        }
    }
    if (!problems.ok()) {
        throw RunError(kConfigurationError, problems.text());
    }
    return all;
}

void write_key_limits(const fs::path& folder, KeyLimitsById limits) {
    Value root = Value::table();
    for (auto& [id, one] : limits) {
        Value table = Value::table();
        for (const auto& [name, items] :
             {std::pair("packages", &one.packages), std::pair("repositories", &one.repositories)}) {
            if (!items->empty()) {
                std::vector<Value> list;
                for (const std::string& item : *items) {
                    list.emplace_back(item);
                }
                table.set(name, Value::list(std::move(list)));
            }
        }
        root.set(id, std::move(table));
    }
    replace_file(folder / kKeyLimitsFile, to_toml(root));
}

std::string refuse_pattern(std::string_view pattern) {
    constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789_*";
    const bool is_right =
        !pattern.empty() && pattern.find_first_not_of(kAllowed) == std::string_view::npos;
    return is_right ? ""
                    : "must be the name of a package, lower-case letters, digits and '_', where "
                      "'*' is any letters";
}

}  // namespace ptp::pack
