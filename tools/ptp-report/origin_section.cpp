// Reads the hashes that checkpoints list, the lineage and the processes of run.json.

#include "ptp-report/sections.hpp"

#include "base/text.hpp"
#include "bundle/history.hpp"
#include "ptp-report/checked_json.hpp"
#include "run/hashes.hpp"
#include "run/paths.hpp"

#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace ptp::report {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxLines = 200;
constexpr std::size_t kMaxProcesses = 100;

// Returns the hash of a checkpoint's weights; "" if nothing lists it.
std::string hash_in(const fs::path& checkpoint) {
    try {
        return run::listed_hash(checkpoint / experiment::kWeightsFile);
    } catch (const std::runtime_error&) {  // no list of hashes
        return "";
    }
}

// Returns the weights that the last and the best checkpoint have.
Json weights_of(const fs::path& run) {
    Json weights = Json::array();
    for (const char* name : {run::kBestCheckpoint, run::kLastCheckpoint}) {
        std::error_code error;
        const fs::path folder = fs::canonical(run / run::kCheckpointsFolder / name, error);
        if (!error) {
            weights.push_back({{"name", name},
                               {"checkpoint", harmless(folder.filename().string())},
                               {"sha256", harmless(hash_in(folder))}});
        }
    }
    return weights;
}

// Adds the models that the training began with, and all before them.
void add_lineage(Json& section, const fs::path& run) {
    section["parents"] = Json::array();
    section["lines"] = Json::array();
    bundle::History history;
    try {
        history = bundle::history_of(run, run / run::kCheckpointsFolder / run::kLastCheckpoint);
    } catch (const std::runtime_error&) {  // no checkpoint, or an older or damaged record
        return;
    }
    for (const bundle::Parent& parent : history.lineage.parents) {
        section["parents"].push_back({{"sha256", harmless(parent.weights_sha256)},
                                      {"component", harmless(parent.component)}});
    }
    for (const bundle::LineageLine& line :
         bundle::lineage_lines(history.lineage, history.ancestors)) {
        if (section["lines"].size() < kMaxLines) {
            section["lines"].push_back({{"depth", line.depth}, {"text", harmless(line.text)}});
        }
    }
}

Json processes_of(const Value& processes) {
    Json list = Json::array();
    for (std::size_t i = 0;
         processes.is_list() && i < processes.items().size() && i < kMaxProcesses; ++i) {
        const Json process = json_of(processes.items()[i]);
        std::vector<std::string> words;
        for (const Json& word : list_in(process, "command_line")) {
            words.push_back(shell_word(text_in(word)));
        }
        list.push_back({{"began", text_in(process, "began")},
                        {"command", join(words, " ")},
                        {"host", text_in(process, "host")},
                        {"device", text_in(process, "device")},
                        {"ranks", finite_in(process, "ranks")}});
    }
    return list;
}

}  // namespace

Json origin_section(const run::Run& run, const std::optional<run::Record>& record) {
    Json section = {{"kind", "origin"}, {"weights", weights_of(run.folder)}};
    add_lineage(section, run.folder);
    section["processes"] = record ? processes_of(record->processes) : Json::array();
    return section;
}

}  // namespace ptp::report
