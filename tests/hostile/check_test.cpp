// What `ptp-inspect --check` prints about plugins that are wrong; kit_test.cpp has what each rule
// finds.

#include "support.hpp"

#include "support/paths.hpp"
#include "support/process.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace check_test {

namespace {

using namespace ptp::test;

ProcessResult check(const std::string& file, const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments = {"--check", file};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run_program("ptp-inspect", arguments);
}

// The line of each rule from 101 to 110, and from 201 to 203, which have passed.
const std::string kFileRules =
    "  101  plugin-file               passed\n"
    "  102  exported-symbols          passed\n"
    "  103  unique-symbols            passed\n"
    "  104  thread-local-destructors  passed\n"
    "  105  fast-math                 passed\n"
    "  106  text-relocations          passed\n"
    "  107  executable-stack          passed\n"
    "  108  needed-libraries          passed\n"
    "  109  help-texts                passed\n"
    "  110  declarations              passed\n";
const std::string kCodeRules =
    "  201  loads                     passed\n"
    "  202  manifest-equals-code      passed\n"
    "  203  abilities                 passed\n";

// Those of the rules that try a component which runs, for this reason.
std::string skipped_rules(const std::string& reason) {
    std::string text;
    for (const char* rule : {"205  created-twice           ", "206  defaults                ",
                             "207  setting-limits          ", "208  parameter-order         ",
                             "209  gradients               ", "210  state-round-trip        ",
                             "211  interruption            ", "212  batch-sizes             ",
                             "213  batch-of-one            ", "214  empty-batch             ",
                             "215  wrong-shapes            ", "216  inputs-unchanged        ",
                             "217  threads                 ", "218  determinism             ",
                             "219  shared-generators       ", "220  writes                  ",
                             "221  process-state           ", "222  strided-inputs          ",
                             "223  moved-parameters        "}) {
        text += "  " + std::string(rule) + "  skipped: " + reason + "\n";
    }
    return text;
}

const std::string kNotRun = "no component was run, see rule 204 (runs)";

}  // namespace

TEST_CASE("hostile check: what keeps the rules until it runs is judged to the end") {
    const std::string file = hostile_file("plain").string();
    const ProcessResult result = check(file);
    CHECK(result.status == 3);
    CHECK(result.output ==
          file + "\n" + kFileRules + kCodeRules +
              "  204  runs                      failed\n"
              "         HostileModel: plugin 'hostile' 0.1.0: 'component' (HostileModel): output "
              "'predictions' (stream 'predictions'): was not written\n"
              "         fix: correct what the message names\n" +
              skipped_rules(kNotRun) + "  refused: 13 passed, 1 failed, 19 skipped\n");
}

TEST_CASE("hostile check: a component that does not end is given up, and what to give is said") {
#if defined(__SANITIZE_THREAD__)
    MESSAGE("not run: the sanitizer keeps signals from the child of a process with threads");
    return;
#endif
    const std::string file =
        (ptp::test::build_dir() / "tests/hostile/components/hanging_component.so").string();
    const ProcessResult result = check(file, {"--time-limit", "1", "--only", "runs"});
    CHECK(result.status == 3);
    CHECK(result.output ==
          file +
              "\n  204  runs                      timed out\n"
              "         HangsInForward: plugin 'hanging_component' 0.1.0: 'component' "
              "(HangsInForward): forward() is not done after 1 s\n"
              "             fix: give settings of [HangsInForward] that take less time in "
              "FILE.toml, and FILE.toml after --with, or a longer --time-limit\n"
              "  refused: 1 timed out\n");
}

