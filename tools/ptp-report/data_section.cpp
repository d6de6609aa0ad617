// Copies from data.json what the page shows.

#include "ptp-report/sections.hpp"

#include "base/base64.hpp"
#include "base/text.hpp"
#include "ptp-report/checked_json.hpp"
#include "run/format.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <utility>

namespace ptp::report {

namespace {

constexpr std::size_t kMaxClasses = 100;
constexpr int kMaxPictureSide = 256;  // of a picture, in pixels
constexpr std::size_t kChannels = 3;
constexpr int kMaxEpochs = 32;
constexpr const char* kSpreads[] = {"numbers", "lengths"};

// Returns [name, type, shape, min, max, mean, deviation, not finite].
Json stream_row(const Json& stream) {
    Json row = {text_in(stream, "name"), text_in(stream, "type"), text_in(stream, "shape")};
    const Json* spread = &member_of(stream, kSpreads[0]);
    if (!spread->is_object()) {
        spread = &member_of(stream, kSpreads[1]);
        row[2] = spread->is_object() ? "lengths" : row[2];
    }
    for (const char* key : {"min", "max", "mean", "deviation"}) {
        row.push_back(finite_in(*spread, key));
    }
    row.push_back(finite_in(stream, "not_finite"));
    return row;
}

// Returns [value, share in each section] of each stream with few values.
Json classes_of(const Json& data) {
    Json all = Json::array();
    for (const Json& compared : list_in(data, "compared")) {
        Json sections = texts_in(member_of(compared, "sections"));
        Json rows = Json::array();
        const Json& shares = member_of(compared, "shares");
        for (auto one = shares.begin(); shares.is_object() && one != shares.end(); ++one) {
            Json row = {harmless(one.key())};
            for (std::size_t i = 0; i < sections.size(); ++i) {
                const bool is_known = one->is_array() && i < one->size();
                row.push_back(is_known ? finite_in((*one)[i]) : Json(nullptr));
            }
            if (rows.size() < kMaxClasses) {
                rows.push_back(std::move(row));
            }
        }
        all.push_back({{"stream", text_in(compared, "stream")},
                       {"sections", std::move(sections)},
                       {"rows", std::move(rows)}});
    }
    return all;
}

// Returns {height, width, pixels}; null for one whose pixels are not as many.
Json picture_in(const Json& picture) {
    const Json& height = member_of(picture, "height");
    const Json& width = member_of(picture, "width");
    const Json& pixels = member_of(picture, "pixels");
    const auto is_side = [](const Json& side) {
        return side.is_number_integer() && side >= 1 && side <= kMaxPictureSide;
    };
    const bool is_whole =
        is_side(height) && is_side(width) && pixels.is_string() &&
        is_base64(pixels.get_ref<const std::string&>(),
                  height.get<std::size_t>() * width.get<std::size_t>() * kChannels);
    return is_whole ? Json{{"height", height}, {"width", width}, {"pixels", pixels}} : Json();
}

// Returns a stream of as many samples as there is room for; null for one that is damaged.
Json versions_of(const Json& stream, std::size_t samples, std::size_t& room) {
    const Json& epochs = member_of(stream, "epochs");
    const bool has_pictures = member_of(stream, "pictures").is_array();
    const Json& values = list_in(stream, has_pictures ? "pictures" : "texts");
    if (!epochs.is_number_integer() || epochs < 1 || epochs > kMaxEpochs ||
        values.size() != samples * epochs.get<std::size_t>()) {
        return nullptr;
    }
    Json shown = Json::array();
    for (const Json& value : values) {
        shown.push_back(has_pictures ? picture_in(value) : Json(text_in(value)));
        if (has_pictures && shown.back().is_null()) {
            return nullptr;
        }
        const std::size_t size = has_pictures
                                     ? shown.back()["pixels"].get_ref<std::string&>().size()
                                     : shown.back().get_ref<std::string&>().size();
        if (size > room) {
            return nullptr;
        }
        room -= size;
    }
    return {{"name", text_in(stream, "name")},
            {"epochs", epochs},
            {"form", has_pictures ? "image" : "text"},
            {"values", std::move(shown)}};
}

// Returns the samples of a section that are shown as several epochs get them; null without any.
Json samples_with_versions(const Json& section, std::size_t& room) {
    const Json& versions = member_of(section, "versions");
    Json indices =
        each_of(list_in(versions, "index"), [](const Json& index) { return finite_in(index); });
    Json streams = Json::array();
    for (const Json& stream : list_in(versions, "streams")) {
        Json shown = versions_of(stream, indices.size(), room);
        if (!shown.is_null()) {
            streams.push_back(std::move(shown));
        }
    }
    return indices.empty() || streams.empty()
               ? Json()
               : Json{{"index", std::move(indices)}, {"streams", std::move(streams)}};
}

}  // namespace

void add_data(Json& sections, const std::filesystem::path& run, std::size_t room,
              std::vector<std::string>& problems) {
    const std::optional<Json> data =
        json_in_run(run / run::kDataFile, run::kDataFormat,
                    fmt::format("; it can be written again\n    fix: ptprun data {} --record",
                                shell_word(run.string())),
                    problems);
    if (!data) {
        return;
    }
    Json list = each_of(list_in(*data, "sections"), [&](const Json& section) -> Json {
        return {{"name", text_in(section, "section")},
                {"task", text_in(section, "task")},
                {"samples", finite_in(section, "samples")},
                {"read", finite_in(section, "read")},
                {"streams", each_of(list_in(section, "streams"), stream_row)},
                {"versions", samples_with_versions(section, room)}};
    });
    sections.push_back({{"kind", "data"},
                        {"warnings", data_warnings(*data)},
                        {"sections", std::move(list)},
                        {"classes", classes_of(*data)}});
}

}  // namespace ptp::report
