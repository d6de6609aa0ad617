// Parses JSON in linear time: the library searches all earlier keys of an object for each key,
// which takes 20 s for an object of 200,000 keys.

#include "base/json.hpp"

#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ptp {

namespace {

using Members = std::vector<std::pair<const std::string, Json>>;

Members& members_of(Json& object) {
    return object.get_ref<Json::object_t&>();
}

// Keeps, of members with the same key, the value of the last one at the position of the first one.
void remove_repeated_keys(Members& members) {
    std::unordered_map<std::string_view, std::size_t> places;
    places.reserve(members.size());
    Members once;
    for (std::size_t i = 0; i < members.size(); ++i) {
        auto& [key, value] = members[i];
        const auto [place, is_new] = places.emplace(key, once.empty() ? i : once.size());
        if (is_new && once.empty()) {
            continue;  // all keys are unique so far
        }
        if (once.empty()) {
            const auto begin = std::make_move_iterator(members.begin());
            once = Members(begin, begin + static_cast<std::ptrdiff_t>(i));
        }
        if (is_new) {
            once.emplace_back(key, std::move(value));
        } else {
            once[place->second].second = std::move(value);
        }
    }
    if (!once.empty()) {
        members.swap(once);
    }
}

// Builds the JSON value from the events of the parser.
class Builder final : public nlohmann::json_sax<Json> {
public:
    explicit Builder(std::size_t max_depth) : max_depth_(max_depth) {}

    bool null() override { return add(nullptr); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(number_integer_t value) override { return add(value); }
    bool number_unsigned(number_unsigned_t value) override { return add(value); }
    bool number_float(number_float_t value, const string_t&) override { return add(value); }
    bool string(string_t& value) override { return add(std::move(value)); }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return open(Json::object()); }
    bool key(string_t& value) override {
        members_of(*open_.back()).emplace_back(std::move(value), nullptr);
        return true;
    }
    bool end_object() override {
        remove_repeated_keys(members_of(*open_.back()));
        return close();
    }
    bool start_array(std::size_t) override { return open(Json::array()); }
    bool end_array() override { return close(); }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
        return false;
    }

    [[nodiscard]] bool is_too_deep() const { return open_.size() > max_depth_; }
    [[nodiscard]] Json take() { return std::move(root_); }

private:
    // Adds a value to the list, or under the last key of the object, that is open; returns its
    // address.
    Json* put(Json value) {
        if (open_.empty()) {
            root_ = std::move(value);
            return &root_;
        }
        Json& parent = *open_.back();
        if (parent.is_array()) {
            parent.push_back(std::move(value));
            return &parent.back();
        }
        Json& place = members_of(parent).back().second;
        place = std::move(value);
        return &place;
    }
    bool add(Json value) {
        put(std::move(value));
        return true;
    }
    bool open(Json value) {
        open_.push_back(put(std::move(value)));
        return !is_too_deep();
    }
    bool close() {
        open_.pop_back();
        return true;
    }

    std::size_t max_depth_;
    Json root_;
    std::vector<Json*> open_;  // A list or object that is open has no later sibling: it stays put.
};

}  // namespace

std::optional<Json> parsed_json(std::string_view text, std::size_t max_depth, bool* is_too_deep) {
    Builder builder(max_depth);
    const bool is_json = Json::sax_parse(text, &builder);
    if (is_too_deep != nullptr) {
        *is_too_deep = builder.is_too_deep();
    }
    return is_json ? std::optional(builder.take()) : std::nullopt;
}

}  // namespace ptp
