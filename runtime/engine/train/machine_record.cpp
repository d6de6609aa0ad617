#include "engine/train/machine_record.hpp"

#include "engine/train/hardware.hpp"
#include "engine/train/machine.hpp"
#include "plugin/fingerprint.hpp"

#include <ATen/Parallel.h>
#include <fmt/core.h>

#include <cstdlib>
#include <set>

namespace ptp::engine {

namespace {

using Json = nlohmann::ordered_json;

// OMP_NUM_THREADS and ATEN_CPU_CAPABILITY show in `threads` and `instructions`.
constexpr const char* kVariables[] = {
    "CUBLAS_WORKSPACE_CONFIG", "DNNL_CPU_ISA_HINTS",   "DNNL_DEFAULT_FPMATH_MODE",
    "DNNL_MAX_CPU_ISA",        "GLIBC_TUNABLES",       "MKL_CBWR",
    "MKL_DEBUG_CPU_TYPE",      "MKL_DYNAMIC",          "MKL_ENABLE_INSTRUCTIONS",
    "MKL_NUM_THREADS",         "NVIDIA_TF32_OVERRIDE", "OMP_DYNAMIC",
    "OMP_THREAD_LIMIT",        "ONEDNN_CPU_ISA_HINTS", "ONEDNN_DEFAULT_FPMATH_MODE",
    "ONEDNN_MAX_CPU_ISA",      "OPENBLAS_CORETYPE",    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE"};

Json environment() {
    Json set = Json::object();
    for (const char* name : kVariables) {
        if (const char* value = std::getenv(name); value != nullptr) {
            set[name] = value;
        }
    }
    return set;
}

void compare_environments(const Json& before, const Json& now, std::vector<std::string>& texts) {
    const bool was_recorded = before.is_object();
    std::set<std::string> names;
    for (const Json* variables : {&before, &now}) {
        for (const auto& [name, value] : variables->items()) {
            if (variables->is_object()) {
                names.insert(name);
            }
        }
    }
    for (const std::string& name : names) {
        const Json old = was_recorded ? before.value(name, Json()) : Json();
        const Json value = now.value(name, Json());
        if (old != value) {
            texts.push_back(fmt::format("{} is {}, was {}", name,
                                        value.is_null() ? "not set" : value.dump(),
                                        !was_recorded   ? "not recorded"
                                        : old.is_null() ? "not set"
                                                        : old.dump()));
        }
    }
}

}  // namespace

Json machine_record(at::Device device) {
    return {{"ptp", PTP_VERSION},
            {"libtorch", plugin::host_build().libtorch},
            {"blas", blas_file().string()},
            {"blas_build", blas_build()},
            {"onednn_isa", onednn_isa()},
            {"compiler", __VERSION__},
            {"cpu", cpu_name()},
            {"instructions", cpu_instructions()},
            {"threads", at::get_num_threads()},
            {"device", device_name(device)},
            {"driver", driver_version(device)},
            {"environment", environment()}};
}

std::vector<std::string> machine_differences(const Json& before, const Json& now) {
    std::vector<std::string> texts;
    for (const auto& [key, value] : now.items()) {
        const Json old = before.value(key, Json());
        if (key == "environment") {
            compare_environments(old, value, texts);
        } else if (old != value) {
            texts.push_back(fmt::format("{} is {}, {}", key, value.dump(),
                                        old.is_null() ? "was not recorded" : "was " + old.dump()));
        }
    }
    return texts;
}

}  // namespace ptp::engine
