// The file plugins.lock of a run: which build of each plugin was active from which episode on.

#include "engine/swap/generations.hpp"

#include "base/ranges.hpp"
#include "plugin/companions.hpp"
#include "run/paths.hpp"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

namespace ptp::engine {

namespace {

constexpr const char* kFile = run::kPluginsLockFile;

bool is_known(const run::PluginsLock& lock, const std::string& plugin, const std::string& hash) {
    return std::ranges::any_of(lock.plugins, [&](const run::LockedPlugin& locked) {
        return locked.name == plugin &&
               std::ranges::count(locked.generations, hash, &run::LockedGeneration::sha256) > 0;
    });
}

// Returns the hash of a build, or "" for a file that cannot be read.
std::string hash_of(const std::filesystem::path& file) {
    try {
        return plugin::build_hash(file);
    } catch (const std::exception&) {
        return "";
    }
}

// Returns the resident bytes of a segment of a library.
std::int64_t bytes_in_memory(std::uintptr_t begin, std::size_t size) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::uintptr_t first = begin / page * page;
    const std::size_t pages = (begin + size - first + page - 1) / page;
    std::vector<unsigned char> is_there(pages);
    if (mincore(reinterpret_cast<void*>(first), pages * page, is_there.data()) != 0) {
        return 0;
    }
    return static_cast<std::int64_t>(page) *
           std::ranges::count_if(is_there, [](unsigned char bits) { return (bits & 1U) != 0; });
}

struct LibrarySearch {
    std::filesystem::path folder;
    std::map<std::string, std::int64_t> bytes;  // by file name
};

// A callback of dl_iterate_phdr(): 0 continues with the next library.
int add_resident_bytes(dl_phdr_info* library, std::size_t, void* data) {
    LibrarySearch& search = *static_cast<LibrarySearch*>(data);
    const std::filesystem::path path = library->dlpi_name;
    const auto found = search.bytes.find(path.filename().string());
    std::error_code error;
    if (found == search.bytes.end() ||
        !std::filesystem::equivalent(path.parent_path(), search.folder, error)) {
        return 0;
    }
    for (int i = 0; i < library->dlpi_phnum; ++i) {
        const auto& segment = library->dlpi_phdr[i];
        if (segment.p_type == PT_LOAD) {
            found->second += bytes_in_memory(library->dlpi_addr + segment.p_vaddr, segment.p_memsz);
        }
    }
    return 0;
}

}  // namespace

std::vector<std::int64_t> resident_kilobytes(const std::filesystem::path& folder,
                                             const std::vector<std::string>& files) {
    LibrarySearch search{folder, {}};
    for (const std::string& file : files) {
        search.bytes.emplace(file, 0);
    }
    dl_iterate_phdr(add_resident_bytes, &search);
    return transformed(files, [&](const std::string& file) { return search.bytes[file] / 1024; });
}

Generations::Generations(std::filesystem::path run_folder) : run_folder_(std::move(run_folder)) {
    if (std::filesystem::exists(run_folder_ / kFile)) {
        lock_ = run::read_plugins_lock(run_folder_ / kFile);
    }
}

void Generations::begin(const Plugins& plugins, std::uint64_t episodes) {
    bool is_new = false;
    for (const Plugins::Loaded& loaded : plugins.loaded()) {
        const plugin::Manifest& manifest = loaded.generation.manifest();
        bool is_unknown = !is_known(lock_, manifest.name, loaded.generation.hash());
        if (!is_copy(loaded.source, run_folder_)) {
            named_[manifest.name] = loaded.source;
            const auto* newest = lock_.active(manifest.name, episodes);
            is_unknown = newest == nullptr || newest->sha256 != loaded.generation.hash();
        }
        if (is_unknown) {
            lock_.add(manifest.name, {.version = manifest.version,
                                      .sha256 = loaded.generation.hash(),
                                      .file = loaded.generation.file().filename().string(),
                                      .source = loaded.source.string(),
                                      .from_episode = episodes});
            is_new = true;
        }
    }
    if (is_new) {
        run::write_plugins_lock(run_folder_ / kFile, lock_);
    }
}

std::vector<std::string> Generations::hashes(std::uint64_t episodes) const {
    std::vector<std::string> hashes;
    for (const run::LockedPlugin& plugin : lock_.plugins) {
        if (const auto* generation = lock_.active(plugin.name, episodes)) {
            hashes.push_back(generation->sha256);
        }
    }
    return hashes;
}

bool Generations::is_copy(const std::filesystem::path& file,
                          const std::filesystem::path& run_folder) {
    std::error_code ignored;
    return std::filesystem::equivalent(file.parent_path(), run_folder / run::kPluginsFolder,
                                       ignored);
}

std::filesystem::path Generations::source_of(const run::LockedPlugin& plugin) const {
    const auto named = named_.find(plugin.name);
    return named == named_.end() ? std::filesystem::path(plugin.generations.front().source)
                                 : named->second;
}

