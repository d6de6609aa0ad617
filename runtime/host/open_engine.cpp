// Finds the files of this ptp, and opens the engine, with it libtorch, in the environment that they
// need.

#include "host/open_engine.hpp"

#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/text.hpp"
#include "engine/request.hpp"
#include "host/blas_kernels.hpp"
#include "host/own_libtorch.hpp"
#include "plugin/search_path.hpp"

#include <dlfcn.h>
#include <fmt/core.h>
#include <boost/dll/shared_library.hpp>

#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

namespace ptp::host {

namespace fs = std::filesystem;

namespace {

// Returns the folder of the library with this code; nullopt if it is in a program.
std::optional<fs::path> library_folder() {
    static const int here = 0;
    Dl_info info{};
    if (dladdr(&here, &info) == 0 || info.dli_fname == nullptr) {
        return std::nullopt;
    }
    std::error_code error;
    const fs::path file = fs::canonical(info.dli_fname, error);
    if (error || file.filename().string().find(".so") == std::string::npos) {
        return std::nullopt;
    }
    return file.parent_path();
}

fs::path first_existing(const fs::path& folder, std::initializer_list<const char*> relatives) {
    fs::path file;
    for (const char* relative : relatives) {
        file = folder / relative / engine::kLibraryName;
        if (fs::exists(file)) {
            return file;
        }
    }
    return file;
}

}  // namespace

fs::path program_path() {
    const auto library = library_folder();
    if (!library) {
        return plugin::executable_path();
    }
    // lib, or its folder for the architecture on Debian.
    for (const fs::path& lib : {*library, library->parent_path()}) {
        std::error_code ignored;
        if (fs::is_directory(lib / "ptp", ignored)) {
            return lib.parent_path() / "bin/ptprun";
        }
    }
    return library->parent_path() / "bin/ptprun";
}

namespace {

// Returns libptp-engine.so: beside libptp.so, or beside the program and where that is installed. It
// may not exist.
fs::path engine_path() {
    if (const auto library = library_folder()) {
        return *library / engine::kLibraryName;
    }
    return first_existing(plugin::executable_path().parent_path(), {"../lib", PTP_LIBRARY_FOLDER});
}

// Resolves functions when they are first called: the engine and libtorch have thousands that a run
// never calls. The engine is linked without undefined symbols, so none can be missing.
//
// Boost.DLL passes the mode on to dlopen() unchanged. RTLD_NODELETE disables its unloading:
// libtorch's threads and the plugins continue to exist.
constexpr auto kMode = static_cast<boost::dll::load_mode::type>(
    static_cast<unsigned>(boost::dll::load_mode::rtld_lazy) |
    static_cast<unsigned>(boost::dll::load_mode::rtld_local) | RTLD_NODELETE);

std::atomic<bool> is_open = false;

// Threads of libgomp that wait for one another spin before they sleep, by default for longer than a
// step takes: next to another busy process they keep the threads they wait for from their cores.
// The variable is read when libgomp is opened. A user's setting of either variable is kept.
void shorten_spinning() {
    if (std::getenv("OMP_WAIT_POLICY") == nullptr) {
        setenv("GOMP_SPINCOUNT", "1000", 0);
    }
}

constexpr int kMaxThreads = 1024;

// Checks for "4", or "4,2": a number for each depth of nested parallel regions.
bool are_thread_counts(std::string_view text) {
    while (true) {
        text = trimmed(text);
        int count = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
        if (error != std::errc() || count < 1 || count > kMaxThreads) {
            return false;
        }
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        text = trimmed(text);
        if (text.empty()) {
            return true;
        }
        if (text.front() != ',') {
            return false;
        }
        text.remove_prefix(1);
    }
}

// libgomp crashes at numbers for which no system has threads, and ignores anything but numbers. An
// empty value is none, as a script leaves it that passes on a variable of a batch system.
void check_thread_counts() {
    for (const char* name : {"OMP_NUM_THREADS", "MKL_NUM_THREADS"}) {
        const char* value = std::getenv(name);
        if (value != nullptr && *value == '\0') {
            unsetenv(name);
        } else if (value != nullptr && !are_thread_counts(value)) {
            throw RunError(
                kConfigurationError,
                fmt::format("{}=\"{}\" in the environment: must be a number from 1 to {}", name,
                            value, kMaxThreads));
        }
    }
}

// Called before the engine is opened: the thread that opens it must not change the environment.
void set_environment() {
    check_thread_counts();
    // The messages of libtorch's logging library at start-up are useless.
    setenv("GLOG_minloglevel", "2", 0);
    // UCX, which libtorch of Debian 13 loads through MPI, prints its own report of a crash after
    // that of the engine.
    setenv("UCX_HANDLE_ERRORS", "none", 0);
    shorten_spinning();
    blas_kernels();
}

// libtorch 1.13 allocates 42 MB while it is opened.
constexpr std::size_t kLibtorchHeap = std::size_t{48} << 20U;

// Joined by the first caller that needs the engine.
std::jthread& opening_thread() {
    static std::jthread thread;
    return thread;
}

}  // namespace

void open_engine_ahead() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    set_environment();
    const fs::path engine = engine_path();
    check_package_torch(engine);
    try {
        opening_thread() = std::jthread([path = engine.string()] {
            reserve_heap(kLibtorchHeap);
            boost::dll::fs::error_code ignored;  // it recurs where it is reported
            const boost::dll::shared_library library(path, ignored, kMode);
        });
        is_open = true;
    } catch (const std::system_error&) {  // no thread available: opened when needed
    }
#endif
}

void* engine_symbol(const char* name) {
    if (opening_thread().joinable()) {
        opening_thread().join();
    }
    const fs::path engine = engine_path();
    if (!is_open) {
        refuse_another_libtorch(engine);
        check_package_torch(engine);
    }
    set_environment();
    try {
        const boost::dll::shared_library library(engine.string(), kMode);
        is_open = true;
        return reinterpret_cast<void*>(&library.get<void()>(name));
    } catch (const boost::system::system_error& error) {
        check_system_libtorch();
        throw std::runtime_error(fmt::format("the engine cannot be opened: {}", error.what()));
    }
}

void leave(int code) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    if (is_open) {
        std::fflush(nullptr);
        std::quick_exit(code);
    }
#endif
    std::exit(code);
}

}  // namespace ptp::host