TEST_CASE("hostile check: a plugin that crashes when it is loaded is reported with the signal") {
    const std::string file = hostile_file("crash").string();
    const ProcessResult result = check(file);
    CHECK(result.status == 3);
    const std::string needs = "needs rule 201 (loads)";
    CHECK(result.output ==
          file + "\n" + kFileRules +
              "  201  loads                     crashed\n"
              "         loading it ended by signal 11 (Segmentation fault)\n"
              "         fix: do nothing in constructors of static objects and in "
              "ptp_plugin_entry()\n"
              "  202  manifest-equals-code      skipped: needs rule 201 (loads)\n"
              "  203  abilities                 skipped: needs rule 201 (loads)\n"
              "  204  runs                      skipped: needs rule 201 (loads)\n" +
              skipped_rules(needs) + "  refused: 10 passed, 1 crashed, 22 skipped\n");
}

TEST_CASE("hostile check: a rule that others need is reported where it refuses the plugin") {
    const std::string file = hostile_file("crash").string();
    const ProcessResult result = check(file, {"--only", "204"});
    CHECK(result.status == 3);
    CHECK(result.output == file +
                               "\n  201  loads                     crashed\n"
                               "         loading it ended by signal 11 (Segmentation fault)\n"
                               "         fix: do nothing in constructors of static objects and in "
                               "ptp_plugin_entry()\n"
                               "  204  runs                      skipped: needs rule 201 (loads)\n"
                               "  refused: 1 crashed, 1 skipped\n");
}

TEST_CASE("hostile check: a plugin that lies is reported with the loader's words") {
    const std::string file = hostile_file("lies").string();
    const ProcessResult result = check(file, {"--only", "loads,202"});
    CHECK(result.status == 3);
    CHECK(result.output ==
          file +
              "\n  201  loads                     passed\n"
              "  202  manifest-equals-code      failed\n"
              "         its manifest has HostileModel.settings.width.default_value = \"3\", its "
              "code has \"4\"\n"
              "         fix: build it with ptp_add_plugin(), which writes the manifest from the "
              "code\n"
              "  refused: 1 passed, 1 failed\n");
}

TEST_CASE("hostile check: a file that is not a plugin is judged no further") {
    const std::string file = hostile_file("no_entry").string();
    const ProcessResult result = check(file, {"--only", "plugin-file,exported-symbols"});
    CHECK(result.status == 3);
    CHECK(result.output ==
          file +
              "\n  101  plugin-file               failed\n"
              "         is not a plugin: it does not export ptp_plugin_entry\n"
              "         fix: ptp_add_plugin() builds one from a source with PTP_PLUGIN()\n"
              "  102  exported-symbols          skipped: needs rule 101 (plugin-file)\n"
              "  refused: 1 failed, 1 skipped\n");
}

TEST_CASE("hostile check: a file that is not there is not blamed on its build") {
    const std::string losses = (ptp::test::build_dir() / "lib/ptp/plugins/losses.so").string();
    const std::pair<std::string, std::string> files[] = {
        {"/nowhere/x.so",
         "name the file of a built plugin, such as build/lib/ptp/plugins/my_plugin.so"},
        {"losses", "ptp-inspect --check " + losses},
        {"NLLLoss", "ptp-inspect --check " + losses}};
    for (const auto& [file, fix] : files) {
        CAPTURE(file);
        const ProcessResult result = check(file, {});
        CHECK(result.status == 3);
        CHECK(result.output == file +
                                   "\n  101  plugin-file               failed\n"
                                   "         cannot be opened: No such file or directory\n"
                                   "         fix: " +
                                   fix +
                                   "\n  102 to 223  skipped: needs rule 101 (plugin-file)\n"
                                   "  refused: 1 failed, 32 skipped\n");
    }
}

TEST_CASE("hostile check: a model that offers no parameters is found") {
    const std::string file =
        (ptp::test::build_dir() / "tests/hostile/no_parameters/hostile_no_parameters.so").string();
    const ProcessResult result = check(file, {"--only", "203"});
    CHECK(result.status == 3);
    CHECK(result.output ==
          file +
              "\n  203  abilities                 failed\n"
              "         HostileModel: is a model without parameters\n"
              "             fix: give it `torch::nn::Module& module()`; if it has nothing to learn "
              "it is a PTP_TRANSFORM\n"
              "  refused: 1 failed\n");
}

