#include "host/blas_kernels.hpp"

#include "run/record.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace blas_kernels_test {

namespace fs = std::filesystem;

using ptp::engine::BlasKernels;
using ptp::host::can_run;
using ptp::host::choose_kernels;
using ptp::host::Instructions;
using ptp::host::newer_kernels;
using ptp::host::recorded_kernels;
using ptp::test::TempFolder;

namespace {

using Names = std::vector<std::string>;

constexpr Instructions kOld = {.has_sse4 = true};
constexpr Instructions kAvx2 = {.has_sse4 = true, .has_avx2 = true};
constexpr Instructions kAvx512 = {.has_sse4 = true, .has_avx2 = true, .has_avx512 = true};
constexpr Instructions kBf16 = {
    .has_sse4 = true, .has_avx2 = true, .has_avx512 = true, .has_bf16 = true};

// What the choice reads from the environment, as it was before at the end.
class Variables {
public:
    Variables(const char* asked, const char* own) {
        setenv("OPENBLAS_CORETYPE", asked, 1);
        setenv("CHOOSING_BLAS", own, 1);
        if (*asked == '\0') {
            unsetenv("OPENBLAS_CORETYPE");
        }
    }
    ~Variables() {
        unsetenv("CHOOSING_BLAS");
        before_.empty() ? unsetenv("OPENBLAS_CORETYPE")
                        : setenv("OPENBLAS_CORETYPE", before_.c_str(), 1);
    }
    Variables(const Variables&) = delete;
    Variables& operator=(const Variables&) = delete;

private:
    static std::string now() {
        const char* value = std::getenv("OPENBLAS_CORETYPE");
        return value == nullptr ? "" : value;
    }

    std::string before_ = now();
};

// A library of its own for each choice, because a library stays open.
BlasKernels choose(const Instructions& instructions, const std::string& recorded = "",
                   bool is_open = false) {
    const TempFolder folder;
    const fs::path library = folder.path() / "libblas.so";
    fs::copy_file(ptp::test::build_dir() / "tests/choosing_blas.so", library);
    if (is_open) {
        REQUIRE(dlopen(library.c_str(), RTLD_LAZY) != nullptr);
    }
    return choose_kernels(library.c_str(), instructions, recorded);
}

std::string variable() {
    const char* value = std::getenv("OPENBLAS_CORETYPE");
    return value == nullptr ? "not set" : value;
}

}  // namespace

TEST_CASE("blas kernels: families newer than an old one are those that the processor can run") {
    CHECK(newer_kernels("Prescott", kBf16) == Names{"Cooperlake", "SkylakeX", "Haswell"});
    CHECK(newer_kernels("Prescott", kAvx512) == Names{"SkylakeX", "Haswell"});
    CHECK(newer_kernels("Barcelona", kAvx2) == Names{"Haswell"});
    CHECK(newer_kernels("Nehalem", kOld).empty());
    for (const char* suitable : {"Haswell", "Zen", "SkylakeX", "SapphireRapids", "Unheard", ""}) {
        CAPTURE(suitable);
        CHECK(newer_kernels(suitable, kBf16).empty());
    }
}

TEST_CASE("blas kernels: a family runs where the processor has its instructions") {
    CHECK(can_run("Prescott", kOld));
    CHECK_FALSE(can_run("Prescott", Instructions{}));
    CHECK_FALSE(can_run("Sandybridge", kOld));
    CHECK_FALSE(can_run("Haswell", kOld));
    CHECK(can_run("Haswell", kAvx2));
    CHECK(can_run("Zen", kAvx2));
    CHECK_FALSE(can_run("SkylakeX", kAvx2));
    CHECK(can_run("SkylakeX", kAvx512));
    CHECK_FALSE(can_run("Cooperlake", kAvx512));
    CHECK(can_run("Cooperlake", kBf16));
    CHECK_FALSE(can_run("SapphireRapids", kBf16));
    CHECK_FALSE(can_run("Unheard", kBf16));
}

