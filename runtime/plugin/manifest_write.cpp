// Implements the writing of manifest_json.hpp.
#include "plugin/enum_names.hpp"
#include "plugin/manifest_json.hpp"
#include "plugin/manifest_members.hpp"

#include <nlohmann/json.hpp>

#include <concepts>
#include <optional>
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

}  // namespace

Json to_json(const Component& component) {
    return write(component);
}

Json to_json(const Manifest& manifest) {
    return write(manifest);
}

}  // namespace ptp::plugin
