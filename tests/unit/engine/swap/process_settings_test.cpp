#include "engine/swap/process_settings.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/GradMode.h>
#include <doctest/doctest.h>

#include <cfenv>
#include <functional>
#include <string>

namespace process_settings_test {

using namespace ptp::engine;

TEST_CASE("process settings: each change is named and undone") {
    struct Case {
        std::function<void()> change;
        std::string what;
    };
    const Case cases[] = {
        {[] { std::fesetround(FE_UPWARD); },
         "how the host calculates (numbers are rounded in another direction)"},
        {[] { c10::set_default_dtype(caffe2::TypeMeta::Make<double>()); },
         "libtorch's default type"},
        {[] { at::set_num_threads(at::get_num_threads() + 1); }, "libtorch's number of threads"},
        {[] { at::globalContext().setDeterministicAlgorithms(true, false); },
         "whether libtorch is deterministic"},
        {[] { c10::GradMode::set_enabled(false); }, "whether libtorch keeps gradients"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.what);
        const ProcessSettings settings;
        settings.check(SwapPhase::kCreate, "'net' (Net)");
        c.change();
        const std::string text = "(create): 'net' (Net) changes " + c.what +
                                 " and does not put it back\n    fix: put it back as it was";
        CHECK_THROWS_WITH_AS(settings.check(SwapPhase::kCreate, "'net' (Net)"), text.c_str(),
                             SwapError);
        settings.restore();
        settings.check(SwapPhase::kCreate, "'net' (Net)");
    }
    CHECK(std::fegetround() == FE_TONEAREST);
    CHECK(c10::GradMode::is_enabled());
}

}  // namespace process_settings_test