TEST_CASE("blas kernels: the newest that the library has are taken instead of old ones") {
    const Variables variables("", "Prescott");
    const BlasKernels kernels = choose(kBf16);  // the library has none for Cooperlake
    CHECK(kernels.family == "SkylakeX");
    CHECK(kernels.instead_of == "Prescott");
    CHECK(variable() == "SkylakeX");
}

TEST_CASE(
    "blas kernels: what suits the processor is left alone, and so is a family that is unknown") {
    for (const char* own : {"Haswell", "Zen", "SapphireRapids", "Unheard"}) {
        CAPTURE(own);
        const Variables variables("", own);
        const BlasKernels kernels = choose(kBf16);
        CHECK(kernels.family == own);
        CHECK(kernels.instead_of == "");
        CHECK(variable() == "not set");
    }
    const Variables variables("", "Prescott");
    CHECK(choose(kOld).family == "Prescott");
    CHECK(variable() == "not set");
}

TEST_CASE("blas kernels: what a user has set counts, also more than a record") {
    const Variables variables("Nehalem", "Prescott");
    const BlasKernels kernels = choose(kAvx2, "Haswell");
    CHECK(kernels.family == "Nehalem");
    CHECK(kernels.instead_of == "");
    CHECK_FALSE(kernels.is_recorded_impossible);
    CHECK(variable() == "Nehalem");
}

TEST_CASE("blas kernels: a library that is open already has chosen") {
    const Variables variables("", "Prescott");
    CHECK(choose(kAvx2, "", true).family == "Prescott");
    CHECK(variable() == "not set");
}

TEST_CASE("blas kernels: those of a record are taken, be they older or newer") {
    for (const char* recorded : {"Nehalem", "SkylakeX"}) {
        CAPTURE(recorded);
        const Variables variables("", "Haswell");
        const BlasKernels kernels = choose(kAvx512, recorded);
        CHECK(kernels.family == recorded);
        CHECK(kernels.instead_of == "Haswell");
        CHECK_FALSE(kernels.is_recorded_impossible);
    }
    const Variables variables("", "Haswell");
    const BlasKernels same = choose(kAvx2, "Haswell");
    CHECK(same.instead_of == "");
    CHECK_FALSE(same.is_recorded_impossible);
}

TEST_CASE("blas kernels: those of a record that the processor or the library lacks are not taken") {
    for (const char* recorded : {"SkylakeX", "Zen", "SapphireRapids"}) {  // the library has no Zen
        CAPTURE(recorded);
        const Variables variables("", "Haswell");
        const BlasKernels kernels = choose(kAvx2, recorded);
        CHECK(kernels.family == "Haswell");
        CHECK(kernels.instead_of == "");
        CHECK(kernels.is_recorded_impossible);
        CHECK(variable() == "not set");
    }
}

TEST_CASE("blas kernels: a library that is missing, or has nothing to choose from, has no family") {
    const Variables variables("", "Prescott");
    CHECK(choose_kernels("/nowhere/libblas.so", kBf16, "Haswell").family == "");
    CHECK(choose_kernels("libm.so.6", kBf16, "Haswell").family == "");
    CHECK(variable() == "not set");
}

TEST_CASE("blas kernels: the record of a run states the family, where it names OpenBLAS") {
    const TempFolder folder;
    const auto recorded = [&folder](const ptp::Value& machine) {
        ptp::run::Record record;
        record.experiment_sha256 = std::string(64, '0');
        record.machine = machine;
        ptp::run::write_record(folder.path() / "run.json", record);
        return recorded_kernels(folder.path());
    };
    const auto built = [](const char* build) {
        return ptp::Value::table({{"blas_build", build}, {"threads", 1}});
    };
    CHECK(recorded(built("OpenBLAS 0.3.21 DYNAMIC_ARCH Zen MAX_THREADS=64")) == "Zen");
    CHECK(recorded(built("")) == "");
    CHECK(recorded(ptp::Value::table({{"threads", 1}})) == "");
    std::ofstream(folder.path() / "run.json") << "[";
    CHECK(recorded_kernels(folder.path()) == "");
    CHECK(recorded_kernels("/nowhere") == "");
}

}  // namespace blas_kernels_test
