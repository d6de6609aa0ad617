// ptp-cases: tests components by cases in TOML files. `ptp-cases --help` explains how.

#include "base/output_file.hpp"
#include "base/suggest.hpp"
#include "common/program.hpp"
#include "plugin/catalog.hpp"
#include "plugin/library_file.hpp"
#include "ptp-cases/run_case.hpp"
#include "schema/device.hpp"
#include "schema/pattern.hpp"

#include <ATen/Context.h>
#include <fmt/format.h>
#include <torch/cuda.h>

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace ptp::cases {

namespace {

struct Options {
    std::vector<std::filesystem::path> plugins;         // files, absolute
    std::vector<std::filesystem::path> plugin_folders;  // absolute
    std::string device = "cpu";                         // or "cuda:0"
};

// Returns the name with a device number, as components receive it. Throws tools::UsageError for one
// that is not there: otherwise each case would fail, with libtorch's words.
std::string read_device(const std::string& name) {
    if (!schema::matches(name, schema::kDevicePattern)) {
        throw tools::UsageError("--device " + name + ": must be cpu, cuda or cuda:N");
    }
    const std::string device = name == "cuda" ? "cuda:0" : name;
    if (device != "cpu") {
        const auto count = static_cast<int>(torch::cuda::device_count());
        if (const auto problem = schema::device_problem(device, count); !problem.empty()) {
            throw tools::UsageError("--device " + device + ": " + problem);
        }
    }
    return device;
}

// The plugin that has the component. Throws std::runtime_error.
std::filesystem::path plugin_of(const CaseFile& file, const Options& options) {
    const plugin::Catalog catalog = plugin::scan(options.plugin_folders, options.plugins);
    const auto found = catalog.find(file.component);
    if (found.size() == 1) {
        return found.front().plugin->path;
    }
    std::vector<std::string> names;
    for (const plugin::CatalogEntry& entry : catalog.plugins) {
        for (const plugin::Component& component : entry.manifest.components) {
            names.push_back(found.empty() ? component.name
                                          : entry.manifest.name + "/" + component.name);
        }
    }
    std::string text =
        fmt::format("{}: component = \"{}\": {}{}", file.component_place.text(), file.component,
                    found.empty() ? "no plugin has it" : "several plugins have it",
                    hint(file.component, names));
    if (options.plugin_folders.empty() && options.plugins.empty()) {
        text += "\n    fix: name its file, --plugin FILE, or a folder with plugins, --plugins DIR";
    }
    for (const plugin::RejectedFile& rejected : catalog.rejected) {
        text += "\n    " + rejected.path.string() + ": " + rejected.reason;
    }
    throw std::runtime_error(text);
}

// Deterministically, as ptprun does on a CUDA device; and the files have numbers of float32, not of
// TF32.
void compute_exactly() {
    constexpr int kKeep = 0;
    setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", kKeep);
    constexpr bool kWarnOnly = true;
    at::globalContext().setDeterministicCuDNN(true);
    at::globalContext().setDeterministicAlgorithms(true, kWarnOnly);
    at::globalContext().setAllowTF32CuDNN(false);
}

// Opens a plugin that is not linked with libtorch so that its libraries find their own symbols
// before those of this program, which is: libsentencepiece has another protobuf in it than
// libtorch's, and would take that for its own. ptprun, which is not linked with libtorch, need not.
void open_apart([[maybe_unused]] const std::filesystem::path& path) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which refuse it
    const plugin::LibraryFile file = plugin::read_library(path);
    if (!file.needs("libtorch") && !file.needs("libc10")) {
        dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);  // A failure is met again.
    }
#endif
}

int run_file(const std::filesystem::path& path, const Options& options) {
    Diagnostics problems;
    CaseFile file = read_case_file(read_text(path), path.filename().string(), problems);
    if (!problems.ok()) {
        fmt::print(stderr, "{}\n", problems.text());
        return 2;
    }
    if (options.device != "cpu") {
        use_cuda_tolerances(file);
    }
    const std::filesystem::path plugin_file = plugin_of(file, options);
    const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
    open_apart(plugin_file);
    const testing::Plugin plugin(plugin_file);
    std::filesystem::current_path(folder);  // which paths in settings are relative to
    CaseRunner runner(plugin, file.component.substr(file.component.find('/') + 1), options.device);
    std::size_t failed = 0;
    for (const Case& one : file.cases) {
        const std::vector<std::string> lines = runner.run(one);
        failed += lines.empty() ? 0 : 1;
        for (const std::string& line : lines) {
            fmt::print("{}\n", line);
        }
    }
    fmt::print("{}: {} cases, {} failed\n", path.filename().string(), file.cases.size(), failed);
    return failed == 0 ? 0 : 1;
}

int run_cases(const tools::Given& given) {
    Options options;
    for (const auto& [name, paths] :
         {std::pair("plugin", &options.plugins), std::pair("plugins", &options.plugin_folders)}) {
        std::ranges::transform(given.texts(name), std::back_inserter(*paths),
                               [](const auto& text) { return std::filesystem::absolute(text); });
    }
    if (given.has("device")) {
        options.device = read_device(given.text("device"));
    }
    if (options.device != "cpu") {
        compute_exactly();
    }
    int worst = 0;
    const std::filesystem::path begin = std::filesystem::current_path();
    try {
        for (const std::string& file : given.operands()) {
            std::filesystem::current_path(begin);
            worst = std::max(worst, run_file(file, options));
        }
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 2;
    }
    return worst;
}

tools::Command cases_command() {
    return {.summary = "tests components by files of cases: inputs, and what must follow from them",
            .details =
                "Creates the component that a file names, from the plugin that has it, runs each\n"
                "case, and prints a line for each difference and the number of failures. The\n"
                "format of a file is described in docs/testing-components.md.\n",
            .operands = {{.name = "FILE",
                          .what = "a file with cases",
                          .max = std::numeric_limits<std::size_t>::max(),
                          .completions = {tools::kFiles}}},
            .options = {{.name = "plugin",
                         .value = "FILE",
                         .help = "a plugin that may have the component; may be given several times",
                         .completions = {tools::kFiles},
                         .is_repeatable = true},
                        {.name = "plugins",
                         .value = "DIR",
                         .help = "a folder with such plugins; may be given several times",
                         .completions = {tools::kFolders},
                         .is_repeatable = true},
                        {.name = "device",
                         .value = "NAME",
                         .help = "where components compute: cpu, the default, or cuda or cuda:N",
                         .completions = {"cpu", "cuda"}},
                        {.name = "version", .help = "print the version"}},
            .example = "ptp-cases --plugin build/lib/ptp/plugins/my_loss.so tests/my_loss.toml",
            .run = run_cases};
}

}  // namespace

int run_program(const tools::Strings& words) {
    const tools::Command command = cases_command();
    return tools::run_program(
        {"ptp-cases", command,
         "0 all as expected, 1 not, 2 wrong command line, file of cases or plugin"},
        words);
}

}  // namespace ptp::cases

int main(int argc, char** argv) {
    return ptp::cases::run_program({argv + 1, argv + argc});
}
