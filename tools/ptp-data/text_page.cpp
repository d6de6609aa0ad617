// Shows the data in a terminal.

#include "base/number.hpp"
#include "base/text.hpp"
#include "base/toml_writer.hpp"
#include "ptp-data/pages.hpp"
#include "ptp-data/picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace ptp::data {

namespace {

constexpr std::size_t kMaxClassLines = 20;
constexpr std::size_t kShownNumbers = 8;
constexpr std::size_t kShownCharacters = 100;

std::string number_text(double value) {
    return fmt::format("{:.4g}", value);
}

template <class Number>
std::string of_channels(const StreamFacts& stream, Number number) {
    std::vector<std::string> texts;
    for (const engine::Spread& channel : stream.channels) {
        texts.push_back(number_text(number(channel)));
    }
    return join(texts, ", ");
}

// Returns the text without control characters, cut after some characters.
std::string quoted(const std::string& text) {
    std::string shown = utf8_text(text);
    if (shown.size() > kShownCharacters) {
        std::size_t end = 0;
        while (end < kShownCharacters) {
            end += std::max<std::size_t>(1, utf8_length(std::string_view(shown).substr(end)));
        }
        shown = shown.substr(0, end) + "...";
    }
    return inline_toml(Value(shown));
}

std::string class_lines(const SectionFacts& section, const StreamFacts& stream) {
    constexpr double kBarColumns = 30;
    const auto total = static_cast<double>(total_of(stream));
    const double most = static_cast<double>(
        std::ranges::max_element(stream.values, {}, &engine::ValueCount::count)->count);
    std::size_t name_width = 0;
    const std::size_t shown = std::min(stream.values.size(), kMaxClassLines);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < shown; ++i) {
        const std::string name = class_text(section, stream, stream.values[i].value);
        names.push_back(stream.is_text ? quoted(name) : harmless(name));
        name_width = std::max(name_width, names.back().size());
    }
    std::string text;
    for (std::size_t i = 0; i < shown; ++i) {
        const auto count = static_cast<double>(stream.values[i].count);
        const auto bar =
            static_cast<std::size_t>(std::lround(std::ceil(count / most * kBarColumns)));
        text +=
            fmt::format("      {:<{}}  {:>9}  {:>7}  {}\n", names[i], name_width,
                        stream.values[i].count, share_text(count / total), std::string(bar, '#'));
    }
    if (shown < stream.values.size()) {
        text += fmt::format("      and {} more\n", stream.values.size() - shown);
    }
    return text;
}

std::string stream_lines(const SectionFacts& section, const StreamFacts& stream) {
    std::string text = fmt::format("  {:<16}  {} {}  {}\n", stream.name, stream.type, stream.shape,
                                   spread_text(stream));
    if (stream.not_finite > 0) {
        text += fmt::format(
            "    {} not finite (nan or inf)\n",
            counted(stream.not_finite, "number") + (stream.not_finite == 1 ? " is" : " are"));
    }
    if (!stream.channels.empty()) {
        text += fmt::format("    by channel: mean {}; deviation {}\n", channel_means(stream),
                            channel_deviations(stream));
    }
    if (has_classes(stream)) {
        const std::string what = stream.has_one_value ? "" : " of all numbers";
        text += fmt::format("    {}{}", counted(stream.values.size(), "value"), what);
        text += stream.values.size() < 2
                    ? "\n"
                    : fmt::format(", the most frequent one {:.1f} times as often as the least\n",
                                  imbalance_of(stream));
        text += class_lines(section, stream);
    } else if (stream.has_many_values) {
        text += fmt::format("    more than {} different values\n", engine::kMaxCountedValues);
    } else if (!stream.values.empty()) {
        text += fmt::format("    {}\n", counted(stream.values.size(), "different value"));
    }
    return text;
}

std::string sample_lines(const SectionFacts& section, const engine::ShownSample& sample,
                         const TextStyle& style) {
    std::string text = fmt::format("  sample {}\n", sample.index);
    for (std::size_t i = 0; i < sample.values.size(); ++i) {
        const StreamFacts& stream = section.streams[i];
        const auto picture = picture_of(stream, sample.values[i]);
        text += fmt::format("    {:<14}  {}\n", stream.name,
                            picture ? fmt::format("{} {}", stream.type, stream.shape)
                                    : value_text(section, stream, sample.values[i]));
        if (picture) {
            text += drawn(*picture, style.width, style.has_color);
        }
    }
    return text;
}

