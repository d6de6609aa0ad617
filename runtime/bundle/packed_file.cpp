// Checks the paths of packed files, and reads the parts that all manifests have.

#include "bundle/packed_file.hpp"

#include "base/explanation.hpp"
#include "base/text.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::bundle {

using schema::Field;
using schema::Scope;

namespace {

constexpr std::size_t kMaxPathBytes = 200;
constexpr std::size_t kMaxPathParts = 16;

bool is_portable(char c) {
    return c > 0x20 && c < 0x7f && std::string_view("\\:*?\"<>|").find(c) == std::string_view::npos;
}

std::string refuse_part(std::string_view part) {
    if (part == "..") {
        return "leads out of the package";
    }
    if (part.empty()) {
        return "has an empty part";
    }
    if (part.front() == '.') {
        return "is hidden: it begins with '.'";
    }
    return part.back() == '.' ? "ends in '.'" : "";
}

}  // namespace

SourceLocation place_of(const Scope& scope, std::string_view key) {
    const Value* value = scope.table.find(key);
    return value != nullptr ? value->place() : scope.table.place();
}

std::vector<Field> PackedFile::fields() {
    return {{.name = "path", .into = &path, .is_required = true},
            {.name = "sha256", .into = &sha256, .is_required = true},
            {.name = "size", .into = &size, .range = "[0, inf)", .is_required = true}};
}

schema::Field format_field(std::int64_t& format) {
    return {.name = "format", .into = &format, .range = "[1, inf)", .is_required = true};
}

void refuse_newer_format(const Scope& scope, std::int64_t known, std::string_view program) {
    const Value* const format = scope.table.find("format");
    if (format != nullptr && format->is_integer() && format->as_integer() > known) {
        throw WithFix<RunError>(kDataError, {fmt::format("{}: is of format {}, this {} reads {}",
                                                         scope.table.place().file(),
                                                         format->as_integer(), program, known),
                                             "use a newer ptp"});
    }
}

std::string refuse_path(std::string_view path) {
    if (path.empty()) {
        return "is empty";
    }
    if (path.front() == '/') {
        return "is absolute";
    }
    if (path.size() > kMaxPathBytes) {
        return "is longer than 200 bytes";
    }
    if (!std::ranges::all_of(path, is_portable)) {
        return "has a character other than printable ASCII without blanks and \\ : * ? \" < > |";
    }
    std::size_t count = 1;
    for (std::string_view rest = path;; ++count) {
        const std::size_t end = std::min(rest.find('/'), rest.size());
        if (std::string why = refuse_part(rest.substr(0, end)); !why.empty()) {
            return why;
        }
        if (end == rest.size()) {
            break;
        }
        rest.remove_prefix(end + 1);
    }
    return count > kMaxPathParts ? "is more than 16 folders deep" : "";
}

std::string colliding_path(std::vector<std::string> paths) {
    std::ranges::transform(paths, paths.begin(), in_lower_case);
    std::ranges::sort(paths);
    for (std::size_t i = 1; i < paths.size(); ++i) {
        if (paths[i] == paths[i - 1]) {
            return paths[i];
        }
    }
    for (const std::string& path : paths) {
        for (std::size_t end = path.find('/'); end != std::string::npos;
             end = path.find('/', end + 1)) {
            if (std::ranges::binary_search(paths, path.substr(0, end))) {
                return path.substr(0, end);
            }
        }
    }
    return "";
}

void check_packed_files(const std::vector<PackedFile>& files,
                        const std::vector<std::string>& reserved, const Scope& scope) {
    const SourceLocation place = place_of(scope, kFileTables);
    std::vector<std::string> paths = reserved;
    for (const PackedFile& file : files) {
        if (const std::string why = refuse_path(file.path); !why.empty()) {
            scope.problems.error(place, kFileTables, fmt::format("'{}' {}", file.path, why));
        }
        if (!is_sha256(file.sha256)) {
            scope.problems.error(
                place, kFileTables,
                fmt::format("'{}': sha256 must be 64 hexadecimal digits", file.path));
        }
        paths.push_back(file.path);
    }
    if (const std::string path = colliding_path(paths); !path.empty()) {
        scope.problems.error(place, kFileTables, fmt::format("'{}' is there twice", path));
    }
}

}  // namespace ptp::bundle
