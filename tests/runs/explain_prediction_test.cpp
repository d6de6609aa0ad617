// `ptprun explain-prediction`: the files that it writes, and what it refuses. Its numbers are
// compared with captum's in tests/peers/captum_test.py.

#include "runs/predictions.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>
#include <png.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace explain_prediction_test {

using nlohmann::json;
using ptp::test::ProcessResult;
using ptp::test::ptprun;
using ptp::test::TempFolder;
using ptp::test::without_folder;

namespace fs = std::filesystem;

namespace {

constexpr int kSide = 28;

// A square of 6 x 6 on the left or on the right of a dark image.
void write_square(const fs::path& file, int left, int shade) {
    fs::create_directories(file.parent_path());
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(kSide) * kSide);
    for (int y = 10; y < 16; ++y) {
        for (int x = left; x < left + 6; ++x) {
            pixels[static_cast<std::size_t>(y * kSide + x)] = static_cast<std::uint8_t>(shade);
        }
    }
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = kSide;
    image.height = kSide;
    image.format = PNG_FORMAT_GRAY;
    REQUIRE(png_image_write_to_file(&image, file.c_str(), 0, pixels.data(), 0, nullptr) != 0);
}

constexpr const char* kNet =
    "[pipeline.net]\ntype = \"RectifiedNetwork\"\nglobals = { prediction_size = \"num_classes\" }\n"
    "[pipeline.loss]\ntype = \"CrossEntropyLoss\"\n";

// A run in the folder `run` that tells on which side a square is.
class Squares {
public:
    explicit Squares(const std::string& pipeline = kNet, int epochs = 10,
                     const std::vector<std::string>& more = {}) {
        for (int i = 0; i < 8; ++i) {
            const std::string name = std::to_string(i) + ".png";
            for (const char* set : {"training", "test"}) {
                write_square(path() / set / "left" / name, 2 + i % 4, 150 + 10 * i);
                write_square(path() / set / "right" / name, 16 + i % 4, 150 + 10 * i);
            }
            write_square(path() / "new" / name, 4, 200 + i);
        }
        const auto task = [this](const std::string& set) {
            return "[" + set + ".task]\ntype = \"ImageFolder\"\nbatch_size = 8\ndata_folder = \"" +
                   (path() / set).string() + "\"\nresize_image = [28, 28]\nimage_depth = 1\n";
        };
        folder_.write("squares.toml",
                      "name = \"squares\"\nseed = 3\n[training]\n"
                      "optimizer = { type = \"Adam\", lr = 0.003 }\n"
                      "terminal_conditions = { epoch_limit = " +
                          std::to_string(epochs) + ", loss_stop_threshold = 0.0 }\n" +
                          task("training") + task("test") + pipeline);
        std::vector<std::string> words = {file("squares.toml"), "--run-dir", file("run"),
                                          "--plugins", plugins()};
        words.insert(words.end(), more.begin(), more.end());
        const ProcessResult result = ptprun(words);
        CHECK(result.errors == "");
        REQUIRE(result.status == 0);
    }

    [[nodiscard]] static std::string plugins() {
        return (ptp::test::build_dir() / "tests/runs/plugins").string();
    }
    [[nodiscard]] const fs::path& path() const { return folder_.path(); }
    [[nodiscard]] std::string file(const std::string& name) const {
        return (path() / name).string();
    }
    [[nodiscard]] std::string read(const std::string& name) const { return folder_.read(name); }

    // Explains the files in `new`.
    [[nodiscard]] ProcessResult explain(std::vector<std::string> more) const {
        std::vector<std::string> words = {"explain-prediction", file("run"), "--data", file("new")};
        words.insert(words.end(), more.begin(), more.end());
        return ptprun(words);
    }
    // Without the line about the weights.
    [[nodiscard]] std::string errors_of(const std::vector<std::string>& more,
                                        int status = 2) const {
        ProcessResult result = explain(more);
        CHECK(result.status == status);
        if (result.errors.starts_with("weights of ")) {
            result.errors.erase(0, result.errors.find('\n') + 1);
        }
        return without_folder(result.errors, path());
    }

private:
    TempFolder folder_;
};

