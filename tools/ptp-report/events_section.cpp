// Gathers events from the journal, from events.jsonl and from run.json.

#include "ptp-report/sections.hpp"

#include "base/text.hpp"
#include "ptp-report/checked_json.hpp"
#include "run/events.hpp"
#include "run/journal.hpp"
#include "run/paths.hpp"
#include "run/plugins_lock.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

namespace ptp::report {

namespace fs = std::filesystem;
using run::Run;

namespace {

constexpr std::uint64_t kMaxMarks = 500;
constexpr const char* kResume = "resume";  // an event

void accept_any(const run::Entry& /*entry*/) {}

// Returns "", or the hash of the build that a swap at an episode replaced.
std::string hash_before(const run::PluginsLock& lock, const run::SwappedPlugin& swapped,
                        std::uint64_t episode) {
    for (const run::LockedPlugin& plugin : lock.plugins) {
        for (std::size_t i = 1; plugin.name == swapped.plugin && i < plugin.generations.size();
             ++i) {
            const run::LockedGeneration& now = plugin.generations[i];
            if (now.from_episode == episode && now.sha256 == swapped.sha256) {
                return plugin.generations[i - 1].sha256;
            }
        }
    }
    return "";
}

bool are_texts(const Value& value) {
    return value.is_list() && std::ranges::all_of(value.items(), &Value::is_string);
}

// Returns "KEY = VALUE" of each argument; where a list of texts is the only one, these.
std::string shown_arguments(const Value& arguments) {
    const std::vector<Member> members =
        arguments.is_table() ? arguments.members() : std::vector<Member>();
    std::vector<std::string> shown;
    if (members.size() == 1 && are_texts(members.front().value)) {
        for (const Value& item : members.front().value.items()) {
            shown.push_back(item.as_string());
        }
        return join(shown, ", ");
    }
    for (const Member& argument : members) {
        shown.push_back(argument.key + " = " +
                        (argument.value.is_string() ? argument.value.as_string()
                                                    : text_of(json_of(argument.value))));
    }
    return join(shown, "; ");
}

std::string what_of(const run::Entry& entry, const run::PluginsLock& lock) {
    if (entry.command != "swap") {
        return shown_arguments(entry.arguments);
    }
    std::string what;
    for (const run::SwappedPlugin& plugin : run::swapped_plugins(entry)) {
        const std::string before = hash_before(lock, plugin, entry.episode);
        what += fmt::format("{}{}: {} → {}", what.empty() ? "" : "; ", plugin.plugin,
                            before.empty() ? "unknown" : before, plugin.sha256);
    }
    return what;
}

void add_journal(Json& events, const Run& run, std::vector<std::string>& problems) {
    try {
        run::PluginsLock lock;
        std::error_code ignored;
        if (fs::exists(run.folder / run::kPluginsLockFile, ignored)) {
            lock = run::read_plugins_lock(run.folder / run::kPluginsLockFile);
        }
        for (const run::Entry& entry :
             run::read_journal(run.folder / run::kJournalFile, accept_any)) {
            events.push_back({{"episode", entry.episode},
                              {"what", entry.command},
                              {"details", harmless(what_of(entry, lock))},
                              {"time", harmless(entry.time)}});
        }
    } catch (const std::exception& error) {
        problems.emplace_back(error.what());
    }
}

std::vector<run::Event> noted_in(const Run& run, std::vector<std::string>& problems) {
    try {
        return run::read_events(run.folder / run::kEventsFile);
    } catch (const std::exception& error) {
        problems.emplace_back(error.what());
        return {};
    }
}

// Adds what has happened to the training from within, but for resumes.
void add_noted(Json& events, const std::vector<run::Event>& noted) {
    for (const run::Event& event : noted) {
        const Value* const to = event.details.find("to_episode");
        const bool is_back = to != nullptr && to->is_integer();
        if (event.event != kResume) {
            events.push_back(
                {{"episode", event.episode},
                 {"what", harmless(event.event)},
                 {"details", is_back ? fmt::format("back to episode {}", to->as_integer()) : ""},
                 {"time", harmless(event.time)}});
        }
    }
}

// Adds each process after the first one, which continued the run: the first resume that was noted
// after it began, and before the next did, has its episode. Older runs note none.
void add_resumes(Json& events, const Value& processes, const std::vector<run::Event>& noted) {
    const auto text = [](const Value& process, const char* key) {
        const Value* value = process.find(key);
        return value != nullptr && value->is_string() ? harmless(value->as_string()) : "";
    };
    for (std::size_t i = 1; processes.is_list() && i < processes.items().size(); ++i) {
        const std::string began = text(processes.items()[i], "began");
        const std::string next =
            i + 1 < processes.items().size() ? text(processes.items()[i + 1], "began") : "";
        const auto resume = std::ranges::find_if(noted, [&](const run::Event& event) {
            return event.event == kResume && event.time >= began &&
                   (next.empty() || event.time <= next);
        });
        events.push_back({{"episode", resume == noted.end() ? Json() : Json(resume->episode)},
                          {"what", kResume},
                          {"details", text(processes.items()[i], "restart_reason")},
                          {"time", began}});
    }
}

// Steps whose statistics are all nan were skipped, for a loss that is not a number.
void add_skipped(Json& events, const std::vector<StatisticsTable>& tables) {
    for (const StatisticsTable& table : tables) {
        if (table.set + run::kTableEnding != run::kTrainingTable || table.names.size() < 3) {
            continue;
        }
        std::size_t marks = 0;
        for (std::size_t row = 0; row < table.row_count() && marks < kMaxMarks; ++row) {
            bool is_any = false;
            for (std::size_t i = 0; i < table.names.size(); ++i) {
                is_any = is_any || (!is_place(table.names[i]) &&
                                    !table.names[i].starts_with("learning_rate") &&
                                    std::isfinite(table.columns[i][row]));
            }
            if (!is_any) {
                ++marks;
                events.push_back({{"episode", exact(table.columns[0][row])},
                                  {"what", "no numbers"},
                                  {"details", "a skipped step, or nothing but nan"},
                                  {"time", ""}});
            }
        }
    }
}

}  // namespace

Json events_section(const Run& run, const std::vector<StatisticsTable>& tables,
                    const std::optional<run::Record>& record, std::vector<std::string>& problems) {
    Json events = Json::array();
    add_journal(events, run, problems);
    const std::vector<run::Event> noted = noted_in(run, problems);
    add_noted(events, noted);
    if (std::ranges::none_of(noted, [](const auto& event) { return event.event == "skip"; })) {
        add_skipped(events, tables);  // an older run
    }
    if (record) {
        add_resumes(events, record->processes, noted);
    }
    // By their episodes, those of one by their times; those without an episode last.
    const auto place = [](const Json& event) {
        const Json& episode = event.at("episode");
        return std::pair(
            episode.is_number() ? episode.get<double>() : std::numeric_limits<double>::infinity(),
            event.at("time").get<std::string>());
    };
    std::ranges::stable_sort(events.get_ref<Json::array_t&>(), {}, place);
    return {{"kind", "events"}, {"events", std::move(events)}};
}

}  // namespace ptp::report
