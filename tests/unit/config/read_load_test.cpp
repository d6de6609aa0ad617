#include "config/read_load.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

#include <string>

using ptp::config::test::kExample;
using ptp::config::test::problems_of;
using ptp::config::test::replaced;

TEST_CASE("load: what it leaves out is a list of names, and a whole pipeline leaves out nothing") {
    struct Case {
        const char* what;
        const char* by;
        const char* message;
    };
    const Case cases[] = {
        {"freeze = false", "load = { from = 'a', except = 'fc' }",
         "x.toml:42:31: pipeline.lenet5.load.except = \"fc\": must be a list of names of tensors "
         "or layers, such as [\"fc\"]"},
        {"freeze = false", "load = { from = 'a', except = ['fc', ''] }",
         "x.toml:42:31: pipeline.lenet5.load.except = [\"fc\", \"\"]: must be a list of names of "
         "tensors or layers, such as [\"fc\"]"},
        {"disable = []", "load = { from = 'a', except = ['fc'] }",
         "x.toml:36:22: pipeline.load.except: unknown key; known: from, strict"}};
    for (const Case& c : cases) {
        CAPTURE(c.by);
        CHECK(problems_of(replaced(kExample, c.what, c.by)) == c.message);
    }
}