// The numbers of a file of NumPy with this shape.
std::vector<float> numbers_of(const std::string& npy, const std::string& shape) {
    const std::size_t header =
        static_cast<unsigned char>(npy[8]) + 256U * static_cast<unsigned char>(npy[9]);
    CHECK(npy.substr(0, 8) == std::string("\x93NUMPY\x01\x00", 8));
    CHECK(
        npy.substr(10, header)
            .starts_with("{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + ",), }"));
    CHECK((10 + header) % 64 == 0);
    std::vector<float> numbers((npy.size() - 10 - header) / sizeof(float));
    std::memcpy(numbers.data(), npy.data() + 10 + header, numbers.size() * sizeof(float));
    return numbers;
}

double sum_of(const std::vector<float>& numbers) {
    double sum = 0;
    for (const float number : numbers) {
        sum += number;
    }
    return sum;
}

}  // namespace

TEST_CASE("explain-prediction: each image and method has its numbers, its picture and its facts") {
    const Squares squares;
    const ProcessResult result = squares.explain(
        {"-o", squares.file("maps"), "--method", "all", "--samples", "2", "--steps", "20"});
    CHECK(result.status == 0);
    CHECK(without_folder(result.errors, squares.path())
              .ends_with("18 maps of 2 images, in FOLDER/maps\n"));
    const json facts = json::parse(squares.read("maps/explanations.json"));
    CHECK(facts.at("format") == 1);
    CHECK(facts.at("experiment") == "squares");
    CHECK(facts.at("image_stream") == "inputs");
    CHECK(facts.at("score_stream") == "predictions");
    CHECK(facts.at("is_score_before_softmax") == false);
    CHECK(facts.at("preset") == "paper");
    REQUIRE(facts.at("samples").size() == 2);
    const json& sample = facts.at("samples")[1];
    CHECK(sample.at("index") == 1);
    CHECK(sample.at("file") == "1.png");
    CHECK(sample.at("predicted") == "left");
    CHECK(sample.at("target") == "left");
    REQUIRE(sample.at("maps").size() == 9);
    for (const json& map : sample.at("maps")) {
        CAPTURE(map.dump());
        const std::string method = map.at("method");
        CHECK(map.at("numbers") == "1_" + method + ".npy");
        CHECK(numbers_of(squares.read("maps/1_" + method + ".npy"), "1, 28, 28").size() == 784);
        CHECK(squares.read("maps/1_" + method + ".png").starts_with("\x89PNG"));
        CHECK(map.contains("rank_correlation_with_last_layer_drawn_anew"));
    }
    CHECK(squares.read("maps/1.png").starts_with("\x89PNG"));
    CHECK(sample.at("maps")[2].at("settings") ==
          json({{"rule", "riemann"}, {"steps", 20}, {"baseline", 0.0}}));
    CHECK(sample.at("maps")[4].at("settings") ==
          json({{"layer", "net.5.conv2d"}, {"relu", true}, {"interpolation", "bilinear"}}));
}

TEST_CASE("explain-prediction: integrated gradients sum to the difference of the scores") {
    const Squares squares;
    REQUIRE(squares
                .explain({"-o", squares.file("maps"), "--method", "integrated_gradients", "--quiet",
                          "--samples", "1"})
                .status == 0);
    const json facts = json::parse(squares.read("maps/explanations.json"));
    const json& map = facts.at("samples")[0].at("maps")[0];
    const double delta = map.at("delta");
    const double relative = map.at("relative_delta");
    CHECK(relative < 0.01);
    const double sum =
        sum_of(numbers_of(squares.read("maps/0_integrated_gradients.npy"), "1, 28, 28"));
    CHECK(std::abs(sum - delta) * relative == doctest::Approx(std::abs(delta)).epsilon(1e-3));
}

