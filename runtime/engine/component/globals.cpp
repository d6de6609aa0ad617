#include "engine/component/globals.hpp"

#include "base/text.hpp"
#include "base/toml_writer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

namespace ptp::engine {

namespace {

struct Published {
    const Value& value;
    const std::string& publisher;
};

// Returns names of one table that the other lacks, at most five: "'rose', 'tulip'".
std::string lacking_text(const Value& has, const Value& lacks) {
    constexpr std::size_t kMaxNamed = 5;
    std::vector<std::string> names;
    for (const Member& member : has.members()) {
        if (lacks.find(member.key) == nullptr) {
            names.push_back(fmt::format("'{}'", member.key));
        }
    }
    const std::size_t count = names.size();
    names.resize(std::min(count, kMaxNamed));
    return join(names, ", ") +
           (count > kMaxNamed ? fmt::format(" and {} more", count - kMaxNamed) : "");
}

// Describes how two tables differ, such as the classes of two sections.
std::string difference_text(const std::string& name, const Published& first,
                            const Published& second) {
    std::string text = fmt::format("the global '{}' of {} is another one than that of {}:", name,
                                   second.publisher, first.publisher);
    const std::string only_first = lacking_text(first.value, second.value);
    const std::string only_second = lacking_text(second.value, first.value);
    if (!only_first.empty()) {
        text += fmt::format("\n    only {} has {}", first.publisher, only_first);
    }
    if (!only_second.empty()) {
        text += fmt::format("\n    only {} has {}", second.publisher, only_second);
    }
    for (const Member& member : second.value.members()) {
        const Value* other = first.value.find(member.key);
        if (other != nullptr && *other != member.value) {
            return text + fmt::format("\n    '{}' is {} there and {} here", member.key,
                                      short_text(*other), short_text(member.value));
        }
    }
    return text;
}

}  // namespace

std::optional<std::string> Globals::publish(const std::string& name, const Value& value,
                                            const std::string& publisher) {
    const auto [place, is_new] = entries_.try_emplace(name, value, publisher);
    const Entry& entry = place->second;
    if (is_new || entry.value == value) {
        return std::nullopt;
    }
    if (entry.value.is_table() && value.is_table()) {
        return difference_text(name, {entry.value, entry.publisher}, {value, publisher});
    }
    return fmt::format("the global '{}' has one value: {} publishes {}, and {} publishes {}", name,
                       entry.publisher, short_text(entry.value), publisher, short_text(value));
}

void Globals::copy_to(Globals& other) const {
    for (const auto& [name, entry] : entries_) {
        other.entries_.try_emplace(name, entry.value, entry.publisher);
    }
}

Value Globals::values() const {
    Value table;
    for (const auto& [name, entry] : entries_) {
        table.set(name, entry.value);
    }
    return table;
}

const std::string* Globals::publisher(const std::string& name) const {
    const auto place = entries_.find(name);
    return place == entries_.end() ? nullptr : &place->second.publisher;
}

const ptp_data* Globals::find(const std::string& name) const {
    const auto place = entries_.find(name);
    return place == entries_.end() ? nullptr : &place->second.data.root();
}

}  // namespace ptp::engine
