#include "engine/train/system_info.hpp"

#include <doctest/doctest.h>

namespace system_info_test {

using namespace ptp::engine;

TEST_CASE("system info: the reference BLAS is advised against, with the way to a fast one") {
    CHECK(
        slow_blas_advice("/usr/lib/x86_64-linux-gnu/blas/libblas.so.3.11.0") ==
        "matrix products run on the slow reference BLAS "
        "(/usr/lib/x86_64-linux-gnu/blas/libblas.so.3.11.0); install a fast one: sudo apt install "
        "libopenblas0-openmp");
}

TEST_CASE("system info: another BLAS, or one that cannot be found, is let be") {
    for (const char* file :
         {"/usr/lib/x86_64-linux-gnu/openblas-openmp/libblas.so.3",
          "/opt/intel/mkl/lib/libmkl_rt.so", "/usr/lib/x86_64-linux-gnu/libblas.so.3", ""}) {
        CAPTURE(file);
        CHECK_FALSE(slow_blas_advice(file).has_value());
    }
}

TEST_CASE("system info: the library that multiplies matrices is found in this process") {
    const std::filesystem::path file = blas_file();
    CHECK(std::filesystem::exists(file));
    // The libtorch of the Python package index has one within.
    const std::string name = file.filename().string();
    CHECK((name.find("blas") != std::string::npos || name == "libtorch_cpu.so"));
}

TEST_CASE("system info: what differs is named, and the environment by its variables") {
    const ptp::Value now = system_info(at::kCPU, {});
    CHECK(now.find("device")->as_string() == "cpu");
    CHECK(system_differences(now, now).empty());
    ptp::Value before = now;
    before.set("threads", 0);
    ptp::Value environment = *now.find("environment");
    environment.set("MKL_CBWR", "x");
    before.set("environment", environment);
    before.erase("compiler");
    const std::vector<std::string> texts = system_differences(before, now);
    REQUIRE(texts.size() == 3);
    CHECK(texts[0].ends_with("was not recorded"));
    CHECK(texts[1].starts_with("threads is "));
    CHECK(texts[1].ends_with(", was 0"));
    CHECK(texts[2] == "MKL_CBWR is not set, was \"x\"");
}

TEST_CASE("system info: kernels that ptp has chosen are recorded as that, and are no variable") {
    const BlasKernels kernels = {.family = "Haswell", .instead_of = "Prescott"};
    const ptp::Value chosen = system_info(at::kCPU, kernels);
    CHECK(*chosen.find("blas_kernels") ==
          ptp::Value::table({{"family", "Haswell"}, {"instead_of", "Prescott"}}));
    CHECK(chosen.find("environment")->find("OPENBLAS_CORETYPE") == nullptr);
    const ptp::Value left_alone = system_info(at::kCPU, {.family = "Haswell"});
    CHECK(left_alone.find("blas_kernels")->members().empty());
    CHECK(system_differences(chosen, left_alone).empty());
}

}  // namespace system_info_test