TEST_CASE("explain-prediction: what speaks for a class is where the square is") {
    const Squares squares;
    REQUIRE(squares
                .explain({"-o", squares.file("maps"), "--method", "occlusion", "--quiet",
                          "--samples", "1", "--against", "right"})
                .status == 0);
    const std::vector<float> map = numbers_of(squares.read("maps/0_occlusion.npy"), "1, 28, 28");
    double inside = 0;
    double all = 0;
    for (int y = 0; y < kSide; ++y) {
        for (int x = 0; x < kSide; ++x) {
            const double value = std::abs(map[static_cast<std::size_t>(y * kSide + x)]);
            all += value;
            inside += y >= 8 && y < 18 && x >= 2 && x < 12 ? value : 0;
        }
    }
    CHECK(inside / all > 0.9);
}

TEST_CASE("explain-prediction: a map is the same alone, after others, and in parts") {
    const Squares squares;
    const std::string before = squares.read("run/checkpoints/last/weights.safetensors");
    REQUIRE(squares
                .explain({"-o", squares.file("all"), "--method", "all", "--quiet", "--samples", "2",
                          "--steps", "10", "--at-once", "3"})
                .status == 0);
    for (const char* method : {"saliency", "guided_backpropagation", "grad_cam", "smooth_grad"}) {
        CAPTURE(method);
        const std::string folder = std::string("alone_") + method;
        REQUIRE(squares
                    .explain({"-o", squares.file(folder), "--method", method, "--quiet",
                              "--samples", "2", "--without-check", "--at-once", "3"})
                    .status == 0);
        const std::string name = "/1_" + std::string(method) + ".npy";
        CHECK(squares.read(folder + name) == squares.read("all" + name));
    }
    REQUIRE(squares
                .explain({"-o", squares.file("parts"), "--method", "smooth_grad", "--quiet",
                          "--samples", "2", "--without-check", "--at-once", "50"})
                .status == 0);
    const auto parts = numbers_of(squares.read("parts/1_smooth_grad.npy"), "1, 28, 28");
    const auto others = numbers_of(squares.read("all/1_smooth_grad.npy"), "1, 28, 28");
    for (std::size_t i = 0; i < parts.size(); ++i) {
        CHECK(parts[i] == doctest::Approx(others[i]).epsilon(1e-4));
    }
    CHECK(before == squares.read("run/checkpoints/last/weights.safetensors"));
}

TEST_CASE(
    "explain-prediction: classes, methods, layers and folders that are not there are refused") {
    const Squares squares;
    const std::string maps = squares.file("maps");
    CHECK(squares.errors_of({"-o", maps, "--target", "lefd"}) ==
          "ptprun: error: --target lefd: unknown class; did you mean 'left'?\n");
    CHECK(squares.errors_of({"-o", maps, "--against", "up"}) ==
          "ptprun: error: --against up: unknown class; known: left, right\n");
    CHECK(squares.errors_of({"-o", maps, "--method", "gradcam"}) ==
          "ptprun: error: --method gradcam: unknown method; did you mean 'grad_cam'?\n"
          "    help: ptprun help explain-prediction\n");
    CHECK(squares.errors_of({"-o", maps, "--method", "grad_cam", "--layer", "net.5.conv1d"}) ==
          "ptprun: error: --layer net.5.conv1d: no operation of this name has a map as its result; "
          "known: net.1.conv2d, net.3.conv2d, net.5.conv2d\n");
    CHECK(squares.errors_of({"-o", squares.file("new")}) ==
          "ptprun: error: the folder FOLDER/new exists and is not empty\n"
          "    fix: ptprun explain-prediction FOLDER/run --data FOLDER/new "
          "--output FOLDER/new_2\n");
    CHECK(!fs::exists(maps));
}

TEST_CASE("explain-prediction: a file that is no image is refused") {
    const Squares squares;
    std::ofstream(squares.path() / "new/0.png") << "no image";
    CHECK(squares.errors_of({"-o", squares.file("maps")}, 4) ==
          "FOLDER/run/experiment.toml:45:1: error: the task of [test] (ImageFolder): FOLDER/new/"
          "0.png: is no JPEG, PNG, TIFF or WebP file\n"
          "    remove them, or set leave_out_bad_files = true\n"
          "    ImageFolder, the task of [test], reads as 'files': Images without classes, in place "
          "of data_folder: files, and folders with images in them\n");
}

