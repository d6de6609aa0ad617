// The sheets of ImageViewer in the run's folder and in TensorBoard's file, which a Python program
// reads that knows the format from elsewhere.

#include "runs/interrupted.hpp"
#include "runs/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>
#include <png.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace pictures_test {

namespace fs = std::filesystem;

using ptp::test::ExperimentFolder;
using ptp::test::ProcessResult;

namespace {

constexpr const char* kSheets =
    "[pipeline.sheets]\ntype = \"ImageViewer\"\ninterval = 4\nstreams = { images = \"inputs\" }\n";

// "training_000004.png", and its bytes in hexadecimal digits after its size: "2 x 1: 00ff..."
using Pictures = std::map<std::string, std::string>;

bool has_python() {
    return std::system("python3 -c '' 2>/dev/null") == 0;
}

std::string size_text(std::size_t height, std::size_t width) {
    return std::to_string(height) + " x " + std::to_string(width) + ": ";
}

// The pictures of TensorBoard's file, none of them twice.
Pictures in_tensorboard(const fs::path& run) {
    constexpr std::string_view kTag = "sheets/";
    const std::string script = ptp::test::source_dir() / "tests/unit/engine/output/read_events.py";
    const fs::path output = run.parent_path() / "events.txt";
    REQUIRE(std::system(("python3 '" + script + "' '" + (run / "tensorboard").string() + "' > '" +
                         output.string() + "'")
                            .c_str()) == 0);
    Pictures pictures;
    std::ifstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string episode;
        std::string tag;
        std::string by;
        std::string channels;
        std::string digits;
        std::size_t height = 0;
        std::size_t width = 0;
        words >> episode >> tag >> height >> by >> width >> by >> channels >> digits;
        if (!tag.starts_with(kTag) || channels != "3:") {
            continue;
        }
        REQUIRE(digits.size() == height * width * 3 * 2);
        const std::string bytes = size_text(height, width) + digits;
        const std::string section = tag.substr(kTag.size(), tag.size() - kTag.size() - 1);
        episode.insert(0, 6 - episode.size(), '0');
        CHECK(pictures.emplace(section + "_" + episode + ".png", bytes).second);
    }
    return pictures;
}

std::string bytes_of(const fs::path& file) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    REQUIRE(png_image_begin_read_from_file(&image, file.c_str()) != 0);
    image.format = PNG_FORMAT_RGB;
    std::vector<unsigned char> bytes(PNG_IMAGE_SIZE(image));
    REQUIRE(png_image_finish_read(&image, nullptr, bytes.data(), 0, nullptr) != 0);
    std::string text = size_text(image.height, image.width);
    for (const unsigned char byte : bytes) {
        constexpr const char* kDigits = "0123456789abcdef";
        text += {kDigits[byte >> 4], kDigits[byte & 15]};
    }
    return text;
}

Pictures in_files(const fs::path& run) {
    Pictures pictures;
    for (const auto& entry : fs::directory_iterator(run / "images/sheets")) {
        pictures.emplace(entry.path().filename().string(), bytes_of(entry.path()));
    }
    return pictures;
}

std::vector<std::string> names_of(const Pictures& pictures) {
    std::vector<std::string> names;
    for (const auto& [name, bytes] : pictures) {
        names.push_back(name);
    }
    return names;
}

// 6 batches of a task that counts them, and a validation of 6 that can be interrupted in the
// middle.
void write_counted(const ExperimentFolder& folder) {
    std::ofstream(folder.path() / "experiment.toml")
        << "name = \"counted\"\nseed = 7\n[training]\n"
           "optimizer = { type = \"SGD\", lr = 0.1 }\n"
           "terminal_conditions = { epoch_limit = 4, loss_stop_threshold = 0.0 }\n"
           "task = { type = \"Counted\", batch_size = 8 }\n"
           "[validation]\ntask = { type = \"Counted\", batch_size = 8 }\n"
           "[pipeline.square]\ntype = \"ReshapeTensor\"\ninput_dims = [-1, 4]\n"
           "output_dims = [-1, 1, 2, 2]\nstreams = { outputs = \"images\" }\n"
           "[pipeline.sheets]\ntype = \"ImageViewer\"\n"
           "[pipeline.net]\ntype = \"FeedForwardNetwork\"\n"
           "globals = { prediction_size = \"num_classes\" }\n"
           "[pipeline.nll]\ntype = \"NLLLoss\"\n[records.tensorboard]\n"
           "[checkpoint]\nevery_episodes = 4\nkeep = 100\n";
}

}  // namespace

