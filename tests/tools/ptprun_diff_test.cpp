// `ptprun diff` as a person meets it.

#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"
#include "tools/finished_run.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace ptprun_diff_test {

namespace {

using ptp::test::ProcessResult;
using ptp::test::ptprun;
using ptp::test::TempFolder;
using ptp::test::write_run;

}  // namespace

TEST_CASE("ptprun diff: ends with 0 for equal runs and with 1 for others") {
    const TempFolder folder;
    write_run(folder, "a", "0.1", "0.5");
    write_run(folder, "b", "0.1", "0.5");
    write_run(folder, "c", "0.2", "0.5");
    const auto path = [&](const char* name) { return (folder.path() / name).string(); };
    const ProcessResult same = ptprun({"diff", path("a"), path("b")});
    CHECK(same.status == 0);
    CHECK(same.output.ends_with("the runs are the same\n"));
    const ProcessResult other = ptprun({"diff", path("a"), path("c")});
    CHECK(other.status == 1);
    CHECK(other.output.starts_with("settings: 1 of 2 differs\n"));
    folder.write("c/run.json", "");
    const ProcessResult broken = ptprun({"diff", path("a"), path("c")});
    CHECK(broken.status == 2);
    CHECK(broken.errors == "ptprun: error: " + path("c") + ": run.json is broken\n");
}

TEST_CASE("ptprun diff: how many processes trained is a difference") {
    const TempFolder folder;
    const auto begun = [&](const char* name, const std::string& processes) {
        write_run(folder, name, "0.1", "0.5");
        folder.write(name + std::string("/run.json"),
                     R"({"plugins": [], "machine": {"libtorch": "1.13.1"}, "processes": [)" +
                         processes + "]}");
    };
    begun("one", R"({"began": "x"}, {"began": "y"})");
    begun("two", R"({"began": "x", "ranks": 2}, {"began": "y", "ranks": 2})");
    begun("both", R"({"began": "x", "ranks": 2}, {"began": "y"})");
    begun("bundled", "");
    const auto path = [&](const char* name) { return (folder.path() / name).string(); };
    const auto differs = [&](const char* left, const char* right) {
        const std::string text = ptprun({"diff", path(left), path(right)}).output;
        const std::size_t begin = text.find("machine: ");
        return text.substr(begin, text.find("results: ") - begin);
    };
    const auto titled = [&](const char* left, const char* right, const std::string& rest) {
        return "machine: 1 of 2 differs\n               " + path(left) + "  " + path(right) + rest;
    };
    CHECK(differs("one", "two").starts_with(titled("one", "two", "\n  * processes  1")));
    CHECK(differs("two", "both").starts_with(titled("two", "both", "\n  * processes  2")));
    CHECK(differs("two", "both").ends_with("  2, then 1\n"));
    CHECK(differs("one", "one") == "machine: same\n");
    CHECK(differs("one", "bundled") == "machine: same\n");
}

}  // namespace ptprun_diff_test
