
#include "support.hpp"

#include <doctest/doctest.h>

namespace read_load_test {

using ptp::experiment::test::kExample;
using ptp::experiment::test::problems_of;
using ptp::experiment::test::replaced;

TEST_CASE("load: what it leaves out is a list of names, and a whole pipeline leaves out nothing") {
    struct Case {
        const char* what;
        const char* by;
        const char* message;
    };
    const Case cases[] = {
        {"freeze = false", "load = { from = 'a', except = 'fc' }",
         "x.toml:42:31: pipeline.lenet5.load.except = \"fc\": must be a list of names of tensors "
         "or layers, such as [\"fc\"], not a string\n    fix: write except = [\"fc\"]"},
        {"freeze = false", "load = { from = 'a', except = ['fc', ''] }",
         "x.toml:42:38: pipeline.lenet5.load.except[1] = \"\": must not be empty"},
        {"disable = []", "load = { from = 'a', except = ['fc'] }",
         "x.toml:36:22: pipeline.load.except: unknown key; known: from, strict, rename"},
        {"freeze = false", "load = { from = 'a', only = [] , rename = ['a'] }",
         "x.toml:42:43: pipeline.lenet5.load.rename = [\"a\"]: must be a table from what names "
         "begin "
         "with in the file to what they are to begin with, such as { \"0.\" = \"layers.0.\" }, not a list"},
        {"freeze = false", "freeze = []",
         "x.toml:42:10: pipeline.lenet5.freeze = []: must have at least 1 item, has 0"}};
    for (const Case& c : cases) {
        CAPTURE(c.by);
        CHECK(problems_of(replaced(kExample, c.what, c.by)) == c.message);
    }
}

}  // namespace read_load_test
