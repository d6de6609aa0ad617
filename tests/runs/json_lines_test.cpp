// `ptprun predict RUN --jsonl`: lines of JSON in, lines of JSON out.

#include "base/base64.hpp"
#include "runs/grey_images.hpp"
#include "runs/kinds.hpp"
#include "runs/predictions.hpp"
#include "support/paths.hpp"
#include "support/replaced.hpp"
#include "support/temp_folder.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace json_lines_test {

namespace fs = std::filesystem;

using ptp::base64;
using namespace ptp::test;
using Json = nlohmann::json;

namespace {

// Predicts for the lines with the run in the folder `run`.
ProcessResult predict_lines(const TempFolder& folder, const std::string& lines,
                            const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"predict", (folder.path() / "run").string(), "--quiet",
                                      "--jsonl", folder.write("items.jsonl", lines).string()};
    words.insert(words.end(), more.begin(), more.end());
    return ptprun(words);
}

std::vector<Json> objects_of(const std::string& lines) {
    std::vector<Json> objects;
    for (const std::string& line : lines_of(lines)) {
        objects.push_back(Json::parse(line));
    }
    return objects;
}

// A folder with a run that was trained with rows.
class TrainedRows : public TempFolder {
public:
    explicit TrainedRows(const std::string& table = kinds(),
                         const std::string& experiment = kinds_experiment(30)) {
        write("rows.csv", table);
        train_run(*this, experiment);
    }
};

std::string images(const fs::path& folder) {
    for (int i = 0; i < 8; ++i) {
        const std::string name = std::to_string(i) + ".png";
        write_grey(folder / "training/ant" / name, 20 + i);
        write_grey(folder / "training/cow" / name, 200 + i);
    }
    return "name = \"animals\"\nseed = 3\n[training]\n"
           "optimizer = { type = \"Adam\", lr = 0.1 }\n"
           "terminal_conditions = { epoch_limit = 30 }\n"
           "[training.task]\ntype = \"ImageFolder\"\nbatch_size = 8\n"
           "data_folder = \"training\"\nresize_image = [4, 4]\nimage_depth = 1\n"
           "[pipeline.reshape]\ntype = \"ReshapeTensor\"\n"
           "input_dims = [-1, 1, 4, 4]\noutput_dims = [-1, 16]\n"
           "streams = { outputs = \"features\" }\n"
           "[pipeline.net]\ntype = \"FeedForwardNetwork\"\nhidden_sizes = [16]\n"
           "streams = { inputs = \"features\" }\n"
           "globals = { prediction_size = \"num_classes\" }\n"
           "[pipeline.nll]\ntype = \"NLLLoss\"\n";
}

}  // namespace

TEST_CASE("json lines: each row is predicted by itself, and each wrong one has its error") {
    const TrainedRows folder;
    const ProcessResult result = predict_lines(folder,
                                               "{\"x\": 2, \"color\": \"red\"}\n"
                                               "not json\n"
                                               "[38, \"blue\"]\n"
                                               "{\"x\": 2}\n"
                                               "{\"x\": 2, \"colors\": \"red\"}\n"
                                               "[1]\n"
                                               "7\n"
                                               "{\"x\": [\"1\"], \"color\": \"red\"}\n"
                                               "{\"color\": \"blue\", \"x\": 37, \"kind\": []}\n");
    CHECK(result.status == 4);
    const std::vector<Json> lines = objects_of(result.output);
    REQUIRE(lines.size() == 9);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        CHECK(lines[i]["line"] == i + 1);
    }
    CHECK(lines[0]["predicted"] == "small");
    CHECK(lines[1]["error"] == "is not JSON");
    CHECK(lines[2]["predicted"] == "big");
    CHECK(lines[3]["error"] == "has no 'color'");
    CHECK(lines[4]["error"] ==
          "'colors' is not a column that the model reads; did you mean 'color'?");
    CHECK(lines[5]["error"] == "has 1 values, and the columns are 2: x, color");
    CHECK(lines[6]["error"] ==
          "must be an object with the columns x, color, or a list of their values");
    CHECK(lines[7]["error"] == "'x' must be a number, a text, a list of numbers or null");
    CHECK(lines[8]["predicted"] == "big");
}

