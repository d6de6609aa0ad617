// Components that misbehave while they work: the host survives, or says whose fault its end is.

#include "runs/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace hostile_test {

using namespace ptp::test;

namespace {

// Errors without the warning that nothing reads what a component writes.
std::string without_unread(const std::string& errors) {
    return ptp::test::without_warnings(errors, ": nothing reads ");
}

const std::string kTask =
    "ptprun: error: plugin 'hostile_components' 0.1.0: the task of [training] ";
const std::string kOdd = "ptprun: error: plugin 'hostile_components' 0.1.0: 'odd' ";

std::string hostile(const std::string& name) {
    return (ptp::test::build_dir() / "tests" / "hostile" / name).string();
}

// A component of this type between the task and the model.
std::string odd(const std::string& type) {
    return "[pipeline.odd]\ntype = \"" + type +
           "\"\nstreams = { inputs = \"features\", outputs = \"odd_features\" }\n";
}

void check_failed(const std::string& status, int exit_code) {
    CHECK(status.starts_with("failed: "));
    CHECK(status.ends_with(" (" + std::to_string(exit_code) + ")"));
}

// A sanitizer's own handler would end the process with a status instead of the signal.
ProcessResult run(const TempFolder& folder, const std::string& plugins) {
    const std::string off = "handle_segv=0:handle_sigfpe=0:handle_abort=0:detect_leaks=0";
    return run_program("ptprun",
                       {(folder.path() / "experiment.toml").string(), "--run-dir",
                        (folder.path() / "run").string(), "--plugins", plugins},
                       {{"OMP_NUM_THREADS", "1"}, {"ASAN_OPTIONS", off}, {"TSAN_OPTIONS", off}});
}

// Components that are good around this task, and more of them.
std::string experiment(const std::string& task, int workers, const std::string& more = "") {
    return "[training]\nterminal_conditions = { epoch_limit = 1 }\n"
           "optimizer = { type = \"SGD\", lr = 0.1 }\n"
           "dataloader = { num_workers = " +
           std::to_string(workers) + " }\ntask = { type = \"" + task +
           "\", batch_size = 4 }\n[pipeline.net]\ntype = \"FeedForwardNetwork\"\n"
           "hidden_sizes = []\nglobals = { prediction_size = \"two\" }\n"
           "[pipeline.sizes]\ntype = \"GlobalVariablePublisher\"\nkeys = \"two\"\nvalues = [2]\n"
           "[pipeline.loss]\ntype = \"PlainLoss\"\n" +
           more;
}

}  // namespace

TEST_CASE("hostile: components that misbehave are named, with what they did") {
    struct Case {
        const char* type;
        int status;
        std::string error;
    };
    const Case cases[] = {
        {"FailsInCreate", 2,
         "FOLDER/experiment.toml:31:1: error: 'odd' (FailsInCreate): the moon is in the wrong "
         "phase\n"},
        {"FailsSilentlyInCreate", 3,
         kOdd + "(FailsSilentlyInCreate): create() failed with status 3 and without a message\n"},
        {"MakesNothing", 3, kOdd + "(MakesNothing): create() gave no instance\n"},
        {"ReturnsUnknownStatus", 3,
         kOdd + "(ReturnsUnknownStatus): create() failed with status 77 and without a message\n"},
        {"WritesWrongShape", 3,
         kOdd + "(WritesWrongShape) writes [8, 5] to stream 'odd_features', but its port 'outputs' "
                "is declared as [B, 4] (B = 8)\n"},
        {"WritesWrongType", 3,
         kOdd + "(WritesWrongType): output 'outputs' (stream 'odd_features'): is a tensor of Long, "
                "must be a tensor of a floating type\n"},
        {"AsksForGarbageSize", 3,
         kOdd + "(AsksForGarbageSize): tensor_allocate: a tensor of [-3, 4]: no size may be "
                "negative\n"},
        {"AsksForOverflowingSize", 3,
         kOdd + "(AsksForOverflowingSize): tensor_allocate: a tensor of [2305843009213693951, 4]: "
                "no memory can hold it\n"},
        {"AsksForBoundlessSize", 3,
         kOdd + "(AsksForBoundlessSize): tensor_allocate: a tensor of [17592186044416, 4]: no "
                "memory can hold it\n"},
        {"WritesNothing", 3,
         kOdd + "(WritesNothing): output 'outputs' (stream 'odd_features'): was not written\n"},
        {"FailsInForward", 4,
         "FOLDER/experiment.toml:31:1: error: 'odd' (FailsInForward): the stars are out of "
         "order\n"},
        {"FailsSilentlyInForward", 3,
         kOdd + "(FailsSilentlyInForward): forward() failed with status 2 and without a message\n"},
        {"FailsAndSucceeds", 3,
         kOdd +
             "(FailsAndSucceeds): forward() called fail() and returned PTP_OK: the stars are out "
             "of order\n"},
        {"RoundsInForward", 3,
         kOdd + "(RoundsInForward): forward() changes how the host calculates (numbers are rounded "
                "in another direction) and does not put it back\n    fix: put it back as it was\n"},
        {"FailsInColors", 4,
         "FOLDER/experiment.toml:31:1: error: 'odd' (FailsInColors): \\u001b[31mred\\u000d\\xff and\t"
         "green\n"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.type);
        const ExperimentFolder folder({.pipeline = odd(c.type)});
        const ProcessResult result = folder.run("run", {"--plugins", hostile("components")});
        CHECK(result.status == c.status);
        CHECK(without_folder(without_unread(result.errors), folder.path()) == c.error);
        if (c.status == 2) {
            CHECK_FALSE(folder.has("run"));  // a start that is refused leaves no folder
        } else {
            check_failed(status_in(folder.path() / "run"), c.status);
        }
    }
}

