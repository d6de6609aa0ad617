// What is remembered of plugins that were loaded or checked, from one process to the next: which of
// them crashed, hung, or ended the process. The entry of a file is found by its content and by the
// host, so that a newer build and a newer host begin anew.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::plugin {

// What was done when it ended.
enum class TriedWork : std::int32_t {
    kLoading = 1,  // as every program does that uses the plugin
    kChecking      // on values that were made up to find mistakes
};

// What came of a file. Without an `end` it went well.
struct Tried {
    std::string hash;       // SHA-256 of the file
    std::string host = {};  // host_text() at that time
    std::string plugin = {};
    std::string file = {};  // where it lay
    TriedWork work = TriedWork::kLoading;
    std::string end = {};     // "ended by signal 11 (Segmentation fault)", "took longer than 20 s"
    std::int32_t signal = 0;  // 0: none
    std::string step = {};    // the last one: "its start-up code"
    std::string when = {};    // "2026-11-21T08:59:12Z"

    bool operator==(const Tried&) const = default;

    // "loading it ended by signal 11 (Segmentation fault) in its start-up code on 2026-11-21".
    [[nodiscard]] std::string text() const;
};

// What of this host matters to a plugin: "ptp 0.1.0, ABI 1.2, libtorch 2.6.0, ...".
std::string host_text();

// ptp/plugins.json below XDG_CACHE_HOME, which counts only as an absolute path, or else below
// HOME/.cache. Empty where neither is known: nothing is remembered.
std::filesystem::path memory_file(std::string_view xdg_cache_home,
                                  const std::filesystem::path& home);
// As the environment of this process has it. [main]
std::filesystem::path memory_file();

// One thread at a time; any number of processes may use the file at once.
class CrashMemory {
public:
    // Reads the file; one that is not there is empty.
    explicit CrashMemory(std::filesystem::path file);

    // Why the file could not be read, as a sentence; "" if it could. It is taken as empty, and the
    // next change replaces it.
    [[nodiscard]] const std::string& problem() const { return problem_; }

    [[nodiscard]] bool empty() const { return entries_.empty(); }

    // What came of a file with this content in this host; nullptr: it was not tried.
    [[nodiscard]] const Tried* find(std::string_view hash) const;

    // Adds what came of a file, in place of what was known of it. The members `host` and `when` are
    // filled in. Returns why it could not be written, or "".
    std::string remember(Tried tried);

    // It is as if the file had not been tried. Returns as above.
    std::string forget(std::string_view hash);

private:
    template <class Change>
    std::string update(Change change);
    void read();

    std::filesystem::path file_;
    std::vector<Tried> entries_;  // oldest first
    std::string problem_;
};

}  // namespace ptp::plugin