TEST_CASE("json lines: rows that the task refuses have their errors, and others are predicted") {
    const TrainedRows folder;
    const ProcessResult result = predict_lines(folder,
                                               "{\"x\": 2, \"color\": \"red\"}\n"
                                               "[1]\n"
                                               "{\"x\": \"two\", \"color\": \"red\"}\n"
                                               "{\"x\": 38, \"color\": \"blue\"}\n"
                                               "{\"x\": \"fo\\nur\", \"color\": \"blue\"}\n");
    CHECK(result.status == 4);
    const std::vector<Json> lines = objects_of(result.output);
    REQUIRE(lines.size() == 5);
    CHECK(lines[0]["predicted"] == "small");
    CHECK(lines[1]["error"] == "has 1 values, and the columns are 2: x, color");
    CHECK(lines[2]["error"] == "column 'x' = 'two': is not a number");
    CHECK(lines[3]["predicted"] == "big");
    CHECK(lines[4]["error"].get<std::string>().ends_with("ur': is not a number"));
}

TEST_CASE("json lines: names of columns may have commas and quotes") {
    std::string text = kinds();
    text.replace(0, text.find('\n'), "\"x, \"\"cm\"\"\",color,kind");
    std::string experiment = kinds_experiment(30);
    experiment.replace(experiment.find("\"x\""), 3, "'x, \"cm\"'");
    const TrainedRows folder(text, experiment);
    const ProcessResult result =
        predict_lines(folder, "{\"x, \\\"cm\\\"\": 2, \"color\": \"red\"}\n");
    require_success(result);
    CHECK(objects_of(result.output).at(0)["predicted"] == "small");
}

TEST_CASE("json lines: where a table's features are all columns, those of the training are read") {
    std::string table = "count,x,color,kind\n";  // a count of the rows is left out
    for (int i = 0; i < 40; ++i) {
        table += std::to_string(i) + "," + std::to_string(i) + ".5," +
                 (i % 3 == 0 ? "red," : "blue,") + (i < 20 ? "small\n" : "big\n");
    }
    std::string experiment = kinds_experiment(30);
    experiment.replace(experiment.find("[\"x\", \"color\"]"), 14, "\"*\"");
    const TrainedRows folder(table, experiment);
    const ProcessResult result = predict_lines(folder,
                                               "{\"color\": \"red\", \"x\": 2}\n"
                                               "[38, \"blue\"]\n"
                                               "[1]\n"
                                               "{\"x\": 2, \"kind\": \"small\"}\n"
                                               "{\"x\": [1, 2], \"color\": \"red\"}\n");
    CHECK(result.status == 4);
    const std::vector<Json> lines = objects_of(result.output);
    REQUIRE(lines.size() == 5);
    CHECK(lines[0]["predicted"] == "small");
    CHECK(lines[1]["predicted"] == "big");
    CHECK(lines[2]["error"] == "has 1 values, and the columns are 2: x, color");
    CHECK(lines[3]["error"] == "has no 'color'");
    CHECK(lines[4]["error"] == "column 'x' = '1 2': is not a number");
    const std::string lines_file = folder.write("items.jsonl", "[2, \"red\"]\n").string();
    const ProcessResult untrained =
        ptprun({"predict", (folder.path() / "experiment.toml").string(), "--jsonl", lines_file});
    CHECK(untrained.status == 2);
    CHECK(untrained.errors ==
          "ptprun: error: --jsonl: the experiment reads all columns, and which those are, a run "
          "has recorded\n"
          "    fix: give the folder of a run in place of the experiment; ptprun runs lists them\n"
          "    help: ptprun help predict\n");
}

