// Writes the data as one page for a browser, with its pictures in it.

#include "base/base64.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "ptp-data/pages.hpp"
#include "ptp-data/picture.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace ptp::data {

namespace {

constexpr std::size_t kMaxClassRows = 200;

constexpr const char* kHead = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{0}</title><style>
body {{ font: 15px sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; color: #222 }}
table {{ border-collapse: collapse; margin: 0.5em 0 1.5em }}
th, td {{ text-align: left; padding: 0.2em 0.8em; border-bottom: 1px solid #ddd; vertical-align: top }}
td.number {{ text-align: right }}
.bar {{ background: #4a7fb5; height: 0.8em }}
.missing {{ color: #b00020 }}
.samples {{ display: flex; flex-wrap: wrap; gap: 1em }}
figure {{ margin: 0; padding: 0.5em; border: 1px solid #ddd; max-width: 20em; font-size: 13px }}
img {{ image-rendering: pixelated; min-width: 96px; max-width: 19em; display: block }}
</style></head><body><h1>{0}</h1>
)";

std::string escaped(const std::string& text) {
    std::string safe;
    for (const char c : harmless(text)) {
        const std::string_view name = c == '<'   ? "&lt;"
                                      : c == '>' ? "&gt;"
                                      : c == '&' ? "&amp;"
                                      : c == '"' ? "&quot;"
                                                 : "";
        safe += name.empty() ? std::string(1, c) : std::string(name);
    }
    return safe;
}

std::string class_table(const SectionFacts& section, const StreamFacts& stream) {
    constexpr double kBarWidth = 20;
    const auto total = static_cast<double>(total_of(stream));
    const auto most = static_cast<double>(
        std::ranges::max_element(stream.values, {}, &engine::ValueCount::count)->count);
    std::string text = fmt::format("<h3>{}: {}</h3><table>\n", escaped(stream.name),
                                   counted(stream.values.size(), "value"));
    for (std::size_t i = 0; i < std::min(stream.values.size(), kMaxClassRows); ++i) {
        const engine::ValueCount& value = stream.values[i];
        text += fmt::format(
            "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>"
            "<td><div class=\"bar\" style=\"width: {:.2f}em\"></div></td></tr>\n",
            escaped(class_text(section, stream, value.value)), value.count,
            share_text(static_cast<double>(value.count) / total),
            static_cast<double>(value.count) / most * kBarWidth);
    }
    if (stream.values.size() > kMaxClassRows) {
        text +=
            fmt::format("<tr><td>and {} more</td></tr>\n", stream.values.size() - kMaxClassRows);
    }
    return text + "</table>\n";
}

std::string stream_table(const SectionFacts& section) {
    std::string text =
        "<table><tr><th>stream</th><th>type</th><th>shape of a sample</th><th>values</th>"
        "<th>not finite</th></tr>\n";
    for (const StreamFacts& stream : section.streams) {
        const std::string channels =
            stream.channels.empty()
                ? ""
                : fmt::format("<br>by channel: mean {}; deviation {}", channel_means(stream),
                              channel_deviations(stream));
        text += fmt::format(
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}{}</td><td class=\"number\">{}</td></tr>\n",
            escaped(stream.name), stream.type, stream.shape, spread_text(stream), channels,
            stream.not_finite);
    }
    return text + "</table>\n";
}

std::string figure(const SectionFacts& section, const engine::ShownSample& sample) {
    std::string text = "<figure>";
    std::string caption = fmt::format("sample {}", sample.index);
    for (std::size_t i = 0; i < sample.values.size(); ++i) {
        const StreamFacts& stream = section.streams[i];
        if (const auto picture = picture_of(stream, sample.values[i])) {
            text += fmt::format("<img alt=\"{}\" src=\"data:image/png;base64,{}\">",
                                escaped(stream.name), base64(tools::png_of(*picture)));
        } else {
            caption += fmt::format("<br>{}: {}", escaped(stream.name),
                                   escaped(value_text(section, stream, sample.values[i])));
        }
    }
    return text + "<figcaption>" + caption + "</figcaption></figure>\n";
}

std::string section_part(const SectionFacts& section) {
    std::string text =
        fmt::format("<h2>{} ({})</h2>\n", escaped(section.name), escaped(section.task));
    if (!section.error.empty()) {
        return text + fmt::format("<pre class=\"missing\">{}</pre>\n", escaped(section.error));
    }
    text += fmt::format("<p>{} in batches of {}; {} read</p>\n", counted(section.samples, "sample"),
                        section.batch_size, section.read);
    if (!section.broken.empty()) {
        text += fmt::format("<p class=\"missing\">{} broken</p><ul>\n",
                            counted(section.broken.size(), "sample"));
        for (const engine::BrokenSample& broken : section.broken) {
            text += fmt::format("<li>{}: {}</li>\n", broken.index, escaped(broken.error));
        }
        text += "</ul>\n";
    }
    text += stream_table(section);
    for (const StreamFacts& stream : section.streams) {
        text += has_classes(stream) ? class_table(section, stream) : "";
    }
    text += "<div class=\"samples\">\n";
    for (const engine::ShownSample& sample : section.shown) {
        text += figure(section, sample);
    }
    return text + "</div>\n";
}

std::string compared_table(const ComparedStream& stream) {
    std::string text =
        fmt::format("<h2>{}, side by side</h2><table><tr><th></th>", escaped(stream.name));
    for (const std::string& section : stream.sections) {
        text += fmt::format("<th>{}</th>", escaped(section));
    }
    text += "</tr>\n";
    for (const ComparedValue& value : stream.values) {
        text += fmt::format("<tr><td>{}</td>", escaped(value.value));
        for (const double share : value.shares) {
            text += share == 0 ? "<td class=\"missing\">missing</td>"
                               : fmt::format("<td class=\"number\">{}</td>", share_text(share));
        }
        text += "</tr>\n";
    }
    return text + "</table>\n";
}

}  // namespace

std::string html_page(const Findings& findings) {
    std::string text = fmt::format(kHead, escaped(findings.experiment));
    for (const SectionFacts& section : findings.sections) {
        text += section_part(section);
    }
    text +=
        fmt::format("<h2>Equal samples, by {}</h2><ul>\n", escaped(join(findings.hashed, ", ")));
    for (const Duplicates& found : findings.duplicates) {
        text += fmt::format("<li>{}</li>\n", escaped(duplicates_text(found)));
    }
    text += findings.duplicates.empty() ? "<li>none</li></ul>\n" : "</ul>\n";
    for (const ComparedStream& stream : findings.compared) {
        text += compared_table(stream);
    }
    return text + "</body></html>\n";
}

}  // namespace ptp::data
