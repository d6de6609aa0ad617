// Writes model cards from manifests of bundles.

#include "ptp-bundle/contents.hpp"

#include "base/text.hpp"
#include "run/run.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::bundling {

namespace {

// Returns a text without what Markdown takes for a table, a link, code or emphasis.
std::string plain(std::string_view text) {
    std::string escaped;
    for (const char c : harmless(text)) {
        if (std::string_view("\\`*_{}[]<>#|").find(c) != std::string_view::npos) {
            escaped += '\\';
        }
        escaped += c;
    }
    return escaped;
}

std::string section(const char* heading, const std::string& text) {
    return text.empty() ? "" : fmt::format("\n## {}\n\n{}", heading, text);
}

std::string line(const char* what, const std::string& fact) {
    return fact.empty() ? "" : fmt::format("- {}: {}\n", what, fact);
}

std::string metrics_text(const bundle::BundleManifest& manifest) {
    std::string rows;
    for (const run::Measurement& metric : manifest.metrics) {
        const auto add = [&](const std::string& name, const std::optional<double>& value) {
            if (value) {
                rows += fmt::format("| {} | {} | {} |\n", plain(metric.set), plain(name),
                                    run::number_text(value));
            }
        };
        add("loss", metric.loss);
        for (const auto& [name, value] : metric.statistics) {
            if (name != "loss") {
                add(name, value);
            }
        }
    }
    return rows.empty() ? "" : "| set | statistic | value |\n|---|---|---|\n" + rows;
}

std::string streams_text(const bundle::BundleManifest& manifest) {
    std::string rows;
    for (const bundle::BundledStream& stream : manifest.streams) {
        rows += fmt::format("| {} | {} | {} | {} | {} |\n", stream.direction, plain(stream.name),
                            plain(stream.element), plain(stream.shape), plain(stream.meaning));
    }
    return rows.empty()
               ? ""
               : "|  | stream | elements | shape | meaning |\n|---|---|---|---|---|\n" + rows;
}

std::string data_text(const bundle::BundleManifest& manifest) {
    std::string lines;
    for (const bundle::BundledData& data : manifest.data) {
        lines += fmt::format("- {}{}\n", plain(samples_text(data)),
                             data.sha256.empty()
                                 ? plain(data.no_sha256.empty() ? "" : "; " + data.no_sha256)
                                 : ", SHA-256 of its files " + data.sha256);
    }
    return lines;
}

std::string training_text(const bundle::BundleManifest& manifest) {
    const bundle::Lineage& lineage = manifest.lineage;
    std::string text =
        line("run", plain(lineage.run)) +
        line("weights",
             lineage.epoch > 0 ? fmt::format("of epoch {}", lineage.epoch) : std::string()) +
        line("seed", fmt::format("{}", lineage.seed)) +
        line("commit", lineage.commit.empty()
                           ? std::string()
                           : plain(lineage.commit) + (lineage.is_clean ? "" : ", with changes")) +
        line("SHA-256 of the experiment", lineage.experiment_sha256);
    for (const bundle::LineageLine& one : lineage_lines(lineage, manifest.ancestors)) {
        text += fmt::format("{}- {}{}\n", std::string(2 * one.depth, ' '),
                            one.depth == 0 ? "began with the weights of " : "", plain(one.text));
    }
    return text + line("trained by", plain(manifest.made_by + ", libtorch " + manifest.libtorch));
}

// Returns the limits that follow from the facts.
std::string limits_text(const bundle::BundleManifest& manifest) {
    std::string text;
    const auto is_test = [](const run::Measurement& metric) { return metric.set == "test"; };
    if (std::ranges::none_of(manifest.metrics, is_test)) {
        text +=
            "- No test set was measured: the numbers above are of the data by which the "
            "weights were chosen, or trained.\n";
    }
    if (!manifest.lineage.is_clean) {
        text += "- The files of the commit had changes when it was trained.\n";
    }
    return text;
}

std::string license_text(const bundle::BundleManifest& manifest) {
    std::string text = line("of the model", plain(manifest.license));
    for (const bundle::NeededPlugin& plugin : manifest.plugins) {
        if (!plugin.license.empty()) {
            text += fmt::format("- of the plugin {} {}: {}\n", plain(plugin.name),
                                plain(plugin.version), plain(plugin.license));
        }
    }
    return text;
}

}  // namespace

std::string card_of(const bundle::BundleManifest& manifest) {
    std::string text = fmt::format("# {}\n", plain(manifest.name));
    if (!manifest.summary.empty()) {
        text += "\n" + plain(manifest.summary) + "\n";
    }
    if (!manifest.author.empty()) {
        text += "\n" + line("author", plain(manifest.author));
    }
    return text + section("What it was measured at", metrics_text(manifest)) +
           section("What goes in and comes out", streams_text(manifest)) +
           section("What it was trained with", data_text(manifest) + training_text(manifest)) +
           section("Limits", limits_text(manifest)) + section("Licenses", license_text(manifest));
}

}  // namespace ptp::bundling
