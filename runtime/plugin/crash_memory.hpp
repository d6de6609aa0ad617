// Remembers, across processes, which plugins crashed, hung, or ended the process when they were
// loaded or checked. The entry of a file is found by its content and by the host, so that newer
// builds and newer hosts start without entries.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ptp::plugin {

// The work during which the plugin ended.
enum class TriedWork : std::int32_t {
    kLoading = 1,  // as in every program that uses the plugin
    kChecking      // with generated values to find mistakes
};

// The result of trying a file. Without an `end` it succeeded.
struct Tried {
    std::string hash;       // SHA-256 of the file
    std::string host = {};  // host_text() at that time
    std::string plugin = {};
    std::string file = {};  // its path at that time
    TriedWork work = TriedWork::kLoading;
    std::string end = {};     // "ended by signal 11 (Segmentation fault)", "took longer than 20 s"
    std::int32_t signal = 0;  // 0: none
    std::string step = {};    // the last one: "its start-up code"
    std::string when = {};    // "2026-11-21T08:59:12Z"

    bool operator==(const Tried&) const = default;

    // Returns "loading it ended by signal 11 (Segmentation fault) in its start-up code on
    // 2026-11-21".
    [[nodiscard]] std::string text() const;
};

// Returns the properties of this host that affect plugins: "ptp 0.1.0, ABI 1.2, libtorch 2.6.0,
// ...".
std::string host_text();

// Returns ptp/plugins.json below XDG_CACHE_HOME, if that is an absolute path, or else below
// HOME/.cache. Empty if neither is known: nothing is remembered.
std::filesystem::path memory_file(std::string_view xdg_cache_home,
                                  const std::filesystem::path& home);
// Returns the path for the environment of this process. [main]
std::filesystem::path memory_file();

// The remembered results. One thread at a time; any number of processes may use the file at once.
class CrashMemory {
public:
    // Reads the file; a missing one counts as empty.
    explicit CrashMemory(std::filesystem::path file);

    // Returns why the file could not be read, as a sentence; "" if it could. An unreadable file
    // counts as empty, and the next change replaces it.
    [[nodiscard]] const std::string& problem() const { return problem_; }

    [[nodiscard]] bool empty() const { return entries_.empty(); }

    // Returns the result of a file with this content in this host; nullptr if it was not tried.
    [[nodiscard]] const Tried* find(std::string_view hash) const;

    // Adds the result of a file, replacing an earlier one. Sets the members `host` and `when`.
    // Returns why it could not be written, or "".
    std::string remember(Tried tried);

    // Removes the result of a file. Returns as above.
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
