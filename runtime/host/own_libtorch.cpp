// Looks for the libtorch that this ptp was built for, and states what is there instead.

#include "host/own_libtorch.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "experiment/libtorch_version.hpp"

#include <dlfcn.h>
#include <fmt/core.h>
#include <link.h>

#include <algorithm>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

namespace ptp::host {

namespace fs = std::filesystem;

namespace {

// A name with a version, as Debian's libtorch has it, is that of one version only.
constexpr bool kHasVersion =
    std::string_view(PTP_TORCH_SONAME).find(".so.") != std::string_view::npos;

// Returns the folder in which pip puts packages, if this ptp is one: it lies there as ptp/lib.
fs::path packages_of(const fs::path& engine) {
    const fs::path package = engine.lexically_normal().parent_path().parent_path();
    std::error_code error;
    return fs::exists(package / "__init__.py", error) ? package.parent_path() : fs::path();
}

// Returns the version of the package torch in its folder, without the part that states how it was
// built, such as "+cpu"; "" if there is none.
std::string version_of(const fs::path& torch) {
    constexpr std::string_view kKey = "__version__ = '";
    std::ifstream file(torch / "version.py");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with(kKey)) {
            const std::string value = line.substr(kKey.size());
            return value.substr(0, value.find_first_of("+'"));
        }
    }
    return "";
}

// Returns the file of the libtorch that the engine opens.
fs::path own_file(const fs::path& engine) {
    const fs::path packages = packages_of(engine);
    return packages.empty() ? fs::path(PTP_TORCH_FILE) : packages / "torch/lib" / PTP_TORCH_SONAME;
}

// Returns the libtorch in the memory of this process; "" if there is none.
std::string mapped_libtorch() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        if (line.find("/libtorch_cpu.so") != std::string::npos) {
            return line.substr(line.find('/'));
        }
    }
    return "";
}

// Returns whether the libtorch in the memory of this process is that of the engine: it has its
// name, and where that has no version, as the packages of pip have it, it is the engine's file.
bool is_own_libtorch(const fs::path& engine) {
    void* const loaded = dlopen(PTP_TORCH_SONAME, RTLD_LAZY | RTLD_NOLOAD);
    if (loaded == nullptr) {
        return false;
    }
    const link_map* found = nullptr;
    std::error_code error;  // a file that is not there is not equal
    const bool is_own =
        kHasVersion || (dlinfo(loaded, RTLD_DI_LINKMAP, static_cast<void*>(&found)) == 0 &&
                        found != nullptr && fs::equivalent(found->l_name, own_file(engine), error));
    dlclose(loaded);
    return is_own;
}

// Returns the names of other libtorches where that of this ptp was when it was built.
std::vector<std::string> other_libtorches() {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator it(fs::path(PTP_TORCH_FILE).parent_path(), error), end;
         !error && it != end; it.increment(error)) {
        std::string name = it->path().filename().string();
        if (name.starts_with("libtorch_cpu.so.") && !name.starts_with(PTP_TORCH_SONAME)) {
            names.push_back(std::move(name));
        }
    }
    std::ranges::sort(names);
    return names;
}

}  // namespace

void check_package_torch(const fs::path& engine) {
    const fs::path packages = packages_of(engine);
    if (packages.empty()) {
        return;
    }
    const std::string needed = experiment::libtorch_version();
    const fs::path torch = packages / "torch";
    std::error_code error;
    if (!fs::exists(torch / "lib" / PTP_TORCH_SONAME, error)) {
        throw RunError(kPluginError,
                       fmt::format("this ptp computes with torch {}, which is not installed in "
                                   "{}\n    fix: pip install torch=={}",
                                   needed, packages.string(), needed));
    }
    if (const std::string found = version_of(torch); found != needed) {
        throw RunError(
            kPluginError,
            fmt::format("this ptp computes with torch {}, and {} is torch {}: one of the two has "
                        "to be another\n    fix: pip install torch=={}",
                        needed, torch.string(), found, needed));
    }
}

void refuse_another_libtorch(const fs::path& engine) {
    const std::string mapped = mapped_libtorch();
    if (mapped.empty() || is_own_libtorch(engine)) {
        return;
    }
    throw RunError(
        kPluginError,
        fmt::format(
            "this program has loaded another libtorch, {}; ptp computes with {}, of libtorch "
            "{}, and two of them in one process crash\n    fix: compute in a process of its "
            "own, by ptprun or without that libtorch (in Python, without importing torch), "
            "or with a ptp that was built for that libtorch",
            mapped, PTP_TORCH_SONAME, experiment::libtorch_version()));
}

void check_system_libtorch() {
    if (!kHasVersion) {  // found by a path, which the loader's own message has
        return;
    }
    if (void* const found = dlopen(PTP_TORCH_SONAME, RTLD_LAZY | RTLD_LOCAL)) {
        dlclose(found);
        return;
    }
    const std::string why = dlerror();
    const std::vector<std::string> others = other_libtorches();
    constexpr std::string_view kName = PTP_TORCH_SONAME;
    throw RunError(
        kPluginError,
        fmt::format(
            "this ptp computes with libtorch {}, which cannot be opened: {}{}\n    fix: apt-get "
            "install libtorch{}, or build ptp with the libtorch that is here",
            experiment::libtorch_version(), why,
            others.empty() ? "" : fmt::format("; here is {}", join(others, ", ")),
            kName.substr(kName.rfind(".so.") + std::string_view(".so.").size())));
}

}  // namespace ptp::host
