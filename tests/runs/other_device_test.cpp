// `ptprun resume --device`: a run of a GPU continues on the CPU. No GPU is needed: a run of the CPU
// is given the names and the generators of one that was trained on a GPU.

#include "base/sha256.hpp"
#include "runs/interrupted.hpp"
#include "runs/support.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace other_device_test {

namespace fs = std::filesystem;

using namespace ptp::test;

namespace {

constexpr std::size_t kCudaStateBytes = 16;  // a seed and an offset

void write(const fs::path& file, const std::string& content) {
    std::ofstream(file, std::ios::binary) << content;
}

void replace_in(const ExperimentFolder& folder, const fs::path& file, const std::string& old,
                const std::string& now) {
    write(folder.path() / file, std::regex_replace(folder.read(file), std::regex(old), now));
}

// On a GPU each component has a generator there, and one of the CPU beside it.
std::string with_cuda_generators(const std::string& safetensors) {
    std::uint64_t size = 0;
    std::memcpy(&size, safetensors.data(), sizeof(size));
    const auto header = nlohmann::ordered_json::parse(safetensors.substr(sizeof(size), size));
    std::string data = safetensors.substr(sizeof(size) + size);
    nlohmann::ordered_json now;
    const auto add = [&](const std::string& name) {
        const std::size_t begin = data.size();
        data += std::string(kCudaStateBytes, '\0');
        now[name] = {
            {"dtype", "U8"}, {"shape", {kCudaStateBytes}}, {"data_offsets", {begin, data.size()}}};
    };
    std::vector<std::string> on_device = {"generators/libtorch/device"};
    for (const auto& [name, tensor] : header.items()) {
        const bool is_of_component = name.starts_with("generators/") && name.ends_with("/0") &&
                                     name != "generators/libtorch";
        if (is_of_component) {
            on_device.push_back(name);
        }
        now[is_of_component ? name.substr(0, name.size() - 1) + "1" : name] = tensor;
    }
    for (const std::string& name : on_device) {
        add(name);
    }
    std::string text = now.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    size = text.size();
    return std::string(reinterpret_cast<const char*>(&size), sizeof(size)) + text + data;
}

nlohmann::ordered_json header_of(const std::string& safetensors) {
    std::uint64_t size = 0;
    std::memcpy(&size, safetensors.data(), sizeof(size));
    return nlohmann::ordered_json::parse(safetensors.substr(sizeof(size), size));
}

std::vector<std::string> names_in(const std::string& safetensors) {
    std::vector<std::string> names;
    const auto header = header_of(safetensors);
    for (const auto& [name, tensor] : header.items()) {
        names.push_back(name);
    }
    return names;
}

// The bytes of a tensor.
std::string bytes_of(const std::string& safetensors, const std::string& name) {
    std::uint64_t size = 0;
    std::memcpy(&size, safetensors.data(), sizeof(size));
    const auto range = header_of(safetensors).at(name).at("data_offsets");
    const auto begin = range[0].get<std::size_t>();
    return safetensors.substr(sizeof(size) + size + begin, range[1].get<std::size_t>() - begin);
}

// As if it had been trained on cuda:0.
void make_cuda_run(const ExperimentFolder& folder, const fs::path& run) {
    const std::string before = ptp::sha256(folder.read(run / "experiment.toml"));
    replace_in(folder, run / "experiment.toml", "device = \"cpu\"", "device = \"cuda\"");
    replace_in(folder, run / "run.json", before, ptp::sha256(folder.read(run / "experiment.toml")));
    replace_in(folder, run / "run.json", "\"device\": \"cpu\"", "\"device\": \"cuda:0\"");
    const fs::path last = run / "checkpoints/last";
    const fs::path tensors = last / "training.safetensors";
    const std::string old = folder.read(tensors);
    write(folder.path() / tensors, with_cuda_generators(old));
    replace_in(folder, last / "SHA256SUMS", ptp::sha256(old), ptp::sha256(folder.read(tensors)));
}

ProcessResult resume(const ExperimentFolder& folder, const std::string& name,
                     const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {"resume", folder.run_folder(name)};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return ptp::test::run_program("ptprun", arguments, {{"OMP_NUM_THREADS", "1"}});
}

constexpr const char* kToFour = "training.terminal_conditions.epoch_limit=4";
constexpr const char* kWarning =
    "the checkpoint was written on a CUDA device, and the run continues on cpu: weights, optimizer, "
    "statistics, samples and their order are exactly those of the checkpoint; components draw other "
    "random numbers, from generators that are seeded anew by the run's seed and episode 12; results "
    "differ in their last bits\n";

Lines lines(int epochs) {
    return {.training =
                "optimizer = { type = \"Adam\", lr = 0.05 }\n"
                "terminal_conditions = { epoch_limit = " +
                std::to_string(epochs) +
                ", early_stop_validations = 0, loss_stop_threshold = 0.0 }\n"};
}

bool have_same(const ExperimentFolder& folder, const std::string& file, const std::string& left,
               const std::string& right) {
    return folder.read(left + file) == folder.read(right + file);
}

constexpr const char* kWeights = "/checkpoints/last/weights.safetensors";
constexpr const char* kState = "/checkpoints/last/training.safetensors";

}  // namespace

