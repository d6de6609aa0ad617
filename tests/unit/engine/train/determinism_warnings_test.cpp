#include "engine/train/process_setup.hpp"

#include <ATen/Context.h>
#include <c10/util/Exception.h>
#include <doctest/doctest.h>
#include <spdlog/sinks/ostream_sink.h>

#include <memory>
#include <sstream>

namespace determinism_warnings_test {

namespace {

// libtorch's setting for the time of a test.
class Deterministic {
public:
    Deterministic() { ptp::engine::compat::use_deterministic_algorithms(true); }
    ~Deterministic() { ptp::engine::compat::use_deterministic_algorithms(false); }
    Deterministic(const Deterministic&) = delete;
    Deterministic& operator=(const Deterministic&) = delete;
};

struct Log {
    std::ostringstream text;
    spdlog::logger logger{"test", std::make_shared<spdlog::sinks::ostream_sink_st>(text)};

    Log() { logger.set_pattern("%l: %v"); }
};

}  // namespace

TEST_CASE("determinism warnings: an operation of a device is reported once, by its name") {
    const Deterministic deterministic;
    Log log;
    {
        const ptp::engine::DeterminismWarnings warnings(at::Device(at::kCUDA, 0), true, log.logger);
        for (int i = 0; i < 3; ++i) {
            at::globalContext().alertNotDeterministic("adaptive_max_pool2d_backward_cuda");
        }
        at::globalContext().alertNotDeterministic("kthvalue CUDA");
    }
    CHECK(log.text.str() ==
          "warning: adaptive_max_pool2d_backward_cuda: libtorch has no deterministic algorithm for "
          "it on cuda:0; another run with the same seed may differ from this one in the last bits "
          "of its numbers\n"
          "warning: kthvalue CUDA: libtorch has no deterministic algorithm for it on cuda:0; "
          "another run with the same seed may differ from this one in the last bits of its "
          "numbers\n");
}

TEST_CASE("determinism warnings: a device that need not be deterministic is reported") {
    Log log;
    const ptp::engine::DeterminismWarnings on_cpu(at::Device(at::kCPU), false, log.logger);
    CHECK(log.text.str().empty());
    const ptp::engine::DeterminismWarnings warnings(at::Device(at::kCUDA, 1), false, log.logger);
    CHECK(log.text.str() ==
          "warning: deterministic = false: another run with the same seed may differ from this one "
          "in the last bits of its numbers on cuda:1\n");
}

TEST_CASE("determinism warnings: other warnings of libtorch stay what they are") {
    class Kept final : public ptp::engine::compat::WarningHandler {
    public:
        int count = 0;

    private:
        bool take(const std::string&) override {
            ++count;
            return true;
        }
    };
    Kept kept;
    const ptp::engine::compat::WarningGuard guard(&kept);
    Log log;
    TORCH_WARN("a tensor is large");
    {
        const ptp::engine::DeterminismWarnings none(at::Device(at::kCPU), true, log.logger);
        TORCH_WARN("a tensor is large");
    }
    CHECK(kept.count == 2);
    {
        const ptp::engine::DeterminismWarnings warnings(at::Device(at::kCUDA, 0), true, log.logger);
        TORCH_WARN("a tensor is large");
    }
    TORCH_WARN("a tensor is large");
    CHECK(kept.count == 3);
    CHECK(log.text.str().empty());
}

}  // namespace determinism_warnings_test
