// `ptprun data` on small folders of images: what it counts, what is equal, what is broken.

#include "tools/dots.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace ptp_data_test {

namespace {

namespace fs = std::filesystem;
using ptp::test::ProcessResult;

const std::string kExperiment = std::string(R"(
name = "pictures"

[training]
optimizer = { type = "SGD", lr = 0.1 }
terminal_conditions = { epoch_limit = 1 }

[training.task]
type = "ImageFolder"
batch_size = 3
data_folder = "training"
resize_image = [4, 4]

[test.task]
type = "ImageFolder"
batch_size = 3
data_folder = "test"
classes = ["first", "second"]
incomplete = true
resize_image = [4, 4]
)") + ptp::test::kPixelClassifier;

// A training set of two classes, whose eight images are one grey pixel each, and a test set of one
// such image and a part of one, both of the first class.
class Data {
public:
    Data() {
        const fs::path pictures = ptp::test::dots();
        fs::copy(pictures, folder_.path() / "training", fs::copy_options::recursive);
        fs::create_directories(folder_.path() / "test/first");
        fs::copy_file(pictures / "first/a.png", folder_.path() / "test/first/x.png");
        const std::string whole = folder_.read("training/first/b.png");
        folder_.write("test/first/y.png", whole.substr(0, 60));
        folder_.write("net.toml", kExperiment);
    }

    [[nodiscard]] ProcessResult shown(std::vector<std::string> options) const {
        options.insert(options.begin(), {"data", (folder_.path() / "net.toml").string()});
        return ptp::test::run_program("ptprun", options);
    }

    [[nodiscard]] const ptp::test::TempFolder& folder() const { return folder_; }

private:
    ptp::test::TempFolder folder_;
};

}  // namespace

TEST_CASE("data: sections are shown with their streams, classes, equal samples and samples") {
    const Data data;
    const ProcessResult result = data.shown({"--compare", "--samples", "1"});
    // 0.502 is 128 of 255, the value of every pixel.
    CHECK(result.output == R"(training  (ImageFolder, vision_tasks 0.1.0)
  8 samples in batches of 3
  inputs            float32 [3, 4, 4]  0.502 to 0.502, mean 0.502, deviation 0
    by channel: mean 0.502, 0.502, 0.502; deviation 0, 0, 0
  targets           int64 []  0 to 1, mean 0.5, deviation 0.5
    2 values, the most frequent one 1.0 times as often as the least
      0 (first)           4   50.0 %  ##############################
      1 (second)          4   50.0 %  ##############################
  labels            string   5 to 6 characters, mean 5.50
    2 values, the most frequent one 1.0 times as often as the least
      "first"           4   50.0 %  ##############################
      "second"          4   50.0 %  ##############################
  files             string   11 to 12 characters, mean 11.50
    8 different values
  sample 0
    inputs          [3, 4, 4]  0.502, 0.502, 0.502, 0.502, 0.502, 0.502, 0.502, 0.502, ...
    targets         0 (first)
    labels          "first"
    files           "first/a.png"

test  (ImageFolder, vision_tasks 0.1.0)
  2 samples in batches of 3; 1 broken
  inputs            float32 [3, 4, 4]  0.502 to 0.502, mean 0.502, deviation 0
    by channel: mean 0.502, 0.502, 0.502; deviation 0, 0, 0
  targets           int64 []  0 to 0, mean 0, deviation 0
    1 different value
  labels            string   5 to 5 characters, mean 5.00
    1 different value
  files             string   11 to 11 characters, mean 11.00
    1 different value
  sample 0
    inputs          [3, 4, 4]  0.502, 0.502, 0.502, 0.502, 0.502, 0.502, 0.502, 0.502, ...
    targets         0 (first)
    labels          "first"
    files           "first/x.png"

equal samples, by inputs
  training: 7 samples equal an earlier one (1 is 0, 2 is 0, 3 is 0, 4 is 0, 5 is 0, ...)
  test: 1 sample equals one of training (0 is 0)

  targets         training          test
  0 (first)         50.0 %       100.0 %
  1 (second)        50.0 %       missing

  labels      training          test
  first         50.0 %       100.0 %
  second        50.0 %       missing
)");
}

