// Finds equal samples by their hashes, and counts the same values of several sections.

#include "ptp-data/findings.hpp"

#include "base/ranges.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

namespace ptp::data {

namespace {

constexpr std::size_t kShownExamples = 5;

using Places = std::map<engine::SampleHash, std::int64_t>;

// Returns the first sample of each content.
Places first_places(const SectionFacts& section) {
    Places places;
    for (std::size_t i = 0; i < section.hashes.size(); ++i) {
        places.try_emplace(section.hashes[i], section.indices[i]);
    }
    return places;
}

void add_duplicate(Duplicates& found, std::int64_t first, std::int64_t second) {
    ++found.count;
    if (found.examples.size() < kShownExamples) {
        found.examples.emplace_back(first, second);
    }
}

Duplicates between(const SectionFacts& first, const Places& places, const SectionFacts& second) {
    Duplicates found{first.name, second.name};
    for (std::size_t i = 0; i < second.hashes.size(); ++i) {
        const auto place = places.find(second.hashes[i]);
        if (place != places.end()) {
            add_duplicate(found, place->second, second.indices[i]);
        }
    }
    return found;
}

Duplicates within(const SectionFacts& section, const Places& places) {
    Duplicates found{section.name, section.name};
    for (std::size_t i = 0; i < section.hashes.size(); ++i) {
        const std::int64_t first = places.at(section.hashes[i]);
        if (first != section.indices[i]) {
            add_duplicate(found, first, section.indices[i]);
        }
    }
    return found;
}

const StreamFacts* stream_named(const SectionFacts& section, const std::string& name) {
    return find_named(section.streams, name);
}

// Orders integers as numbers, and texts byte by byte.
bool comes_before(const std::string& left, const std::string& right) {
    const auto is_number = [](const std::string& text) {
        return !text.empty() && text.find_first_not_of("-0123456789") == std::string::npos;
    };
    if (is_number(left) && is_number(right) && left.size() != right.size() && left[0] != '-' &&
        right[0] != '-') {
        return left.size() < right.size();
    }
    return left < right;
}

}  // namespace

std::vector<Duplicates> find_duplicates(const std::vector<SectionFacts>& sections) {
    std::vector<Duplicates> all;
    for (std::size_t i = 0; i < sections.size(); ++i) {
        const Places places = first_places(sections[i]);
        all.push_back(within(sections[i], places));
        for (std::size_t k = i + 1; k < sections.size(); ++k) {
            all.push_back(between(sections[i], places, sections[k]));
        }
    }
    std::erase_if(all, [](const Duplicates& found) { return found.count == 0; });
    return all;
}

bool has_classes(const StreamFacts& stream) {
    constexpr std::size_t kMaxTexts = 100;
    const bool is_repeated = stream.values.size() * 2 <= total_of(stream);
    return !stream.values.empty() && is_repeated &&
           (!stream.is_text || stream.values.size() <= kMaxTexts);
}

std::string class_text(const SectionFacts& section, const StreamFacts& stream,
                       const std::string& value) {
    if (!stream.are_targets || stream.is_text || value.size() > 9 || value.starts_with('-')) {
        return value;
    }
    const auto number = static_cast<std::size_t>(std::stoul(value));
    return number < section.class_names.size()
               ? fmt::format("{} ({})", value, section.class_names[number])
               : value;
}

std::uint64_t total_of(const StreamFacts& stream) {
    std::uint64_t total = 0;
    for (const engine::ValueCount& value : stream.values) {
        total += value.count;
    }
    return total;
}

double imbalance_of(const StreamFacts& stream) {
    const auto [least, most] =
        std::ranges::minmax_element(stream.values, {}, &engine::ValueCount::count);
    return static_cast<double>(most->count) / static_cast<double>(least->count);
}

std::vector<ComparedStream> compare_classes(const std::vector<SectionFacts>& sections) {
    std::vector<ComparedStream> all;
    std::set<std::string> done;
    for (const SectionFacts& section : sections) {
        for (const StreamFacts& stream : section.streams) {
            if (!has_classes(stream) || !done.insert(stream.name).second) {
                continue;
            }
            ComparedStream compared{stream.name};
            std::map<std::string, std::vector<double>, decltype(&comes_before)> shares(
                &comes_before);
            for (const SectionFacts& other : sections) {
                const StreamFacts* same = stream_named(other, stream.name);
                if (same == nullptr) {
                    continue;
                }
                const auto place = compared.sections.size();
                compared.sections.push_back(other.name);
                for (const engine::ValueCount& value : same->values) {
                    std::vector<double>& row = shares[value.value];
                    row.resize(place + 1);
                    row[place] =
                        static_cast<double>(value.count) / static_cast<double>(total_of(*same));
                }
            }
            for (auto& [value, row] : shares) {
                row.resize(compared.sections.size());
                compared.values.push_back({class_text(section, stream, value), row});
            }
            if (compared.sections.size() > 1) {
                all.push_back(std::move(compared));
            }
        }
    }
    return all;
}

}  // namespace ptp::data