TEST_CASE("explain-prediction: a network without a convolution has no Grad-CAM") {
    const Squares squares(
        "[pipeline.reshape]\ntype = \"ReshapeTensor\"\ninput_dims = [-1, 1, 28, 28]\n"
        "output_dims = [-1, 784]\nstreams = { outputs = \"features\" }\n"
        "[pipeline.net]\ntype = \"FeedForwardNetwork\"\nhidden_sizes = [8]\n"
        "streams = { inputs = \"features\" }\nglobals = { prediction_size = \"num_classes\" }\n"
        "[pipeline.loss]\ntype = \"NLLLoss\"\n",
        2);
    CHECK(
        squares.errors_of({"-o", squares.file("maps"), "--method", "grad_cam"}) ==
        "ptprun: error: grad_cam: no convolution of more than one place lies between the image and the scores\n"
        "    fix: ptprun explain-prediction FOLDER/run --data FOLDER/new -o FOLDER/maps --method "
        "saliency\n");
    REQUIRE(
        squares.explain({"-o", squares.file("flat"), "--quiet", "--method", "saliency"}).status ==
        0);
    const json facts = json::parse(squares.read("flat/explanations.json"));
    CHECK(facts.at("image_stream") == "inputs");
    CHECK(facts.at("is_score_before_softmax") == true);
}

TEST_CASE(
    "explain-prediction: a training explains its predictions in its report, with the same bits") {
    const std::string last = "run/checkpoints/last/weights.safetensors";
    const std::string folder = "run/explanations/episode_0000000004/";
    const Squares plain(kNet, 2);
    const Squares squares(kNet, 2,
                          {"--set",
                           "report.options=[\"--explain\", \"saliency\", \"grad_cam\", "
                           "\"--explain-data\", \"test\"]"});
    CHECK(squares.read(last) == plain.read(last));
    CHECK(!fs::exists(plain.path() / "run/explanations"));
    const json facts = json::parse(squares.read(folder + "explanations.json"));
    CHECK(facts.at("samples").size() == 8);
    CHECK(facts.at("samples")[0].at("maps").size() == 2);
    CHECK(fs::file_size(squares.path() / "run/report.html") > 100000);
    CHECK(squares.read("run/run.log").find("warning") == std::string::npos);

    // Existing maps are shown; other methods replace them.
    const auto before = fs::last_write_time(squares.path() / folder);
    const auto report = [&](const std::vector<std::string>& options) {
        std::vector<std::string> words = {"report", squares.file("run"), "-o", squares.file("r")};
        words.insert(words.end(), options.begin(), options.end());
        const ProcessResult result = ptprun(words);
        CHECK(result.status == 0);
        return without_folder(result.errors, squares.path());
    };
    CHECK(report({"--explain", "saliency", "--explain-data", "test"}) == "");
    CHECK(fs::last_write_time(squares.path() / folder) == before);
    CHECK(report({"--explain", "occlusion", "--explain-data", "test"}).find("not explained") ==
          std::string::npos);
    CHECK(json::parse(squares.read(folder + "explanations.json"))
              .at("samples")[0]
              .at("maps")[0]
              .at("method") == "occlusion");

    // Maps of another section replace them, too.
    CHECK(report({"--explain", "occlusion", "--explain-data", "training"}).find("not explained") ==
          std::string::npos);
    CHECK(json::parse(squares.read(folder + "explanations.json")).at("section") == "training");
    // Maps of files are of no section, whatever task has read them.
    CHECK(report({"--explain", "occlusion", "--explain-data", squares.file("new")})
              .find("not explained") == std::string::npos);
    CHECK(json::parse(squares.read(folder + "explanations.json")).at("data") ==
          squares.file("new"));
    CHECK(report({"--explain", "occlusion", "--explain-data", "test"}).find("not explained") ==
          std::string::npos);
    CHECK(json::parse(squares.read(folder + "explanations.json")).at("data") == "test");

    // A failed explanation is a warning, and the report is written.
    CHECK(
        report({"--explain", "gradcam", "--explain-data", "test"}) ==
        "ptprun: error: --method gradcam: unknown method; did you mean 'grad_cam'?\n"
        "    help: ptprun help explain-prediction\n"
        "ptprun: warning: FOLDER/run: predictions are not explained: ptprun explain-prediction has "
        "failed\n");
    std::ofstream(squares.path() / folder / "explanations.json") << "{\"format\": 2}";
    CHECK(report({}) ==
          "ptprun: warning: FOLDER/run/explanations/episode_0000000004/explanations.json: does not "
          "have explanations that this ptp reads\n    fix: rm -r FOLDER/run/explanations/"
          "episode_0000000004; ptprun report --explain makes it again\n");
}