TEST_CASE("data: a broken file is named, and the exit code is that of wrong data") {
    const Data data;
    const ProcessResult result = data.shown({"--section", "test"});
    CHECK(result.status == 4);
    CHECK(result.errors ==
          "ptprun: error: test: sample 1: " + (data.folder().path() / "net.toml").string() +
              ":14:1: the task of [test] (ImageFolder): " +
              (data.folder().path() / "test/first/y.png").string() +
              ": is a PNG file that cannot be read (Read Error)\n"
              "    fix: remove it, or leave out such files: check = \"all\", leave_out_bad_files = "
              "true\n");
}

TEST_CASE("data: --json has the counts, the equal samples and the number of broken ones") {
    const Data data;
    const auto json = nlohmann::json::parse(data.shown({"--json"}).output);
    const auto& training = json["sections"][0];
    CHECK(training["samples"] == 8);
    CHECK(training["streams"][1]["values"]["0 (first)"] == 4);
    CHECK(json["sections"][1]["broken"].size() == 1);
    CHECK(json["equal_by"] == nlohmann::json::array({"inputs"}));
    CHECK(json["equal"][0]["count"] == 7);  // all but the first of eight
    CHECK(json["equal"][1]["second"] == "test");
}

TEST_CASE("data: --limit reads evenly spaced samples") {
    const Data data;
    const auto json = nlohmann::json::parse(
        data.shown({"--json", "--section", "training", "--limit", "2", "--samples", "2"}).output);
    CHECK(json["sections"][0]["read"] == 2);
    CHECK(json["sections"][0]["shown"][0]["index"] == 0);
    CHECK(json["sections"][0]["shown"][1]["index"] == 4);
}

TEST_CASE("data: a section of [process] is shown where it is asked for") {
    const Data data;
    const std::string folder = (data.folder().path() / "training").string();
    const ProcessResult shown = data.shown(
        {"--section", "other", "--json", "--set",
         "process.other.task={ type = \"ImageFolder\", batch_size = 3, data_folder = \"" + folder +
             "\", resize_image = [4, 4] }"});
    require_success(shown);
    const auto page = nlohmann::json::parse(shown.output);
    REQUIRE(page["sections"].size() == 1);
    CHECK(page["sections"][0]["section"] == "process.other");
    CHECK(page["sections"][0]["samples"] == 8);
}

TEST_CASE("data: a section is shown alone that takes the types of columns from the training") {
    const ptp::test::TempFolder folder;
    folder.write("a.csv", "x,kind,y\n1,a,1\n2,b,2\n3,b,3\n");
    folder.write("b.csv", "x,kind,y\n2,b,4\n");
    const std::string task =
        "type = \"Table\"\nbatch_size = 2\nfeatures = \"*\"\nvalues = \"y\"\nfile = ";
    const auto file = folder.write(
        "t.toml",
        "seed = 1\n[training]\noptimizer = { type = \"SGD\", lr = 0.1 }\n[training.task]\n" + task +
            "\"a.csv\"\n[validation.task]\n" + task +
            "\"b.csv\"\n[pipeline.net]\ntype = \"FeedForwardNetwork\"\n"
            "use_logsoftmax = false\nglobals = { prediction_size = 1 }\n"
            "[pipeline.loss]\ntype = \"MSELoss\"\nstreams = { targets = \"values\" }\n");
    const ProcessResult shown = ptp::test::run_program(
        "ptprun", {"data", file.string(), "--section", "validation", "--json"});
    require_success(shown);
    const auto page = nlohmann::json::parse(shown.output);
    REQUIRE(page["sections"].size() == 1);
    CHECK(page["sections"][0]["samples"] == 1);
}

