#include "support.hpp"
#include "support/small_files.hpp"
#include "support/temp_folder.hpp"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

namespace stream_file_exporter_test {

namespace fs = std::filesystem;

namespace {

using ptp::test::TempFolder;

test::Component make(const TempFolder& run, const std::string& settings,
                     std::map<std::string, ptp_element> elements = {}) {
    return test::build(
        "exporters", "StreamFileExporter", settings,
        {.elements = std::move(elements), .name = "answers", .run_folder = run.path().string()});
}

ptp_step step(uint64_t episode, uint64_t batch_size) {
    ptp_step result = test::Component::first_step();
    result.episode = episode;
    result.epoch = episode / 10;
    result.batch_size = batch_size;
    return result;
}

void write_targets(test::Component& exporter, uint64_t episode,
                   const std::vector<int64_t>& values) {
    test::Slots inputs;
    inputs["targets"] = test::integers(values);
    exporter.run(std::move(inputs), step(episode, values.size()));
}

template <class T>
std::vector<T> numbers_from(const std::string& bytes, std::size_t at) {
    std::vector<T> numbers((bytes.size() - at) / sizeof(T));
    std::memcpy(numbers.data(), bytes.data() + at, numbers.size() * sizeof(T));
    return numbers;
}

// Of a NumPy file, as its format is described: magic, version 1.0, length of the text, the text.
std::string npy_text(const std::string& bytes) {
    REQUIRE(bytes.substr(0, 8) == std::string("\x93NUMPY\x01\x00", 8));
    const auto length =
        static_cast<unsigned char>(bytes[8]) + 256 * static_cast<unsigned char>(bytes[9]);
    CHECK((10 + length) % 64 == 0);
    REQUIRE(bytes.at(static_cast<std::size_t>(10 + length - 1)) == '\n');
    return bytes.substr(10, static_cast<std::size_t>(length));
}

}  // namespace

TEST_CASE("StreamFileExporter: every kind of stream is a cell, in quotes where it must be") {
    const TempFolder run;
    auto exporter = make(run,
                         "input_streams = [\"targets\", \"scores\", \"labels\", \"words\", "
                         "\"masks\", \"pieces\", \"loss\"]",
                         {{"targets", PTP_INTEGER},
                          {"labels", PTP_STRING},
                          {"words", PTP_TOKENS},
                          {"masks", PTP_BOOL},
                          {"pieces", PTP_TENSOR_LIST}});
    test::Slots inputs;
    inputs["targets"] = test::integers({3, -1});
    inputs["scores"] = test::floats({0.1, 1e-30, -2, 3}, {2, 2});
    inputs["labels"] = std::vector<std::string>{"a \"b\", c", "two\nlines"};
    inputs["words"] = std::vector<std::vector<std::string>>{{}, {"x", "\"y"}};
    inputs["masks"] = test::bools({1, 0});
    inputs["pieces"] = std::vector<at::Tensor>{torch::zeros({0}), test::floats({1, 2}, {2, 1})};
    inputs["loss"] = torch::tensor(0.5);
    exporter.run(std::move(inputs), step(12, 2));
    CHECK(
        run.read("exports/answers.csv") ==
        "section,epoch,episode,targets,scores,labels,words,masks,pieces,loss\n"
        "training,2,12,3,\"[0.1,1e-30]\",\"a \"\"b\"\", c\",[],true,[],0.5\n"
        "training,2,12,-1,\"[-2,3]\",\"two\nlines\",\"[\"\"x\"\",\"\"\\\"\"y\"\"]\",false,\"[[1],[2]]\",0.5\n");
}

TEST_CASE(
    "StreamFileExporter: another separator is quoted too, and a first line names it to "
    "spreadsheets") {
    const TempFolder run;
    auto exporter = make(run,
                         "input_streams = \"labels\"\nseparator = \";\"\nseparator_line = true\n"
                         "filename = \"labels.txt\"",
                         {{"labels", PTP_STRING}});
    test::Slots inputs;
    inputs["labels"] = std::vector<std::string>{"a;b", "a,b"};
    exporter.run(std::move(inputs), step(0, 2));
    CHECK(run.read("exports/labels.txt") ==
          "sep=;\nsection;epoch;episode;labels\ntraining;1;0;\"a;b\"\ntraining;1;0;a,b\n");
}

TEST_CASE("StreamFileExporter: as JSON lines, with texts for what JSON has no numbers for") {
    const TempFolder run;
    auto exporter = make(run, "input_streams = [\"scores\", \"labels\"]\nformat = \"json_lines\"",
                         {{"labels", PTP_STRING}});
    const float infinity = std::numeric_limits<float>::infinity();
    test::Slots inputs;
    inputs["scores"] = torch::tensor({0.25F, -infinity, std::nanf(""), infinity}).reshape({2, 2});
    inputs["labels"] = std::vector<std::string>{"é", "\xff"};
    exporter.run(std::move(inputs), step(0, 2));
    CHECK(
        run.read("exports/answers.jsonl") ==
        "{\"section\":\"training\",\"epoch\":1,\"episode\":0,\"scores\":[0.25,\"-inf\"],\"labels\":\"é\"}\n"
        "{\"section\":\"training\",\"epoch\":1,\"episode\":0,\"scores\":[\"nan\",\"inf\"],\"labels\":\"\xEF\xBF\xBD\"}\n");
}

TEST_CASE("StreamFileExporter: NumPy files hold all batches, with their type and shape") {
    const TempFolder run;
    auto exporter = make(run, "input_streams = [\"features\", \"targets\"]\nformat = \"npy\"",
                         {{"targets", PTP_INTEGER}});
    for (uint64_t episode = 0; episode < 2; ++episode) {
        test::Slots inputs;
        inputs["features"] = torch::arange(6, torch::kFloat).reshape({2, 3, 1}).transpose(1, 2) +
                             6 * static_cast<double>(episode);
        inputs["targets"] = test::integers({7, 8});
        exporter.run(std::move(inputs), step(episode, 2));
    }
    const std::string features = run.read("exports/answers.features.npy");
    const std::string text = npy_text(features);
    CHECK(text.substr(0, text.find_last_not_of(" \n") + 1) ==
          "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 1, 3,), }");
    const auto values = numbers_from<float>(features, 10 + text.size());
    REQUIRE(values.size() == 12);
    for (std::size_t i = 0; i < values.size(); ++i) {
        CHECK(values[i] == static_cast<float>(i));
    }
    const std::string targets = run.read("exports/answers.targets.npy");
    CHECK(
        npy_text(targets).starts_with("{'descr': '<i8', 'fortran_order': False, 'shape': (4,), }"));
    CHECK(numbers_from<int64_t>(targets, 10 + npy_text(targets).size()) ==
          std::vector<int64_t>{7, 8, 7, 8});
}

TEST_CASE("StreamFileExporter: a resumed one removes what its checkpoint does not know") {
    const TempFolder run;
    auto first = make(run, "input_streams = \"targets\"", {{"targets", PTP_INTEGER}});
    write_targets(first, 0, {1, 2});
    const ptp::Data state = first.export_state();
    write_targets(first, 1, {3, 4});
    auto second = make(run, "input_streams = \"targets\"", {{"targets", PTP_INTEGER}});
    second.import_state(1, state);
    CHECK(second.export_state() == state);
    write_targets(second, 1, {3, 4});
    write_targets(second, 2, {5});
    CHECK(run.read("exports/answers.csv") ==
          "section,epoch,episode,targets\ntraining,1,0,1\ntraining,1,0,2\ntraining,1,1,3\n"
          "training,1,1,4\ntraining,1,2,5\n");
}

TEST_CASE("StreamFileExporter: a resumed one refuses files whose bytes were changed meanwhile") {
    for (const char* const format : {"csv", "json_lines", "npy"}) {
        CAPTURE(format);
        const TempFolder run;
        const std::string settings =
            "input_streams = \"targets\"\nformat = \"" + std::string(format) + "\"";
        auto first = make(run, settings, {{"targets", PTP_INTEGER}});
        write_targets(first, 0, {1, 2});
        const ptp::Data state = first.export_state();
        write_targets(first, 1, {3});
        const std::filesystem::path file =
            std::filesystem::directory_iterator(run.path() / "exports")->path();
        std::string text = run.read("exports" / file.filename());
        const std::size_t size =
            static_cast<std::size_t>(state.as_list().at(0).as_list().at(0).as_integer());
        text[size - 2] = static_cast<char>(text[size - 2] ^ 1);
        run.write("exports" / file.filename(), text);
        auto second = make(run, settings, {{"targets", PTP_INTEGER}});
        CHECK_THROWS_WITH_AS(
            second.import_state(1, state),
            ("cannot continue with " + file.string() + ": its first " + std::to_string(size) +
             " bytes are not those that were there when the checkpoint was written")
                .c_str(),
            ptp::DataError);
    }
}

TEST_CASE("StreamFileExporter: so does one of NumPy files") {
    const TempFolder run;
    const char* const settings = "input_streams = \"targets\"\nformat = \"npy\"";
    auto first = make(run, settings, {{"targets", PTP_INTEGER}});
    write_targets(first, 0, {1, 2});
    const ptp::Data state = first.export_state();
    write_targets(first, 1, {3, 4});
    auto second = make(run, settings, {{"targets", PTP_INTEGER}});
    second.import_state(1, state);
    write_targets(second, 1, {5});
    const std::string targets = run.read("exports/answers.targets.npy");
    CHECK(npy_text(targets).find("'shape': (3,)") != std::string::npos);
    CHECK(numbers_from<int64_t>(targets, 10 + npy_text(targets).size()) ==
          std::vector<int64_t>{1, 2, 5});
}

TEST_CASE("StreamFileExporter: a run that begins anew begins its files anew") {
    const TempFolder run;
    for (int64_t value : {1, 2}) {
        auto exporter =
            make(run, "input_streams = \"targets\"\nheader = false", {{"targets", PTP_INTEGER}});
        write_targets(exporter, 0, {value});
    }
    CHECK(run.read("exports/answers.csv") == "training,1,0,2\n");
}

TEST_CASE("StreamFileExporter: files that were changed meanwhile are not gone on with in silence") {
    const TempFolder run;
    auto first = make(run, "input_streams = \"targets\"", {{"targets", PTP_INTEGER}});
    write_targets(first, 0, {1, 2});
    const ptp::Data state = first.export_state();
    const std::string file = (run.path() / "exports/answers.csv").string();

    run.write("exports/answers.csv", "short");
    auto second = make(run, "input_streams = \"targets\"", {{"targets", PTP_INTEGER}});
    CHECK_THROWS_WITH_AS(second.import_state(1, state),
                         ("cannot continue with " + file +
                          ": it has 5 bytes, had 60 when the checkpoint was written")
                             .c_str(),
                         ptp::DataError);
    CHECK_THROWS_WITH_AS(
        write_targets(first, 1, {3}),
        (file + ": has 5 bytes, was left with 60: another program writes it too; set another "
                "filename")
            .c_str(),
        ptp::DataError);
    CHECK_THROWS_AS(first.export_state(), ptp::DataError);
    fs::remove(file);
    auto third = make(run, "input_streams = \"targets\"", {{"targets", PTP_INTEGER}});
    third.import_state(1, state);
    REQUIRE(third.log_lines().size() == 1);
    CHECK(third.log_lines()[0] == file + " is gone; a new one begins");
    write_targets(third, 2, {3});
    CHECK(run.read("exports/answers.csv") == "section,epoch,episode,targets\ntraining,1,2,3\n");
}

TEST_CASE("StreamFileExporter: a file that cannot be written is named") {
    const TempFolder run;
    run.write("exports", "in the way");
    auto exporter = make(run, "input_streams = \"targets\"", {{"targets", PTP_INTEGER}});
    CHECK_THROWS_WITH(
        write_targets(exporter, 0, {1}),
        ("cannot write " + (run.path() / "exports").string() + ": Not a directory").c_str());
}

TEST_CASE("StreamFileExporter: a file that may not grow is named") {
    const TempFolder run;
    auto exporter = make(run, "input_streams = \"targets\"", {{"targets", PTP_INTEGER}});
    const std::string file = (run.path() / "exports/answers.csv").string();
    const ptp::test::SmallFiles small(10);
    CHECK_THROWS_WITH(write_targets(exporter, 0, {1}),
                      ("cannot write " + file + ": File too large").c_str());
}

TEST_CASE("StreamFileExporter: what cannot be written so is refused") {
    const TempFolder run;
    struct Case {
        const char* settings;
        const char* message;
    };
    const Case cases[] = {
        {"input_streams = \"labels\"\nfilename = \"a/b.csv\"",
         "setting 'filename': must be a name, not a path; files are in the run's folder"},
        {"input_streams = \"labels\"\nfilename = \"..\"",
         "setting 'filename': must be a name, not a path; files are in the run's folder"},
        {"input_streams = \"labels\"\nseparator = \", \"",
         "setting 'separator': must be one character, no quote and no end of a line"},
        {"input_streams = \"labels\"\nseparator = \"\"",
         "setting 'separator': must be one character, no quote and no end of a line"},
        {"input_streams = \"labels\"\nformat = \"npy\"",
         "format = \"npy\": the stream 'labels' has no tensors of one shape; csv and json_lines "
         "take it"},
        {"input_streams = [\"labels\", \"labels\"]", "input_streams: 'labels' is listed twice"},
        {"input_streams = \"epoch\"",
         "input_streams: 'epoch': each line has a cell of this name already; leave it out of "
         "step_columns, or give the stream another name"},
        {"input_streams = \"labels\"\nformat = \"json_lines\"\nseparator = \";\"",
         "separator: only format = \"csv\" has it"},
        {"input_streams = \"labels\"\nformat = \"npy\"\nheader = false",
         "header: only format = \"csv\" has it"},
        {"input_streams = \"labels\"\nformat = \"json_lines\"\nseparator_line = true",
         "separator_line: only format = \"csv\" has it"},
    };
    for (const Case& c : cases) {
        CAPTURE(c.settings);
        CHECK_THROWS_WITH_AS(make(run, c.settings, {{"labels", PTP_STRING}}), c.message,
                             ptp::ConfigError);
    }
}

TEST_CASE("StreamFileExporter: NumPy files have samples of one shape") {
    const TempFolder run;
    auto exporter = make(run, "input_streams = \"features\"\nformat = \"npy\"");
    const auto write = [&](const at::Tensor& features) {
        test::Slots inputs;
        inputs["features"] = features;
        exporter.run(std::move(inputs), step(0, 2));
    };
    write(torch::ones({2, 3}));
    CHECK_THROWS_WITH_AS(write(torch::ones({2, 4})),
                         "format = \"npy\": a sample of the stream 'features' has the shape [4], "
                         "those before have [3]",
                         ptp::DataError);
    CHECK_THROWS_WITH_AS(write(torch::tensor(1.0)),
                         "format = \"npy\": the stream 'features' has no value for each sample; "
                         "csv and json_lines take it",
                         ptp::DataError);
}

namespace {

// Of a section that has the targets alone, or nothing.
test::Component without_others(const TempFolder& run, const std::string& settings) {
    return test::build("exporters", "StreamFileExporter",
                       "input_streams = [\"targets\", \"labels\", \"words\", \"pieces\", "
                       "\"scores\"]\nskip_missing_streams = true\n" +
                           settings,
                       {.elements = {{"targets", PTP_INTEGER},
                                     {"labels", PTP_STRING},
                                     {"words", PTP_TOKENS},
                                     {"pieces", PTP_TENSOR_LIST}},
                        .optional_inputs = {"inputs"},
                        .name = "answers",
                        .run_folder = run.path().string()});
}

test::Slots only(const at::Tensor& targets) {
    test::Slots inputs;
    inputs["targets"] = targets;
    inputs["labels"] = std::vector<std::string>();
    inputs["words"] = std::vector<std::vector<std::string>>();
    inputs["pieces"] = std::vector<at::Tensor>();
    inputs["scores"] = at::Tensor();
    return inputs;
}

std::vector<std::string> missing_lines() {
    std::vector<std::string> lines;
    for (const char* stream : {"labels", "words", "pieces", "scores"}) {
        lines.push_back("[training] has no stream '" + std::string(stream) +
                        "': it continues without");
    }
    return lines;
}

}  // namespace

TEST_CASE("StreamFileExporter: missing streams have empty cells, and are logged once") {
    const TempFolder run;
    auto exporter = without_others(run, "");
    exporter.run(only(test::integers({3, -1})), step(0, 2));
    exporter.run(only(test::integers({4, 5})), step(1, 2));
    CHECK(run.read("exports/answers.csv") ==
          "section,epoch,episode,targets,labels,words,pieces,scores\n"
          "training,1,0,3,,,,\ntraining,1,0,-1,,,,\n"
          "training,1,1,4,,,,\ntraining,1,1,5,,,,\n");
    CHECK(exporter.log_lines() == missing_lines());
}

TEST_CASE("StreamFileExporter: missing streams are null in JSON, and have no rows in NumPy files") {
    const TempFolder run;
    auto exporter = without_others(run, "format = \"json_lines\"");
    exporter.run(only(test::integers({3})), step(0, 1));
    CHECK(
        run.read("exports/answers.jsonl") ==
        "{\"section\":\"training\",\"epoch\":1,\"episode\":0,\"targets\":3,\"labels\":null,\"words\":null,\"pieces\":null,\"scores\":null}\n");

    auto numbers = test::build("exporters", "StreamFileExporter",
                               "input_streams = [\"targets\", \"scores\"]\nformat = \"npy\"\n"
                               "skip_missing_streams = true",
                               {.elements = {{"targets", PTP_INTEGER}},
                                .optional_inputs = {"inputs"},
                                .name = "numbers",
                                .run_folder = run.path().string()});
    for (const bool is_there : {true, false}) {
        test::Slots inputs;
        inputs["targets"] = test::integers({3, 4});
        inputs["scores"] = is_there ? test::floats({0.5, 1.5}, {2}) : at::Tensor();
        numbers.run(std::move(inputs), step(0, 2));
    }
    CHECK(npy_text(run.read("exports/numbers.targets.npy")).find("(4,)") != std::string::npos);
    CHECK(npy_text(run.read("exports/numbers.scores.npy")).find("(2,)") != std::string::npos);
}

TEST_CASE("StreamFileExporter: a section without any of the streams is not written") {
    const TempFolder run;
    auto exporter = without_others(run, "");
    exporter.run(only(at::Tensor()), step(0, 2));
    CHECK_FALSE(fs::exists(run.path() / "exports/answers.csv"));
    CHECK(exporter.log_lines().size() == 5);
}

}  // namespace stream_file_exporter_test
