// Reads layers.csv in pieces, and thins its episodes as they come: of a long training it is large.

#include "ptp-report/sections.hpp"

#include "base/file_error.hpp"
#include "base/text.hpp"
#include "ptp-report/statistics_table.hpp"
#include "run/paths.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

namespace ptp::report {

namespace {

constexpr std::size_t kMaxEpisodes = 120;
constexpr std::size_t kMaxLayers = 400;
constexpr std::size_t kFirstMeasure = 4;  // after kind, name, episode and epoch

// A cell of the picture, or none.
Json short_number(const std::string& cell) {
    double value = 0;
    const auto read = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (read.ec != std::errc() || !std::isfinite(value)) {
        return nullptr;
    }
    const std::string text = fmt::format("{:.4g}", value);
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

class Layers {
public:
    // Returns false for a malformed line.
    bool add(const std::vector<std::string>& cells) {
        std::uint64_t episode = 0;
        const std::string& text = cells[2];
        const auto read = std::from_chars(text.data(), text.data() + text.size(), episode);
        if (read.ec != std::errc()) {
            return false;
        }
        const auto [place, is_new] = places_.try_emplace({cells[0], cells[1]}, layers_.size());
        if (is_new && layers_.size() == kMaxLayers) {
            places_.erase(place);
            are_left_out_ = true;
            return true;
        }
        if (is_new) {
            layers_.push_back({harmless(cells[0]), harmless(cells[1]), {}});
        }
        layers_[place->second].rows[episode] = {cells.begin() + kFirstMeasure, cells.end()};
        return true;
    }

    [[nodiscard]] Json section(const std::vector<std::string>& measures) const {
        Json layers = Json::array();
        for (const Layer& layer : layers_) {
            layers.push_back(json_of(layer, measures));
        }
        return {{"kind", "layers"},
                {"note", are_left_out_ ? fmt::format("the first {} layers", kMaxLayers) : ""},
                {"measures", measures},
                {"layers", std::move(layers)}};
    }

private:
    struct Layer {
        std::string kind;
        std::string name;
        std::map<std::uint64_t, std::vector<std::string>> rows;  // by episode
    };

    // Takes every n-th of its episodes, and the last.
    static Json json_of(const Layer& layer, const std::vector<std::string>& measures) {
        const std::size_t step = (layer.rows.size() + kMaxEpisodes - 1) / kMaxEpisodes;
        Json episodes = Json::array();
        Json values = Json::object();
        std::size_t number = 0;
        for (const auto& [episode, cells] : layer.rows) {
            if (number++ % step != 0 && number != layer.rows.size()) {
                continue;
            }
            episodes.push_back(episode);
            for (std::size_t i = 0; i < measures.size(); ++i) {
                values[measures[i]].push_back(short_number(cells[i]));
            }
        }
        return {{"kind", layer.kind},
                {"name", layer.name},
                {"episodes", std::move(episodes)},
                {"values", std::move(values)}};
    }

    std::map<std::pair<std::string, std::string>, std::size_t> places_;
    std::vector<Layer> layers_;
    bool are_left_out_ = false;
};

}  // namespace

void add_layers(Json& sections, const std::filesystem::path& run,
                std::vector<std::string>& problems) {
    const std::filesystem::path file = run / run::kLayersTable;
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) {
        return;
    }
    Layers layers;
    std::vector<std::string> header;
    try {
        Lines lines(file);
        for (auto line = lines.next(); line; line = lines.next()) {
            const std::vector<std::string> cells = cells_of(*line);
            const bool is_first = lines.number() == 1;
            const bool is_good = is_first ? cells.size() > kFirstMeasure && cells[0] == "kind"
                                          : cells.size() == header.size() && layers.add(cells);
            if (!is_good || lines.is_too_long()) {
                problems.push_back(fmt::format(
                    "{}:{}: is no row of values of layers; the report ends before it; a resume "
                    "writes what came after the last checkpoint again\n    fix: ptprun resume {}",
                    file.string(), lines.number(), shell_word(run.string())));
                break;
            }
            header = is_first ? cells : header;
        }
    } catch (const FileError& error) {
        problems.push_back(
            fmt::format("{}: {}\n    fix: make it readable", file.string(), error.what()));
    }
    if (header.size() > kFirstMeasure) {
        std::vector<std::string> measures;
        for (std::size_t i = kFirstMeasure; i < header.size(); ++i) {
            measures.push_back(harmless(header[i]));
        }
        sections.push_back(layers.section(measures));
    }
}

}  // namespace ptp::report
