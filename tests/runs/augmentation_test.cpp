// Augmentations in the loader threads: the bits of a run are a function of the seed, however many
// threads there are, wherever it was interrupted, and whatever was exchanged; and what exporters
// write follows from it.

#include "runs/interrupted.hpp"
#include "runs/support.hpp"
#include "support/texts.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace augmentation_test {

using namespace ptp::test;

namespace {

// The first three run behind the task; `late` waits for a component that does not, and is run in
// the training thread.
const char* const kAugmented = R"([pipeline.crop]
type = "RandomCrop"
padding = 1
streams = { outputs = "cropped" }
[pipeline.jitter]
type = "ColorJitter"
brightness = 0.5
contrast = 0.5
streams = { inputs = "cropped", outputs = "jittered" }
[pipeline.normalize]
type = "Normalize"
mean = 0.3
std = 0.4
streams = { inputs = "jittered", outputs = "normal" }
[pipeline.joined]
type = "ConcatenateTensor"
input_streams = ["normal"]
output_dims = [-1, 1, 2, 2]
streams = { outputs = "same" }
globals = { output_size = "joined_size" }
[pipeline.late]
type = "RandomFlip"
vertical = 0.5
streams = { inputs = "same", outputs = "flipped" }
[pipeline.flat]
type = "ReshapeTensor"
input_dims = [-1, 1, 2, 2]
output_dims = [-1, 4]
streams = { inputs = "flipped", outputs = "flat" }
globals = { output_size = "flat_size" }
)";

const char* const kExported = R"([pipeline.rows]
type = "StreamFileExporter"
input_streams = ["indices", "targets", "flat"]
[pipeline.arrays]
type = "StreamFileExporter"
input_streams = ["indices", "flat"]
format = "npy"
[pipeline.seen]
type = "StreamFileExporter"
input_streams = ["indices", "flipped", "normal", "jittered", "cropped", "inputs"]
format = "json_lines"
phases = ["validation", "process"]
)";

Lines augmented(const std::string& more = "") {
    return {.pipeline = kAugmented + more, .source = "flat"};
}

// Of a JSON line, the text of a member that is a list of lists.
std::string member(const std::string& line, const std::string& name) {
    const auto begin = line.find("\"" + name + "\":") + name.size() + 3;
    return line.substr(begin, line.find("]]]", begin) - begin);
}

}  // namespace

TEST_CASE("augmentation: the number of loader threads changes no bit") {
    const ExperimentFolder folder(augmented(kExported));
    for (const char* workers : {"0", "1", "2", "4"}) {
        CAPTURE(workers);
        require_success(folder.run(
            workers, {"--set", std::string("training.dataloader.num_workers=") + workers, "--set",
                      std::string("validation.dataloader.num_workers=") + workers}));
        for (const char* file :
             {"training.csv", "validation.csv", "exports/rows.csv", "exports/arrays.flat.npy",
              "exports/seen.jsonl", "checkpoints/last/training.safetensors"}) {
            CAPTURE(file);
            CHECK((folder.read(std::string(workers) + "/" + file) ==
                   folder.read(std::string("0/") + file)));
        }
    }
}

TEST_CASE("augmentation: kills at random moments change no bit, and double no exported row") {
    const ExperimentFolder folder;
    Lines lines = ptp::test::stateful(20);
    lines.pipeline += kAugmented + std::string(kExported);
    lines.pipeline.replace(lines.pipeline.find("inputs = \"features\""), 19, "inputs = \"flat\"");
    folder.write(lines);
    ptp::test::check_kills(folder, 3);
    // 20 epochs of 48 training and 16 validation samples, 16 samples of the test, and a head
    CHECK(lines_of(folder.read("undisturbed/exports/rows.csv")).size() == 20 * (48 + 16) + 16 + 1);
}

TEST_CASE("augmentation: plugins exchanged for copies of themselves change no bit") {
    const ExperimentFolder folder(augmented());
    const ProcessResult result = run_program(
        "ptprun", {(folder.path() / "experiment.toml").string(), "--swap-check", "3", "--run-dir",
                   folder.run_folder("check"), "--set", "training.dataloader.num_workers=2"});
    require_success(result);
    CHECK(result.output.find("identical  checkpoints/last/training.safetensors") !=
          std::string::npos);
    CHECK(result.output.find("differs") == std::string::npos);
}

TEST_CASE("augmentation: validation sees the images as they are, each epoch the same") {
    const ExperimentFolder folder(augmented(kExported));
    REQUIRE(folder.run("run").status == 0);
    const std::vector<std::string> seen = lines_of(folder.read("run/exports/seen.jsonl"));
    REQUIRE(seen.size() == 3 * 16);
    for (const std::string& line : seen) {
        CHECK(member(line, "cropped") == member(line, "inputs"));
        CHECK(member(line, "jittered") == member(line, "inputs"));
        CHECK(member(line, "flipped") == member(line, "normal"));
    }
    CHECK(member(seen[0], "flipped") == member(seen[16], "flipped"));
}

TEST_CASE("augmentation: ptprun process exports what the trained weights make of a section") {
    const ExperimentFolder folder(
        augmented("[pipeline.answers]\ntype = \"StreamFileExporter\"\n"
                  "input_streams = [\"indices\", \"labels\", \"predictions\"]\n"
                  "phases = [\"process\"]\n"));
    REQUIRE(folder.run("run").status == 0);
    CHECK(!folder.has("run/exports"));
    require_success(
        run_program("ptprun", {"process", folder.run_folder("run"), "--section", "training",
                               "--run-dir", folder.run_folder("processed")}));
    const std::vector<std::string> rows = lines_of(folder.read("processed/exports/answers.csv"));
    REQUIRE(rows.size() == 1 + 48);
    CHECK(rows[0] == "section,epoch,episode,indices,labels,predictions");
    CHECK(rows[1].starts_with("training,1,0,0,T-shirt/top,\"["));
    CHECK(rows[48].starts_with("training,1,5,47,Dress,\"["));
}

}  // namespace augmentation_test