TEST_CASE("data: --html writes a page with the pictures in it") {
    const Data data;
    const std::string page = (data.folder().path() / "page.html").string();
    const ProcessResult result =
        data.shown({"--section", "training", "--html", page, "--set",
                    "training.task.resize_image=[8, 8]", "--set", "test.task.resize_image=[8, 8]",
                    "--set", "pipeline.flatten.input_dims=[-1, 3, 8, 8]", "--set",
                    "pipeline.flatten.output_dims=[-1, 192]"});
    require_success(result);
    CHECK(result.output == page + ": written\n");
    const std::string text = data.folder().read("page.html");
    CHECK(text.find("src=\"data:image/png;base64,iVBORw0KGgo") != std::string::npos);
    CHECK(text.find("labels: &quot;second&quot;") != std::string::npos);
}

TEST_CASE("data: samples of the training are shown as its epochs get them, by the seed") {
    const Data data;
    const auto versions = [&data](const std::string& seed) {
        const ProcessResult result = data.shown(
            {"--json", "--section", "training", "--versions", "2", "--set", "seed=" + seed, "--set",
             "training.task.resize_image=[8, 8]", "--set", "test.task.resize_image=[8, 8]", "--set",
             "pipeline.jitter={type = \"ColorJitter\", brightness = 0.9, streams = {inputs = "
             "\"inputs\", outputs = \"jittered\"}}",
             "--set", "pipeline.flatten.streams.inputs=\"jittered\"", "--set",
             "pipeline.flatten.input_dims=[-1, 3, 8, 8]", "--set",
             "pipeline.flatten.output_dims=[-1, 192]"});
        CHECK(result.errors == "");
        return nlohmann::json::parse(result.output)["sections"][0]["versions"];
    };
    const auto found = versions("1");
    CHECK(found["index"] == nlohmann::json({0, 1, 2, 3, 4, 5, 6, 7}));
    REQUIRE(found["streams"].size() == 5);
    const auto& given = found["streams"][0];
    CHECK(given["name"] == "inputs");
    CHECK(given["epochs"] == 1);
    REQUIRE(given["pictures"].size() == 8);
    std::string grey;  // 64 pixels of 128, 128, 128
    for (int i = 0; i < 64; ++i) {
        grey += "gICA";
    }
    CHECK(given["pictures"][0]["pixels"] == grey);
    CHECK(found["streams"][1]["texts"][0] == "0 (first)");
    CHECK(found["streams"][2]["texts"][7] == "second");
    const auto& jittered = found["streams"][4];
    CHECK(jittered["name"] == "jittered");
    CHECK(jittered["epochs"] == 2);
    REQUIRE(jittered["pictures"].size() == 16);
    CHECK(jittered["pictures"][0] != jittered["pictures"][1]);
    CHECK(versions("1") == found);
    CHECK(versions("2")["streams"][4] != jittered);
}

TEST_CASE("data: a page that cannot be written is refused before anything is read") {
    const Data data;
    const std::string page = (data.folder().path() / "none/page.html").string();
    const ProcessResult result = data.shown({"--html", page});
    CHECK(result.status == 2);
    CHECK(result.errors == "ptp-data: error: --html " + page +
                               ": no such folder: " + (data.folder().path() / "none").string() +
                               "\n    help: ptp-data --help\n");
}

TEST_CASE("data: a folder that is missing is reported as by check") {
    const Data data;
    const ProcessResult shown = data.shown({"--set", "training.task.data_folder=\"none\""});
    const ProcessResult checked =
        ptp::test::run_program("ptprun", {"check", (data.folder().path() / "net.toml").string(),
                                          "--set", "training.task.data_folder=\"none\""});
    CHECK(shown.status == 4);
    CHECK(shown.errors == checked.errors);
    CHECK(shown.output == "");
}

}  // namespace ptp_data_test
