#include "engine/component/globals.hpp"

#include "base/toml_writer.hpp"

#include <fmt/core.h>

namespace ptp::engine {

std::optional<std::string> Globals::publish(const std::string& name, const Value& value,
                                            const std::string& publisher) {
    const auto [place, is_new] = entries_.try_emplace(name, value, publisher);
    const Entry& entry = place->second;
    if (is_new || entry.value == value) {
        return std::nullopt;
    }
    return fmt::format("the global '{}' is {} already, published by {}; {} publishes {}", name,
                       short_text(entry.value), entry.publisher, publisher, short_text(value));
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

const ptp_data* Globals::find(const std::string& name) const {
    const auto place = entries_.find(name);
    return place == entries_.end() ? nullptr : &place->second.data.root();
}

}  // namespace ptp::engine
