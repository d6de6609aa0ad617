// Reads and writes the manifest of a bundle, which may be hostile.

#include "bundle/manifest.hpp"

#include "base/tar.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

namespace ptp::bundle {

namespace {

using schema::Field;
using schema::Scope;

constexpr const char* kLineageTable = "lineage";
constexpr const char* kMetricTables = "metrics";
constexpr const char* kPluginTables = "plugins";
constexpr const char* kStreamTables = "streams";
constexpr const char* kDataTables = "data";
constexpr const char* kSamplesTable = "samples";

// A bundle has these files, those of its checkpoint, and what is in kFilesFolder.
constexpr std::array<std::string_view, 6> kOwnFiles = {
    run::kExperimentFile, run::kRecordFile, run::kStatusFile, kCardFile, kSamplesFile, kOnnxFile};
constexpr std::array<std::string_view, 4> kCheckpointFiles = {
    run::kCheckpointFile, run::kTrainingFile, run::kHashFile, run::kWeightsFile};

bool is_file_of_components(std::string_view path) {
    const std::string folder = std::string(kFilesFolder) + "/";
    return path.starts_with(folder) && is_file_name(path.substr(folder.size()));
}

// Returns whether a file is the build of a plugin that the model needs, or travels with one.
bool is_file_of_builds(const BundleManifest& manifest, std::string_view path) {
    return std::ranges::any_of(manifest.plugins, [&](const NeededPlugin& plugin) {
        const std::string build = build_path(plugin.name);
        const std::string beside = build.substr(0, build.rfind('.'));
        return path == build ||
               (has_build(manifest, plugin.name) &&
                (path.starts_with(beside + ".libraries/") || path.starts_with(beside + ".data/")));
    });
}

bool is_checkpoint_file(std::string_view path) {
    return std::ranges::any_of(
        kCheckpointFiles, [&](std::string_view file) { return path == checkpoint_path(file); });
}

// Reports files that a bundle has no use for: nothing in one is code but builds of its plugins.
void check_files(const BundleManifest& manifest, const Scope& scope) {
    check_packed_files(manifest.files, {kManifestFile}, scope);
    const SourceLocation place = place_of(scope, kFileTables);
    for (const PackedFile& file : manifest.files) {
        if (!contains(kOwnFiles, std::string_view(file.path)) && !is_checkpoint_file(file.path) &&
            !is_file_of_components(file.path) && !is_file_of_builds(manifest, file.path)) {
            scope.problems.error(place, kFileTables,
                                 fmt::format("'{}' is not a file of a bundle", file.path));
        }
        if (file.path.size() > kMaxTarPath) {
            scope.problems.error(
                place, kFileTables,
                fmt::format("'{}' is longer than {} bytes", file.path, kMaxTarPath));
        }
        if (static_cast<std::uint64_t>(file.size) > kMaxTarFile) {
            scope.problems.error(place, kFileTables,
                                 fmt::format("'{}' has more than 8 GiB", file.path));
        }
    }
    for (const std::string& needed :
         {std::string(run::kExperimentFile), std::string(run::kRecordFile),
          checkpoint_path(run::kCheckpointFile), checkpoint_path(run::kHashFile), weights_path()}) {
        if (std::ranges::find(manifest.files, needed, &PackedFile::path) == manifest.files.end()) {
            scope.problems.error(place, kFileTables, fmt::format("'{}' is missing", needed));
        }
    }
    const bool has_samples =
        std::ranges::find(manifest.files, kSamplesFile, &PackedFile::path) != manifest.files.end();
    if (has_samples != manifest.samples.has_value()) {
        scope.problems.error(place, kFileTables,
                             fmt::format("'{}' and [{}] must both be there, or neither",
                                         kSamplesFile, kSamplesTable));
    }
    if (manifest.files.size() + 1 > experiment::kMaxBundleFiles) {
        scope.problems.error(
            place, kFileTables,
            fmt::format("there are more than {}", experiment::kMaxBundleFiles - 1));
    }
}

void check_texts(const BundleManifest& manifest, const Scope& scope) {
    const std::pair<const char*, const std::string*> texts[] = {
        {"name", &manifest.name},       {"license", &manifest.license},
        {"author", &manifest.author},   {"summary", &manifest.summary},
        {"made_by", &manifest.made_by}, {"libtorch", &manifest.libtorch}};
    for (const auto& [key, text] : texts) {
        if (!is_one_line(*text)) {
            scope.problems.error(place_of(scope, key), scope.key(key),
                                 "must be one line without control characters");
        }
    }
    if (manifest.kind != kModelKind) {
        scope.problems.error(place_of(scope, "kind"), scope.key("kind"),
                             "must be \"model\": other packages are for ptp-pack");
    }
    std::vector<std::string> lines = manifest.parameters;
    lines.push_back(manifest.samples ? manifest.samples->section : "");
    for (const BundledStream& stream : manifest.streams) {
        lines.insert(lines.end(), {stream.name, stream.element, stream.shape, stream.meaning});
    }
    for (const run::Measurement& metric : manifest.metrics) {
        lines.push_back(metric.set);
        for (const auto& [name, value] : metric.statistics) {
            lines.push_back(name);
        }
    }
    if (!std::ranges::all_of(lines, [](const std::string& line) { return is_one_line(line); })) {
        scope.problems.error(scope.table.place(), "",
                             "must have texts of one line without control characters");
    }
}

void check_plugins(const BundleManifest& manifest, const Scope& scope) {
    const SourceLocation place = place_of(scope, kPluginTables);
    std::set<std::string> names;
    for (const NeededPlugin& plugin : manifest.plugins) {
        const auto report = [&](const char* what) {
            scope.problems.error(place, kPluginTables,
                                 fmt::format("'{}' {}", harmless(plugin.name), what));
        };
        if (!is_type_name(plugin.name)) {
            report("must be a name of letters, digits and '_'");
        }
        if (!names.insert(plugin.name).second) {
            report("is there twice");
        }
        if (!is_sha256(plugin.sha256)) {
            report("must have a sha256 of 64 hexadecimal digits");
        }
        if (!is_one_line(plugin.version) || !is_one_line(plugin.abi) ||
            !is_one_line(plugin.libtorch) || !is_one_line(plugin.license)) {
            report("must have texts of one line without control characters");
        }
    }
}

// A measurement is read as in every other file of a run.
void read_metrics(const Scope& scope, schema::Raw list, std::vector<run::Measurement>& into) {
    if (list == nullptr) {
        return;
    }
    if (!list->is_list()) {
        scope.problems.error(*list, scope.key(kMetricTables), "must be a list of tables");
        return;
    }
    for (const Value& item : list->items()) {
        const auto metric =
            run::measurement_in(Value::table({{kMetricTables, item}}), kMetricTables);
        if (!metric) {
            scope.problems.error(item, scope.key(kMetricTables), "must be a table");
            continue;
        }
        into.push_back(*metric);
    }
}

}  // namespace

std::vector<Field> NeededPlugin::fields() {
    return {{.name = "name", .into = &name, .is_required = true},
            {.name = "version", .into = &version, .is_required = true},
            {.name = "sha256", .into = &sha256, .is_required = true},
            {.name = "abi", .into = &abi, .is_required = true},
            {.name = "libtorch", .into = &libtorch},
            {.name = "license", .into = &license}};
}

std::vector<Field> BundledStream::fields() {
    return {{.name = "direction",
             .into = &direction,
             .choices = {"input", "output"},
             .is_required = true},
            {.name = "name", .into = &name, .is_required = true},
            {.name = "element", .into = &element, .is_required = true},
            {.name = "shape", .into = &shape},
            {.name = "meaning", .into = &meaning}};
}

std::vector<Field> StoredSamples::fields() {
    return {{.name = "count", .into = &count, .range = "[1, 10000]", .is_required = true},
            {.name = "section", .into = &section, .is_required = true},
            {.name = "tolerance", .into = &tolerance, .range = "[0, 1]", .is_required = true}};
}

std::vector<Field> BundleManifest::fields() {
    return {format_field(format),
            {.name = "kind", .into = &kind, .is_required = true},
            {.name = "name", .into = &name, .is_required = true},
            {.name = "license", .into = &license},
            {.name = "author", .into = &author},
            {.name = "summary", .into = &summary},
            {.name = "made_by", .into = &made_by},
            {.name = "libtorch", .into = &libtorch},
            {.name = "parameters", .into = &parameters}};
}

BundleManifest read_bundle_manifest(std::string_view text, const std::string& name) {
    BundleManifest manifest;
    read_document(text, name, kDataError, [&](const Scope& scope) {
        refuse_newer_format(scope, kBundleFormat, "ptp");
        schema::RawTable lineage;
        schema::RawTable samples;
        schema::Raw metrics = nullptr;
        std::vector<Field> fields = manifest.fields();
        fields.push_back({.name = kLineageTable, .into = &lineage});
        fields.push_back({.name = kMetricTables, .into = &metrics});
        fields.push_back({.name = kSamplesTable, .into = &samples});
        read_with_tables(
            scope, std::move(fields), Tables{kPluginTables, manifest.plugins, true},
            Tables{kStreamTables, manifest.streams}, Tables{kDataTables, manifest.data},
            Tables{kAncestorTables, manifest.ancestors}, Tables{kFileTables, manifest.files, true});
        if (lineage.table != nullptr) {
            manifest.lineage.read(scope.at(*lineage.table, kLineageTable));
        }
        if (samples.table != nullptr) {
            schema::read_all_fields(scope.at(*samples.table, kSamplesTable),
                                    manifest.samples.emplace().fields());
        }
        read_metrics(scope, metrics, manifest.metrics);
        if (scope.problems.ok()) {
            check_texts(manifest, scope);
            check_lineage(manifest.lineage, manifest.data, manifest.ancestors, scope);
            check_plugins(manifest, scope);
            check_files(manifest, scope);
        }
    });
    return manifest;
}

Value value_of(BundleManifest manifest) {
    manifest.format = format_of(manifest.data, manifest.ancestors);
    Value root = schema::write_fields(manifest.fields());
    root.set(kLineageTable, value_of(manifest.lineage));
    root.set(kMetricTables, Value::list(transformed(manifest.metrics, [](const auto& metric) {
                 return run::value_of(metric);
             })));
    root.set(kPluginTables, tables_of(manifest.plugins));
    root.set(kStreamTables, tables_of(manifest.streams));
    root.set(kDataTables, tables_of(manifest.data));
    if (!manifest.ancestors.empty()) {
        root.set(kAncestorTables, tables_of(manifest.ancestors));
    }
    if (manifest.samples) {
        root.set(kSamplesTable, schema::write_fields(manifest.samples->fields()));
    }
    root.set(kFileTables, tables_of(manifest.files));
    return root;
}

std::string text_of(const BundleManifest& manifest) {
    return to_toml(value_of(manifest));
}

std::string build_path(std::string_view plugin) {
    return fmt::format("{}/{}.so", kBuildsFolder, plugin);
}

bool is_in_builds(std::string_view path) {
    return path.starts_with(std::string(kBuildsFolder) + "/");
}

bool has_build(const BundleManifest& manifest, std::string_view plugin) {
    return std::ranges::find(manifest.files, build_path(plugin), &PackedFile::path) !=
           manifest.files.end();
}

std::string checkpoint_path(std::string_view file) {
    return fmt::format("{}/{}/{}", run::kCheckpointsFolder, run::kBestCheckpoint, file);
}

std::string weights_path() {
    return checkpoint_path(run::kWeightsFile);
}

}  // namespace ptp::bundle
