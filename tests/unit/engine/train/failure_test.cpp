#include "engine/train/failure.hpp"

#include <c10/util/Exception.h>
#include <doctest/doctest.h>

#include <filesystem>
#include <new>
#include <stdexcept>

namespace failure_test {

using ptp::RunError;
using ptp::engine::as_run_error;

TEST_CASE("failure: what the engine says itself stays as it is") {
    const RunError error = as_run_error(RunError(ptp::kDataError, "no such file"));
    CHECK(error.code() == ptp::kDataError);
    CHECK(std::string(error.what()) == "no such file");
}

TEST_CASE("failure: any other exception is a plain sentence and a failed training") {
    const std::filesystem::filesystem_error disk(
        "rename", "/run/checkpoints", std::make_error_code(std::errc::no_space_on_device));
    CHECK(std::string(as_run_error(disk).what()) ==
          "cannot use /run/checkpoints: No space left on device");
    CHECK(std::string(as_run_error(std::bad_alloc()).what()) == "out of memory");
    CHECK(std::string(as_run_error(std::out_of_range("beyond")).what()) == "beyond");
    const c10::Error torch({"f", "f.cpp", 1}, "sizes differ");
    CHECK(std::string(as_run_error(torch).what()).starts_with("libtorch: sizes differ"));
    CHECK(as_run_error(torch).code() == ptp::kTrainingError);
}

TEST_CASE("failure: memory that libtorch is refused has a fix") {
    const c10::OutOfMemoryError error({"f", "f.cpp", 1},
                                      "CUDA out of memory. Tried to allocate 1 GiB");
    const std::string text = as_run_error(error).what();
    CHECK(text.starts_with("libtorch: CUDA out of memory. Tried to allocate 1 GiB"));
    CHECK(text.ends_with(
        "\n    fix: there is not enough memory; a smaller batch_size (with training.accumulate for the "
        "same step of the optimizer), training.precision = \"bf16\" or smaller sizes need less"));
}

}  // namespace failure_test
