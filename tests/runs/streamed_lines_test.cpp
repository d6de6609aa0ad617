// `ptprun predict RUN --jsonl -`: each line is answered while the input waits for more.

#include "base/base64.hpp"
#include "runs/grey_images.hpp"
#include "runs/kinds.hpp"
#include "runs/predictions.hpp"
#include "runs/reviews.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>

#include <string>

namespace streamed_lines_test {

using namespace ptp::test;

namespace {

// Sends each line once all before it are answered, or ends the input if they are not.
ProcessResult answered(const TempFolder& folder, const std::string& lines) {
    folder.write("items.jsonl", lines);
    constexpr const char* kScript = R"sh(
cd "$1"; : > out
{ count=0
  while IFS= read -r line; do
    tries=0
    while [ "$(wc -l < out)" -lt "$count" ]; do
      tries=$((tries + 1)); [ "$tries" -lt 3000 ] || exit 1
      sleep 0.01
    done
    printf '%s\n' "$line"; count=$((count + 1))
  done < items.jsonl
} | "$0" predict run --quiet --jsonl - > out
status=$?
cat out
exit $status
)sh";
    return run_program(
        "/bin/sh", {"-c", kScript, (build_dir() / "bin/ptprun").string(), folder.path().string()},
        {{"OMP_NUM_THREADS", "1"}});
}

// Removes the scores, "0.98", whose digits depend on the processor.
std::string without_scores(std::string text) {
    for (std::size_t at = 0; (at = text.find(",\"score\":", at)) != std::string::npos;) {
        text.erase(at, text.find('}', at) - at);
    }
    return text;
}

}  // namespace

TEST_CASE("streamed lines: each row is answered by itself, and a wrong one has its error") {
    const TempFolder folder;
    folder.write("rows.csv", kinds());
    train_run(folder, kinds_experiment(30));
    const ProcessResult result = answered(folder,
                                          "not json\n"
                                          "[1]\n"
                                          "{\"x\": 2, \"color\": \"red\"}\n"
                                          "[38, \"blue\"]\n"
                                          "{\"x\": \"two\", \"color\": \"red\"}\n"
                                          "{\"x\": 2}\n"
                                          "[9000, \"red\"]\n"
                                          "[38, \"blue\"]\n");
    CHECK(result.status == 4);
    CHECK(without_scores(result.output) ==
          "{\"line\":1,\"error\":\"is not JSON\"}\n"
          "{\"line\":2,\"error\":\"has 1 values, and the columns are 2: x, color\"}\n"
          "{\"line\":3,\"predicted\":\"small\"}\n"
          "{\"line\":4,\"predicted\":\"big\"}\n"
          "{\"line\":5,\"error\":\"column 'x' = 'two': is not a number\"}\n"
          "{\"line\":6,\"error\":\"has no 'color'\"}\n"
          "{\"line\":7,\"predicted\":\"big\"}\n"
          "{\"line\":8,\"predicted\":\"big\"}\n");
    CHECK(result.errors ==
          "warning: test: the standard input:7: column 'x' = 9000 is far outside of the training's "
          "0 to 39; is it in its unit?\n");
}

TEST_CASE("streamed lines: images are answered, too") {
    const TempFolder folder;
    for (int i = 0; i < 8; ++i) {
        const std::string name = std::to_string(i) + ".png";
        write_grey(folder.path() / "training/ant" / name, 20 + i);
        write_grey(folder.path() / "training/cow" / name, 200 + i);
    }
    train_run(folder, R"(
name = "animals"
seed = 3
[training]
optimizer = { type = "Adam", lr = 0.1 }
terminal_conditions = { epoch_limit = 30 }
[training.task]
type = "ImageFolder"
batch_size = 8
data_folder = "training"
resize_image = [4, 4]
image_depth = 1
[pipeline.reshape]
type = "ReshapeTensor"
input_dims = [-1, 1, 4, 4]
output_dims = [-1, 16]
streams = { outputs = "features" }
[pipeline.net]
type = "FeedForwardNetwork"
hidden_sizes = [16]
streams = { inputs = "features" }
globals = { prediction_size = "num_classes" }
[pipeline.nll]
type = "NLLLoss"
)");
    write_grey(folder.path() / "ant.png", 25);
    write_grey(folder.path() / "cow.png", 205);
    const std::string bytes = folder.read("cow.png");
    folder.write("cut.png", bytes.substr(0, 40));
    const ProcessResult result =
        answered(folder, "\"ant.png\"\n\"cut.png\"\n{\"base64\": \"" + ptp::base64(bytes) +
                             "\"}\n\"nowhere.png\"\n\"ant.png\"\n");
    CHECK(result.errors == "");
    CHECK(result.status == 4);
    CHECK(without_scores(result.output) ==
          "{\"line\":1,\"predicted\":\"ant\"}\n"
          "{\"line\":2,\"error\":\"is a PNG file that cannot be read (Read Error)\"}\n"
          "{\"line\":3,\"predicted\":\"cow\"}\n"
          "{\"line\":4,\"error\":\"no such file: " +
              (folder.path() / "nowhere.png").string() +
              "\"}\n"
              "{\"line\":5,\"predicted\":\"ant\"}\n");
}

TEST_CASE("streamed lines: texts are answered, and a blank one has its error") {
    const TempFolder folder;
    train_run(folder, reviews(folder));
    const ProcessResult result = answered(folder, "\"good\"\n\" \"\n{\"text\": \"bad\"}\n");
    CHECK(result.errors == "");
    CHECK(result.status == 4);
    CHECK(without_scores(result.output) ==
          "{\"line\":1,\"predicted\":\"good\"}\n"
          "{\"line\":2,\"error\":\"is blank\"}\n"
          "{\"line\":3,\"predicted\":\"bad\"}\n");
}

}  // namespace streamed_lines_test
