// Reads explanations.json and its pictures. Nothing of it is trusted.

#include "ptp-report/explanations_section.hpp"

#include "base/base64.hpp"
#include "base/error.hpp"
#include "base/file_error.hpp"
#include "base/input_file.hpp"
#include "base/output_file.hpp"
#include "base/ranges.hpp"
#include "base/text.hpp"
#include "distributed/program.hpp"
#include "engine/explain_request.hpp"
#include "plugin/search_path.hpp"
#include "ptprun/explain_options.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>

namespace ptp::report {

namespace fs = std::filesystem;

namespace {

constexpr const char* kExplanationsFolder = "explanations";
constexpr const char* kDataFact = "data";
constexpr const char* kOptionsFact = "options";
constexpr std::uint64_t kMaxFacts = 4U << 20U;
constexpr std::size_t kMaxFactsDepth = 8;
constexpr std::size_t kMaxExplained = 64;
constexpr std::size_t kMaxMaps = 16;
constexpr std::size_t kMaxAttention = 64;       // of a sample
constexpr std::size_t kMaxWeights = 1U << 18U;  // of one of them
constexpr std::size_t kMaxPicturesOfAttention = 16;

// Returns the newest folder with a file of facts; empty without one.
fs::path newest_of(const fs::path& root) {
    fs::path newest;
    std::error_code ignored;
    for (fs::directory_iterator it(root, ignored), end; !ignored && it != end;
         it.increment(ignored)) {
        if (fs::exists(it->path() / engine::kExplanationsFile, ignored) && it->path() > newest) {
            newest = it->path();
        }
    }
    return newest;
}

std::string fact_text(const Json& facts, const char* key) {
    const auto found = facts.find(key);
    return found != facts.end() && found->is_string() ? harmless(found->get<std::string>()) : "";
}

Json fact_number(const Json& facts, const char* key) {
    const auto found = facts.find(key);
    return found != facts.end() && found->is_number() ? *found : Json();
}

const Json& fact_list(const Json& facts, const char* key) {
    static const Json kNone = Json::array();
    const auto found = facts.is_object() ? facts.find(key) : facts.end();
    return facts.is_object() && found != facts.end() && found->is_array() ? *found : kNone;
}

// Returns the words of a list.
Json words_in(const Json& facts, const char* key) {
    Json words = Json::array();
    for (const Json& word : fact_list(facts, key)) {
        words.push_back(word.is_string() ? harmless(word.get<std::string>()) : "");
    }
    return words;
}

// Returns the numbers of a file that write_npy() has written, which are weights from 0 to 1, as
// bytes from 0 to 255; nullopt if it does not have this many.
std::optional<std::string> weights_in(std::string_view npy, std::size_t count) {
    constexpr std::size_t kPreamble = 10;
    if (npy.size() < kPreamble || !npy.starts_with(std::string_view("\x93NUMPY\x01\x00", 8))) {
        return std::nullopt;
    }
    const std::size_t begin =
        kPreamble + static_cast<unsigned char>(npy[8]) + 256U * static_cast<unsigned char>(npy[9]);
    if (npy.size() != begin + count * sizeof(float)) {
        return std::nullopt;
    }
    std::string bytes(count, '\0');
    for (std::size_t i = 0; i < count; ++i) {
        float weight = 0;
        std::memcpy(&weight, npy.data() + begin + i * sizeof(float), sizeof(float));
        weight = weight >= 0 ? std::min(weight, 1.0F) : 0.0F;  // also for nan
        bytes[i] = static_cast<char>(static_cast<unsigned char>(std::lround(weight * 255)));
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

    [[nodiscard]] bool is_full() const { return is_full_; }

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
    bool is_full_ = false;
};

Json attention_of(const Json& facts, Pictures& pictures) {
    Json shown = Json::array();
    for (const Json& part : fact_list(facts, "pictures")) {
        if (part.is_object() && shown.size() < kMaxPicturesOfAttention) {
            shown.push_back({{"title", fact_text(part, "title")},
                             {"largest", fact_number(part, "largest")},
                             {"png", pictures.read(fact_text(part, "picture"))}});
        }
    }
    const Json heads = fact_number(facts, "heads");
    const Json rows = words_in(facts, "rows");
    const Json columns = words_in(facts, "columns");
    const std::size_t count =
        heads.is_number_unsigned() && heads <= kMaxWeights
            ? heads.get<std::size_t>() * columns.size() * std::max<std::size_t>(rows.size(), 1)
            : 0;
    const auto to_itself = facts.find("is_to_itself");
    return {{"component", fact_text(facts, "component")},
            {"number", fact_number(facts, "number")},
            {"heads", heads},
            {"is_to_itself", to_itself != facts.end() && *to_itself == true},
            {"rows", rows},
            {"columns", columns},
            {"weights", pictures.read_weights(fact_text(facts, "numbers"), count)},
            {"pictures", std::move(shown)}};
}

Json map_of(const Json& facts, Pictures& pictures) {
    const auto settings = facts.find("settings");
    return {
        {"method", fact_text(facts, "method")},
        {"settings", settings != facts.end() && settings->is_object() ? harmless(text_of(*settings))
                                                                      : std::string()},
        {"relative_delta", fact_number(facts, "relative_delta")},
        {"dependence", fact_number(facts, "rank_correlation_with_last_layer_drawn_anew")},
        {"png", pictures.read(fact_text(facts, "picture"))}};
}

Json sample_of(const Json& facts, Pictures& pictures) {
    Json maps = Json::array();
    for (const Json& map : fact_list(facts, "maps")) {
        if (map.is_object() && maps.size() < kMaxMaps) {
            maps.push_back(map_of(map, pictures));
        }
    }
    Json attention = Json::array();
    for (const Json& map : fact_list(facts, "attention")) {
        if (map.is_object() && attention.size() < kMaxAttention) {
            attention.push_back(attention_of(map, pictures));
        }
    }
    return {{"index", fact_number(facts, "index")},
            {"file", fact_text(facts, "file")},
            {"predicted", fact_text(facts, "predicted")},
            {"target", fact_text(facts, "target")},
            {"against", fact_text(facts, "against")},
            {"score", fact_number(facts, "score")},
            {"png", pictures.read(fact_text(facts, "image"))},
            {"maps", std::move(maps)},
            {"attention", std::move(attention)}};
}

// Throws FileError.
Json facts_in(const fs::path& folder) {
    std::optional<Json> facts = parsed_json(
        InputFile(folder / engine::kExplanationsFile).read(0, kMaxFacts), kMaxFactsDepth);
    if (!facts || !facts->is_object() || fact_number(*facts, "format") != 1) {
        throw FileError("does not have explanations that this ptp reads");
    }
    return *std::move(facts);
}

Json explanations_in(const fs::path& folder, std::size_t max_bytes) {
    const Json facts = facts_in(folder);
    Pictures pictures(folder, max_bytes);
    Json samples = Json::array();
    for (const Json& sample : fact_list(facts, "samples")) {
        if (sample.is_object() && samples.size() < kMaxExplained) {
            samples.push_back(sample_of(sample, pictures));
        }
    }
    return {{"kind", "explanations"},
            {"name", harmless(folder.filename().string())},
            {"section", fact_text(facts, "section")},
            {"preset", fact_text(facts, "preset")},
            {"note", pictures.is_full() ? "pictures without room in this file are left out" : ""},
            {"samples", std::move(samples)}};
}

// The explanations that were asked for, without their methods.
struct Asked {
    std::string data;
    std::string options;  // as typed
};

Asked asked_for(const std::string& data, experiment::Explanations explanations) {
    explanations.methods = experiment::Explanations().methods;
    return {data, join(ptprun::explain_words(std::move(explanations)), " ")};
}

// Returns whether the folder has maps of these methods for the samples of this section. Files are
// no section: they may have changed.
bool has_maps(const fs::path& folder, const std::vector<std::string>& methods, const Asked& asked) {
    try {
        const Json facts = facts_in(folder);
        const std::string section = fact_text(facts, "section");
        if (fact_text(facts, kDataFact) != asked.data ||
            fact_text(facts, kOptionsFact) != asked.options ||
            (section != asked.data && !section.starts_with(asked.data + "."))) {
            return false;
        }
        const Json& first = fact_list(facts, "samples").at(0);
        std::vector<std::string> made;
        for (const Json& map : fact_list(first, "maps")) {
            made.push_back(fact_text(map, "method"));
        }
        const bool has_all =
            first.contains("attention") &&
            std::ranges::all_of(experiment::kExplainMethods,
                                [&](const char* method) { return contains(made, method); });
        if (has_all) {
            made.emplace_back(experiment::kAllMethods);
        }
        if (!fact_list(first, "attention").empty()) {
            made.emplace_back(experiment::kAttentionMethod);
        }
        return std::ranges::all_of(methods,
                                   [&](const auto& method) { return contains(made, method); });
    } catch (const std::exception&) {  // there are none, or none that can be read
        return false;
    }
}

// Adds what was asked for to the facts of a folder. Throws FileError, RunError.
void add_facts(const fs::path& folder, const Asked& asked) {
    Json facts = facts_in(folder);
    facts[kDataFact] = asked.data;
    facts[kOptionsFact] = asked.options;
    replace_file(folder / engine::kExplanationsFile, text_of(facts, 2) + "\n");
}

}  // namespace

void add_explanations(Json& sections, const fs::path& run, std::size_t max_bytes,
                      std::vector<std::string>& problems) {
    const fs::path folder = newest_of(run / kExplanationsFolder);
    if (folder.empty()) {
        return;
    }
    try {
        sections.push_back(explanations_in(folder, max_bytes));
    } catch (const FileError& error) {
        problems.push_back(fmt::format(
            "{}: {}\n    fix: rm -r {}; ptprun report --explain makes it again",
            (folder / engine::kExplanationsFile).string(), error.what(), folder.string()));
    }
}

std::string explain_run(const fs::path& run, const experiment::Explanations& explanations,
                        const std::string& data) {
    std::error_code error;
    const fs::path checkpoint =
        fs::canonical(run / run::kCheckpointsFolder / run::kLastCheckpoint, error);
    if (error) {
        return "there is no checkpoint yet";
    }
    const fs::path folder = run / kExplanationsFolder / checkpoint.filename();
    const Asked asked = asked_for(data, explanations);
    if (has_maps(folder, explanations.methods, asked)) {
        return "";
    }
    const fs::path made = folder.string() + ".new";  // of a program that was ended
    fs::remove_all(made, error);
    distributed::Program program{
        .path = plugin::executable_path().parent_path() / "ptprun",
        .arguments = {"explain-prediction", run.string(), "--checkpoint", checkpoint.string(), "-o",
                      made.string(), "--quiet", "--data", data}};
    const tools::Strings words = ptprun::explain_words(explanations);
    program.arguments.insert(program.arguments.end(), words.begin(), words.end());
    try {
        if (distributed::run(program) != 0) {
            fs::remove_all(made, error);
            return "ptprun explain-prediction has failed";
        }
        add_facts(made, asked);
    } catch (const std::exception& failed) {
        return failed.what();
    }
    fs::remove_all(folder, error);
    fs::rename(made, folder, error);
    return error ? error.message() : "";
}

}  // namespace ptp::report
