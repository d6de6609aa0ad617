// Writes the data as JSON, for programs.

#include "ptp-data/pages.hpp"
#include "run/format.hpp"

namespace ptp::data {

namespace {

Json json_of_spread(const engine::Spread& spread) {
    if (spread.count == 0) {
        return nullptr;
    }
    return {{"count", spread.count},
            {"min", spread.min},
            {"max", spread.max},
            {"mean", spread.mean},
            {"deviation", spread.deviation()}};
}

Json json_of_stream(const SectionFacts& section, const StreamFacts& stream) {
    Json json = {{"name", stream.name},
                 {"type", stream.type},
                 {"shape", stream.shape},
                 {stream.is_text ? "lengths" : "numbers", json_of_spread(stream.spread)},
                 {"not_finite", stream.not_finite}};
    for (const engine::Spread& channel : stream.channels) {
        json["channels"].push_back(json_of_spread(channel));
    }
    for (const engine::ValueCount& value : stream.values) {
        json["values"][class_text(section, stream, value.value)] = value.count;
    }
    return json;
}

Json json_of_value(const StreamFacts& stream, const engine::ShownValue& value) {
    if (stream.is_text) {
        return value.text;
    }
    return {{"sizes", value.sizes}, {"numbers", value.numbers}};
}

Json json_of_section(const SectionFacts& section) {
    Json json = {{"section", section.name},    {"task", section.task},
                 {"samples", section.samples}, {"batch_size", section.batch_size},
                 {"read", section.read},       {"streams", Json::array()},
                 {"broken", Json::array()},    {"shown", Json::array()}};
    if (!section.error.empty()) {
        json["error"] = section.error;
    }
    for (const StreamFacts& stream : section.streams) {
        json["streams"].push_back(json_of_stream(section, stream));
    }
    for (const engine::BrokenSample& broken : section.broken) {
        json["broken"].push_back({{"index", broken.index}, {"error", broken.error}});
    }
    for (const engine::ShownSample& sample : section.shown) {
        Json values = Json::object();
        for (std::size_t i = 0; i < sample.values.size(); ++i) {
            values[section.streams[i].name] = json_of_value(section.streams[i], sample.values[i]);
        }
        json["shown"].push_back({{"index", sample.index}, {"values", std::move(values)}});
    }
    if (!section.versions.indices.empty()) {
        json["versions"] = json_of_versions(section);
    }
    return json;
}

}  // namespace

std::string json_page(const Findings& findings) {
    Json json = Json::object();
    if (findings.format > 0) {
        json[run::kFormatKey] = findings.format;
    }
    json["experiment"] = findings.experiment;
    json["sections"] = Json::array();
    json["equal_by"] = findings.hashed;
    json["equal"] = Json::array();
    for (const SectionFacts& section : findings.sections) {
        json["sections"].push_back(json_of_section(section));
    }
    for (const Duplicates& found : findings.duplicates) {
        json["equal"].push_back({{"first", found.first},
                                 {"second", found.second},
                                 {"count", found.count},
                                 {"examples", found.examples}});
    }
    for (const ComparedStream& stream : findings.compared) {
        Json values = Json::object();
        for (const ComparedValue& value : stream.values) {
            values[value.value] = value.shares;
        }
        json["compared"].push_back({{"stream", stream.name},
                                    {"sections", stream.sections},
                                    {"shares", std::move(values)}});
    }
    return text_of(json, 2) + "\n";
}

}  // namespace ptp::data