TEST_CASE("json lines: where all are wrong, all errors are written") {
    const TrainedRows folder;
    const ProcessResult result = predict_lines(folder, "[]\n{\n");
    CHECK(result.status == 4);
    CHECK(result.output ==
          "{\"line\":1,\"error\":\"has 0 values, and the columns are 2: x, color\"}\n"
          "{\"line\":2,\"error\":\"is not JSON\"}\n");
    CHECK(result.errors.find("none of its lines can be predicted") != std::string::npos);
    const ProcessResult empty = predict_lines(folder, "");
    CHECK(empty.status == 4);
    CHECK(empty.errors.find("items.jsonl: has no lines") != std::string::npos);
    CHECK(ptprun({"predict", (folder.path() / "run").string(), "--jsonl", "nowhere.jsonl"})
              .errors.find("--jsonl nowhere.jsonl: cannot be read: No such file or directory\n") !=
          std::string::npos);
}

TEST_CASE("json lines: what is wrong with the command is no error of a line") {
    const TrainedRows folder;
    const ProcessResult result =
        predict_lines(folder, "[2, \"red\"]\n[37, \"blue\"]\n", {"--classes", "nothing"});
    CHECK(result.status == 2);
    CHECK(result.output == "");
    CHECK(result.errors ==
          "ptprun: error: --classes nothing: unknown global; known: label_word_mappings, "
          "table_columns\n");
}

TEST_CASE("json lines: a table in text that is no JSON has its own option") {
    const TrainedRows folder;
    const std::string table = folder.write("new.csv", "x,color\n1,red\n").string();
    const std::string run = (folder.path() / "run").string();
    const ProcessResult result = ptprun({"predict", run, "--jsonl", table, "--quiet"});
    CHECK(result.output ==
          "{\"line\":1,\"error\":\"is not JSON\"}\n{\"line\":2,\"error\":\"is not JSON\"}\n");
    CHECK(result.errors == "ptprun: error: --jsonl " + table +
                               ": none of its lines can be predicted\n    fix: ptprun predict " +
                               run + " --quiet --data " + table + "\n");
    CHECK(ptprun({"predict", run, "--quiet", "--data", table}).status == 0);
}

TEST_CASE("json lines: the training's own lines, with its class, are taken") {
    const TrainedRows folder;
    const ProcessResult result =
        predict_lines(folder, "{\"x\": 1, \"color\": \"red\", \"kind\": \"big\"}\n");
    CHECK(result.status == 0);
    CHECK(objects_of(result.output).at(0)["predicted"] == "small");
}

TEST_CASE("json lines: CsvTable takes them, also in files, and its errors are those of the lines") {
    const TempFolder folder;
    folder.write("rows.csv", "x;kind\n1;small\n2;small\n37;big\n38;big\n");
    std::string experiment = kinds_experiment(30);
    experiment = ptp::test::replaced(experiment, "type = \"Table\"",
                                     "type = \"CsvTable\"\nseparator = \"semicolon\"");
    experiment = ptp::test::replaced(experiment, "[\"x\", \"color\"]", "[\"x\"]");
    experiment = ptp::test::replaced(experiment, "input_size = \"num_features\", ", "");
    experiment = ptp::test::replaced(experiment, "batch_size = 8", "batch_size = 2");
    train_run(folder, experiment);
    const std::string own = "{\"x\": 2, \"kind\": \"small\"}\n{\"x\": 37, \"kind\": \"big\"}\n";
    const ProcessResult result = predict_lines(folder, own + "[\"a;b\"]\n");
    CHECK(result.errors == "");
    CHECK(result.status == 4);
    const std::vector<Json> lines = objects_of(result.output);
    REQUIRE(lines.size() == 3);
    CHECK(lines[0]["predicted"] == "small");
    CHECK(lines[1]["predicted"] == "big");
    CHECK(lines[2]["error"].get<std::string>().starts_with(
        "the column 'x' has 'a;b', which is not a number"));
    const std::string run = (folder.path() / "run").string();
    const ProcessResult file =
        ptprun({"predict", run, "--quiet", "--data", folder.write("own.jsonl", own).string()});
    CHECK(file.errors == "");
    CHECK(column(rows_of(file.output), "correct") == Cells{"true", "true"});
}

