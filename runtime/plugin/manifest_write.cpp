// Writes a manifest as JSON, and finds the first difference of two in their JSON.
#include "plugin/enum_names.hpp"
#include "plugin/manifest_json.hpp"
#include "plugin/manifest_members.hpp"

#include <nlohmann/json.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace ptp::plugin {

namespace {

using Json = nlohmann::ordered_json;

template <class Description>
Json write(const Description& description);

// Adds the members of one description to an object.
class MemberWriter {
public:
    explicit MemberWriter(Json& out) : out_(out) {}

    template <class Member, class Source>
    void operator()(const char* key, const Member& member, const Source& /*source*/,
                    unsigned rules = 0) {
        write_member(key, member, (rules & kAlways) != 0);
    }

private:
    void write_member(const char* key, const std::string& text, bool is_always) {
        if (is_always || !text.empty()) {
            out_[key] = text;
        }
    }
    void write_member(const char* key, const std::optional<std::string>& text, bool /*is_always*/) {
        if (text) {
            out_[key] = *text;
        }
    }
    void write_member(const char* key, bool flag, bool /*is_always*/) {
        if (flag) {
            out_[key] = true;
        }
    }
    template <std::integral Number>
    void write_member(const char* key, Number number, bool is_always) {
        if (is_always || number != 0) {
            out_[key] = number;
        }
    }
    template <class Enumeration>
    requires std::is_enum_v<Enumeration>
    void write_member(const char* key, Enumeration value, bool /*is_always*/) {
        out_[key] = to_string(value);
    }
    void write_member(const char* key, const std::optional<std::vector<std::string>>& texts,
                      bool /*is_always*/) {
        if (texts) {
            out_[key] = *texts;
        }
    }
    void write_member(const char* key, const std::vector<std::string>& texts, bool /*is_always*/) {
        if (!texts.empty()) {
            out_[key] = texts;
        }
    }
    void write_member(const char* key, const Build& build, bool /*is_always*/) {
        out_[key] = write(build);
    }
    template <class Item>
    void write_member(const char* key, const std::vector<Item>& items, bool /*is_always*/) {
        for (const Item& item : items) {
            out_[key].push_back(write(item));
        }
    }

    Json& out_;
};

template <class Description>
Json write(const Description& description) {
    Json out;
    MemberWriter writer(out);
    visit_members(description, writer);
    return out;
}

// Returns what a step of a path of JSON leads to, "-" to the item at `end`; nullptr if nothing is
// there.
const Json* child_of(const Json* parent, const std::string& step, std::size_t end) {
    if (parent == nullptr || !parent->is_structured()) {
        return nullptr;
    }
    if (parent->is_object()) {
        const auto member = parent->find(step);
        return member != parent->end() ? &*member : nullptr;
    }
    const std::size_t index = step == "-" ? end : std::stoul(step);
    return index < parent->size() ? &(*parent)[index] : nullptr;
}

std::string shown(const Json* value) {
    constexpr std::size_t kMaxShown = 60;
    if (value == nullptr) {
        return "nothing";
    }
    const bool ascii_only = true;  // so that it can be cut at any byte
    const std::string text = value->dump(-1, ' ', ascii_only);
    return text.size() <= kMaxShown ? text : text.substr(0, kMaxShown) + "...";
}

}  // namespace

Json to_json(const Component& component) {
    return write(component);
}

Json to_json(const Manifest& manifest) {
    return write(manifest);
}

std::optional<Difference> first_difference(const Manifest& left, const Manifest& right) {
    if (left == right) {
        return std::nullopt;
    }
    const Json left_json = to_json(left);
    const Json right_json = to_json(right);
    const Json* here = &left_json;
    const Json* there = &right_json;
    Difference difference;
    // The first edit has a path such as "/components/0/ports/2/shape".
    std::istringstream path(Json::diff(left_json, right_json).at(0).at("path").get<std::string>());
    path.get();
    for (std::string step; std::getline(path, step, '/');) {
        // "-" is an item behind those that both have.
        const std::size_t size = here != nullptr ? here->size() : 0;
        here = child_of(here, step, size);
        there = child_of(there, step, size);
        if (step == "components") {  // the names of components suffice to identify them
            continue;
        }
        const Json* const named = here != nullptr ? here : there;
        const bool is_item = named->is_object() && named->contains("name");
        difference.field += (difference.field.empty() ? "" : ".") +
                            (is_item ? named->at("name").get<std::string>() : step);
    }
    difference.left = shown(here);
    difference.right = shown(there);
    return difference;
}

}  // namespace ptp::plugin
