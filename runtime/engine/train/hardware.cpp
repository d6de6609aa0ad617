#include "engine/train/hardware.hpp"

#include <ATen/Version.h>

#include <dlfcn.h>
#include <fmt/core.h>

#include <array>
#include <fstream>
#include <sstream>

namespace ptp::engine {

namespace {

// What follows `key` on the first line that has it.
std::string rest_of_line(std::istream& text, const std::string& key) {
    for (std::string line; std::getline(text, line);) {
        if (const std::size_t at = line.find(key); at != std::string::npos) {
            const std::size_t begin = line.find_first_not_of(" \t:", at + key.size());
            return begin == std::string::npos ? "" : line.substr(begin);
        }
    }
    return "";
}

// Through the driver's library, which is there if libtorch has found a device; CUDA's headers may
// not be. It counts devices as the runtime does.
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

}  // namespace

std::string cpu_name() {
    std::ifstream file("/proc/cpuinfo");
    return rest_of_line(file, "model name");
}

std::string cpu_instructions() {
    std::istringstream text(at::show_config());
    return rest_of_line(text, "CPU capability usage");
}

std::string blas_build() {
    using Get = char* (*)();
    const auto get = reinterpret_cast<Get>(dlsym(RTLD_DEFAULT, "openblas_get_config"));
    return get == nullptr ? "" : get();
}

std::string onednn_isa() {
    using Get = int (*)();
    const auto get = reinterpret_cast<Get>(dlsym(RTLD_DEFAULT, "dnnl_get_effective_cpu_isa"));
    return get == nullptr ? "" : fmt::format("{:#x}", get());
}

std::string device_name(at::Device device) {
    const std::string model = device.is_cuda() ? cuda_name(device.index()) : "";
    return device.str() + (model.empty() ? "" : " " + model);
}

std::string driver_version(at::Device device) {
    if (!device.is_cuda()) {
        return "";
    }
    std::ifstream file("/proc/driver/nvidia/version");
    return rest_of_line(file, "NVRM version");
}

}  // namespace ptp::engine
