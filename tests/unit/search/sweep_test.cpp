#include "ptprun/sweep_points.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace sweep_test {

using namespace ptp;
using namespace ptp::ptprun;

namespace {

using Strings = std::vector<std::string>;

Strings of(const std::string& text) {
    Diagnostics problems;
    const Strings all = alternatives(text, 0, problems);
    CHECK(problems.text() == "");
    return all;
}

}  // namespace

TEST_CASE("sweep: commas divide what is not TOML as a whole") {
    CHECK(of("lr=0.1,0.01") == Strings{"lr=0.1", "lr=0.01"});
    CHECK(of("a.b = 1 , 2") == Strings{"a.b =1", "a.b =2"});
    CHECK(of("type=Adam,SGD") == Strings{"type=Adam", "type=SGD"});
    CHECK(of("w=[1, 2],[3]") == Strings{"w=[1, 2]", "w=[3]"});
    CHECK(of("t={ a = 1, b = 2 },{ a = 3 }") == Strings{"t={ a = 1, b = 2 }", "t={ a = 3 }"});
    CHECK(of(R"(s="a,\",b",'c,"d')") == Strings{R"(s="a,\",b")", R"(s='c,"d')"});
    CHECK(of(R"("a=,b".c=1,2)") == Strings{R"("a=,b".c=1)", R"("a=,b".c=2)"});
}

TEST_CASE("sweep: what is one value stays one") {
    for (const char* text : {"lr=0.1", "w=[1, 2]", "w=[[1, 2], [3]]", "s=\"a,b\"", "s='a,b'",
                             "t={ a = 1, b = 2 }", "s=text", "s=", "no key", "w=[1,"}) {
        CHECK(of(text) == Strings{text});
    }
    CHECK_FALSE(is_sweep({.file = "", .overrides = {"w=[1, 2]", "lr=1"}, .plugins = {}}));
    CHECK(is_sweep({.file = "", .overrides = {"w=[1, 2]", "lr=1,2"}, .plugins = {}}));
}

TEST_CASE("sweep: the product, the last override varying first") {
    Diagnostics problems;
    const auto points =
        sweep_points({"training.optimizer.lr=0.1,0.01", "device=cpu", "seed=1,2"}, problems);
    REQUIRE(points.size() == 4);
    CHECK(points[0].overrides == Strings{"training.optimizer.lr=0.1", "device=cpu", "seed=1"});
    CHECK(points[1].overrides == Strings{"training.optimizer.lr=0.1", "device=cpu", "seed=2"});
    CHECK(points[3].overrides == Strings{"training.optimizer.lr=0.01", "device=cpu", "seed=2"});
    CHECK(points[0].label == "lr=0.1 seed=1");
    CHECK(points[3].label == "lr=0.01 seed=2");
    CHECK(file_name(points[3]) == "lr=0.01_seed=2");
}

TEST_CASE("sweep: keys that end alike are distinguished, and names of files are harmless") {
    Diagnostics problems;
    const auto points = sweep_points({"a.x=1,2", "b.x=../3,\"4 5\""}, problems);
    REQUIRE(points.size() == 4);
    CHECK(points[0].label == "a.x=1 b.x=../3");
    CHECK(file_name(points[0]) == "a.x=1_b.x=.._3");
    CHECK(file_name(points[1]) == "a.x=1_b.x=_4_5_");
    const auto longest = sweep_points({"a=1,'" + std::string(300, 'z') + "'"}, problems);
    CHECK(file_name(longest[1]).size() == 100);
}

TEST_CASE("sweep: no alternatives, no label") {
    Diagnostics problems;
    const auto points = sweep_points({"a=1", "a=2"}, problems);
    REQUIRE(points.size() == 1);
    CHECK(points[0].label == "");
    CHECK(problems.ok());
    CHECK(sweep_points({}, problems).size() == 1);
}

TEST_CASE("sweep: an empty value, a key set twice and too many runs are refused") {
    struct Case {
        Strings overrides;
        const char* problem;
    };
    const Case cases[] = {
        {{"lr=0.1,"}, "--set: 'lr=0.1,': one of the values between the commas is empty"},
        {{"lr=1,2", "lr=3"}, "--set: lr: is set twice in one sweep"},
        {{"a=0,1,2,3,4,5,6,7,8,9", "b=0,1,2,3,4,5,6,7,8,9", "c=0,1,2,3,4,5,6,7,8,9",
          "d=0,1,2,3,4,5,6,7,8,9", "e=1,2"},
         "--set: a sweep of more than 10000 runs"},
    };
    for (const Case& c : cases) {
        Diagnostics problems;
        CHECK(sweep_points(c.overrides, problems).empty());
        CHECK(problems.text() == c.problem);
    }
}

}  // namespace sweep_test