TEST_CASE("json lines: further texts and lists are columns, too") {
    const TempFolder folder;
    folder.write("rows.csv", "pair,x,color,kind\n1 2,1,red,small\n3 4,9,blue,big\n");
    const std::string settings =
        "[\"x\"]\nmore_texts = [\"color\"]\nlists = [\"pair\"]\nlist_sizes = [2]";
    const std::string experiment =
        folder
            .write("e.toml",
                   ptp::test::replaced(kinds_experiment(1), "[\"x\", \"color\"]", settings))
            .string();
    REQUIRE(ptprun({experiment, "--run-dir", (folder.path() / "run").string()}).status == 0);
    const ProcessResult result =
        predict_lines(folder,
                      "{\"x\": 2, \"color\": \"red\", \"pair\": [1, 2.5]}\n"
                      "{\"x\": 2, \"color\": \"red\", \"pair\": \"1 2.5\"}\n"
                      "{\"x\": 2, \"color\": \"red\", \"pair\": [1]}\n");
    CHECK(result.errors == "");
    const std::vector<Json> lines = objects_of(result.output);
    REQUIRE(lines.size() == 3);
    CHECK(lines[0]["score"] == lines[1]["score"]);
    CHECK(lines[2]["error"] == "column 'pair' = '1': has 1 number, not the 2 of list_sizes");
}

TEST_CASE("json lines: predictions replace no data that are read") {
    const TrainedRows folder;
    const std::string run = (folder.path() / "run").string();
    const std::string table = folder.write("new.csv", "x,color\n1,red\n").string();
    const std::string lines = folder.write("new.jsonl", "{\"x\": 1}\n").string();
    const std::string trained = (folder.path() / "rows.csv").string();
    const auto refused = [&](const std::string& option, const std::string& data,
                             const std::string& output) {
        const std::string before = content_of(output);
        const ProcessResult result =
            ptprun({"predict", run, option, data, "-o", output, "--quiet"});
        CHECK(result.status == 2);
        const std::string what =
            output == data
                ? "--output " + output + ": this is the file of " + option + " " + data
                : "-o " + output + ": these are data of the training, training.task.file";
        CHECK(result.errors == "ptprun: error: " + what +
                                   ", which would be lost\n    fix: name another file\n"
                                   "    help: ptprun help predict\n");
        CHECK(content_of(output) == before);
    };
    refused("--data", table, table);
    refused("--data", table, trained);
    refused("--jsonl", lines, lines);
    refused("--jsonl", lines, trained);  // none of its lines is right
    const std::string experiment = (folder.path() / "experiment.toml").string();
    CHECK(ptprun({"predict", run, "--data", table, "-o", experiment, "--quiet"}).errors ==
          "ptprun: error: -o " + experiment +
              ": there is such a file, which would be lost: the names of what is written here end "
              "with .csv, .tsv, .txt, .json, .jsonl or .ndjson\n"
              "    fix: name another file, or remove this one\n    help: ptprun help predict\n");
    CHECK(ptprun({"predict", run, "--data", table, "-o", table + ".out.csv", "--quiet"}).status ==
          0);
}

TEST_CASE("json lines: a model that was trained with them takes tables in text, too") {
    const TempFolder folder;
    std::string rows;
    for (int i = 0; i < 8; ++i) {
        rows += "{\"x\": " + std::to_string(i) + ", \"color\": \"" + (i % 2 == 0 ? "red" : "blue") +
                "\", \"kind\": \"" + (i < 4 ? "small" : "big") + "\"}\n";
    }
    folder.write("rows.jsonl", rows);
    train_run(folder, ptp::test::replaced(kinds_experiment(1), "rows.csv", "rows.jsonl"));
    const std::string run = (folder.path() / "run").string();
    const auto piped = [&](const std::string& text) {
        return rows_of(predicted_from(text, run + " --data - --quiet")).size();
    };
    CHECK(piped("x,color\\n1,red\\n2,red\\n") == 2);
    CHECK(piped("x\\tcolor\\n1\\tred\\n") == 1);
    CHECK(piped("{\"x\": 1, \"color\": \"red\"}\\n") == 1);
}

