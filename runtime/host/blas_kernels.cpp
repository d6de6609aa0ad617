// OpenBLAS is opened, asked for its selected kernels, and opened again if others are better: this
// does not depend on a list of processors or on the version of OpenBLAS. It takes 4 ms.

#include "host/blas_kernels.hpp"

#include "run/paths.hpp"
#include "run/record.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <optional>
#include <sstream>

namespace ptp::host {

namespace {

constexpr const char* kVariable = "OPENBLAS_CORETYPE";

enum class Needs { kSse4, kAvx2, kAvx512, kBf16, kOther };

struct Family {
    std::string_view name;
    Needs needs;
    bool is_old = false;  // older than AVX2
};

// The families of x86-64, as openblas_get_corename() names them. Those with kOther need features of
// only some processors of their time, or that the system enables for each process on request (AMX).
constexpr std::array<Family, 26> kFamilies = {{{"SapphireRapids", Needs::kOther},
                                               {"Cooperlake", Needs::kBf16},
                                               {"SkylakeX", Needs::kAvx512},
                                               {"Zen", Needs::kAvx2},
                                               {"Haswell", Needs::kAvx2},
                                               {"Excavator", Needs::kOther},
                                               {"Steamroller", Needs::kOther},
                                               {"Piledriver", Needs::kOther, true},
                                               {"Bulldozer", Needs::kOther, true},
                                               {"Sandybridge", Needs::kAvx2, true},
                                               {"Nehalem", Needs::kSse4, true},
                                               {"Dunnington", Needs::kSse4, true},
                                               {"Penryn", Needs::kSse4, true},
                                               {"Core2", Needs::kSse4, true},
                                               {"Prescott", Needs::kSse4, true},
                                               {"Atom", Needs::kSse4, true},
                                               {"Bobcat", Needs::kOther, true},
                                               {"Barcelona", Needs::kOther, true},
                                               {"Opteron_SSE3", Needs::kOther, true},
                                               {"Opteron", Needs::kOther, true},
                                               {"Athlon", Needs::kOther, true},
                                               {"Nano", Needs::kOther, true},
                                               {"Banias", Needs::kOther, true},
                                               {"Northwood", Needs::kOther, true},
                                               {"Coppermine", Needs::kOther, true},
                                               {"Katmai", Needs::kOther, true}}};

const Family* find_family(std::string_view name) {
    const auto* known = std::ranges::find(kFamilies, name, &Family::name);
    return known == kFamilies.end() ? nullptr : known;
}

bool has(Needs needs, const Instructions& instructions) {
    switch (needs) {
        case Needs::kSse4:
            return instructions.has_sse4;
        case Needs::kAvx2:
            return instructions.has_avx2;
        case Needs::kAvx512:
            return instructions.has_avx512;
        case Needs::kBf16:
            return instructions.has_bf16;
        case Needs::kOther:
            return false;
    }
    return false;
}

// OpenBLAS, while it is open.
class Library {
public:
    explicit Library(const char* name) : name_(name) { open(); }

    // Returns "" for a library with a single set of kernels.
    [[nodiscard]] std::string family() const {
        using Get = char* (*)();
        const auto config = function<Get>("openblas_get_config");
        const auto name = function<Get>("openblas_get_corename");
        const bool has_choice =
            config != nullptr && name != nullptr &&
            std::string_view(config()).find("DYNAMIC_ARCH") != std::string_view::npos;
        return has_choice ? name() : "";
    }

    void open_again() {
        if (handle_ != nullptr) {
            dlclose(handle_);
        }
        open();
    }

private:
    void open() { handle_ = dlopen(name_, RTLD_LAZY | RTLD_LOCAL); }

    template <class Function>
    [[nodiscard]] Function function(const char* name) const {
        return handle_ == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(handle_, name));
    }

    const char* name_;
    void* handle_ = nullptr;  // never closed at the end: libtorch uses the library
};

bool is_library_open(const char* library) {
    void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    if (handle != nullptr) {
        dlclose(handle);
    }
    return handle != nullptr;
}

// Switches the library to the kernels of a family, and returns true; unchanged if it has none.
bool take(Library& library, const std::string& family) {
    setenv(kVariable, family.c_str(), 1);
    library.open_again();
    if (library.family() == family) {
        return true;
    }
    unsetenv(kVariable);
    library.open_again();
    return false;
}

std::vector<std::string> wished(const std::string& chosen, const Instructions& instructions,
                                const std::string& recorded) {
    if (recorded.empty()) {
        return newer_kernels(chosen, instructions);
    }
    const bool is_possible = recorded != chosen && can_run(recorded, instructions);
    return is_possible ? std::vector{recorded} : std::vector<std::string>();
}

}  // namespace

Instructions Instructions::of_this_processor() {
    Instructions found;
#if defined(__x86_64__)
    __builtin_cpu_init();
    found.has_sse4 = __builtin_cpu_supports("sse4.2") != 0;
    found.has_avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
    found.has_avx512 =
        found.has_avx2 && __builtin_cpu_supports("avx512f") != 0 &&
        __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
        __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0;
    found.has_bf16 = found.has_avx512 && __builtin_cpu_supports("avx512bf16") != 0;
#endif
    return found;
}

bool can_run(std::string_view family, const Instructions& instructions) {
    const Family* known = find_family(family);
    return known != nullptr && has(known->needs, instructions);
}

std::vector<std::string> newer_kernels(std::string_view chosen, const Instructions& instructions) {
    std::vector<std::string> names;
    const Family* known = find_family(chosen);
    if (known == nullptr || !known->is_old) {
        return names;
    }
    for (const std::string_view name : {"Cooperlake", "SkylakeX", "Haswell"}) {
        if (can_run(name, instructions)) {
            names.emplace_back(name);
        }
    }
    return names;
}

engine::BlasKernels choose_kernels(const char* library, const Instructions& instructions,
                                   const std::string& recorded) {
    const char* asked = std::getenv(kVariable);
    const bool is_asked = asked != nullptr && *asked != '\0';  // OpenBLAS ignores an empty one
    const bool is_decided = is_asked || is_library_open(library);
    Library blas(library);
    const std::string chosen = blas.family();
    engine::BlasKernels kernels{.family = chosen, .recorded = recorded};
    if (is_decided || chosen.empty()) {
        return kernels;
    }
    for (const std::string& family : wished(chosen, instructions, recorded)) {
        if (take(blas, family)) {
            kernels.family = family;
            kernels.instead_of = chosen;
            return kernels;
        }
    }
    kernels.is_recorded_impossible = !recorded.empty() && recorded != chosen;
    return kernels;
}

const engine::BlasKernels& blas_kernels(const std::string& recorded) {
    // A libtorch with a built-in BLAS, as in the Python package index, opens none.
    static const engine::BlasKernels chosen =
        std::string_view(PTP_TORCH_BLAS).empty()
            ? engine::BlasKernels()
            : choose_kernels(PTP_TORCH_BLAS, Instructions::of_this_processor(), recorded);
    return chosen;
}

std::string recorded_kernels(const std::filesystem::path& run) {
    std::optional<run::Record> record;
    try {
        record = run::read_record(run / run::kRecordFile);
    } catch (const std::exception&) {  // reported where the record is used
        return "";
    }
    std::istringstream words(record->machine.text_at("blas_build"));
    for (std::string word; words >> word;) {
        if (find_family(word) != nullptr) {
            return word;
        }
    }
    return "";
}

}  // namespace ptp::host
