// What `ptp-inspect --check` tells the authors of plugins that are wrong; it survives all of them.

#include "support.hpp"

#include "support/paths.hpp"
#include "support/process.hpp"

#include <doctest/doctest.h>

#include <string>

namespace check_test {

namespace {

using ptp::test::hostile_file;
using ptp::test::ProcessResult;
using ptp::test::run_program;

constexpr const char* kAllButLoading =
    "  ok    is a plugin for this host\n"
    "  ok    exports one symbol\n"
    "  ok    has no unique symbols\n"
    "  ok    leaves the stack alone\n"
    "  ok    explains all that it declares\n"
    "  ok    declares what can be read and is consistent\n";

ProcessResult check(const std::string& file, const std::string& time_limit_s = "60") {
    return run_program("ptp-inspect", {"--check", file, "--time-limit", time_limit_s});
}

}  // namespace

TEST_CASE("hostile check: what keeps the rules until it runs is judged to the end") {
    const std::string file = hostile_file("plain").string();
    const ProcessResult result = check(file);
    CHECK(result.status == 3);
    CHECK(result.output ==
          file + "\n" + kAllButLoading +
              "  ok    loads, and matches its manifest\n"
              "  FAIL  runs, and does what it declares\n"
              "        HostileModel: plugin 'hostile' 0.1.0: 'component' (HostileModel): output "
              "'predictions' (stream 'predictions'): was not written\n"
              "  ok    continues after an interruption as if there had been none\n");
}

TEST_CASE("hostile check: a component that does not end is given up, and what to give is said") {
    const std::string file =
        (ptp::test::build_dir() / "tests/hostile/components/hanging_component.so").string();
    const ProcessResult result = check(file, "1");
    CHECK(result.status == 0);
    CHECK(
        result.output ==
        file + "\n" + kAllButLoading +
            "  ok    loads, and matches its manifest\n"
            "  ok    runs, and does what it declares\n"
            "        note: HangsInForward was not tried: plugin 'hanging_component' 0.1.0: "
            "'component' (HangsInForward): forward() is not done after 1 s\n"
            "            fix: give settings of [HangsInForward] that take less time in FILE.toml, "
            "and FILE.toml after --with, or a longer --time-limit\n"
            "  ok    continues after an interruption as if there had been none\n");
}

TEST_CASE("hostile check: a plugin that crashes when it is loaded is reported with the signal") {
    const std::string file = hostile_file("crash").string();
    const ProcessResult result = check(file);
    CHECK(result.status == 3);
    CHECK(result.output == file + "\n" + kAllButLoading +
                               "  FAIL  loads, and matches its manifest\n"
                               "        loading it ended by signal 11 (Segmentation fault)\n");
}

TEST_CASE("hostile check: a plugin that hangs when it is loaded is given up") {
    const std::string file = hostile_file("hang").string();
    const ProcessResult result = check(file, "1");
    CHECK(result.status == 3);
    CHECK(result.output == file + "\n" + kAllButLoading +
                               "  FAIL  loads, and matches its manifest\n"
                               "        loading it took longer than 1 s\n");
}

TEST_CASE("hostile check: a plugin that lies is reported with the loader's words") {
    const std::string file = hostile_file("lies").string();
    const ProcessResult result = check(file);
    CHECK(result.status == 3);
    CHECK(result.output ==
          file + "\n" + kAllButLoading + "  FAIL  loads, and matches its manifest\n        " +
              file +
              ": cannot be loaded (compare): its manifest has "
              "HostileModel.settings.width.default_value = \"3\", its code has \"4\"\n"
              "            fix: build it with ptp_add_plugin(), which writes the manifest from the "
              "code\n");
}

TEST_CASE("hostile check: a file that is not a plugin is judged no further") {
    const std::string file = hostile_file("no_entry").string();
    const ProcessResult result = check(file);
    CHECK(result.status == 3);
    CHECK(result.output ==
          file +
              "\n  FAIL  is a plugin for this host\n"
              "        is not a plugin: it does not export ptp_plugin_entry"
              "\n            fix: ptp_add_plugin() builds one from a source with PTP_PLUGIN()\n");
}

TEST_CASE("hostile check: missing help") {
    const auto folder = ptp::test::build_dir() / "tests/hostile";
    CHECK(check((folder / "no_help/hostile_no_help.so").string())
              .output.find("  FAIL  explains all that it declares\n"
                           "        HostileModel: setting 'width': help is empty\n") !=
          std::string::npos);
}

TEST_CASE("hostile check: a model that offers no parameters is found") {
    const std::string file =
        (ptp::test::build_dir() / "tests/hostile/no_parameters/hostile_no_parameters.so").string();
    const ProcessResult result = check(file);
    CHECK(result.status == 3);
    CHECK(result.output ==
          file + "\n" + kAllButLoading +
              "  FAIL  loads, and matches its manifest\n"
              "        HostileModel: is a model without parameters: give it `torch::nn::Module& "
              "module()`; if it has nothing to learn it is a PTP_TRANSFORM\n");
}

TEST_CASE(
    "hostile check: a crash of a component is reported and ends no more than that component") {
    const std::string file =
        (ptp::test::build_dir() / "tests/hostile/components/crashing_components.so").string();
    const ProcessResult result = check(file);
    CHECK(result.status == 3);
    const std::string plugin = "plugin 'crashing_components' 0.1.0: ";
    CHECK(result.output ==
          file + "\n" + kAllButLoading +
              "  ok    loads, and matches its manifest\n"
              "  FAIL  runs, and does what it declares\n"
              "        CrashesInCreate: " +
              plugin +
              "'component' (CrashesInCreate): create() crashed (SIGSEGV)\n"
              "        CrashesInForward: " +
              plugin +
              "'component' (CrashesInForward): forward() crashed (SIGFPE)\n"
              "        RecursesInForward: " +
              plugin +
              "'component' (RecursesInForward): forward() crashed (SIGSEGV)\n"
              "        CrashesInFetchTask: " +
              plugin +
              "the task of [training] (CrashesInFetchTask): fetch() crashed (SIGABRT)\n"
              "  ok    continues after an interruption as if there had been none\n");
}

TEST_CASE("hostile check: components that are not what they declare are reported") {
    const std::string file =
        (ptp::test::build_dir() / "tests/hostile/components/hostile_components.so").string();
    const ProcessResult result = check(file);
    CHECK(result.status == 3);
    const auto has = [&](const std::string& component, const std::string& problem) {
        CAPTURE(component);
        const std::string line =
            "\n        " + component + ": plugin 'hostile_components' 0.1.0: " + problem + "\n";
        CHECK(result.output.find(line) != std::string::npos);
    };
    const auto of = [](const std::string& component) { return "'component' (" + component + ")"; };
    has("FailsSilentlyInCreate",
        of("FailsSilentlyInCreate") + ": create() failed with status 3 and without a message");
    has("MakesNothing", of("MakesNothing") + ": create() gave no instance");
    has("WritesWrongShape", of("WritesWrongShape") +
                                " writes [4, 5] to stream 'outputs', but its port 'outputs' is "
                                "declared as [B, 4] (B = 4)");
    has("WritesWrongType", of("WritesWrongType") +
                               ": output 'outputs' (stream 'outputs'): is a "
                               "tensor of Long, must be a tensor of a floating "
                               "type");
    has("WritesNothing",
        of("WritesNothing") + ": output 'outputs' (stream 'outputs'): was not written");
    has("FailsSilentlyInForward",
        of("FailsSilentlyInForward") + ": forward() failed with status 2 and without a message");
    has("NegativeSizeTask", "the task of [training] (NegativeSizeTask): its size is -1");
    has("TooFewSamplesTask",
        "the task of [training] (TooFewSamplesTask) writes [3, 4] to stream "
        "'inputs', but its port 'inputs' is declared as [B, 4] (B = 4)");
    has("PublishesNothing",
        of("PublishesNothing") + ": create() has not published the global 'promised_size'");
    has("AsksForBoundlessSize",
        of("AsksForBoundlessSize") +
            ": tensor_allocate: a tensor of [17592186044416, 4]: no memory can hold it");
    CHECK(result.output.find(
              "        note: FailsInForward was not tried: 'component' (FailsInForward): the stars "
              "are out of order\n") != std::string::npos);
    CHECK(result.output.find("PlainTransform") == std::string::npos);
}

}  // namespace check_test
