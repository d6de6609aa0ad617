// Loads a plugin in a child process, and names the step at which that ended.

#include "plugin/load_trial.hpp"

#include "base/child_process.hpp"
#include "base/descriptor.hpp"
#include "base/shared_memory.hpp"
#include "base/signals.hpp"
#include "base/temporary_path.hpp"
#include "plugin/loader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <exception>

namespace ptp::plugin {

namespace {

enum class LoadStep : std::uint32_t { kPreparing, kOpening, kDone };

const char* step_text(LoadStep step) {
    switch (step) {
        case LoadStep::kPreparing:
            return "the copy of its file";
        case LoadStep::kOpening:
            return "its start-up code or its entry";
        case LoadStep::kDone:
            return "what it does at the end of a process";
    }
    return "";
}

// Discards the child's output, which is printed again when the plugin is loaded.
void prepare_for_crash() {
    if (const Descriptor nothing(::open("/dev/null", O_WRONLY | O_CLOEXEC)); nothing.is_open()) {
        ::dup2(nothing.get(), STDOUT_FILENO);
        ::dup2(nothing.get(), STDERR_FILENO);
    }
    const rlimit no_core_dump{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core_dump);
    // A sanitizer's handler would end the process with a status instead of the signal.
    for (const int signal : kCrashSignals) {
        static_cast<void>(std::signal(signal, SIG_DFL));
    }
}

std::string load_as_child(const CatalogEntry& entry, const std::filesystem::path& folder,
                          std::atomic<LoadStep>& step) {
    prepare_for_crash();
    try {
        Loader loader(folder);
        static_cast<void>(loader.copy(entry));
        step = LoadStep::kOpening;
        static_cast<void>(loader.load(entry));
    } catch (const std::exception&) {  // a refusal, which is not a crash
    }
    step = LoadStep::kDone;
    return "";
}

}  // namespace

LoadTrial try_loading(const CatalogEntry& entry, std::chrono::seconds limit) {
    // Created in the parent, so that it is removed even if the child crashes.
    const TemporaryPath folder = TemporaryPath::new_folder();
    const SharedMemory<std::atomic<LoadStep>> step;
    const ChildEnd end =
        run_in_child([&] { return load_as_child(entry, folder.path(), *step); }, limit);
    LoadTrial trial{.tried = {.hash = {},
                              .plugin = entry.manifest.name,
                              .file = entry.path.string(),
                              .step = step_text(*step)}};
    Tried& tried = trial.tried;
    if (end.has_timed_out) {
        tried.end = fmt::format("took longer than {} s", limit.count());
    } else if (WIFSIGNALED(end.status)) {
        tried.signal = WTERMSIG(end.status);
        tried.end = fmt::format("ended by signal {} ({})", tried.signal, ::strsignal(tried.signal));
        trial.is_conclusive = is_crash_signal(tried.signal);
    } else if (*step != LoadStep::kDone) {
        tried.end = fmt::format("ended the process with status {}", WEXITSTATUS(end.status));
    } else {
        tried.step = "";
    }
    return trial;
}

}  // namespace ptp::plugin