TEST_CASE("hostile: a publisher that does not publish what it promises is named") {
    const ExperimentFolder folder({.pipeline = "[pipeline.odd]\ntype = \"PublishesNothing\"\n"});
    const ProcessResult result = folder.run("run", {"--plugins", hostile("components")});
    CHECK(result.status == 3);
    CHECK(without_unread(result.errors) ==
          kOdd + "(PublishesNothing): create() has not published the global 'promised_size'\n");
    check_failed(status_in(folder.path() / "run"), 3);
}

TEST_CASE("hostile: a task that misbehaves is named, whoever fetches") {
    struct Case {
        const char* type;
        std::string error;
    };
    const Case cases[] = {
        {"NegativeSizeTask", kTask + "(NegativeSizeTask): its size is -1\n"},
        {"TooFewSamplesTask",
         kTask + "(TooFewSamplesTask) writes [3, 4] to stream 'inputs', but its port 'inputs' is "
                 "declared as [B, 4] (B = 4)\n"},
        {"FetchesNothingTask",
         kTask + "(FetchesNothingTask): output 'inputs' (stream 'inputs'): was not written\n"},
    };
    for (const Case& c : cases) {
        for (const int workers : {0, 2}) {
            CAPTURE(c.type);
            CAPTURE(workers);
            const TempFolder folder;
            folder.write("experiment.toml", experiment(c.type, workers));
            const ProcessResult result = run(folder, hostile("components"));
            CHECK(result.status == 3);
            CHECK(without_unread(result.errors) == c.error);
            check_failed(status_in(folder.path() / "run"), 3);
        }
    }
}

TEST_CASE("hostile: of a crash is said which component was called, and it ends by the signal") {
    struct Case {
        const char* type;
        const char* signal;
        int status;
        const char* work;
    };
    const Case cases[] = {
        {"CrashesInCreate", "SIGSEGV", 139, "create()"},
        {"CrashesInForward", "SIGFPE", 136, "forward()"},
        {"RecursesInForward", "SIGSEGV", 139, "forward()"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.type);
        const TempFolder folder;
        folder.write("experiment.toml",
                     experiment("hostile_components/PlainTask", 1,
                                "[pipeline.odd]\ntype = \"" + std::string(c.type) + "\"\n"));
        const ProcessResult result = run(folder, hostile("components"));
        const std::string reason = "plugin 'crashing_components' 0.1.0: 'odd' (" +
                                   std::string(c.type) + "): " + c.work + " crashed (" + c.signal +
                                   ")";
        CHECK(result.status == c.status);
        CHECK(without_unread(result.errors) == "ptprun: error: " + reason + "\n");
        CHECK(status_in(folder.path() / "run") ==
              "failed: " + reason + " (" + std::to_string(c.status) + ")");
        CHECK(folder.read("run/run.log").ends_with("ptprun: error: " + reason + "\n"));
    }
}

TEST_CASE("hostile: a component that calls exit() does not end the training as if it were done") {
    const TempFolder folder;
    folder.write("experiment.toml", experiment("hostile_components/PlainTask", 1,
                                               "[pipeline.odd]\ntype = \"ExitsInForward\"\n"));
    const ProcessResult result = run(folder, hostile("components"));
    const std::string reason =
        "plugin 'crashing_components' 0.1.0: 'odd' (ExitsInForward): forward() ended the process by "
        "calling exit()";
    CHECK(result.status == 3);
    CHECK(without_unread(result.errors) == "ptprun: error: " + reason + "\n");
    CHECK(status_in(folder.path() / "run") == "failed: " + reason + " (3)");
}