std::string section_lines(const SectionFacts& section, const TextStyle& style) {
    std::string text = fmt::format("{}  ({})\n", section.name, section.task);
    if (!section.error.empty()) {
        return text + "  cannot be read\n";
    }
    const std::uint64_t looked_at = section.read + section.broken.size();
    text += fmt::format(
        "  {} in batches of {}{}{}\n", counted(section.samples, "sample"), section.batch_size,
        looked_at < section.samples ? fmt::format("; {} read", looked_at) : "",
        section.broken.empty() ? "" : fmt::format("; {} broken", section.broken.size()));
    for (const StreamFacts& stream : section.streams) {
        text += stream_lines(section, stream);
    }
    for (const engine::ShownSample& sample : section.shown) {
        text += sample_lines(section, sample, style);
    }
    return text;
}

std::string compared_lines(const ComparedStream& stream) {
    constexpr std::size_t kShareColumns = 12;
    std::size_t name_width = stream.name.size();
    for (const ComparedValue& value : stream.values) {
        name_width = std::max(name_width, harmless(value.value).size());
    }
    std::string text = fmt::format("  {:<{}}", stream.name, name_width);
    for (const std::string& section : stream.sections) {
        text += fmt::format("  {:>{}}", section, kShareColumns);
    }
    text += "\n";
    for (const ComparedValue& value : stream.values) {
        text += fmt::format("  {:<{}}", harmless(value.value), name_width);
        for (std::size_t i = 0; i < value.shares.size(); ++i) {
            text += fmt::format("  {:>{}}",
                                value.shares[i] == 0 ? "missing" : share_text(value.shares[i]),
                                std::max(kShareColumns, stream.sections[i].size()));
        }
        text += "\n";
    }
    return text;
}

}  // namespace

std::string spread_text(const StreamFacts& stream) {
    const engine::Spread& spread = stream.spread;
    if (spread.count == 0) {
        return "no numbers";
    }
    if (stream.is_text) {
        return fmt::format("{} to {} {}, mean {:.2f}", spread.min, spread.max,
                           stream.type == "string" ? "characters" : "tokens", spread.mean);
    }
    return fmt::format("{} to {}, mean {}, deviation {}", number_text(spread.min),
                       number_text(spread.max), number_text(spread.mean),
                       number_text(spread.deviation()));
}

std::string channel_means(const StreamFacts& stream) {
    return of_channels(stream, [](const engine::Spread& channel) { return channel.mean; });
}

std::string channel_deviations(const StreamFacts& stream) {
    return of_channels(stream, [](const engine::Spread& channel) { return channel.deviation(); });
}

std::string duplicates_text(const Duplicates& found) {
    std::vector<std::string> examples;
    for (const auto& [first, second] : found.examples) {
        examples.push_back(fmt::format("{} is {}", second, first));
    }
    const std::string rest = found.count > examples.size() ? ", ..." : "";
    const std::string equal = found.count == 1 ? "equals" : "equal";
    return found.first == found.second
               ? fmt::format("{}: {} {} an earlier one ({}{})", found.first,
                             counted(found.count, "sample"), equal, join(examples, ", "), rest)
               : fmt::format("{}: {} {} one of {} ({}{})", found.second,
                             counted(found.count, "sample"), equal, found.first,
                             join(examples, ", "), rest);
}

std::string share_text(double share) {
    return fmt::format("{:.1f} %", share * 100);
}

std::string value_text(const SectionFacts& section, const StreamFacts& stream,
                       const engine::ShownValue& value) {
    if (stream.is_text) {
        return quoted(value.text);
    }
    if (value.sizes.empty() && value.numbers.size() == 1) {
        const float number = value.numbers.front();
        return stream.type.starts_with("float")
                   ? number_text(number)
                   : harmless(class_text(section, stream,
                                         fmt::format("{}", static_cast<std::int64_t>(number))));
    }
    std::vector<std::string> numbers;
    for (std::size_t i = 0; i < std::min(value.numbers.size(), kShownNumbers); ++i) {
        numbers.push_back(number_text(value.numbers[i]));
    }
    if (numbers.size() < value.numbers.size() || value.numbers.empty()) {
        numbers.emplace_back("...");
    }
    return fmt::format("[{}]  {}", join(value.sizes, ", "), join(numbers, ", "));
}

std::string text_page(const Findings& findings, const TextStyle& style) {
    std::string text;
    for (const SectionFacts& section : findings.sections) {
        text += (text.empty() ? "" : "\n") + section_lines(section, style);
    }
    text += fmt::format("\nequal samples, by {}\n", join(findings.hashed, ", "));
    for (const Duplicates& found : findings.duplicates) {
        text += "  " + duplicates_text(found) + "\n";
    }
    if (findings.duplicates.empty()) {
        text += "  none\n";
    }
    for (const ComparedStream& stream : findings.compared) {
        text += "\n" + compared_lines(stream);
    }
    return text;
}

}  // namespace ptp::data