TEST_CASE("json lines: images are file names or base64") {
    const TempFolder folder;
    train_run(folder, images(folder.path()));
    const std::string ant = (folder.path() / "ant.png").string();
    const std::string cow = (folder.path() / "cow.jpg").string();  // whatever its name is
    write_grey(ant, 25);
    write_grey(cow, 205);
    std::string bytes = folder.read("cow.jpg");
    const std::string cut = folder.write("cut.png", bytes.substr(0, 40)).string();
    const ProcessResult result = predict_lines(
        folder, "\"" + ant + "\"\n{\"image\": \"" + cow + "\"}\n{\"base64\": \"" + base64(bytes) +
                    "\"}\n\"nowhere.png\"\n{\"base64\": \"bm8gaW1hZ2U=\"}\n\"" + cut +
                    "\"\n{\"base64\": \"*\"}\n\"" + ant + "\"\n");
    CHECK(result.status == 4);
    const std::vector<Json> lines = objects_of(result.output);
    REQUIRE(lines.size() == 8);
    CHECK(lines[0]["predicted"] == "ant");
    CHECK(lines[1]["predicted"] == "cow");
    CHECK(lines[2]["predicted"] == "cow");
    CHECK(lines[2]["score"] == lines[1]["score"]);
    CHECK(lines[3]["error"] == "no such file: " + (folder.path() / "nowhere.png").string());
    CHECK(lines[4]["error"] == "is not an image: PNG, JPEG, TIFF and WebP are read");
    CHECK(lines[5]["error"] == "is a PNG file that cannot be read (Read Error)");
    CHECK(lines[6]["error"] == "its base64 has a character that base64 does not have");
    CHECK(lines[7]["predicted"] == "ant");
    CHECK(lines[7]["score"] == lines[0]["score"]);
}

TEST_CASE("json lines: images for a task of one file have the task that reads them") {
    const ptp::test::ExperimentFolder folder;
    folder.write();
    REQUIRE(folder.run("run").status == 0);
    const fs::path image =
        ptp::test::source_dir() / "plugins/vision_tasks/check/pictures/first/a.png";
    const std::string lines = folder.run_folder("lines.jsonl");
    std::ofstream(lines) << "{\"image\": \"" << image.string() << "\"}\n";
    const std::string run = folder.run_folder("run");
    const std::string task =
        "test.task={ type = \"ImageFolder\", batch_size = 100, image_depth = 1, resize_image = [2, "
        "2] }";
    const ProcessResult result = ptprun({"predict", run, "--jsonl", lines});
    CHECK(result.status == 2);
    CHECK(
        ptp::test::without_folder(result.errors, folder.path()) ==
        "ptprun: error: --jsonl: FashionMNIST reads neither texts nor rows of a table nor several "
        "images\n"
        "    FashionMNIST, the task of [test], reads as 'images': Images without classes, in "
        "place of data_folder: an idx file, plain or .gz; ImageFolder reads others\n"
        "    fix: ptprun predict FOLDER/run --jsonl FOLDER/lines.jsonl --set '" +
            task +
            "'\n"
            "    help: ptprun help predict\n");
    const ProcessResult typed = ptprun({"predict", run, "--jsonl", lines, "--set", task});
    CHECK(typed.status == 0);
    CHECK(typed.output.find("\"predicted\"") != std::string::npos);
}

TEST_CASE("json lines: a warning names the line of the input") {
    const TrainedRows folder;
    const ProcessResult lines =
        predict_lines(folder, "{\n[2, \"red\"]\n{\"color\": \"red\", \"x\": 9000}\n[3, \"red\"]\n");
    CHECK(lines.errors == "warning: test: " + (folder.path() / "items.jsonl").string() +
                              ":3: column 'x' = 9000 is far outside of the training's 0 to 39; is "
                              "it in its unit?\n");
}

}  // namespace json_lines_test