TEST_CASE("other device: a run of a GPU continues on the CPU with weights, optimizer and order") {
    const ExperimentFolder folder;
    const std::vector<std::string> without_dropout = {"--set", "pipeline.net.dropout_rate=0.0"};
    folder.write(lines(4));
    REQUIRE(folder.run("at_once", without_dropout).status == 0);
    folder.write(lines(2));
    REQUIRE(folder.run("moved", without_dropout).status == 0);
    make_cuda_run(folder, "moved");

    const ProcessResult result = resume(folder, "moved", {"--device", "cpu", "--set", kToFour});
    REQUIRE(result.status == 0);
    CHECK(folder.read("moved/run.log").find(kWarning) != std::string::npos);
    // Nothing is drawn at random in this pipeline: all is as if it had never moved.
    CHECK(have_same(folder, kWeights, "at_once", "moved"));
    CHECK(have_same(folder, "/training.csv", "at_once", "moved"));
    const auto cpu_generator = [&](const std::string& run) {
        return bytes_of(folder.read(run + kState), "generators/libtorch");
    };
    CHECK((cpu_generator("moved") == cpu_generator("at_once")));

    CHECK(folder.read("moved/journal.jsonl").find(R"("command":"set","arguments":{"values":)") !=
          std::string::npos);
    CHECK(folder.read("moved/journal.jsonl").find(R"("device=\"cpu\"")") != std::string::npos);
    CHECK(folder.read("moved/experiment.toml").find("device = \"cpu\"\n") != std::string::npos);
    const auto record = nlohmann::json::parse(folder.read("moved/run.json"));
    CHECK(record["device"] == "cuda:0");
    CHECK(record["processes"][0]["device"] == "cuda:0");
    CHECK(record["processes"][1]["device"] == "cpu");
}

TEST_CASE("other device: what components draw there follows from the seed and the episode") {
    const ExperimentFolder folder(ptp::test::stateful(4));
    REQUIRE(folder.run("at_once").status == 0);
    folder.write(ptp::test::stateful(2));
    REQUIRE(folder.run("first").status == 0);
    const std::string two_epochs = folder.read(std::string("first") + kState);
    make_cuda_run(folder, "first");
    fs::copy(folder.path() / "first", folder.path() / "second",
             fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    for (const char* name : {"first", "second"}) {
        const ProcessResult result = resume(folder, name, {"--device", "cpu", "--set", kToFour});
        REQUIRE(result.status == 0);
        CHECK(folder.read(std::string(name) + "/run.log").find(kWarning) != std::string::npos);
    }
    CHECK(have_same(folder, kWeights, "first", "second"));
    CHECK_FALSE(have_same(folder, kWeights, "first", "at_once"));
    // It is not what they drew in the first two epochs once more.
    const std::string moved = folder.read(std::string("first") + kState);
    int count = 0;
    for (const std::string& name : names_in(moved)) {
        if (name.starts_with("generators/") && name != "generators/libtorch") {
            CAPTURE(name);
            CHECK((bytes_of(moved, name) != bytes_of(two_epochs, name)));
            ++count;
        }
    }
    CHECK(count > 0);
}

TEST_CASE("other device: a device that the run has already changes nothing") {
    const ExperimentFolder folder(lines(2));
    REQUIRE(folder.run("run").status == 0);
    require_success(resume(folder, "run", {"--device", "cpu", "--set", kToFour}));
    CHECK(folder.read("run/journal.jsonl").find("device") == std::string::npos);
}

TEST_CASE("other device: a missing device is refused, and the run does not change") {
    if (fs::exists("/dev/nvidiactl")) {
        MESSAGE("skipped: this machine may have a CUDA device");
        return;
    }
    const ExperimentFolder folder(lines(2));
    REQUIRE(folder.run("run").status == 0);
    const std::string before = folder.read("run/run.json");
    const ProcessResult result = resume(folder, "run", {"--device", "cuda", "--set", kToFour});
    CHECK(result.status == 2);
    CHECK(
        result.errors ==
        "ptprun: error: device = \"cuda\": libtorch finds no CUDA device here; use --device cpu\n");
    CHECK(folder.read("run/run.json") == before);
    CHECK(!folder.has("run/journal.jsonl"));
}

}  // namespace other_device_test
