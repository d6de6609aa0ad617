// StreamFileExporter: files with chosen columns, such as a challenge takes them.

#include "support.hpp"
#include "support/temp_folder.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace submission_file_test {

namespace {

using ptp::test::TempFolder;

test::Component make(const TempFolder& run, const std::string& settings) {
    return test::build("exporters", "StreamFileExporter",
                       "input_streams = [\"section\", \"epoch\"]\n" + settings,
                       {.elements = {{"section", PTP_STRING}, {"epoch", PTP_STRING}},
                        .name = "answers",
                        .run_folder = run.path().string()});
}

}  // namespace

TEST_CASE("StreamFileExporter: without step_columns a file has exactly the listed streams") {
    struct Case {
        const char* settings;
        const char* file;
        const char* text;
    };
    const Case cases[] = {
        {"step_columns = []\nheader = false\nseparator = \"|\"", "answers.csv",
         "test7|axial\ntest8|\"a|b\"\n"},
        {"step_columns = []\nseparator_line = true", "answers.csv",
         "sep=,\nsection,epoch\ntest7,axial\ntest8,a|b\n"},
        {"step_columns = []\nformat = \"json_lines\"", "answers.jsonl",
         "{\"section\":\"test7\",\"epoch\":\"axial\"}\n{\"section\":\"test8\",\"epoch\":\"a|b\"}\n"},
        {"step_columns = [\"episode\"]", "answers.csv",
         "episode,section,epoch\n12,test7,axial\n12,test8,a|b\n"},
        {"step_columns = [\"episode\"]\nformat = \"json_lines\"", "answers.jsonl",
         "{\"episode\":12,\"section\":\"test7\",\"epoch\":\"axial\"}\n"
         "{\"episode\":12,\"section\":\"test8\",\"epoch\":\"a|b\"}\n"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.settings);
        const TempFolder run;
        auto exporter = make(run, c.settings);
        test::Slots inputs;
        inputs["section"] = std::vector<std::string>{"test7", "test8"};
        inputs["epoch"] = std::vector<std::string>{"axial", "a|b"};
        ptp_step step = test::Component::first_step();
        step.episode = 12;
        step.batch_size = 2;
        exporter.run(std::move(inputs), step);
        CHECK(run.read(std::filesystem::path("exports") / c.file) == c.text);
    }
}

TEST_CASE(
    "StreamFileExporter: columns that are there twice, or that a format has not, are refused") {
    struct Case {
        const char* settings;
        const char* message;
    };
    const Case cases[] = {
        {"step_columns = [\"epoch\"]",
         "input_streams: 'epoch': each line has a cell of this name already; leave it out of "
         "step_columns, or give the stream another name"},
        {"step_columns = [\"episode\", \"section\", \"episode\"]",
         "step_columns: 'episode' is listed twice"},
        {"step_columns = []\nformat = \"npy\"", "step_columns: format = \"npy\" has none"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.settings);
        const TempFolder run;
        CHECK_THROWS_WITH_AS(make(run, c.settings), c.message, ptp::ConfigError);
    }
}

}  // namespace submission_file_test
