// The JSON object of each event, and the file with those of the statistics.

#include "engine/output/json_lines.hpp"

#include "base/json.hpp"
#include "run/paths.hpp"

#include <utility>

namespace ptp::engine {

namespace {

Json event(const char* name) {
    return {{"event", name}};
}

Json event(const char* name, Position at, std::uint64_t first_epoch) {
    Json json = event(name);
    json["episode"] = at.episode;
    json["epoch"] = first_epoch + at.epoch;
    return json;
}

Json object_of(const Cells& cells) {
    Json object = Json::object();
    for (const auto& [name, number] : cells) {
        object[name] = number;
    }
    return object;
}

Json outputs_of(const pipeline::Plan& plan, const pipeline::Node& node) {
    Json streams = Json::array();
    for (const int stream : node.written_streams()) {
        streams.push_back(plan.stream(stream).name);
    }
    return streams;
}

}  // namespace

std::string json_text(const RunInfo& facts) {
    Json json = event("begin");
    json["name"] = facts.name;
    json["run_folder"] = facts.folder.string();
    json["seed"] = facts.seed;
    json["device"] = facts.device;
    json["first_episode"] = facts.first_episode;
    Json components = Json::array();
    for (const pipeline::Node& node : facts.plan.nodes) {
        components.push_back({{"name", node.name},
                              {"type", node.component->name},
                              {"outputs", outputs_of(facts.plan, node)}});
    }
    json["components"] = std::move(components);
    return text_of(json);
}

std::string json_text(const EpisodeRow& row, const std::vector<Column>& columns,
                      std::uint64_t first_epoch) {
    Json json = event("episode", row.at, first_epoch);
    json["statistics"] = object_of(batch_cells(columns, row.values, kTrainingSet));
    return text_of(json);
}

std::string json_text(const SetRow& row, const std::vector<Column>& columns,
                      std::uint64_t first_epoch) {
    Json json = event("set");
    json["set"] = row.set;
    json["episode"] = row.position.at.episode;
    json["epoch"] = first_epoch + row.position.at.epoch;
    json["episodes_aggregated"] = row.position.episodes_aggregated;
    json["statistics"] = object_of(set_cells(columns, row.aggregates));
    return text_of(json);
}

std::string json_text(const SavedCheckpoint& saved) {
    Json json = event("checkpoint", saved.at, 1);
    json["folder"] = saved.folder.string();
    return text_of(json);
}

std::string json_text(const RunOutcome& outcome) {
    Json json = event("end");
    json["state"] = outcome.state;
    json["reason"] = outcome.reason;
    json["exit_code"] = outcome.exit_code;
    return text_of(json);
}

JsonLines::JsonLines(std::filesystem::path path, const experiment::JsonLines& settings)
    : SinkWithFile(std::move(path)), stride_(static_cast<std::uint64_t>(settings.every_episodes)) {}

void JsonLines::begin(const RunInfo& facts) {
    columns_ = &facts.columns;
    first_epoch_ = facts.first_epoch;
    if (file() == nullptr) {
        new_file();
    }
}

void JsonLines::episode(const EpisodeRow& row) {
    if (row.at.episode % stride_ == 0) {
        add(json_text(row, *columns_, first_epoch_));
    }
}

void JsonLines::set(const SetRow& row) {
    add(json_text(row, *columns_, first_epoch_));
    file()->flush();
}

void JsonLines::add(std::string text) {
    text += '\n';
    file()->add(text);
}

void JsonLines::restore(const Value& saved) {
    if (!saved.members().empty() || std::filesystem::exists(path())) {
        continue_file(saved);
    }
}

std::unique_ptr<Sink> make_sink(const experiment::JsonLines& options,
                                const std::filesystem::path& run_folder) {
    return std::make_unique<JsonLines>(run_folder / run::kJsonLinesFile, options);
}

}  // namespace ptp::engine
