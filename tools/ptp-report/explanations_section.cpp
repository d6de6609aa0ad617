// Reads explanations.json and its pictures. Nothing of it is trusted.

#include "ptp-report/explanations_section.hpp"

#include "base/base64.hpp"
#include "base/file_error.hpp"
#include "base/input_file.hpp"
#include "base/text.hpp"
#include "engine/explain_request.hpp"
#include "ptp-report/checked_json.hpp"
#include "ptp-report/map_numbers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

namespace ptp::report {

namespace fs = std::filesystem;

namespace {

constexpr const char* kDataFact = "data";
constexpr const char* kOptionsFact = "options";
constexpr std::uint64_t kMaxFacts = 4U << 20U;
constexpr std::size_t kMaxFactsDepth = 8;
constexpr std::size_t kMaxExplained = 64;
constexpr std::size_t kMaxMaps = 32;
constexpr std::size_t kMaxEarlier = 5;                 // checkpoints
constexpr std::uint64_t kMaxNumberBytes = 64U << 20U;  // of all maps
constexpr std::size_t kMaxAttention = 64;              // of a sample
constexpr std::size_t kMaxWeights = 1U << 18U;         // of one of them
constexpr std::size_t kMaxPicturesOfAttention = 16;

// Returns the folders with a file of facts, the newest last, but for those that were left behind
// by a program that was ended.
std::vector<fs::path> folders_of(const fs::path& root) {
    std::vector<fs::path> folders;
    std::error_code ignored;
    for (fs::directory_iterator it(root, ignored), end; !ignored && it != end;
         it.increment(ignored)) {
        if (it->path().extension() != kUnfinishedEnding &&
            fs::exists(it->path() / engine::kExplanationsFile, ignored)) {
            folders.push_back(it->path());
        }
    }
    std::ranges::sort(folders);
    return folders;
}

// Returns what is shown of each object in a list, of the first ones.
template <class Show>
Json some_of(const Json& facts, const char* key, std::size_t most, const Show& show) {
    Json some = Json::array();
    for (const Json& one : list_in(facts, key)) {
        if (one.is_object() && some.size() < most) {
            some.push_back(show(one));
        }
    }
    return some;
}

// Returns weights from 0 to 1 as bytes from 0 to 255; nullopt if there are not this many.
std::optional<std::string> weights_in(std::string_view npy, std::size_t count) {
    const std::optional<NumbersOfFile> file = read_npy(npy);
    if (!file || file->numbers.size() != count) {
        return std::nullopt;
    }
    std::string bytes;
    for (float weight : file->numbers) {
        weight = weight >= 0 ? std::min(weight, 1.0F) : 0.0F;  // also for nan
        bytes += static_cast<char>(static_cast<unsigned char>(std::lround(weight * 255)));
    }
    return bytes;
}

// The pictures and numbers of a folder, as long as there is room for them.
class Pictures {
public:
    Pictures(fs::path folder, std::size_t room) : folder_(std::move(folder)), room_(room) {}

    // Returns the picture in base64; null without room. Throws FileError.
    Json read(const std::string& name) {
        if (!is_plain(name)) {
            return nullptr;
        }
        const InputFile input(folder_ / name);
        return takes(input.size()) ? Json(base64(input.read(0, input.size()))) : nullptr;
    }

    // Returns this many weights as bytes in base64; null without room, or if there are others.
    // Throws FileError.
    Json read_weights(const std::string& name, std::size_t count) {
        if (!is_plain(name) || count == 0 || count > kMaxWeights || !takes(count)) {
            return nullptr;
        }
        const InputFile input(folder_ / name);
        const auto bytes = weights_in(input.read(0, input.size()), count);
        return bytes ? Json(base64(*bytes)) : nullptr;
    }

    // Returns what a table shows of the numbers of a map; null if they are none, or too many of all
    // maps are read.
    Json read_grid(const std::string& name, PixelValue shown) {
        std::error_code ignored;
        if (!is_plain(name) || !fs::is_regular_file(folder_ / name, ignored)) {
            return nullptr;
        }
        const InputFile input(folder_ / name);
        if (input.size() > numbers_left_) {
            has_all_numbers_ = false;
            return nullptr;
        }
        numbers_left_ -= input.size();
        const std::optional<NumbersOfFile> map = read_npy(input.read(0, input.size()));
        return map ? grid_of(*map, shown) : Json(nullptr);
    }

