// Plugins that are wrong, and the rule of `ptp-inspect --check` that finds each: none of them is
// accepted, and none is fatal.

#include "support.hpp"

#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace kit_test {

namespace {

using nlohmann::json;
using ptp::test::build_dir;
using ptp::test::run_program;

struct Row {
    std::string file;       // below build/<preset>/tests
    std::string component;  // "": it is about the file
    int rule = 0;
    std::string outcome;
    std::string reason;
    std::vector<int> others = {};  // rules that it breaks too, for the same cause
};

std::string kit(const std::string& way) {
    return "hostile/kit/kit_" + way + ".so";
}

std::string hostile(const std::string& name) {
    return "hostile/" + name + "/hostile.so";
}

const std::string kOf = "plugin 'kit' 0.1.0: 'component' (Misbehaving): ";
const std::string kIt = "Misbehaving";
const std::string kComponents = "hostile/components/hostile_components.so";
const std::string kCrashing = "hostile/components/crashing_components.so";
const std::string kChecked = "tools/plugins/checked.so";

// What the components of these do when they work is in check_test.cpp too.
std::string of_hostile(const std::string& component) {
    return "plugin 'hostile_components' 0.1.0: 'component' (" + component + "): ";
}
std::string of_crashing(const std::string& component) {
    return "plugin 'crashing_components' 0.1.0: 'component' (" + component + "): ";
}

const std::vector<Row> kRows = {
    {kit("no_manifest"), "", 101, "failed", "has no manifest"},
    {hostile("no_entry"), "", 101, "failed",
     "is not a plugin: it does not export ptp_plugin_entry"},
    {kit("exports_more"), "", 102, "failed", "exports also helper_of_the_kit"},
    {kit("unique_symbol"), "", 103, "failed", "has 1 of them", {102}},
    {kit("thread_local_destructor"), "", 104, "warning",
     "registers destructors of thread_local objects"},
    {hostile("fast_math"), "", 105, "failed", "has set_fast_math of crtfastmath.o", {201}},
    {kit("code_relocation"), "", 106, "failed", "its code is changed when it is loaded (TEXTREL)"},
    {kit("executable_stack"), "", 107, "failed", "asks for an executable stack"},
    {kit("missing_library"),
     "",
     108,
     "failed",
     "needs libptp-of-nowhere.so, which is not found",
     {201}},
    {kit("relative_run_path"), "", 108, "failed",
     "looks for libraries in 'plugins', relative to the current folder"},
    {kit("run_path_of_others"), "", 108, "failed",
     "looks for libraries in /tmp/libraries-of-the-kit, where other users can put some"},
    {"hostile/no_help/hostile_no_help.so",
     "HostileModel",
     109,
     "failed",
     "the help of setting 'width' is empty",
     {204}},
    {hostile("crash"), "", 201, "crashed", "loading it ended by signal 11 (Segmentation fault)"},
    {hostile("rounding"), "", 201, "failed",
     "changes the host's arithmetic by being loaded (numbers are rounded in another direction): it "
     "was probably linked with -ffast-math"},
    {hostile("null_entry"), "", 201, "failed", "its entry returns no description"},
    {hostile("wrong_major"), "", 201, "failed", "built for ABI 9.6, this host has 1.6"},
    {hostile("lies"), "", 202, "failed",
     "its manifest has HostileModel.settings.width.default_value = \"3\", its code has \"4\""},
    {hostile("garbage_count"), "", 202, "failed",
     "plugin: has 3735928559 components, more than 1000"},
    {hostile("null_create"), "", 202, "failed",
     "HostileModel: create, destroy or extension is NULL"},
    {hostile("table_in_itself"), "", 202, "failed",
     "HostileModel: setting 1: member 1: member 1: member 1: member 1: member 1: member 1: member "
     "1: member 1: lies in more than 8 tables"},
    {"hostile/no_parameters/hostile_no_parameters.so", "HostileModel", 203, "failed",
     "is a model without parameters"},
    {kit("claims_anything"), kIt, 203, "failed", "claims an ability that does not exist"},
    {"swap/forgets_counts/mischief.so", "Hits", 203, "failed",
     "computes statistics over a whole set and cannot save what it has counted: a training that is "
     "interrupted and resumed would produce other values; give it state(), or export_state() and "
     "import_state() (ptp.state/1)"},
    {hostile("plain"), "HostileModel", 204, "failed",
     "plugin 'hostile' 0.1.0: 'component' (HostileModel): output 'predictions' (stream "
     "'predictions'): was not written"},
    {kit("exits"), kIt, 204, "crashed",
     "a new component ended the child process that it was tried in"},
    {kCrashing, "CrashesInCreate", 204, "crashed",
     of_crashing("CrashesInCreate") + "create() crashed (SIGSEGV)"},
    {kCrashing, "CrashesInForward", 204, "crashed",
     of_crashing("CrashesInForward") + "forward() crashed (SIGFPE)"},
    {kCrashing, "RecursesInForward", 204, "crashed",
     of_crashing("RecursesInForward") + "forward() crashed (SIGSEGV)"},
    {kCrashing, "CrashesInFetchTask", 204, "crashed",
     "plugin 'crashing_components' 0.1.0: the task of [training] (CrashesInFetchTask): fetch() "
     "crashed (SIGABRT)"},
    {kComponents, "FailsSilentlyInCreate", 204, "failed",
     of_hostile("FailsSilentlyInCreate") + "create() failed with status 3 and without a message"},
    {kComponents, "MakesNothing", 204, "failed",
     of_hostile("MakesNothing") + "create() gave no instance"},
    {kComponents, "WritesWrongType", 204, "failed",
     of_hostile("WritesWrongType") +
         "output 'outputs' (stream 'outputs'): is a tensor of Long, must be a tensor of a floating "
         "type"},
    {kComponents, "AsksForBoundlessSize", 204, "failed",
     of_hostile("AsksForBoundlessSize") +
         "tensor_allocate: a tensor of [17592186044416, 4]: no memory can hold it"},
    {kComponents, "PublishesNothing", 204, "failed",
     of_hostile("PublishesNothing") + "create() has not published the global 'promised_size'"},
    {kComponents, "NegativeSizeTask", 204, "failed",
     "plugin 'hostile_components' 0.1.0: the task of [training] (NegativeSizeTask): its size is "
     "-1"},
    {kComponents, "TooFewSamplesTask", 204, "failed",
     "plugin 'hostile_components' 0.1.0: the task of [training] (TooFewSamplesTask) writes [3, 4] "
     "to stream 'inputs', but its port 'inputs' is declared as [B, 4] (B = 4)"},
    {kit("fails_in_evaluation"), kIt, 204, "failed",
     "runs in training and fails in evaluation: 'component' (Misbehaving) of plugin 'kit' 0.1.0: "
     "forward() failed: there is nothing to learn from\n    inputs: inputs Float [4, 4]"},
    {kit("fails_in_forward"), kIt, 204, "not tried",
     "fails in every step with what was made up: 'component' (Misbehaving) of plugin 'kit' 0.1.0: "
     "forward() failed: boom\n    inputs: inputs Float [4, 4]"},
    {kChecked, "BareModel", 204, "failed", "is a model without parameters"},
    {kit("created_once"),
     kIt,
     205,
     "failed",
     "an instance after the first was destroyed fails: 'component' (Misbehaving) of plugin 'kit' "
     "0.1.0: create() failed: there is one already",
     {207, 210, 211, 218, 222}},
    {kit("destroys_shared"), kIt, 205, "crashed",
     kOf + "forward() crashed (SIGSEGV); last step: an instance after the one beside it was "
           "destroyed"},
    {kit("refuses_default"), kIt, 206, "failed",
     "refuses its own defaults: Misbehaving.width = 3: must be even; it runs with width = 4"},
    {kit("crashes_at_limit"), kIt, 207, "crashed",
     kOf + "create() crashed (SIGSEGV); last step: width = 8"},
    {kit("crashes_at_limit_later"), kIt, 207, "crashed",
     kOf + "forward() crashed (SIGSEGV); last step: width = 8"},
    {kit("crashes_at_member"), kIt, 207, "crashed",
     kOf + "create() crashed (SIGSEGV); last step: border.size = 6"},
    {kit("crashes_at_choice"), kIt, 207, "crashed",
     kOf + "create() crashed (SIGABRT); last step: mode = \"fast\""},
    {kChecked,
     "ShuffledParameters",
     208,
     "failed",
     "tensor 1 is parameter 'a' of [4], Float at first, and parameter 'b' of [4], Float in another "
     "instance",
     {211, 218, 223}},
    {kChecked, "UnusedParameter", 209, "failed", "no gradient reaches 'unused'"},
    {kChecked, "Detached", 209, "failed", "no output depends on its parameters by gradients"},
    {kit("import_changes"),
     kIt,
     210,
     "failed",
     "exports another state than it has imported: '{ count = 3 }' became '{ count = 4 }'",
     {211}},
    {kit("export_changes"),
     kIt,
     210,
     "failed",
     "exports another state when asked again: '{ count = 4 }' became '{ count = 5 }'",
     {211}},
    {kit("forgets"), kIt, 211, "failed",
     "output 'outputs' differs after an interruption: it keeps something from step to step that is "
     "neither a parameter, nor a buffer, nor in the state that it saves"},
    {kChecked, "HandMadeAverage", 211, "failed",
     "output 'outputs' differs after an interruption: it keeps something from step to step that is "
     "neither a parameter, nor a buffer, nor in the state that it saves"},
    {kit("keeps_batch_size"), kIt, 212, "failed",
     "a batch of 7 in training fails: plugin 'kit' 0.1.0: 'component' (Misbehaving) writes [3, 4] "
     "to stream 'outputs', but its port 'outputs' is declared as [B, 4] (B = 7)"},
    {kit("squeezes"), kIt, 213, "failed",
     "a batch of 1 in evaluation fails: plugin 'kit' 0.1.0: 'component' (Misbehaving) writes [4] "
     "to stream 'outputs', but its port 'outputs' is declared as [B, 4] (B = 1)"},
    {kit("crashes_on_empty"), kIt, 214, "crashed",
     kOf + "forward() crashed (SIGFPE); last step: a batch of 0 in evaluation"},
    {kit("trusts_shapes"), kIt, 215, "crashed",
     kOf + "forward() crashed (SIGSEGV); last step: input 'inputs' as [4, 3] of Float in place of "
           "[4, 4] of Float"},
    {kit("takes_shapes"), kIt, 215, "warning",
     "takes input 'inputs' as [4, 3] of Float in place of [4, 4] of Float (and 2 more) without a "
     "word, and its outputs do not show it"},
    {kit("changes_input"), kIt, 216, "failed", "input 'inputs' is changed in place in training"},
    {kit("shares_scratch"), kIt, 217, "failed",
     "two threads with one instance: output 'outputs' differs from that of one thread"},
    {kit("uses_clock"), kIt, 218, "failed",
     "output 'outputs' differs between two runs from one seed"},
    {kit("leaves_memory"),
     kIt,
     218,
     "failed",
     "output 'outputs' differs between two runs from one seed",
     {211, 222}},  // Both compare two runs, whose left memory may differ in them too.
    {kit("draws_rand"), kIt, 219, "failed", "draws from rand()"},
    {kit("draws_drand48"), kIt, 219, "failed", "draws from drand48()"},
    {kChecked, "DrawsInFetch", 219, "failed", "draws from libtorch's generator of the process"},
    {kit("writes_here"), kIt, 220, "failed", "writes 'notes.txt' to the current folder"},
    {kit("writes_much"), kIt, 220, "failed",
     "writes 70 files outside the run folder: '00' in the current folder, '01' in the current "
     "folder, '02' in the current folder, '03' in the current folder, '04' in the current folder, "
     "'05' in the current folder, '06' in the current folder, '07' in the current folder and 62 "
     "more"},
    {kit("moves"), kIt, 221, "failed",
     "what it does in a step changes the current folder (now /) and does not put it back"},
    {kit("masks"), kIt, 221, "failed",
     "what it does in a step changes the permissions of new files (the mask is now 000) and does "
     "not put it back"},
    {kit("speaks"), kIt, 221, "failed",
     "what it does in a step changes the locale (now C.UTF-8) and does not put it back"},
    {kit("handles"), kIt, 221, "failed",
     "what it does in a step changes what happens at the signal SIGTERM and does not put it back"},
    {kit("reads_row_major"), kIt, 222, "failed",
     "output 'outputs' is another one where the elements of the inputs do not lie side by side"},
    {kChecked, "KeepsPointer", 223, "failed",
     "output 'outputs' differs after its parameters and buffers got other memory before the first "
     "step: it keeps a pointer to what they had"},
};

// They wait: with a limit of their own.
const std::vector<Row> kLateRows = {
    {hostile("hang"), "", 201, "timed out", "loading it took longer than 1 s"},
    {"hostile/components/hanging_component.so", "HangsInForward", 204, "timed out",
     "plugin 'hanging_component' 0.1.0: 'component' (HangsInForward): forward() is not done after 1 "
     "s"},
    {kit("hangs_at_limit"), kIt, 207, "timed out",
     kOf + "create() is not done after 1 s; last step: width = 1"},
};

// The reports on all files of the rows, by the file.
std::map<std::string, json> reports_on(const std::vector<Row>& rows,
                                       const std::string& time_limit_s) {
    std::vector<std::string> arguments = {"--check", "--json", "--time-limit", time_limit_s};
    std::vector<std::string> files;
    for (const Row& row : rows) {
        if (std::ranges::find(files, row.file) == files.end()) {
            files.push_back(row.file);
            arguments.push_back((build_dir() / "tests" / row.file).string());
        }
    }
    const auto result = run_program("ptp-inspect", arguments);
    CHECK(result.errors == "");
    CHECK(result.status == 3);
    const json all = json::parse(result.output);
    std::map<std::string, json> reports;
    for (std::size_t i = 0; i < files.size(); ++i) {
        reports[files[i]] = all["plugins"].at(i);
    }
    return reports;
}

// "failed: REASON" of a rule about a component; "passed" where it has no finding.
std::string finding(const json& report, int number, const std::string& component) {
    for (const json& rule : report["rules"]) {
        if (rule["number"] != number) {
            continue;
        }
        for (const json& each : rule["findings"]) {
            if (each.value("component", "") == component) {
                return each["outcome"].get<std::string>() + ": " +
                       each["reason"].get<std::string>();
            }
        }
    }
    return "passed";
}

// A sanitizer fills memory itself, and ends a program that has a race or uses freed memory. The one
// for threads keeps signals back from a thread that makes no system call: it cannot be stopped.
bool is_for_plain_builds(const Row& row) {
#if defined(__SANITIZE_THREAD__)
    if (row.outcome == "timed out" && row.rule != 201) {
        return true;
    }
#endif
    return row.file == kit("leaves_memory") || row.file == kit("shares_scratch") ||
           row.file == kit("destroys_shared");
}

void compare(std::vector<Row> rows, const std::string& time_limit_s) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    MESSAGE("skipped with a sanitizer: rows whose plugins would not be what ends their process");
    std::erase_if(rows, is_for_plain_builds);
#else
    static_cast<void>(is_for_plain_builds);
#endif
    const std::map<std::string, json> reports = reports_on(rows, time_limit_s);
    for (const Row& row : rows) {
        CAPTURE(row.file);
        CAPTURE(row.component);
        const json& report = reports.at(row.file);
        CHECK(report["is_accepted"] == (row.outcome == "warning"));
        CHECK(finding(report, row.rule, row.component) == row.outcome + ": " + row.reason);
        for (const json& rule : report["rules"]) {
            const int number = rule["number"].get<int>();
            const std::string other = finding(report, number, row.component);
            const bool is_expected =
                number == row.rule || std::ranges::find(row.others, number) != row.others.end();
            CAPTURE(number);
            CHECK((is_expected || other == "passed" || other.starts_with("skipped: ")));
        }
    }
}

}  // namespace

