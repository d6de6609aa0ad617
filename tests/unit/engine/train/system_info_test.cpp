#include "engine/train/system_info.hpp"

#include <doctest/doctest.h>

namespace system_info_test {

using ptp::engine::blas_file;
using ptp::engine::old_kernels_advice;
using ptp::engine::slow_blas_advice;
using ptp::engine::system_differences;
using ptp::engine::system_info;

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

TEST_CASE(
    "system info: OpenBLAS's kernels for an old processor are advised against on a newer one") {
    constexpr auto kBuild =
        "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY Prescott MAX_THREADS=64";
    CHECK(
        old_kernels_advice(kBuild, "AVX2") ==
        "OpenBLAS computes with its kernels for the old processor Prescott, though this one has AVX2: "
        "matrix products are slow, and differ in their last bits from other machines; set "
        "OPENBLAS_CORETYPE=Haswell");
    CHECK(old_kernels_advice(kBuild, "AVX512") ==
          "OpenBLAS computes with its kernels for the old processor Prescott, though this one has "
          "AVX-512: matrix products are slow, and differ in their last bits from other machines; "
          "set OPENBLAS_CORETYPE=SkylakeX");
}

TEST_CASE(
    "system info: no advice about kernels that suit the processor, or where OpenBLAS is not used") {
    CHECK_FALSE(old_kernels_advice("OpenBLAS 0.3.21 DYNAMIC_ARCH Haswell MAX_THREADS=64", "AVX2"));
    CHECK_FALSE(
        old_kernels_advice("OpenBLAS 0.3.21 DYNAMIC_ARCH Prescott MAX_THREADS=64", "DEFAULT"));
    CHECK_FALSE(old_kernels_advice("", "AVX512"));
}

TEST_CASE("system info: the library that multiplies matrices is found in this process") {
    const std::filesystem::path file = blas_file();
    CHECK(std::filesystem::exists(file));
    // The libtorch of the Python package index has one within.
    const std::string name = file.filename().string();
    CHECK((name.find("blas") != std::string::npos || name == "libtorch_cpu.so"));
}

TEST_CASE("system info: what differs is named, and the environment by its variables") {
    const ptp::Value now = system_info(at::kCPU);
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

}  // namespace system_info_test