TEST_CASE("explain-prediction: without images or scores of classes there is nothing to explain") {
    const TempFolder folder;
    const std::string table = folder.write("a.csv", "x,y,z\n1,2,0.5\n3,4,1\n5,6,0.2\n").string();
    const auto refused = [&](const std::string& column, const std::string& rest) {
        folder.write("table.toml",
                     ptp::test::training(1) + "type = \"CsvTable\"\nbatch_size = 2\n" +
                         "features = [\"x\", \"y\"]\n" + column + "file = \"" + table +
                         "\"\n[pipeline.net]\ntype = \"FeedForwardNetwork\"\n" + rest);
        const std::string run = (folder.path() / column.substr(0, 5)).string();
        const ProcessResult trained =
            ptprun({(folder.path() / "table.toml").string(), "--run-dir", run});
        CHECK(trained.errors == "");
        REQUIRE(trained.status == 0);
        const ProcessResult result = ptprun({"explain-prediction", run, "--data", table, "--quiet",
                                             "-o", (folder.path() / "maps").string()});
        CHECK(result.status == 2);
        return without_folder(result.errors, folder.path());
    };
    CHECK(refused("label = \"z\"\n",
                  "globals = { prediction_size = \"num_classes\" }\n[pipeline.loss]\ntype = "
                  "\"NLLLoss\"\n") ==
          "ptprun: error: there is no image to explain: 'predictions' depends on 'inputs', and "
          "nothing on the way has the form [B, channels, height, width]\n"
          "    fix: explain a pipeline that reads images, such as configs/fashion_mnist/"
          "lenet5.toml\n");
    CHECK(
        refused("values = [\"z\"]\n",
                "use_logsoftmax = false\nglobals = { prediction_size = 1 }\n[pipeline.loss]\n"
                "type = \"MSELoss\"\nstreams = { targets = \"values\" }\n") ==
        "ptprun: error: there are no scores of classes to explain: no loss compares a stream with "
        "numbers of classes\n"
        "    fix: explain a pipeline whose loss reads one row of scores for each image beside the "
        "number of its class\n");
}