TEST_CASE("hostile kit: each plugin that misbehaves is found by its rule, and by no other") {
    compare(kRows, "60");
}

TEST_CASE("hostile kit: what does not end is given up, and found by its rule") {
    compare(kLateRows, "1");
}

TEST_CASE("hostile kit: a plugin whose component fails in every step is not accepted") {
    const std::string file = (build_dir() / "tests" / kit("fails_in_forward")).string();
    const auto result = run_program("ptp-inspect", {"--check", "--strict", file});
    CHECK(result.status == 4);
    CHECK(
        result.output.find(
            "\n  204  runs                      not tried\n"
            "         Misbehaving: fails in every step with what was made up: 'component' "
            "(Misbehaving) of plugin 'kit' 0.1.0: forward() failed: boom\n"
            "             inputs: inputs Float [4, 4]\n"
            "             fix: correct what the message names, or give what it runs with in a "
            "table [Misbehaving] in FILE.toml, and FILE.toml after --with\n"
            "  205  created-twice             skipped: no component was run, see rule 204 (runs)\n") !=
        std::string::npos);
    CHECK(
        result.output.ends_with("  incomplete: 13 passed, 19 skipped, 1 not tried\n"
                                "         not tried: Misbehaving; see rule 204 (runs)\n"));
}

TEST_CASE("hostile kit: a declaration that cannot be read") {
    const ptp::test::TempFolder temp;
    const std::string content = ptp::test::with_manifest(
        ptp::test::read_file(ptp::test::hostile_file("plain")),
        [](json& manifest) { manifest["components"][0]["ports"][1]["shape"] = "B,("; });
    const std::string file = temp.write("x.so", content).string();
    const auto result = run_program("ptp-inspect", {"--check", "--only", "110", file});
    CHECK(result.status == 3);
    CHECK(result.output ==
          file +
              "\n  110  declarations              failed\n"
              "         HostileModel: port 'predictions': shape \"B,(\": expected a "
              "number, a name, '$', '(' or '-' but found the end\n"
              "         fix: correct the declaration that is named\n"
              "  refused: 1 failed\n");
}

TEST_CASE("hostile kit: each rule has a plugin that breaks it") {
    constexpr int kDeclarations = 110;  // in the test above
    const json rules = json::parse(run_program("ptp-inspect", {"rules", "--json"}).output);
    for (const json& rule : rules) {
        const int number = rule["number"].get<int>();
        CAPTURE(number);
        CHECK((number == kDeclarations ||
               std::ranges::find(kRows, number, &Row::rule) != kRows.end()));
    }
}

TEST_CASE("hostile kit: the plugin that is right passes all rules that concern it") {
    const auto result =
        run_program("ptp-inspect", {"--check", (build_dir() / "tests" / kit("plain")).string()});
    CHECK(result.status == 0);
    CHECK(result.output.ends_with("  accepted: 29 passed, 4 skipped\n"));
}

}  // namespace kit_test
