// Writes the versions of samples as JSON: small pictures and texts, once where all epochs have the
// same.

#include "base/base64.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "ptp-data/pages.hpp"
#include "ptp-data/picture.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace ptp::data {

namespace {

constexpr std::size_t kMaxSide = 64;  // of a picture, in pixels
constexpr std::size_t kMaxText = 400;
constexpr std::size_t kMaxStreams = 6;

bool are_equal(const engine::ShownValue& one, const engine::ShownValue& other) {
    return one.text == other.text && one.sizes == other.sizes && one.numbers == other.numbers;
}

// Returns whether a sample differs from epoch to epoch.
bool differs(const engine::StreamVersions& stream, std::size_t epochs) {
    for (std::size_t i = 0; i < stream.values.size(); ++i) {
        if (!are_equal(stream.values[i], stream.values[i - i % epochs])) {
            return true;
        }
    }
    return false;
}

// Returns the range of all, so that versions of other brightness look different.
Range range_of(const engine::StreamVersions& stream) {
    std::optional<Range> range;
    for (const engine::ShownValue& value : stream.values) {
        if (!value.numbers.empty()) {
            const auto [least, most] = std::ranges::minmax(value.numbers);
            range = range ? Range{std::min(range->least, least), std::max(range->most, most)}
                          : Range{least, most};
        }
    }
    return range.value_or(Range());
}

Json json_of_picture(const Picture& whole) {
    const Picture picture = averaged(whole, kMaxSide);
    const std::string_view bytes(
        reinterpret_cast<const char*>(picture.pixels.data()),  // NOLINT(*-reinterpret-cast)
        picture.pixels.size());
    return {{"height", picture.height}, {"width", picture.width}, {"pixels", base64(bytes)}};
}

std::string text_of_value(const SectionFacts& section, const StreamFacts& stream,
                          const engine::ShownValue& value) {
    const std::string text =
        stream.is_text ? value.text.substr(0, kMaxText) : value_text(section, stream, value);
    return utf8_text(text);
}

// Returns null for streams of many numbers that are no pictures.
Json shown_stream(const SectionFacts& section, const engine::StreamVersions& stream,
                  std::size_t epochs) {
    const std::size_t step = differs(stream, epochs) ? 1 : epochs;
    const Range range = range_of(stream);
    Json pictures = Json::array();
    Json texts = Json::array();
    for (std::size_t i = 0; i < stream.values.size(); i += step) {
        const engine::ShownValue& value = stream.values[i];
        if (const auto picture = picture_of(stream.stream, value, range)) {
            pictures.push_back(json_of_picture(*picture));
        } else if (stream.stream.is_text || value.numbers.size() == 1) {
            texts.push_back(text_of_value(section, stream.stream, value));
        }
    }
    const std::size_t count = stream.values.size() / step;
    Json json = {{"name", stream.stream.name}, {"epochs", epochs / step}};
    if (pictures.size() == count) {
        json["pictures"] = std::move(pictures);
    } else if (texts.size() == count) {
        json["texts"] = std::move(texts);
    } else {
        return nullptr;
    }
    return json;
}

}  // namespace

Json json_of_versions(const SectionFacts& section) {
    const engine::SampleVersions& versions = section.versions;
    Json streams = Json::array();
    for (const engine::StreamVersions& stream : versions.streams) {
        Json json = shown_stream(section, stream, versions.epochs);
        if (!json.is_null()) {
            streams.push_back(std::move(json));
        }
    }
    if (streams.size() > kMaxStreams) {  // the last ones are closest to the model
        streams.erase(streams.begin(),
                      streams.begin() + static_cast<std::ptrdiff_t>(streams.size() - kMaxStreams));
    }
    return {{"index", versions.indices}, {"streams", std::move(streams)}};
}

}  // namespace ptp::data
