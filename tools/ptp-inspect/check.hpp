// Declares `ptp-inspect --check`, which judges a plugin's file by the rules of
// engine/check_rules.hpp: the check, the rules for the file and its code, the child processes, the
// settings of --with, and the report.
#pragma once

#include "base/diagnostics.hpp"
#include "engine/check_rules.hpp"
#include "engine/solo_requests.hpp"
#include "experiment/experiment.hpp"
#include "host/open_engine.hpp"
#include "plugin/catalog.hpp"
#include "plugin/manifest.hpp"

#include <cassert>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::inspect {

// The engine, opened on first use and shared by all checks: child processes that are started later
// inherit it.
class Engine {
public:
    // Throws std::runtime_error with the reason why it cannot be opened.
    void open() {
        if (check_ == nullptr) {
            check_ =
                reinterpret_cast<engine::CheckFunction>(host::engine_symbol(engine::kCheckSymbol));
        }
    }

    // Checks the components. The engine must be open.
    void check(const engine::CheckRequest& request, engine::CheckResult& result) const {
        assert(check_ != nullptr);
        check_(request, result);
    }

private:
    engine::CheckFunction check_ = nullptr;
};

// A finding of a rule.
struct Finding {
    engine::RuleOutcome outcome = engine::RuleOutcome::kFailed;
    std::string reason;          // "" if skipped because the rule does not apply
    std::string component = {};  // "": it concerns the file
    std::string fix = {};        // "": that of the rule
    bool is_conclusive = true;   // false: the process ended for another reason than the plugin
    int signal = 0;              // that ended the process; 0: none
    engine::RuleId rule = {};    // where findings of several rules are together
};
using Findings = std::vector<Finding>;

struct RuleReport {
    engine::RuleId rule = engine::RuleId::kPluginFile;
    engine::RuleOutcome outcome = engine::RuleOutcome::kPassed;  // combines the findings
    Findings findings = {};                                      // without the passed ones
};

enum class Verdict { kAccepted, kIncomplete, kRefused };

std::string_view to_string(Verdict verdict);

struct PluginReport {
    std::filesystem::path file;
    std::vector<RuleReport> rules;  // by number: requested ones, and needed ones that fail
    bool is_strict = false;         // warnings reject the plugin too
    std::string plugin = {};        // its name; "": the file has no readable manifest

    // Returns the result: one rejecting rule suffices, even if others were not tried.
    [[nodiscard]] Verdict verdict() const;

    // Returns whether all shown rules were tried, and each component was run for them.
    [[nodiscard]] bool is_complete() const;
};

struct CheckOptions {
    int time_limit_s = 20;                               // per rule and component
    std::filesystem::path home = {};                     // what "~" expands to
    std::vector<experiment::ComponentEntry> given = {};  // components with settings of --with
    std::vector<engine::RuleId> rules = {};              // empty: all
    std::uint64_t seed = 1;
    bool is_strict = false;  // warnings reject a plugin too
};

// Checks a plugin, including the rules that the requested ones need. Separate processes read the
// file and run the plugin. This process must have one thread.
PluginReport check_plugin(const std::filesystem::path& path, const CheckOptions& options,
                          Engine& engine);

// "rule 204 (runs)".
std::string rule_title(engine::RuleId rule);

// Runs `work` in a child process, which is killed after the time limit. An exception of the work,
// and a process that did not end well ("ended by signal 11 (Segmentation fault)"), become the last
// finding, with the rule of `failure` and after its reason. The process must have one thread.
Findings find_in_child(const std::function<Findings()>& work, int time_limit_s,
                       const Finding& failure = {});

struct FileRule {
    engine::RuleId id;
    // Returns no findings if the rule passes. Throws FileError if the file cannot be read.
    Findings (*check)(const plugin::CatalogEntry& entry);
};

const std::vector<FileRule>& file_rules();

// Loads libraries that are not in a folder named by the plugin, as the system does. Throws
// FileError.
Findings check_needed_libraries(const plugin::CatalogEntry& entry);

// Checks the names of needed libraries; returns false if the file cannot be read.
bool needs_libtorch(const std::filesystem::path& library);

// The beginning of the reason of a finding if the plugin ended the process or exceeded the time
// limit.
inline constexpr std::string_view kLoadingIt = "loading it ";

// Runs the plugin's code in a child process. `missing_engine` is why the engine cannot be opened,
// "" if it is open: for a plugin that cannot be loaded without libtorch, rule 201 is then not
// tried, with that reason.
Findings check_loading(const plugin::CatalogEntry& entry, int time_limit_s,
                       const std::string& missing_engine);

// Returns a line for each rule, its findings below it, and the number of each outcome.
std::string check_report_text(const PluginReport& report);

// Returns the reports on all plugins as one JSON object.
std::string report_json(const std::vector<PluginReport>& reports, const CheckOptions& options);

// The file of --with: an author's settings for the checked components.
//     [ImageFolder]                      # a type; [[ImageFolder]] to try it several times
//     data_folder = "pictures"           # a setting
//     globals = { output_size = 10 }     # globals that it reads, as in an experiment
struct GivenSource {
    std::filesystem::path file;
    std::filesystem::path home = {};  // what "~" expands to
};

// Returns an entry for each table. Reports unreadable content, and keys that no component has.
std::vector<experiment::ComponentEntry> read_given_settings(
    const GivenSource& source, const std::vector<plugin::Component>& components,
    Diagnostics& problems);

}  // namespace ptp::inspect