    [[nodiscard]] bool is_full() const { return is_full_; }
    [[nodiscard]] bool has_all_numbers() const { return has_all_numbers_; }
    [[nodiscard]] std::size_t room() const { return room_; }

private:
    static bool is_plain(const std::string& name) {
        return !name.empty() && fs::path(name).filename() == name;
    }
    bool takes(std::size_t bytes) {
        const bool fits = bytes <= room_;
        is_full_ = is_full_ || !fits;
        room_ -= fits ? bytes : 0;
        return fits;
    }

    fs::path folder_;
    std::size_t room_;
    std::uint64_t numbers_left_ = kMaxNumberBytes;
    bool is_full_ = false;
    bool has_all_numbers_ = true;
};

Json attention_of(const Json& facts, Pictures& pictures) {
    Json shown = some_of(facts, "pictures", kMaxPicturesOfAttention, [&](const Json& part) -> Json {
        return {{"title", text_in(part, "title")},
                {"largest", finite_in(part, "largest")},
                {"png", pictures.read(text_in(part, "picture"))}};
    });
    const Json heads = finite_in(facts, "heads");
    const Json rows = texts_in(member_of(facts, "rows"));
    const Json columns = texts_in(member_of(facts, "columns"));
    const std::size_t count =
        heads.is_number_unsigned() && heads <= kMaxWeights
            ? heads.get<std::size_t>() * columns.size() * std::max<std::size_t>(rows.size(), 1)
            : 0;
    const auto to_itself = facts.find("is_to_itself");
    return {{"component", text_in(facts, "component")},
            {"number", finite_in(facts, "number")},
            {"heads", heads},
            {"is_to_itself", to_itself != facts.end() && *to_itself == true},
            {"rows", rows},
            {"columns", columns},
            {"weights", pictures.read_weights(text_in(facts, "numbers"), count)},
            {"pictures", std::move(shown)}};
}

Json map_of(const Json& facts, Pictures& pictures) {
    const auto settings = facts.find("settings");
    const std::string method = text_in(facts, "method");
    Json map = {
        {"method", method},
        {"target", text_in(facts, "target")},
        {"settings", settings != facts.end() && settings->is_object() ? harmless(text_of(*settings))
                                                                      : std::string()},
        {"relative_delta", finite_in(facts, "relative_delta")},
        {"dependence", finite_in(facts, "rank_correlation_with_last_layer_drawn_anew")},
        {"smallest", finite_in(facts, "smallest")},
        {"largest", finite_in(facts, "largest")},
        {"png", pictures.read(text_in(facts, "picture"))}};
    const PixelValue shown =
        engine::are_magnitudes(method) ? PixelValue::kMaxMagnitude : PixelValue::kSum;
    if (const Json grid = pictures.read_grid(text_in(facts, "numbers"), shown); grid.is_object()) {
        map.update(grid);
    }
    return map;
}

Json sample_of(const Json& facts, Pictures& pictures) {
    Json maps =
        some_of(facts, "maps", kMaxMaps, [&](const Json& map) { return map_of(map, pictures); });
    Json attention = some_of(facts, "attention", kMaxAttention,
                             [&](const Json& map) { return attention_of(map, pictures); });
    return {{"index", finite_in(facts, "index")},
            {"file", text_in(facts, "file")},
            {"predicted", text_in(facts, "predicted")},
            {"true", text_in(facts, "true")},
            {"target", text_in(facts, "target")},
            {"against", text_in(facts, "against")},
            {"score", finite_in(facts, "score")},
            {"png", pictures.read(text_in(facts, "image"))},
            {"maps", std::move(maps)},
            {"attention", std::move(attention)}};
}

// Returns the folders before the newest one whose maps are of the same samples, and were asked for
// alike.
std::vector<fs::path> comparable(const std::vector<fs::path>& folders, const Json& newest) {
    std::vector<fs::path> same;
    for (std::size_t i = 0; are_of_section(newest) && i + 1 < folders.size(); ++i) {
        try {
            const Json facts = read_explanations(folders[i]);
            if (asked_in(facts) == asked_in(newest) &&
                text_in(facts, "section") == text_in(newest, "section")) {
                same.push_back(folders[i]);
            }
        } catch (const FileError&) {  // stands beside the newest one: it is left out
            continue;
        }
    }
    return same;
}

// Returns the maps of earlier checkpoints, without their numbers, as long as there is room for the
// pictures of all. What cannot be read of them is left out: they are beside the newest ones.
Json earlier_maps(const std::vector<fs::path>& folders, std::size_t room) {
    Json earlier = Json::array();
    const std::size_t count = std::min(folders.size(), kMaxEarlier);
    for (std::size_t i = 0; i < count; ++i) {
        const fs::path& folder = folders[i * folders.size() / count];
        try {
            const Json facts = read_explanations(folder);
            Pictures pictures(folder, room);
            const auto map_without_numbers = [&](const Json& map) -> Json {
                return {{"method", text_in(map, "method")},
                        {"target", text_in(map, "target")},
                        {"png", pictures.read(text_in(map, "picture"))}};
            };
            Json samples =
                some_of(facts, "samples", kMaxExplained, [&](const Json& sample) -> Json {
                    return {{"index", finite_in(sample, "index")},
                            {"file", text_in(sample, "file")},
                            {"predicted", text_in(sample, "predicted")},
                            {"maps", some_of(sample, "maps", kMaxMaps, map_without_numbers)}};
                });
            if (!pictures.is_full()) {
                room = pictures.room();
                earlier.push_back({{"name", harmless(folder.filename().string())},
                                   {"samples", std::move(samples)}});
            }
        } catch (const FileError&) {
            continue;
        }
    }
    return earlier;
}

std::string note_on(const Pictures& pictures) {
    std::vector<std::string> notes;
    if (pictures.is_full()) {
        notes.emplace_back("pictures without room in this file are left out");
    }
    if (!pictures.has_all_numbers()) {
        notes.push_back(
            fmt::format("tables of numbers beyond {} MiB are left out", kMaxNumberBytes >> 20U));
    }
    return join(notes, "; ");
}

Json explanations_in(const std::vector<fs::path>& folders, std::size_t max_bytes) {
    const fs::path& folder = folders.back();
    const Json facts = read_explanations(folder);
    Pictures pictures(folder, max_bytes);
    Json samples = some_of(facts, "samples", kMaxExplained,
                           [&](const Json& sample) { return sample_of(sample, pictures); });
    return {{"kind", "explanations"},
            {"name", harmless(folder.filename().string())},
            {"section", text_in(facts, "section")},
            {"preset", text_in(facts, "preset")},
            {"note", note_on(pictures)},
            {"earlier", earlier_maps(comparable(folders, facts), pictures.room())},
            {"samples", std::move(samples)}};
}

}  // namespace

Json read_explanations(const fs::path& folder) {
    std::optional<Json> facts = parsed_json(
        InputFile(folder / engine::kExplanationsFile).read(0, kMaxFacts), kMaxFactsDepth);
    if (!facts || !facts->is_object() || finite_in(*facts, "format") != 1) {
        throw FileError("does not have explanations that this ptp reads");
    }
    return *std::move(facts);
}

Asked asked_in(const Json& facts) {
    return {text_in(facts, kDataFact), text_in(facts, kOptionsFact)};
}

void add_asked(Json& facts, const Asked& asked) {
    facts[kDataFact] = asked.data;
    facts[kOptionsFact] = asked.options;
}

bool are_of_section(const Json& facts) {
    const std::string data = text_in(facts, kDataFact);
    const std::string section = text_in(facts, "section");
    return section == data || section.starts_with(data + ".");
}

void add_explanations(Json& sections, const fs::path& run, std::size_t max_bytes,
                      std::vector<std::string>& problems) {
    const std::vector<fs::path> folders = folders_of(run / kExplanationsFolder);
    if (folders.empty()) {
        return;
    }
    const fs::path& folder = folders.back();
    try {
        sections.push_back(explanations_in(folders, max_bytes));
    } catch (const FileError& error) {
        problems.push_back(fmt::format(
            "{}: {}; it can be made again\n    fix: rm -r {} && ptprun report {} --explain",
            (folder / engine::kExplanationsFile).string(), error.what(),
            shell_word(folder.string()), shell_word(run.string())));
    }
}

}  // namespace ptp::report
