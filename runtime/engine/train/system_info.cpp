// The facts about the machine and its libraries in a run's record.

#include "engine/train/system_info.hpp"

#include "base/json.hpp"
#include "plugin/fingerprint.hpp"
#include "run/record.hpp"

#include <ATen/Parallel.h>
#include <ATen/Version.h>

#include <dlfcn.h>
#include <fmt/core.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <system_error>

namespace ptp::engine {

namespace {

// Returns the text after `key` on the first line that has it.
std::string rest_of_line(std::istream&& text, const std::string& key) {
    for (std::string line; std::getline(text, line);) {
        if (const std::size_t at = line.find(key); at != std::string::npos) {
            const std::size_t begin = line.find_first_not_of(" \t:", at + key.size());
            return begin == std::string::npos ? "" : line.substr(begin);
        }
    }
    return "";
}

// Returns the model from the driver's library, which exists if libtorch has found a device; CUDA's
// headers may not. It numbers devices as the runtime does.
std::string cuda_name(int index) {
    using Init = int (*)(unsigned flags);
    using Get = int (*)(int* device, int ordinal);
    using GetName = int (*)(char* name, int size, int device);
    void* library = dlopen("libcuda.so.1", RTLD_LAZY);
    if (library == nullptr) {
        return "";
    }
    const auto init = reinterpret_cast<Init>(dlsym(library, "cuInit"));
    const auto get = reinterpret_cast<Get>(dlsym(library, "cuDeviceGet"));
    const auto get_name = reinterpret_cast<GetName>(dlsym(library, "cuDeviceGetName"));
    std::array<char, 256> name{};
    int device = 0;
    const bool is_known = init != nullptr && get != nullptr && get_name != nullptr &&
                          init(0) == 0 && get(&device, index) == 0 &&
                          get_name(name.data(), static_cast<int>(name.size()) - 1, device) == 0;
    dlclose(library);
    return is_known ? name.data() : "";
}

// Returns the self-description of the library that multiplies matrices, with its selected kernels,
// such as "OpenBLAS 0.3.21 DYNAMIC_ARCH Haswell"; "" if there is no description.
std::string blas_build() {
    using Get = char* (*)();
    const auto get = reinterpret_cast<Get>(dlsym(RTLD_DEFAULT, "openblas_get_config"));
    return get == nullptr ? "" : get();
}

// Returns the instruction set for which oneDNN selects its kernels, as a hexadecimal number: "0x7"
// is AVX2; "" without oneDNN.
std::string onednn_isa() {
    using Get = int (*)();
    const auto get = reinterpret_cast<Get>(dlsym(RTLD_DEFAULT, "dnnl_get_effective_cpu_isa"));
    return get == nullptr ? "" : fmt::format("{:#x}", get());
}

// Returns "cpu", or "cuda:0 NVIDIA H200"; without the model if no driver reports it.
std::string device_name(at::Device device) {
    const std::string model = device.is_cuda() ? cuda_name(device.index()) : "";
    return device.str() + (model.empty() ? "" : " " + model);
}

// The variable's effect on the kernels is part of `blas_build`, no matter where it was set.
constexpr std::string_view kCoreType = "OPENBLAS_CORETYPE";

constexpr const char* kKernels = "blas_kernels";

// OMP_NUM_THREADS and ATEN_CPU_CAPABILITY are part of `threads` and `instructions`.
constexpr const char* kVariables[] = {
    "CUBLAS_WORKSPACE_CONFIG", "DNNL_CPU_ISA_HINTS",   "DNNL_DEFAULT_FPMATH_MODE",
    "DNNL_MAX_CPU_ISA",        "GLIBC_TUNABLES",       "MKL_CBWR",
    "MKL_DEBUG_CPU_TYPE",      "MKL_DYNAMIC",          "MKL_ENABLE_INSTRUCTIONS",
    "MKL_NUM_THREADS",         "NVIDIA_TF32_OVERRIDE", "OMP_DYNAMIC",
    "OMP_THREAD_LIMIT",        "ONEDNN_CPU_ISA_HINTS", "ONEDNN_DEFAULT_FPMATH_MODE",
    "ONEDNN_MAX_CPU_ISA",      "OPENBLAS_CORETYPE",    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE"};

Value environment(const BlasKernels& kernels) {
    Value set;
    for (const char* name : kVariables) {
        const bool is_own = name == kCoreType && !kernels.instead_of.empty();
        if (const char* value = std::getenv(name); value != nullptr && !is_own) {
            set.set(name, value);
        }
    }
    return set;
}

// Returns a value by its name, as in run.json; nullopt if it is missing.
std::optional<std::string> text_in(const Value& table, const std::string& name) {
    const Value* value = table.find(name);
    return value == nullptr ? std::nullopt : std::optional(text_of(json_of(*value)));
}

// Compares variables that are not set in one of the environments.
void compare_environments(const Value* before, const Value& now, std::vector<std::string>& texts) {
    const bool was_recorded = before != nullptr && before->is_table();
    const Value& old = was_recorded ? *before : Value::table();
    std::set<std::string> names;
    for (const Value* variables : {&old, &now}) {
        for (const Member& member : variables->members()) {
            names.insert(member.key);
        }
    }
    for (const std::string& name : names) {
        const auto was = text_in(old, name);
        const auto is = text_in(now, name);
        if (name != kCoreType && was != is) {
            texts.push_back(fmt::format("{} is {}, was {}", name, is.value_or("not set"),
                                        was_recorded ? was.value_or("not set") : "not recorded"));
        }
    }
}

// Returns ptp's selection of OpenBLAS's kernels: empty if OpenBLAS or the user has selected them.
Value kernels_value(const BlasKernels& kernels) {
    return kernels.instead_of.empty()
               ? Value()
               : Value::table({{"family", kernels.family}, {"instead_of", kernels.instead_of}});
}

}  // namespace

// A text that the system does not have is "". The instructions are those for which libtorch selects
// its kernels: "AVX2", "AVX512", "Default".
Value system_info(at::Device device, const BlasKernels& kernels) {
    return Value::table(
        {{"ptp", PTP_VERSION},
         {"libtorch", plugin::host_build().libtorch},
         {"blas", blas_file().string()},
         {"blas_build", blas_build()},
         {kKernels, kernels_value(kernels)},
         {"onednn_isa", onednn_isa()},
         {"compiler", __VERSION__},
         {"cpu", rest_of_line(std::ifstream("/proc/cpuinfo"), "model name")},
         {"instructions",
          rest_of_line(std::istringstream(at::show_config()), "CPU capability usage")},
         {run::kThreads, at::get_num_threads()},
         {"device", device_name(device)},
         {"driver", device.is_cuda()
                        ? rest_of_line(std::ifstream("/proc/driver/nvidia/version"), "NVRM version")
                        : ""},
         {"environment", environment(kernels)}});
}

std::vector<std::string> system_differences(const Value& before, const Value& now) {
    std::vector<std::string> texts;
    for (const Member& member : now.members()) {
        const auto was = text_in(before, member.key);
        const auto is = text_in(now, member.key);
        if (member.key == kKernels) {
            continue;
        }
        if (member.value.is_table()) {
            compare_environments(before.find(member.key), member.value, texts);
        } else if (was != is) {
            texts.push_back(fmt::format("{} is {}, {}", member.key, *is,
                                        was ? "was " + *was : "was not recorded"));
        }
    }
    return texts;
}

std::filesystem::path blas_file() {
    void* product = dlsym(RTLD_DEFAULT, "sgemm_");
    Dl_info info{};
    if (product == nullptr || dladdr(product, &info) == 0 || info.dli_fname == nullptr) {
        return {};
    }
    std::error_code error;
    const std::filesystem::path file = std::filesystem::canonical(info.dli_fname, error);
    return error ? std::filesystem::path(info.dli_fname) : file;
}

std::optional<std::string> slow_blas_advice(const std::filesystem::path& file) {
    // Debian keeps the reference BLAS in a folder blas/, and the others in their own folders.
    if (file.parent_path().filename() != "blas") {
        return std::nullopt;
    }
    return fmt::format(
        "matrix products run on the slow reference BLAS ({}); install a fast one: "
        "sudo apt install libopenblas0-openmp",
        file.string());
}

}  // namespace ptp::engine
