// `ptprun explain-prediction`: the files that it writes, and what it refuses. Its numbers are
// compared with captum's in tests/peers/captum_test.py.

#include "runs/explained_squares.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace explain_prediction_test {

using nlohmann::json;
using namespace ptp::test;

namespace fs = std::filesystem;

namespace {

constexpr const char* kUnknownMethod =
    " gradcam: must be one of saliency, input_x_gradient, "
    "integrated_gradients, smooth_grad, grad_cam, guided_backpropagation, guided_grad_cam, "
    "occlusion, meaningful_perturbation, attention, all; did you mean 'grad_cam'?\n";

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

TEST_CASE("explain-prediction: one warning names all methods that hardly depend on the model") {
    // All passes one unit, so that another last layer only changes the scale of a map.
    const Squares squares(
        "[pipeline.net]\ntype = \"LayerStack\"\nlayers = [{ type = \"Flatten\" }, { type = "
        "\"Linear\", out = 1 }, { type = \"Tanh\" }, { type = \"Linear\", out = \"num_classes\" }]\n"
        "streams = { outputs = \"predictions\" }\n[pipeline.loss]\ntype = \"CrossEntropyLoss\"\n",
        1);
    CHECK(squares
              .explain({"-o", squares.file("maps"), "--samples", "2", "--quiet", "--method",
                        "saliency", "--method", "integrated_gradients"})
              .errors ==
          "warning: saliency, integrated_gradients: maps hardly depend on the model: with the last "
          "layer drawn anew the rank correlation is above 0.8; they show the images, rather than "
          "what the model looks at: try --method input_x_gradient or smooth_grad or grad_cam or "
          "guided_backpropagation or guided_grad_cam or occlusion or meaningful_perturbation\n");
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

TEST_CASE("explain-prediction: wrong predictions are explained for the true class, too") {
    const Squares squares(kNet, 1, {"--set", "training.optimizer.lr=1e-9"});  // it learns nothing
    const auto explain = [&](const std::string& folder, const std::vector<std::string>& more) {
        std::vector<std::string> words = {
            "explain-prediction", squares.file("run"), "--data",   "test",      "-o",
            squares.file(folder), "--method",          "saliency", "--samples", "16"};
        words.insert(words.end(), more.begin(), more.end());
        const ProcessResult result = ptprun(words);
        REQUIRE_MESSAGE(result.status == 0, result.errors);
        return json::parse(squares.read(folder + "/explanations.json")).at("samples");
    };
    const json both = explain("both", {"--target", "both"});
    const json of_true = explain("true", {"--target", "true"});
    int wrong = 0;
    for (std::size_t i = 0; i < 16; ++i) {
        const json& sample = both[i];
        CAPTURE(sample.dump());
        const std::string index = std::to_string(sample.at("index").get<int>());
        CHECK(sample.at("true") == (i < 8 ? "left" : "right"));  // the first folder, by its name
        CHECK(sample.at("target") == sample.at("predicted"));
        CHECK(of_true[i].at("target") == sample.at("true"));
        REQUIRE(of_true[i].at("maps").size() == 1);
        const bool is_right = sample.at("predicted") == sample.at("true");
        REQUIRE(sample.at("maps").size() == (is_right ? 1 : 2));
        CHECK(sample.at("maps")[0].at("target") == sample.at("predicted"));
        wrong += is_right ? 0 : 1;
        if (!is_right) {
            const json& map = sample.at("maps")[1];
            CHECK(map.at("target") == sample.at("true"));
            CHECK(map.at("score") == of_true[i].at("score"));
            CHECK(map.at("numbers") == index + "_true_saliency.npy");
            CHECK(squares.read("both/" + index + "_true_saliency.npy") ==
                  squares.read("true/" + index + "_saliency.npy"));
        }
    }
    CHECK(wrong > 0);
    // A class by its name has the map that it has as the true one.
    const json left = explain("left", {"--target", "left"});
    CHECK(left[0].at("score") == of_true[0].at("score"));
    CHECK(
        squares.errors_of({"-o", squares.file("none"), "--target", "true"}, 4) ==
        "ptprun: error: --target true: sample 0 has no true class\n"
        "    fix: leave --target out, or name a class\n"
        "    ImageFolder, the task of [test], reads as 'files': Images without classes, in place of "
        "data_folder: files, and folders with images in them\n");
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
          "ptprun: error: --method" + std::string(kUnknownMethod) +
              "    help: ptprun help explain-prediction\n");
    CHECK(squares.errors_of({"-o", maps, "--method", "grad_cam", "--layer", "net.5.conv1d"}) ==
          "ptprun: error: --layer net.5.conv1d: no operation of this name has a map as its result; "
          "known: net.1.conv2d, net.3.conv2d, net.5.conv2d\n");
    CHECK(squares.errors_of({"-o", squares.file("new")}) ==
          "ptprun: error: the folder FOLDER/new exists and is not empty\n"
          "    fix: ptprun explain-prediction FOLDER/run --data FOLDER/new "
          "--output FOLDER/new_2\n");
    CHECK(squares.errors_of({"-o", squares.file("new/")}) ==
          "ptprun: error: the folder FOLDER/new/ exists and is not empty\n"
          "    fix: ptprun explain-prediction FOLDER/run --data FOLDER/new "
          "--output FOLDER/new_2\n");
    CHECK(!fs::exists(maps));
}

TEST_CASE("explain-prediction: a file that is no image is refused") {
    const Squares squares;
    std::ofstream(squares.path() / "new/0.png") << "no image";
    CHECK(squares.errors_of({"-o", squares.file("maps")}, 4) ==
          "FOLDER/run/experiment.toml:46:1: error: the task of [test] (ImageFolder): FOLDER/new/"
          "0.png: is no JPEG, PNG, TIFF or WebP file\n"
          "    fix: remove them, or leave them out: ptprun explain-prediction FOLDER/run --data "
          "FOLDER/new -o FOLDER/maps --set test.task.leave_out_bad_files=true\n"
          "    ImageFolder, the task of [test], reads as 'files': Images without classes, in place "
          "of data_folder: files, and folders with images in them\n");
}

TEST_CASE(
    "explain-prediction: a window larger than the image, and a stride with gaps, are refused") {
    const Squares squares;
    const std::string command =
        "    fix: ptprun explain-prediction FOLDER/run --data FOLDER/new -o FOLDER/maps --method "
        "occlusion ";
    CHECK(squares.errors_of(
              {"-o", squares.file("maps"), "--method", "occlusion", "--window", "29"}) ==
          "ptprun: error: --window 29: the image has 28 x 28 pixels\n" + command + "--window 3\n");
    CHECK(
        squares.errors_of({"-o", squares.file("maps"), "--method", "occlusion", "--stride", "4"}) ==
        "ptprun: error: --stride 4: no window of 3 would cover what is between\n" + command +
            "--stride 3\n");
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
    // Without --method, Grad-CAM is left out.
    const ProcessResult usual = squares.explain({"-o", squares.file("usual"), "--quiet"});
    CHECK(usual.status == 0);
    CHECK(usual.errors ==
          "warning: grad_cam is left out: no convolution of more than one place lies between the "
          "image and the scores\n");
    const json left = json::parse(squares.read("usual/explanations.json"));
    CHECK(left.at("left_out") == json::array({"grad_cam"}));
    CHECK(left.at("samples")[0].at("maps").size() == 2);
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
    const Squares squares(
        kNet, 2,
        {"--set", "report.explanations.methods=[\"grad_cam\", \"saliency\"]", "--set",
         "report.explanations.section=test", "--set", "report.explanations.samples=3", "--set",
         "report.explanations.check=false"});
    CHECK(squares.read(last) == plain.read(last));
    CHECK(!fs::exists(plain.path() / "run/explanations"));
    const json facts = json::parse(squares.read(folder + "explanations.json"));
    CHECK(facts.at("samples").size() == 3);
    CHECK(facts.at("samples")[0].at("maps").size() == 2);
    CHECK(facts.at("options") == "--samples 3 --without-check");
    CHECK(fs::file_size(squares.path() / "run/report.html") > 100000);
    CHECK(squares.read("run/run.log").find("warning") == std::string::npos);

    // Existing maps are shown; other methods replace them.
    const auto before = fs::last_write_time(squares.path() / folder);
    const auto report = [&](const std::vector<std::string>& options, int status = 0) {
        std::vector<std::string> words = {"report", squares.file("run"), "-o", squares.file("r")};
        words.insert(words.end(), options.begin(), options.end());
        const ProcessResult result = ptprun(words);
        CHECK(result.status == status);
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

    // A failed explanation is a warning, and the report is written, with its exit code.
    fs::remove(squares.path() / "r");
    CHECK(
        report({"--explain", "gradcam", "--explain-data", "test"}, 2) ==
        "ptprun: error: --explain" + std::string(kUnknownMethod) +
            "    help: ptprun help report\n"
            "ptprun: warning: FOLDER/run: predictions are not explained: ptprun explain-prediction has "
            "failed\n");
    CHECK(fs::exists(squares.path() / "r"));
    CHECK(report({"--explain", "--explain-data", "test"}, 2) ==
          "ptprun: error: --explain needs a value: --explain METHOD...\n    help: ptprun help "
          "report\n");
    const std::string attention = report({"--explain", "attention", "--explain-data", "test"}, 2);
    CHECK(attention.find("fix: ptprun explain-prediction FOLDER/run --data test --samples 3 "
                         "--without-check --method saliency\n") != std::string::npos);
    CHECK(!fs::exists(squares.path() / "run/explanations/episode_0000000004.new"));
    std::ofstream(squares.path() / folder / "explanations.json") << "{\"format\": 2}";
    CHECK(report({}) ==
          "ptprun: warning: FOLDER/run/explanations/episode_0000000004/explanations.json: does not "
          "have explanations that this ptp reads; it can be made again\n"
          "    fix: rm -r FOLDER/run/explanations/episode_0000000004 && ptprun report FOLDER/run "
          "--explain\n");
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
        require_success(ptprun({(folder.path() / "table.toml").string(), "--run-dir", run}));
        // New data that the task cannot read are not looked at.
        const std::string wrong = folder.write("wrong.csv", "x\nnone\n").string();
        const auto explained = [&](const std::string& data) {
            return ptprun({"explain-prediction", run, "--data", data, "--quiet", "-o",
                           (folder.path() / "maps").string()});
        };
        const ProcessResult result = explained(table);
        CHECK(result.status == 2);
        CHECK(explained(wrong).errors == result.errors);
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

}  // namespace explain_prediction_test
