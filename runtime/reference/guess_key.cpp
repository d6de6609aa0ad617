#include "reference/guess_key.hpp"

#include "base/suggest.hpp"
#include "base/text.hpp"
#include "experiment/familiar_names.hpp"
#include "experiment/load/override.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

namespace ptp::reference {

namespace {

constexpr std::size_t kMaxNamed = 5;

// Adds all keys that exist, written or not.
void add_keys(const KeyPath& table, const Declarations& declarations, std::vector<KeyPath>& keys) {
    for (const std::string& name : known_keys(table, declarations)) {
        KeyPath key = table;
        key.push_back(name);
        keys.push_back(key);
        if (is_table(key, declarations) && !is_left_out(key, declarations)) {
            add_keys(key, declarations, keys);
        }
    }
}

bool ends_with(const KeyPath& key, const KeyPath& end) {
    return key.size() >= end.size() && std::equal(end.rbegin(), end.rend(), key.rbegin());
}

std::vector<std::string> texts_of(const std::vector<KeyPath>& keys,
                                  const Declarations& declarations) {
    std::vector<std::string> texts;
    for (const KeyPath& key : keys) {
        texts.push_back(path_text(key, declarations.tree));
    }
    return texts;
}

std::string ending_text(std::vector<KeyPath> keys, const Declarations& declarations) {
    const std::size_t count = keys.size();
    keys.resize(std::min(count, kMaxNamed));
    const std::string more =
        count > keys.size() ? fmt::format(" and {} more", count - keys.size()) : "";
    return fmt::format("; keys that end with it: {}{}", join(texts_of(keys, declarations), ", "),
                       more);
}

// Compares the last parts of keys; names the whole keys.
std::string near_text(const std::string& name, const std::vector<KeyPath>& keys,
                      const Declarations& declarations) {
    std::vector<std::string> last_parts;
    for (const KeyPath& key : keys) {
        last_parts.push_back(key.back());
    }
    std::vector<std::string> wanted;
    if (const auto nearest = ptp::nearest(name, last_parts)) {
        wanted.push_back(*nearest);
    }
    const bool is_near = !wanted.empty();
    if (!is_near) {
        wanted = most_alike(name, last_parts, kMaxNamed);
    }
    std::vector<KeyPath> meant;
    for (const KeyPath& key : keys) {
        if (std::ranges::find(wanted, key.back()) != wanted.end()) {
            meant.push_back(key);
        }
    }
    meant.resize(std::min(meant.size(), kMaxNamed));
    std::vector<std::string> texts = texts_of(meant, declarations);
    if (texts.empty()) {
        return "";
    }
    for (std::string& text : texts) {
        text = fmt::format("'{}'", text);
    }
    return fmt::format("; did you mean {}?", joined(texts, "or"));
}

}  // namespace

Guess guess_key(const KeyPath& key, const Declarations& declarations) {
    std::vector<KeyPath> keys;
    add_keys({}, declarations, keys);
    std::vector<KeyPath> meant;
    std::ranges::copy_if(keys, std::back_inserter(meant),
                         [&](const KeyPath& one) { return ends_with(one, key); });
    if (meant.size() == 1) {
        return {meant.front(), ""};
    }
    if (key.size() == 1) {
        const auto familiar = experiment::familiar_key(key.front());
        const auto path = familiar ? experiment::read_key_path(*familiar) : std::nullopt;
        if (path && std::ranges::find(keys, *path) != keys.end()) {
            return {*path, ""};
        }
    }
    if (!meant.empty()) {
        return {std::nullopt, ending_text(meant, declarations)};
    }
    // Gives no hint for a longer path: one of its parts is wrong, and the keys beside that one are
    // a better hint.
    if (key.size() > 1) {
        return {};
    }
    std::vector<std::string> first_parts;
    for (const KeyPath& one : keys) {
        if (one.size() == 1) {
            first_parts.push_back(one.front());
        }
    }
    if (nearest(key.front(), first_parts)) {
        return {};
    }
    return {std::nullopt, near_text(key.front(), keys, declarations)};
}

}  // namespace ptp::reference
