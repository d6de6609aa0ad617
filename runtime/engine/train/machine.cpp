#include "engine/train/machine.hpp"

#include "base/error.hpp"

#include <ATen/Parallel.h>

#include <dlfcn.h>
#include <fmt/core.h>
#include <malloc.h>
#include <torch/cuda.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

namespace ptp::engine {

void keep_freed_memory() {
    constexpr int kMax = 1 << 30;
    mallopt(M_MMAP_THRESHOLD, kMax);
    mallopt(M_TRIM_THRESHOLD, kMax);
}

void bind_blas_threads() {
    using SetThreads = void (*)(int);
    // Another BLAS has no such function, and needs none.
    if (void* set = dlsym(RTLD_DEFAULT, "openblas_set_num_threads"); set != nullptr) {
        reinterpret_cast<SetThreads>(set)(at::get_num_threads());
    }
}

at::Device usable_device(const std::string& name) {
    at::Device device(name);
    if (device.is_cpu()) {
        return device;
    }
    const auto count = static_cast<int>(torch::cuda::device_count());
    if (count == 0) {
        throw RunError(kConfigurationError,
                       fmt::format("device = \"{}\": libtorch finds no CUDA device here; use "
                                   "--device cpu",
                                   name));
    }
    const int index = device.has_index() ? device.index() : 0;
    if (index >= count) {
        throw RunError(
            kConfigurationError,
            fmt::format("device = \"{}\": there {} CUDA device{}, from cuda:0 to cuda:{}", name,
                        count == 1 ? "is 1" : fmt::format("are {}", count), count == 1 ? "" : "s",
                        count - 1));
    }
    return {at::kCUDA, static_cast<at::DeviceIndex>(index)};
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
    // Debian keeps the reference BLAS in a folder blas/, and the others in folders of their own.
    if (file.parent_path().filename() != "blas") {
        return std::nullopt;
    }
    return fmt::format(
        "matrix products run on the slow reference BLAS ({}); install a fast one: "
        "sudo apt install libopenblas0-openmp",
        file.string());
}

std::optional<std::string> old_kernels_advice(std::string_view build,
                                              std::string_view instructions) {
    // Of x86-64, those without AVX2, as openblas_get_config() names them.
    constexpr std::array<std::string_view, 11> kOld = {
        "Prescott", "Core2",     "Penryn", "Dunnington",  "Nehalem",  "Atom",
        "Opteron",  "Barcelona", "Bobcat", "Sandybridge", "Bulldozer"};
    const bool has_avx512 = instructions.find("AVX512") != std::string_view::npos;
    if (!has_avx512 && instructions.find("AVX2") == std::string_view::npos) {
        return std::nullopt;
    }
    const auto old = std::ranges::find_if(kOld, [build](std::string_view name) {
        return build.find(fmt::format(" {} ", name)) != std::string_view::npos;
    });
    if (old == kOld.end()) {
        return std::nullopt;
    }
    return fmt::format(
        "OpenBLAS computes with its kernels for the old processor {}, though this one has {}: matrix "
        "products are slow, and their last bits differ from those of other machines; set "
        "OPENBLAS_CORETYPE={}",
        *old, has_avx512 ? "AVX-512" : "AVX2", has_avx512 ? "SkylakeX" : "Haswell");
}

}  // namespace ptp::engine
