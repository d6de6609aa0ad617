// Predictions for images that nobody has classified.

#include "runs/grey_images.hpp"
#include "runs/predictions.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace predict_files_test {

using namespace ptp::test;

namespace fs = std::filesystem;

namespace {

// Ants are dark, bees grey, cows bright; a run in the folder `run` that tells them apart.
class Animals {
public:
    Animals() {
        for (int i = 0; i < 8; ++i) {
            for (const char* set : {"training", "test"}) {
                const std::string name = std::to_string(i) + ".png";
                write_grey(path() / set / "ant" / name, 20 + i);
                write_grey(path() / set / "bee" / name, 110 + i);
                write_grey(path() / set / "cow" / name, 200 + i);
            }
        }
        const auto task = [this](const std::string& set) {
            return "[" + set + ".task]\ntype = \"ImageFolder\"\nbatch_size = 8\ndata_folder = \"" +
                   (path() / set).string() + "\"\nresize_image = [4, 4]\nimage_depth = 1\n";
        };
        folder_.write("animals.toml",
                      "name = \"animals\"\nseed = 3\n[training]\n"
                      "optimizer = { type = \"Adam\", lr = 0.1 }\n"
                      "terminal_conditions = { epoch_limit = 40 }\n" +
                          task("training") + task("test") +
                          "[pipeline.reshape]\ntype = \"ReshapeTensor\"\n"
                          "input_dims = [-1, 1, 4, 4]\noutput_dims = [-1, 16]\n"
                          "streams = { outputs = \"features\" }\n"
                          "[pipeline.net]\ntype = \"FeedForwardNetwork\"\nhidden_sizes = [16]\n"
                          "streams = { inputs = \"features\" }\n"
                          "globals = { prediction_size = \"num_classes\" }\n"
                          "[pipeline.nll]\ntype = \"NLLLoss\"\n"
                          "[pipeline.accuracy]\ntype = \"AccuracyStatistics\"\n");
        require_success(ptprun({file("animals.toml"), "--run-dir", run()}));
    }