TEST_CASE(
    "explain-prediction: attention has the weights that the decoder writes itself, by words") {
    const TempFolder folder;
    std::string pairs;
    for (const char* who : {"i", "you", "we", "they", "all", "some"}) {
        for (const char* what : {"go", "run there", "see it now", "sit"}) {
            pairs += std::string(who) + " " + what + "\t" + what + " " + who + "\n";
        }
    }
    folder.write("fra.txt", pairs);
    const std::string path = folder.path().string();
    const ProcessResult trained = ptprun(
        {(ptp::test::source_dir() / "configs/translation_pairs/eng_fra_attention.toml").string(),
         "--run-dir", path + "/run", "--quiet", "--set", "vars.data_folder=\"" + path + "\"",
         "--set", "vars.size=8", "--set", "training.terminal_conditions.epoch_limit=1", "--set",
         "pipeline.decoder.output_attention_maps=true"});
    REQUIRE(trained.status == 0);
    REQUIRE(ptprun({"explain-prediction", path + "/run", "--data", "training", "--samples", "2",
                    "--method", "attention", "--quiet", "-o", path + "/maps"})
                .status == 0);
    const json facts = json::parse(folder.read("maps/explanations.json"));
    CHECK(!facts.contains("image_stream"));
    REQUIRE(facts.at("samples").size() == 2);
    const json& map = facts.at("samples")[0].at("attention").at(0);
    CHECK(map.at("component") == "decoder");
    CHECK(map.at("heads") == 1);
    CHECK(map.at("numbers") == "0_attention_decoder_1.npy");
    // Three words, or four; the last column is the end of the sentence.
    const std::size_t columns = map.at("columns").size();
    CHECK(map.at("columns").at(columns - 1) == std::to_string(columns));
    CHECK(pairs.find(map.at("columns").at(0).get<std::string>() + " " +
                     map.at("columns").at(1).get<std::string>()) != std::string::npos);

    REQUIRE(ptprun({"process", path + "/run", "--run-dir", path + "/results", "--quiet",
                    "--section", "training", "--set",
                    "pipeline.export={ type = \"StreamFileExporter\", format = \"npy\", "
                    "input_streams = \"attention_maps\" }"})
                .status == 0);
    const std::string exported = folder.read("results/exports/export.attention_maps.npy");
    const std::size_t header =
        static_cast<unsigned char>(exported[8]) + 256U * static_cast<unsigned char>(exported[9]);
    const std::string shape = exported.substr(10, header);
    CAPTURE(shape);
    const auto rows = map.at("rows").size();
    const auto written = numbers_of(folder.read("maps/0_attention_decoder_1.npy"),
                                    "1, " + std::to_string(rows) + ", " + std::to_string(columns));
    const std::size_t length = 5;  // of the longest sentence, with its end
    for (std::size_t row = 0; row < rows; ++row) {
        double sum = 0;
        for (std::size_t column = 0; column < columns; ++column) {
            float own = 0;
            std::memcpy(&own, exported.data() + 10 + header + 4 * (row * length + column), 4);
            CHECK(written[row * columns + column] == own);
            sum += own;
        }
        CHECK(sum == doctest::Approx(1));
    }
}

TEST_CASE("explain-prediction: attention over an image is a picture for each head") {
    const TempFolder folder;
    const std::string path = folder.path().string();
    REQUIRE(ptprun({(ptp::test::source_dir() / "configs/sort_of_clevr/attention_and_pooling.toml")
                        .string(),
                    "--run-dir", path + "/run", "--quiet", "--set",
                    "training.terminal_conditions.epoch_limit=1", "--set", "training.task.size=64",
                    "--set", "validation.task.size=8", "--set", "test.task.size=8"})
                .status == 0);
    const std::string weights = folder.read("run/checkpoints/last/weights.safetensors");
    REQUIRE(ptprun({"explain-prediction", path + "/run", "--data", "test", "--samples", "1",
                    "--method", "attention", "saliency", "--quiet", "-o", path + "/maps"})
                .status == 0);
    CHECK(folder.read("run/checkpoints/last/weights.safetensors") == weights);
    const json sample = json::parse(folder.read("maps/explanations.json")).at("samples").at(0);
    CHECK(sample.at("maps").size() == 1);
    const json& map = sample.at("attention").at(0);
    CHECK(map.at("places") == json({{"height", 4}, {"width", 4}, {"has_token", false}}));
    REQUIRE(map.at("pictures").size() == 2);
    CHECK(folder.read("maps/0_attention_attention_1_2.png").starts_with("\x89PNG"));
    const auto numbers = numbers_of(folder.read("maps/0_attention_attention_1.npy"), "2, 1, 16");
    CHECK(sum_of(numbers) == doctest::Approx(2));
}

TEST_CASE("explain-prediction: a model without attention is refused when it is asked for") {
    const Squares squares(kNet, 2);
    CHECK(squares.errors_of({"-o", squares.file("maps"), "--method", "attention"}) ==
          "ptprun: error: there is no attention to show: no model has computed a softmax over the "
          "words or the places of a stream that it reads\n"
          "    fix: ptprun explain-prediction FOLDER/run --data FOLDER/new -o FOLDER/maps --method "
          "saliency\n");
    CHECK(!fs::exists(squares.file("maps")));
}

}  // namespace explain_prediction_test
