#include "engine/train/machine_record.hpp"

#include "base/json.hpp"
#include "engine/train/hardware.hpp"
#include "engine/train/machine.hpp"
#include "plugin/fingerprint.hpp"
#include "run/record.hpp"

#include <ATen/Parallel.h>
#include <fmt/core.h>

#include <cstdlib>
#include <set>

namespace ptp::engine {

namespace {

// OMP_NUM_THREADS and ATEN_CPU_CAPABILITY show in `threads` and `instructions`.
constexpr const char* kVariables[] = {
    "CUBLAS_WORKSPACE_CONFIG", "DNNL_CPU_ISA_HINTS",   "DNNL_DEFAULT_FPMATH_MODE",
    "DNNL_MAX_CPU_ISA",        "GLIBC_TUNABLES",       "MKL_CBWR",
    "MKL_DEBUG_CPU_TYPE",      "MKL_DYNAMIC",          "MKL_ENABLE_INSTRUCTIONS",
    "MKL_NUM_THREADS",         "NVIDIA_TF32_OVERRIDE", "OMP_DYNAMIC",
    "OMP_THREAD_LIMIT",        "ONEDNN_CPU_ISA_HINTS", "ONEDNN_DEFAULT_FPMATH_MODE",
    "ONEDNN_MAX_CPU_ISA",      "OPENBLAS_CORETYPE",    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE"};

Value environment() {
    Value set;
    for (const char* name : kVariables) {
        if (const char* value = std::getenv(name); value != nullptr) {
            set.set(name, value);
        }
    }
    return set;
}

// As it stands in run.json; nothing as `absent`.
std::string text_or(const Value* value, const char* absent) {
    return value == nullptr ? absent : text_of(json_of(*value));
}

bool are_equal(const Value* left, const Value* right) {
    return left == nullptr || right == nullptr ? left == right : *left == *right;
}

void compare_environments(const Value* before, const Value& now, std::vector<std::string>& texts) {
    const bool was_recorded = before != nullptr && before->is_table();
    std::set<std::string> names;
    for (const Value* variables : {was_recorded ? before : &now, &now}) {
        for (const Member& member : variables->members()) {
            names.insert(member.key);
        }
    }
    for (const std::string& name : names) {
        const Value* old = was_recorded ? before->find(name) : nullptr;
        const Value* value = now.find(name);
        if (!are_equal(old, value)) {
            texts.push_back(fmt::format("{} is {}, was {}", name, text_or(value, "not set"),
                                        was_recorded ? text_or(old, "not set") : "not recorded"));
        }
    }
}

}  // namespace

Value machine_record(at::Device device) {
    return Value::table({{"ptp", PTP_VERSION},
                         {"libtorch", plugin::host_build().libtorch},
                         {"blas", blas_file().string()},
                         {"blas_build", blas_build()},
                         {"onednn_isa", onednn_isa()},
                         {"compiler", __VERSION__},
                         {"cpu", cpu_name()},
                         {"instructions", cpu_instructions()},
                         {run::kThreads, at::get_num_threads()},
                         {"device", device_name(device)},
                         {"driver", driver_version(device)},
                         {"environment", environment()}});
}

std::vector<std::string> machine_differences(const Value& before, const Value& now) {
    std::vector<std::string> texts;
    for (const Member& member : now.members()) {
        const Value* old = before.find(member.key);
        if (member.value.is_table()) {
            compare_environments(old, member.value, texts);
        } else if (!are_equal(old, &member.value)) {
            texts.push_back(
                fmt::format("{} is {}, {}", member.key, text_of(json_of(member.value)),
                            old == nullptr ? "was not recorded" : "was " + text_of(json_of(*old))));
        }
    }
    return texts;
}

}  // namespace ptp::engine