TEST_CASE("hostile: the ends of processes that a component forks are not that of the training") {
    const TempFolder folder;
    folder.write("experiment.toml", experiment("hostile_components/PlainTask", 1,
                                               "[pipeline.odd]\ntype = \"ForksInForward\"\n"));
    const ProcessResult result = run(folder, hostile("components"));
    // It continues until it finds that PlainLoss has no gradient.
    const std::string reason =
        "the loss does not depend on any parameter that is trained; is a component between the "
        "model and the loss not differentiable?";
    CHECK(result.status == 5);
    CHECK(without_unread(result.errors) == "ptprun: error: " + reason + "\n");
    CHECK(status_in(folder.path() / "run") == "failed: " + reason + " (5)");
    const std::string log = folder.read("run/run.log");
    CHECK(log.find("ForksInForward): forward()") == std::string::npos);
}

TEST_CASE("hostile: of a crash in a loader thread is said which task was fetching") {
    for (const int workers : {0, 2}) {
        CAPTURE(workers);
        const TempFolder folder;
        folder.write("experiment.toml", experiment("CrashesInFetchTask", workers));
        const ProcessResult result = run(folder, hostile("components"));
        CHECK(result.status == 134);
        CHECK(result.errors.starts_with(
            "ptprun: error: plugin 'crashing_components' 0.1.0: the task of [training] "
            "(CrashesInFetchTask): fetch() crashed (SIGABRT)\n"));
    }
}

TEST_CASE("hostile: a plugin that crashes when it is loaded is refused, and remembered") {
    const ExperimentFolder folder(
        {.pipeline = "[pipeline.odd]\ntype = \"HostileModel\"\nstreams = { inputs = "
                     "\"features\", predictions = \"odd_features\" }\n"});
    const std::map<std::string, std::string> memory = {
        {"XDG_CACHE_HOME", (folder.path() / "cache").string()}, {"OMP_NUM_THREADS", "1"}};
    const std::vector<std::string> arguments = {(folder.path() / "experiment.toml").string(),
                                                "--run-dir", folder.run_folder("run"), "--plugins",
                                                hostile("crash")};
    const std::string file = hostile("crash/hostile.so");
    const std::string fix =
        "    fix: repair and rebuild it; to try this file again: ptp-inspect why " + file +
        " --retry\n";
    const ProcessResult first = run_program("ptprun", arguments, memory);
    CHECK(first.status == 3);
    CHECK(without_unread(first.errors) ==
          "ptprun: error: " + file +
              ": loading it ended by signal 11 (Segmentation fault) in its start-up code or its "
              "entry\n" +
              fix);
    CHECK_FALSE(std::filesystem::exists(folder.run_folder("run")));

    const ProcessResult again = run_program("ptprun", arguments, memory);
    CHECK(again.status == 3);
    const std::string reason =
        "loading it ended by signal 11 (Segmentation fault) in its start-up code or its entry on ";
    const std::size_t day = again.errors.find(reason) + reason.size();
    CHECK(without_unread(again.errors) ==
          file + ": error: " + reason + again.errors.substr(day, std::string("2026-11-21").size()) +
              ": it is not loaded again\n" + fix);
}

TEST_CASE("hostile: what loads once is not tried in a process of its own again") {
    const ExperimentFolder folder({.pipeline = odd("FailsInCreate")});
    const std::map<std::string, std::string> memory = {
        {"XDG_CACHE_HOME", (folder.path() / "cache").string()}, {"OMP_NUM_THREADS", "1"}};
    const auto run = [&](const std::string& name) {
        return run_program("ptprun",
                           {(folder.path() / "experiment.toml").string(), "--run-dir",
                            folder.run_folder(name), "--plugins", hostile("components")},
                           memory);
    };
    CHECK(run("first").status == 2);
    const std::string remembered = folder.read("cache/ptp/plugins.json");
    CHECK(remembered.find("\"plugin\": \"hostile_components\"") != std::string::npos);
    CHECK(remembered.find("\"end\"") == std::string::npos);
    CHECK(run("second").status == 2);
    CHECK(folder.read("cache/ptp/plugins.json") == remembered);
}

}  // namespace hostile_test