TEST_CASE("hostile check: what is not run on made-up values for a reason of its own is named") {
    const std::string file =
        (ptp::test::build_dir() / "tests/hostile/components/hostile_components.so").string();
    const ProcessResult result = check(file, {"--only", "runs"});
    CHECK(result.status == 3);
    CHECK(result.output.find(
              "         not tried: FailsInForward: fails in every step with what was "
              "made up: 'component' (FailsInForward): the stars are out of order\n"
              "             fix: correct what the message names\n") != std::string::npos);
    CHECK(result.output.find("PlainTransform") == std::string::npos);
}

TEST_CASE("hostile check: a warning refuses no plugin") {
    const std::string file =
        (ptp::test::build_dir() / "tests/hostile/kit/kit_thread_local_destructor.so").string();
    const ProcessResult result = check(file, {"--only", "104"});
    CHECK(result.status == 0);
    CHECK(result.output == file +
                               "\n  104  thread-local-destructors  warning\n"
                               "         registers destructors of thread_local objects\n"
                               "         fix: keep it in the component, or make it a plain value\n"
                               "  accepted: 1 warning\n");
}

TEST_CASE("hostile check: with --strict a warning refuses a plugin") {
    const std::string file =
        (ptp::test::build_dir() / "tests/hostile/kit/kit_thread_local_destructor.so").string();
    const ProcessResult result = check(file, {"--only", "103,104", "--strict"});
    CHECK(result.status == 3);
    CHECK(result.output == file +
                               "\n  103  unique-symbols            passed\n"
                               "  104  thread-local-destructors  warning\n"
                               "         registers destructors of thread_local objects\n"
                               "         fix: keep it in the component, or make it a plain value\n"
                               "  refused: 1 passed, 1 warning\n");
    CHECK(check(file, {"--only", "103", "--strict"}).status == 0);
    const ProcessResult misplaced = run_program("ptp-inspect", {file, "--strict"});
    CHECK(misplaced.status == 2);
    CHECK(misplaced.errors ==
          "ptp-inspect: error: --strict is for --check\n    help: ptp-inspect --help\n");
}

TEST_CASE("hostile check: what a plugin prints as it is loaded is not among the report") {
    const ProcessResult result = check(hostile_file("talks").string(), {"--only", "201", "--json"});
    CHECK(result.output.starts_with("{\n  \"seed\": "));
    CHECK(result.errors == "noise of a constructor\n");
}

TEST_CASE("hostile check: the report as JSON") {
    const std::string file = hostile_file("lies").string();
    const ProcessResult result = check(file, {"--only", "201,202", "--json", "--seed", "7"});
    CHECK(result.status == 3);
    CHECK(result.output == R"({
  "seed": 7,
  "plugins": [
    {
      "file": ")" + file + R"(",
      "is_accepted": false,
      "is_complete": true,
      "rules": [
        {
          "number": 201,
          "name": "loads",
          "outcome": "passed",
          "findings": []
        },
        {
          "number": 202,
          "name": "manifest-equals-code",
          "outcome": "failed",
          "findings": [
            {
              "outcome": "failed",
              "reason": "its manifest has HostileModel.settings.width.default_value = \"3\", its code has \"4\"",
              "fix": "build it with ptp_add_plugin(), which writes the manifest from the code"
            }
          ]
        }
      ]
    }
  ]
}
)");
}

TEST_CASE("hostile check: rules that do not exist are refused with all that do") {
    const ProcessResult result = check("x.so", {"--only", "gradient"});
    CHECK(result.status == 2);
    CHECK(result.errors ==
          "ptp-inspect: error: --only gradient: unknown rule; did you mean 'gradients'?\n    help: "
          "ptp-inspect --help\n");
}

}  // namespace check_test
