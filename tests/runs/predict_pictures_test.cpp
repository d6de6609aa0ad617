// Predictions for tables that name images, whose paths are relative to where the table is.

#include "runs/grey_images.hpp"
#include "runs/predictions.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace predict_pictures_test {

using namespace ptp::test;

namespace {

// A run that reads an image and a number, and a second folder with an image.
class TrainedPictures : public TempFolder {
public:
    TrainedPictures() {
        std::string table = "picture,size,kind\n";
        for (int i = 0; i < 4; ++i) {
            write_grey(path() / "pics" / (std::to_string(i) + ".png"), i % 2 == 0 ? 20 : 200);
            table += "pics/" + std::to_string(i) + ".png," + std::to_string(i) + "," +
                     (i % 2 == 0 ? "ant\n" : "cow\n");
        }
        write("rows.csv", table);
        write_grey(path() / "new/pics/a.png", 200);
        train_run(*this, training(40) +
                             R"(type = "Table"
batch_size = 4
file = "rows.csv"
image = "picture"
image_depth = 1
resize_image = [4, 4]
features = "size"
label = "kind"
streams = { inputs = "sizes" }
[pipeline.reshape]
type = "ReshapeTensor"
input_dims = [-1, 1, 4, 4]
output_dims = [-1, 16]
streams = { inputs = "images", outputs = "pixels" }
[pipeline.both]
type = "ConcatenateTensor"
input_streams = ["pixels", "sizes"]
globals = { output_size = "both_size" }
streams = { outputs = "features" }
[pipeline.net]
type = "FeedForwardNetwork"
streams = { inputs = "features" }
globals = { input_size = "both_size", prediction_size = "num_classes" }
[pipeline.nll]
type = "NLLLoss"
)");
    }

    [[nodiscard]] std::string run() const { return (path() / "run").string(); }

    // Runs a command of the shell in the folder `new`; @ is `ptprun predict RUN --quiet`.
    [[nodiscard]] ProcessResult shell(std::string command) const {
        command.replace(command.find('@'), 1,
                        (build_dir() / "bin/ptprun").string() + " predict " + run() + " --quiet");
        ProcessResult result =
            run_program("/bin/sh", {"-c", "cd '" + (path() / "new").string() + "' && " + command},
                        {{"OMP_NUM_THREADS", "1"}});
        for (std::string* text : {&result.output, &result.errors}) {
            *text = without_excerpts(without_folder(*text, path()));
        }
        return result;
    }
};

const std::string kRefused = "FOLDER/run/experiment.toml:10:1: error: the task of [test] (Table): ";

}  // namespace

TEST_CASE(
    "predict: lines of JSON name images from the current folder, or from that of their file") {
    const TrainedPictures folder;
    const std::string piped = "printf '{\"picture\":\"%s\",\"size\":1}\\n' ";
    const ProcessResult result =
        folder.shell(piped + "pics/a.png ../pics/0.png pics/b.png | @ --jsonl -");
    CHECK(result.status == 4);
    CHECK(result.errors == "");
    CHECK(result.output.find(R"({"line":1,"predicted":"cow",)") == 0);
    CHECK(result.output.find(R"({"line":2,"predicted":"ant",)") != std::string::npos);
    CHECK(result.output.ends_with(
        "{\"line\":3,\"error\":\"column 'picture' = 'pics/b.png': "
        "FOLDER/new/pics/b.png: cannot be opened: No such file or directory\"}\n"));
    folder.write("items.jsonl", R"({"picture":"new/pics/a.png","size":1})");
    const ProcessResult beside = folder.shell("@ --jsonl ../items.jsonl");
    CHECK(beside.errors == "");
    CHECK(beside.output.find(R"({"line":1,"predicted":"cow",)") == 0);
}

TEST_CASE("predict: an image that ends too early has its own path in the error of its line") {
    const TrainedPictures folder;
    folder.write("new/pics/cut.png", folder.read("new/pics/a.png").substr(0, 40));
    const ProcessResult result =
        folder.shell("printf '[1,\"pics/%s.png\"]\\n' a cut | @ --jsonl -");
    CHECK(result.status == 4);
    CHECK(result.output.find(" FOLDER/new/pics/cut.png: ") != std::string::npos);
    const std::string whole = folder.read("new/pics/a.png");
    folder.write("new/pics/late.png", whole.substr(0, whole.size() - 20));  // found when it is read
    const ProcessResult late = folder.shell("printf '[1,\"pics/late.png\"]\\n' | @ --jsonl -");
    CHECK(late.output.find("(Table): FOLDER/new/pics/late.png: ") != std::string::npos);
    CHECK(late.output.find("items.csv") == std::string::npos);
    const ProcessResult table = folder.shell(
        "printf 'picture,size\\npics/a.png,1\\npics/late.png,1\\n' >t.csv && @ --data t.csv");
    CHECK(table.status == 4);
    CHECK(table.errors.find("FOLDER/new/t.csv:3: FOLDER/new/pics/late.png: ") != std::string::npos);
    CHECK(table.errors.find("    fix: put the whole image there, or remove the row\n") !=
          std::string::npos);
}

TEST_CASE("predict: a table of the standard input names images from the current folder") {
    const TrainedPictures folder;
    const ProcessResult result =
        folder.shell("printf 'picture,size\\npics/a.png,1\\n../pics/0.png,1\\n' | @ --data -");
    CHECK(result.errors == "");
    CHECK(column(rows_of(result.output), "predicted") == Cells{"cow", "ant"});
    const ProcessResult scored =
        folder.shell("printf 'picture,size,kind\\npics/a.png,1,cow\\n' | @ --data -");
    CHECK(column(rows_of(scored.output), "correct") == Cells{"true"});
    const ProcessResult missing =
        folder.shell("printf 'picture,size\\npics/b.png,1\\n' | @ --data -");
    CHECK(missing.status == 4);
    CHECK(missing.errors ==
          kRefused +
              "the standard input:2: column 'picture' = 'pics/b.png': "
              "FOLDER/new/pics/b.png: cannot be opened: No such file or "
              "directory\n    fix: correct the name, or put an image file there\n");
}

TEST_CASE("predict: lines of JSON and an image in place of a table have a fix") {
    const TrainedPictures folder;
    const ProcessResult lines =
        folder.shell("printf '{\"picture\":\"pics/a.png\",\"size\":1}\\n' | @ --data -");
    CHECK(lines.status == 2);
    CHECK(lines.errors ==
          "ptprun: error: --data -: the standard input is JSON lines, and a table in text, such as "
          "CSV, is read here, as in the training\n    fix: ptprun predict FOLDER/run --quiet "
          "--jsonl -\n    help: ptprun help predict\n");
    const ProcessResult image = folder.shell("@ --data pics/a.png");
    CHECK(image.status == 4);
    CHECK(image.errors ==
          kRefused +
              "FOLDER/new/pics/a.png: is a PNG image; a table in text, such as CSV, is read here\n"
              "    Table, the task of [test], reads a table with the columns size, picture\n"
              "    fix: ptprun predict FOLDER/run --quiet --data FILE.csv\n");
}

}  // namespace predict_pictures_test
