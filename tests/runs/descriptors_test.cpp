// Commands that may open few files: each ends well, or with one sentence and a documented exit
// code.

#include "runs/few_descriptors.hpp"
#include "support/some_of.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <cstdint>
#include <string>
#include <vector>

namespace descriptors_test {

using namespace ptp::test;

TEST_CASE("descriptors: with each limit from 8 to 64 experiments are checked and plugins listed") {
    ptp::test::pass_on_no_descriptors();
    const ExperimentFolder folder;
    const std::string experiment = folder.write().string();
    struct Case {
        const char* program;
        std::vector<std::string> arguments;
    };
    for (const Case& c : {Case{"ptprun", {"check", experiment}}, Case{"ptp-inspect", {}}}) {
        CAPTURE(c.program);
        const ProcessResult plain = run_program(c.program, c.arguments);
        require_success(plain);
        std::vector<std::uint64_t> limits;
        for (std::uint64_t limit = 8; limit <= 64; ++limit) {
            limits.push_back(limit);
        }
        for (const std::uint64_t limit : some_of(limits, 7)) {
            CAPTURE(limit);
            const ProcessResult few =
                run_program(c.program, c.arguments, {}, {{RLIMIT_NOFILE, limit}});
            require_success(few);
            CHECK(few.output == plain.output);
        }
    }
}

TEST_CASE("descriptors: with fewer than it needs a training ends with one sentence, and resumes") {
    const ptp::test::FewDescriptors few;
    const std::vector<std::uint64_t> limits{8, 9, 10, 11, 12, 13, 14, 16, 32, 64};
    for (const std::uint64_t limit : some_of(limits, 3)) {
        few.check_training(limit);
    }
}

}  // namespace descriptors_test
