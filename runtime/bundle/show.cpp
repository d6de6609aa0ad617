// Formats the manifest of a bundle for people.

#include "bundle/show.hpp"

#include "base/number.hpp"
#include "base/text.hpp"
#include "run/run.hpp"

#include <fmt/core.h>

namespace ptp::bundle {

namespace {

std::string fact(const char* what, const std::string& value) {
    return value.empty() ? "" : fmt::format("  {:<12}{}\n", what, harmless(value));
}

std::string numbers_text(const run::Measurement& metric) {
    std::string text = metric.loss ? "loss " + run::number_text(metric.loss) : "";
    for (const auto& [name, value] : metric.statistics) {
        if (name != "loss" && value) {
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, run::number_text(value));
        }
    }
    return text.empty() ? "" : metric.set + ": " + text;
}

}  // namespace

std::string page_of(const BundleManifest& manifest) {
    std::string page = harmless(manifest.name) + "\n" + fact("summary", manifest.summary) +
                       fact("license", manifest.license) + fact("author", manifest.author) +
                       fact("trained by", manifest.made_by + ", libtorch " + manifest.libtorch) +
                       fact("run", training_text(manifest.lineage));
    page += fact("experiment", sha256_text(manifest.lineage.experiment_sha256));
    for (const LineageLine& line : lineage_lines(manifest.lineage, manifest.ancestors)) {
        page +=
            fact(line.depth == 0 ? "began with" : "", std::string(2 * line.depth, ' ') + line.text);
    }
    for (const run::Measurement& metric : manifest.metrics) {
        page += fact("measured", numbers_text(metric));
    }
    for (const BundledData& data : manifest.data) {
        page += fact("data", data_text(data));
    }
    for (const BundledStream& stream : manifest.streams) {
        page += fact(stream.direction.c_str(),
                     fmt::format("{}: {} {}{}", stream.name, stream.element, stream.shape,
                                 stream.meaning.empty() ? "" : ", " + stream.meaning));
    }
    for (const std::string& parameter : manifest.parameters) {
        page += fact("parameter", parameter);
    }
    if (manifest.samples) {
        page +=
            fact("self-test",
                 fmt::format("{} of {}, tolerance {}", counted(manifest.samples->count, "sample"),
                             manifest.samples->section, manifest.samples->tolerance));
    }
    for (const NeededPlugin& plugin : manifest.plugins) {
        page += fact("plugin",
                     fmt::format("{} {}, ABI {}, {}{}", plugin.name, plugin.version, plugin.abi,
                                 sha256_text(plugin.sha256),
                                 has_build(manifest, plugin.name) ? ", its build is in it" : ""));
    }
    for (const PackedFile& file : manifest.files) {
        page += fact("file", fmt::format("{} ({} bytes)", file.path, file.size));
    }
    return page;
}

}  // namespace ptp::bundle
