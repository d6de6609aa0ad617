// Keeps the results of loading and checking plugins in a file that all processes of a user share.

#include "plugin/crash_memory.hpp"

#include "base/descriptor.hpp"
#include "base/duration.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/output_file.hpp"
#include "base/system_file.hpp"
#include "base/text.hpp"
#include "plugin/fingerprint.hpp"
#include "plugin/search_path.hpp"

#include <ptp/abi.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <system_error>
#include <utility>

namespace ptp::plugin {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kFormat = 1;
constexpr std::size_t kMaxEntries = 2000;  // the oldest are dropped
constexpr std::size_t kShownDate = 10;     // characters of `when`

const char* word_of(TriedWork work) {
    return work == TriedWork::kLoading ? "loading" : "checking";
}

Json tried_json(const Tried& tried) {
    Json out = {{"sha256", tried.hash}, {"host", tried.host},          {"plugin", tried.plugin},
                {"file", tried.file},   {"work", word_of(tried.work)}, {"when", tried.when}};
    if (!tried.end.empty()) {
        out["end"] = tried.end;
        out["signal"] = tried.signal;
        out["step"] = tried.step;
    }
    return out;
}

// Throws nlohmann::json::exception for a member of another type.
std::optional<Tried> tried_of(const Json& json) {
    Tried tried;
    tried.hash = json.value("sha256", "");
    tried.host = json.value("host", "");
    tried.plugin = json.value("plugin", "");
    tried.file = json.value("file", "");
    const std::string work = json.value("work", "");
    tried.work = work == word_of(TriedWork::kChecking) ? TriedWork::kChecking : TriedWork::kLoading;
    tried.end = json.value("end", "");
    tried.signal = json.value("signal", 0);
    tried.step = json.value("step", "");
    tried.when = json.value("when", "");
    const bool is_right = is_sha256(tried.hash) && work == word_of(tried.work) &&
                          is_one_line(tried.end) && is_one_line(tried.step) &&
                          is_one_line(tried.when);
    return is_right ? std::optional(std::move(tried)) : std::nullopt;
}

// Throws std::runtime_error, whose text is a sentence.
std::vector<Tried> entries_in(const std::string& text) {
    const auto json = parsed_json(text);
    if (!json || !json->is_object()) {
        throw std::runtime_error("is not JSON");
    }
    std::vector<Tried> entries;
    try {
        if (const std::int64_t format = json->value("format", std::int64_t{0}); format != kFormat) {
            throw std::runtime_error(
                fmt::format("has format {}, this ptp has {}", format, kFormat));
        }
        for (const Json& one : json->at("plugins")) {
            auto tried = tried_of(one);
            if (!tried) {
                throw std::runtime_error("has an entry that is not what ptp writes");
            }
            entries.push_back(std::move(*tried));
        }
    } catch (const nlohmann::json::exception&) {
        throw std::runtime_error("has an entry that is not what ptp writes");
    }
    return entries;
}

// Locks the file against changes by other processes.
Descriptor locked(const fs::path& file) {
    fs::create_directories(file.parent_path());
    fs::path lock = file;
    lock += ".lock";
    Descriptor descriptor(system::open_locked(lock));
    if (!descriptor.is_open()) {
        throw std::system_error(errno, std::generic_category(), lock.string());
    }
    return descriptor;
}

}  // namespace

std::string Tried::text() const {
    return fmt::format("{} it {}{}{} on {}", word_of(work), end, step.empty() ? "" : " in ", step,
                       when.substr(0, kShownDate));
}

std::string host_text() {
    const Build build = host_build();
    return fmt::format("ptp {}, ABI {}.{}, libtorch {}, {}, {}, sanitizer {}", PTP_VERSION,
                       PTP_ABI_MAJOR, PTP_ABI_MINOR, build.libtorch, build.standard_library,
                       build.compiler, build.sanitizer);
}

fs::path memory_file(std::string_view xdg_cache_home, const fs::path& home) {
    constexpr const char* kBelowCache = "ptp/plugins.json";
    if (const fs::path cache = xdg_cache_home; cache.is_absolute()) {
        return cache / kBelowCache;
    }
    return home.is_absolute() ? home / ".cache" / kBelowCache : fs::path();
}

fs::path memory_file() {
    return memory_file(environment_text("XDG_CACHE_HOME"), environment_text("HOME"));
}

CrashMemory::CrashMemory(fs::path file) : file_(std::move(file)) {
    read();
}

void CrashMemory::read() {
    entries_.clear();
    std::error_code error;
    if (file_.empty() || (!fs::exists(file_, error) && !error)) {
        return;
    }
    try {
        entries_ = entries_in(read_text(file_));
    } catch (const RunError& unreadable) {
        problem_ = unreadable.what();
    } catch (const std::exception& damaged) {
        problem_ = fmt::format("{}: {}; what it has of plugins that crashed is forgotten",
                               file_.string(), damaged.what());
    }
}

const Tried* CrashMemory::find(std::string_view hash) const {
    const std::string host = host_text();
    const auto found = std::ranges::find_if(
        entries_, [&](const Tried& tried) { return tried.hash == hash && tried.host == host; });
    return found == entries_.end() ? nullptr : &*found;
}

// Applies a change to the current file, so that entries of other processes are kept.
template <class Change>
std::string CrashMemory::update(Change change) {
    if (file_.empty()) {
        return "neither XDG_CACHE_HOME nor HOME is an absolute path";
    }
    try {
        const Descriptor lock = locked(file_);
        read();
        change();
        if (entries_.size() > kMaxEntries) {
            entries_.erase(entries_.begin(), entries_.end() - kMaxEntries);
        }
        Json json = {{"format", kFormat}, {"plugins", Json::array()}};
        for (const Tried& tried : entries_) {
            json["plugins"].push_back(tried_json(tried));
        }
        replace_file(file_, text_of(json, 1) + "\n");
    } catch (const std::exception& error) {
        return error.what();
    }
    return "";
}

std::string CrashMemory::remember(Tried tried) {
    tried.host = host_text();
    tried.when = now_text();
    return update([&] {
        std::erase_if(entries_, [&](const Tried& one) {
            return one.hash == tried.hash && one.host == tried.host;
        });
        entries_.push_back(std::move(tried));
    });
}

std::string CrashMemory::forget(std::string_view hash) {
    if (find(hash) == nullptr) {
        return "";
    }
    return update(
        [&] { std::erase_if(entries_, [&](const Tried& one) { return one.hash == hash; }); });
}

}  // namespace ptp::plugin