std::vector<std::filesystem::path> Generations::sources() const {
    return transformed(lock_.plugins,
                       [&](const run::LockedPlugin& plugin) { return source_of(plugin); });
}

// A build that was swapped in from elsewhere is no reason to take the older one of this file again.
std::vector<std::filesystem::path> Generations::newer_sources() const {
    std::vector<std::filesystem::path> files;
    for (const run::LockedPlugin& plugin : lock_.plugins) {
        std::filesystem::path file = source_of(plugin);
        std::string copied;
        for (const run::LockedGeneration& generation : plugin.generations) {
            copied = generation.source == file.string() ? generation.sha256 : copied;
        }
        const std::string hash = hash_of(file);
        if (!hash.empty() && hash != copied) {
            files.push_back(std::move(file));
        }
    }
    return files;
}

std::vector<std::filesystem::path> Generations::sources_of(
    const std::vector<plugin::Staged>& files) const {
    std::vector<std::filesystem::path> sources;
    for (const run::LockedPlugin& plugin : lock_.plugins) {
        const bool is_one = std::ranges::any_of(files, [&](const plugin::Staged& file) {
            return file.copy.manifest.name == plugin.name;
        });
        if (is_one) {
            sources.push_back(source_of(plugin));
        }
    }
    return sources;
}

std::vector<run::SwappedPlugin> Generations::entry_of(const std::vector<plugin::Staged>& files) {
    std::vector<run::SwappedPlugin> plugins;
    for (const plugin::Staged& file : files) {
        plugins.push_back({file.copy.manifest.name, file.hash, file.copy.path.filename().string()});
    }
    return plugins;
}

void Generations::add(const std::vector<plugin::Staged>& files, std::uint64_t episode) {
    for (const plugin::Staged& file : files) {
        const std::string& name = file.copy.manifest.name;
        const auto* newest = lock_.active(name, episode);
        if (newest != nullptr && newest->from_episode == episode && newest->sha256 == file.hash) {
            continue;  // It is done again, by a run that continues.
        }
        lock_.add(name, {.version = file.copy.manifest.version,
                         .sha256 = file.hash,
                         .file = file.copy.path.filename().string(),
                         .source = file.source.string(),
                         .from_episode = episode});
    }
    is_written_ = false;
}

void Generations::sync() {
    if (!is_written_) {
        run::write_plugins_lock(run_folder_ / kFile, lock_);
        is_written_ = true;
    }
}

// The loaded build decides: a swap that is repeated is in the file before it is active.
std::vector<run::ActivePlugin> Generations::active(const Plugins& plugins,
                                                   std::uint64_t episodes) const {
    std::vector<run::ActivePlugin> list;
    for (const Plugins::Loaded& loaded : plugins.loaded()) {
        const plugin::Manifest& manifest = loaded.generation.manifest();
        run::ActivePlugin entry{
            .name = manifest.name, .version = manifest.version, .sha256 = loaded.generation.hash()};
        const auto plugin =
            std::ranges::find(lock_.plugins, manifest.name, &run::LockedPlugin::name);
        if (plugin != lock_.plugins.end()) {
            for (const run::LockedGeneration& one : plugin->generations) {
                if (one.sha256 == loaded.generation.hash() && one.from_episode <= episodes) {
                    entry.generation = one.number;
                    entry.from_episode = static_cast<std::int64_t>(one.from_episode);
                }
            }
        }
        list.push_back(std::move(entry));
    }
    return list;
}

Value Generations::status(const Components& components, std::uint64_t episodes) const {
    std::map<std::string, std::int64_t> live;  // components of each plugin
    for (const auto* instances : {&components.tasks, &components.nodes}) {
        for (const std::shared_ptr<Instance>& instance : *instances) {
            ++live[instance->node().plugin->manifest.name];
        }
    }
    std::vector<std::string> files;
    for (const run::LockedPlugin& plugin : lock_.plugins) {
        for (const run::LockedGeneration& one : plugin.generations) {
            files.push_back(one.file);
        }
    }
    const auto kilobytes = resident_kilobytes(run_folder_ / run::kPluginsFolder, files);
    auto next = kilobytes.begin();
    std::vector<Value> list;
    for (const run::LockedPlugin& plugin : lock_.plugins) {
        const run::LockedGeneration* active = lock_.active(plugin.name, episodes);
        for (const run::LockedGeneration& one : plugin.generations) {
            const bool is_active = &one == active;
            list.push_back(Value::table({{"plugin", plugin.name},
                                         {"generation", one.number},
                                         {"version", one.version},
                                         {"sha256", one.sha256},
                                         {"from_episode", one.from_episode},
                                         {"is_active", is_active},
                                         {"components", is_active ? live[plugin.name] : 0},
                                         {"memory_kb", *next++}}));
        }
    }
    return Value::list(std::move(list));
}

}  // namespace ptp::engine