    [[nodiscard]] const fs::path& path() const { return folder_.path(); }
    [[nodiscard]] std::string file(const std::string& name) const {
        return (path() / name).string();
    }
    [[nodiscard]] std::string run() const { return file("run"); }
    [[nodiscard]] std::string read(const std::string& name) const { return folder_.read(name); }

private:
    TempFolder folder_;
};

std::size_t count_files(const fs::path& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

}  // namespace

TEST_CASE("predict: files of a folder that are no images are counted, and a few are named") {
    const Animals animals;
    write_grey(animals.path() / "new/a.png", 205);
    for (const char* other : {"new/notes.txt", "new/more/z.gif", "new/b.bmp", "new/.hidden"}) {
        fs::create_directories((animals.path() / other).parent_path());
        std::ofstream(animals.path() / other) << "x";
    }
    const ProcessResult result = predict({animals.run(), "--data", animals.file("new"), "--quiet"});
    CHECK(result.status == 0);
    CHECK(
        result.errors ==
        "warning: test: 3 files are left out: only files that end with .jpg, .jpeg, .png, .tif, .tiff or .webp are "
        "read (new/b.bmp, new/more/z.gif, new/notes.txt)\n");
    write_grey(animals.path() / "training/stray.png", 1);
    std::ofstream(animals.path() / "training/ant/notes.txt") << "x";
    std::ofstream(animals.path() / "training/README.txt") << "x";
    CHECK(ptprun({"check", animals.file("animals.toml"), "--data"}).errors ==
          "warning: training: 2 files are left out: only files in the folders of classes that end "
          "with .jpg, .jpeg, .png, .tif, .tiff or .webp are read (ant/notes.txt, stray.png)\n");
}

TEST_CASE("predict: a section of an experiment can name the files itself") {
    const Animals animals;
    write_grey(animals.path() / "new/a.png", 205);
    write_grey(animals.path() / "new/b.png", 25);
    const std::string experiment = animals.read("animals.toml");
    const std::size_t folder = experiment.rfind("data_folder");
    const std::string wild = experiment.substr(0, folder) + "files = [\"" + animals.file("new") +
                             "\"]\n" + experiment.substr(experiment.find('\n', folder) + 1);
    std::ofstream(animals.path() / "wild.toml") << wild;
    const ProcessResult result =
        predict({animals.file("wild.toml"), "--data", "test", "--quiet", "--checkpoint",
                 (fs::path(animals.run()) / "checkpoints/best").string()});
    require_success(result);
    CHECK(header_of(result.output) == "index,file,predicted,score");
    CHECK(column(rows_of(result.output), "file") == Cells{"a.png", "b.png"});
    CHECK(column(rows_of(result.output), "predicted") == Cells{"cow", "ant"});
}

TEST_CASE("process: a folder without classes is for predict, and the error tells so") {
    const Animals animals;
    write_grey(animals.path() / "new/a.png", 205);
    const ProcessResult result = ptprun({"process", animals.run(), "--set",
                                         "test.task.data_folder=\"" + animals.file("new") + "\"",
                                         "--run-dir", animals.file("processed")});
    CHECK(result.status == 4);
    CHECK(ptp::test::without_excerpts(without_folder(result.errors, animals.path())) ==
          "FOLDER/run/experiment.toml:45:1: error: the task of [test] (ImageFolder): FOLDER/new: "
          "has no folders; expected one for each class\n    fix: if these samples have no targets: "
          "ptprun predict FOLDER/run --data FOLDER\n");
}

TEST_CASE("predict: copies of folders are data of the training, a stray file beside them is not") {
    const Animals animals;
    const auto note = [&](const std::string& name) {
        const std::string errors = predict({animals.run(), "--data", animals.file(name)}).errors;
        return errors.substr(0, errors.find('\n'));
    };
    const std::string said =
        " is data of the training, which drew each of its samples: how well the model "
        "predicts these says nothing about new data";
    fs::copy(animals.path() / "training", animals.path() / "copies", fs::copy_options::recursive);
    write_grey(animals.path() / "training/stray.png", 7);
    CHECK(note("training/stray.png").find("is data") == std::string::npos);
    CHECK(note("training/ant/1.png") == animals.file("training/ant/1.png") + said);
    CHECK(note("copies/ant") == animals.file("copies/ant") + said);
    write_grey(animals.path() / "new/a.png", 77);
    CHECK(note("new").find("is data") == std::string::npos);
    fs::remove(animals.path() / "training/stray.png");
    CHECK(note("copies") == animals.file("copies") + said);
}

TEST_CASE("process: what --set has for a section that is not read is refused") {
    const Animals animals;
    const ProcessResult result =
        ptprun({"process", animals.run(), "--set", "training.task.batch_size=4", "--run-dir",
                animals.file("processed")});
    CHECK(result.status == 2);
    CHECK(ptp::test::without_excerpts(result.errors) ==
          "--set: error: training.task.batch_size: has no effect: [training] is not read here, but "
          "[test]\n    fix: ptprun process " +
              animals.run() + " --run-dir " + animals.file("processed") +
              " --set test.task.batch_size=4\n");
    CHECK_FALSE(fs::exists(animals.path() / "processed"));
}

TEST_CASE("predict: a reader of the standard output that goes away is no error") {
    const Animals animals;
    write_grey(animals.path() / "new/a.png", 205);
    const std::string program = (ptp::test::build_dir() / "bin/ptprun").string();
    const std::string errors = animals.file("errors");
    for (const std::string ignored : {"", "trap \"\" PIPE; "}) {
        const std::string command = "bash -c 'exec 3> >(:); wait $!; " + ignored +
                                    "OMP_NUM_THREADS=1 " + program + " predict " + animals.run() +
                                    " --data " + animals.file("new") + " --quiet >&3 2> " + errors +
                                    "'";
        CHECK(std::system(command.c_str()) == 0);
        CHECK(animals.read("errors") == "");
    }
}

TEST_CASE(
    "predict: images in a plain folder get the classes of the training, whose data are gone") {
    const Animals animals;
    fs::remove_all(animals.path() / "training");
    fs::remove_all(animals.path() / "test");
    write_grey(animals.path() / "new/b.png", 115);
    write_grey(animals.path() / "new/a.png", 205);
    write_grey(animals.path() / "new/zoo/ant/c.png", 25);
    const ProcessResult result =
        predict({animals.run(), "--data", animals.file("new"), "-o", animals.file("p.csv")});
    CHECK(without_folder(result.errors, animals.path()) ==
          "these samples have no targets: nll and accuracy are skipped\n3 predictions, in "
          "FOLDER/p.csv\n");
    CHECK(result.output == "");
    REQUIRE(result.status == 0);
    CHECK(count_files(animals.path()) == 4);  // new, run, animals.toml, p.csv
    const std::string table = animals.read("p.csv");
    CHECK(header_of(table) == "index,file,predicted,score");
    const auto rows = rows_of(table);
    CHECK(column(rows, "index") == Cells{"0", "1", "2"});
    CHECK(column(rows, "file") == Cells{"a.png", "b.png", "zoo/ant/c.png"});
    CHECK(column(rows, "predicted") == Cells{"cow", "bee", "ant"});
    for (const Row& row : rows) {
        CHECK(std::stod(row.at("score")) > 0.5);
        CHECK(std::stod(row.at("score")) <= 1);
    }
}

TEST_CASE("predict: a folder with folders of the classes is scored, also where some are missing") {
    const Animals animals;
    write_grey(animals.path() / "new/cow/a.png", 205);
    write_grey(animals.path() / "new/ant/b.png", 25);
    write_grey(animals.path() / "new/ant/c.png", 205);
    const ProcessResult scored = predict({animals.run(), "--data", animals.file("new")});
    CHECK(scored.errors == "3 predictions, 2 of 3 right\n");
    CHECK(header_of(scored.output) == "index,file,predicted,score,target,correct,loss");
    CHECK(column(rows_of(scored.output), "file") == Cells{"ant/b.png", "ant/c.png", "cow/a.png"});
    CHECK(column(rows_of(scored.output), "target") == Cells{"ant", "ant", "cow"});
    std::ofstream(animals.path() / "new/notes.txt") << "where these are from";
    CHECK(predict({animals.run(), "--data", animals.file("new")})
              .errors.ends_with("3 predictions, 2 of 3 right\n"));
    fs::remove(animals.path() / "new/notes.txt");
    write_grey(animals.path() / "new/dog/d.png", 25);
    const ProcessResult other = predict({animals.run(), "--data", animals.file("new")});
    CHECK(without_folder(other.errors, animals.path()) ==
          "these samples are not scored: nll and accuracy are skipped\n"
          "    FOLDER/new/dog is not a class of the training (ant, bee, cow), which the others "
          "are: move it elsewhere to have those scored\n4 predictions\n");
}

TEST_CASE("predict: files come in the order in which they are named, as JSON lines too") {
    const Animals animals;
    write_grey(animals.path() / "x/one.png", 115);
    write_grey(animals.path() / "y/two.image", 205);
    const ProcessResult result =
        predict({animals.run(), "--data", animals.file("y/two.image"), animals.file("x/one.png"),
                 "--json", "--top-k", "3", "--quiet"});
    require_success(result);
    std::istringstream lines(result.output);
    std::vector<nlohmann::json> objects;
    for (std::string line; std::getline(lines, line);) {
        objects.push_back(nlohmann::json::parse(line));
    }
    REQUIRE(objects.size() == 2);
    CHECK(objects[0]["index"] == 0);
    CHECK(objects[0]["file"] == "y/two.image");
    CHECK(objects[0]["predicted"] == "cow");
    CHECK(objects[0]["predicted_2"] == "bee");
    CHECK(objects[0]["predicted_3"] == "ant");
    CHECK(objects[1]["file"] == "x/one.png");
    CHECK(objects[1]["predicted"] == "bee");
    const double sum = objects[0]["score"].get<double>() + objects[0]["score_2"].get<double>() +
                       objects[0]["score_3"].get<double>();
    CHECK(sum == doctest::Approx(1).epsilon(1e-12));
}

TEST_CASE("predict: data with other classes than in the training are refused") {
    const Animals animals;
    fs::rename(animals.path() / "test/bee", animals.path() / "test/dog");
    const ProcessResult result =
        predict({animals.run(), "--data", "test", "-o", animals.file("p.csv")});
    CHECK(result.status == 2);
    CHECK(without_folder(result.errors, animals.path()) ==
          "FOLDER/run/experiment.toml:45:1: error: the task of [test] (ImageFolder): the global "
          "'label_word_mappings' of the task of [test] (ImageFolder) differs from that of the "
          "training:\n"
          "    only the training has 'bee'\n"
          "    only the task of [test] (ImageFolder) has 'dog'\n"
          "    'cow' is 2 in the training and 1 in the task of [test] (ImageFolder)\n");
    CHECK_FALSE(fs::exists(animals.path() / "p.csv"));
}

TEST_CASE("predict: what cannot be read leaves the table of before, and nothing beside it") {
    const Animals animals;
    write_grey(animals.path() / "new/a.png", 20);
    write_grey(animals.path() / "new/b.png", 20);
    fs::resize_file(animals.path() / "new/b.png", fs::file_size(animals.path() / "new/b.png") - 14);
    fs::create_directory(animals.path() / "out");
    std::ofstream(animals.path() / "out/p.csv") << "before";
    const ProcessResult result = predict(
        {animals.run(), "--data", animals.file("new"), "-o", animals.file("out/p.csv"), "--quiet"});
    CHECK(result.status == 4);
    CHECK(result.errors.find("new/b.png: is a PNG file that cannot be read") != std::string::npos);
    CHECK(animals.read("out/p.csv") == "before");
    CHECK(count_files(animals.path() / "out") == 1);
}

TEST_CASE("check --data: image files that it has not read whole are stated, with what reads them") {
    const Animals animals;
    const std::string experiment = animals.file("animals.toml");
    const fs::path damaged = animals.path() / "training/ant/3.png";
    fs::resize_file(damaged, fs::file_size(damaged) - 14);
    const ProcessResult checked = ptprun({"check", experiment, "--data"});
    CHECK(checked.status == 0);
    CHECK(checked.output.ends_with(
        "  not read    the files of training, test beyond their headers: ptprun check " +
        experiment + " --data --set training.task.check=all --set test.task.check=all\n"));
    const ProcessResult whole = ptprun({"check", experiment, "--data", "--set",
                                        "training.task.check=all", "--set", "test.task.check=all"});
    CHECK(whole.status == 4);
    CHECK(whole.errors.find("3.png: is a PNG file that cannot be read") != std::string::npos);
    fs::remove(damaged);
    const ProcessResult good = ptprun({"check", experiment, "--data", "--set",
                                       "training.task.check=all", "--set", "test.task.check=all"});
    CHECK(good.output.find("not read") == std::string::npos);
}

}  // namespace predict_files_test