TEST_CASE("pictures: TensorBoard has the sheets of all sections, with the pixels of their files") {
    if (!has_python()) {
        MESSAGE("skipped: there is no python3");
        return;
    }
    const ExperimentFolder folder({.pipeline = std::string(kSheets) + "[records.tensorboard]\n"});
    require_success(folder.run("run"));
    const Pictures files = in_files(folder.path() / "run");
    // Every fourth of 18 episodes, the validations after each epoch of 6, and the test.
    CHECK(names_of(files) ==
          std::vector<std::string>{"test_000017.png", "training_000000.png", "training_000004.png",
                                   "training_000008.png", "training_000012.png",
                                   "training_000016.png", "validation_000005.png",
                                   "validation_000011.png", "validation_000017.png"});
    CHECK((in_tensorboard(folder.path() / "run") == files));
}

TEST_CASE("pictures: TensorBoard has sheets and values of each validation set under its name") {
    if (!has_python()) {
        MESSAGE("skipped: there is no python3");
        return;
    }
    const ExperimentFolder folder;
    const std::string task =
        ".task]\ntype = \"FashionMNIST\"\nbatch_size = 8\nresize_image = [2, 2]\n"
        "use_train_data = false\ndata_folder = \"" +
        (folder.path() / "data").string() + "\"\n";
    folder.write({.training = "judge = \"hard\"\noptimizer = { type = \"Adam\", lr = 0.05 }\n"
                              "terminal_conditions = { epoch_limit = 1 }\n",
                  .pipeline = "[validation.easy" + task + "[validation.hard" + task + kSheets +
                              "[records.tensorboard]\n",
                  .has_validation = false,
                  .has_test = false});
    require_success(folder.run("run"));
    const Pictures files = in_files(folder.path() / "run");
    CHECK(names_of(files) == std::vector<std::string>{"training_000000.png", "training_000004.png",
                                                      "validation.easy_000005.png",
                                                      "validation.hard_000005.png"});
    CHECK((in_tensorboard(folder.path() / "run") == files));
    const std::string events = folder.read("events.txt");
    for (const std::string set : {"validation.easy", "validation.hard"}) {
        const std::string start = "5 " + set + "/loss = ";
        const auto at = events.find(start);
        REQUIRE(at != std::string::npos);
        const double loss =
            std::stod(ptp::test::last_value(folder.read("run/" + set + ".csv"), "loss"));
        CHECK(std::stod(events.substr(at + start.size())) == doctest::Approx(loss).epsilon(1e-5));
    }
}

TEST_CASE("pictures: showing them changes no bit of the training, with or without TensorBoard") {
    const ExperimentFolder folder;
    REQUIRE(folder.run("plain").status == 0);
    folder.write({.pipeline = kSheets});
    REQUIRE(folder.run("files").status == 0);
    folder.write({.pipeline = std::string(kSheets) + "[records.tensorboard]\n"});
    REQUIRE(folder.run("both").status == 0);
    for (const char* run : {"files", "both"}) {
        CHECK(folder.read(fs::path(run) / "training.csv") == folder.read("plain/training.csv"));
    }
    CHECK_FALSE(folder.has("files/tensorboard"));
    CHECK((in_files(folder.path() / "files") == in_files(folder.path() / "both")));
}

TEST_CASE("pictures: an interrupted validation's pictures are there once after a resume") {
    if (!has_python()) {
        MESSAGE("skipped: there is no python3");
        return;
    }
    const ExperimentFolder folder;
    write_counted(folder);
    require_success(folder.run("undisturbed", ptp::test::with_witness()));
    // In the third batch of the second validation, after the first has been shown.
    const ProcessResult stopped =
        folder.run("stopped", ptp::test::with_witness({"--set", "validation.task.interrupt_at=9"}));
    CHECK(stopped.status == 143);
    CHECK(ptp::test::resume(folder, "stopped").status == 0);
    const Pictures files = in_files(folder.path() / "undisturbed");
    CHECK(names_of(files) ==
          std::vector<std::string>{"training_000000.png", "validation_000005.png",
                                   "validation_000011.png", "validation_000017.png",
                                   "validation_000023.png"});
    CHECK((in_files(folder.path() / "stopped") == files));
    CHECK((in_tensorboard(folder.path() / "stopped") == files));
}

TEST_CASE("pictures: kills at random moments lose none, and none is there twice") {
    const ExperimentFolder folder;
    ptp::test::Lines lines = ptp::test::stateful(20);
    lines.pipeline += kSheets;
    folder.write(lines);
    ptp::test::check_kills(folder, 2);
}

TEST_CASE("pictures: the processor has no TensorBoard, its sheets are files alone") {
    const ExperimentFolder folder({.pipeline = std::string(kSheets) + "[records.tensorboard]\n"});
    REQUIRE(folder.run("run").status == 0);
    require_success(ptp::test::ptprun(
        {"process", folder.run_folder("run"), "--run-dir", folder.run_folder("processed")}));
    CHECK(names_of(in_files(folder.path() / "processed")) ==
          std::vector<std::string>{"test_000000.png"});
    CHECK_FALSE(folder.has("processed/tensorboard"));
}

}  // namespace pictures_test
