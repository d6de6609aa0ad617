// Weights that PyTorch saved; tests/golden/pth_files.py made the files.

#include "runs/support.hpp"
#include "support/paths.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

namespace pretrained_test {

using namespace ptp::test;

namespace {

constexpr const char* kNoMove = "no weight has moved";

std::string pth(const std::string& name) {
    return (ptp::test::source_dir() / "tests/golden/pth" / name).string();
}

// `load` of the net: a table with this file and more keys.
std::vector<std::string> load(const std::string& file, const std::string& more = "") {
    return {"--set", "training.optimizer.lr=1e-60",  // too small for any weight to move
            "--set", "training.terminal_conditions.epoch_limit=1",
            "--set", "pipeline.net.load={ from = \"" + file + "\"" + more + " }"};
}

// The numbers of layers.0.weight, layers.0.bias, layers.3.weight and layers.3.bias.
constexpr std::size_t kCounts[] = {64, 16, 160, 10};

// Element k of tensor i of the net that was saved: k / 8 + i.
template <class Number = float>
std::string saved_numbers() {
    std::string bytes;
    for (std::size_t i = 0; i < std::size(kCounts); ++i) {
        for (std::size_t k = 0; k < kCounts[i]; ++k) {
            const Number number = static_cast<Number>(k) / 8 + static_cast<Number>(i);
            bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
        }
    }
    return bytes;
}

// The same of the net at the end of a run.
std::string numbers_after(const ExperimentFolder& folder, const std::string& run) {
    const std::string file = folder.read(run + "/checkpoints/last/weights.safetensors");
    const std::size_t size = saved_numbers().size();
    REQUIRE(file.size() > size);
    return file.substr(file.size() - size);
}

// Writes the net as safetensors of one type, of numbers with `size` bytes.
void write_safetensors(const std::filesystem::path& file, const std::string& type, std::size_t size,
                       const std::string& numbers) {
    constexpr std::pair<const char*, const char*> kShapes[] = {{"layers.0.weight", "[16,4]"},
                                                               {"layers.0.bias", "[16]"},
                                                               {"layers.3.weight", "[10,16]"},
                                                               {"layers.3.bias", "[10]"}};
    std::string header;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < std::size(kCounts); ++i) {
        const auto& [name, shape] = kShapes[i];
        const std::size_t end = begin + kCounts[i] * size;
        header += fmt::format(R"({}"{}":{{"dtype":"{}","shape":{},"data_offsets":[{},{}]}})",
                              i == 0 ? "{" : ",", name, type, shape, begin, end);
        begin = end;
    }
    header += "}";
    const std::uint64_t length = header.size();
    std::string bytes(sizeof(length), '\0');
    std::memcpy(bytes.data(), &length, sizeof(length));
    std::ofstream(file, std::ios::binary) << bytes << header << numbers;
}

std::string problem_of(const ExperimentFolder& folder, const std::vector<std::string>& options) {
    const ProcessResult result = folder.run("refused", options);
    CHECK(result.status == 4);
    std::filesystem::remove_all(folder.path() / "refused");
    std::string text = without_folder(result.errors, folder.path());
    const std::string source = ptp::test::source_dir().string();
    for (std::size_t at = text.find(source); at != std::string::npos; at = text.find(source)) {
        text.replace(at, source.size(), "SOURCE");
    }
    return text;
}

}  // namespace

TEST_CASE("pretrained: a state dictionary is loaded, in the forms of new and old PyTorch") {
    const ExperimentFolder folder;
    for (const std::string file : {"net.pth", "net_legacy.pth", "half.pth"}) {
        CAPTURE(file);
        const ProcessResult result = folder.run(file, load(pth(file)));
        CHECK(without_warnings(result.errors, kNoMove) == "");
        REQUIRE(result.status == 0);
        CHECK((numbers_after(folder, file) == saved_numbers()));
    }
    // The numbers are all exact in half precision.
    CHECK(folder.read("half.pth/run.log").find("layers.0.bias: is Half in the file, Float here") !=
          std::string::npos);
}

TEST_CASE("pretrained: dictionaries in dictionaries are named by `component`") {
    const ExperimentFolder folder;
    const ProcessResult nested =
        folder.run("nested", load(pth("checkpoint.pth"), ", component = \"state_dict\""));
    CHECK(without_warnings(nested.errors, kNoMove) == "");
    REQUIRE(nested.status == 0);
    CHECK((numbers_after(folder, "nested") == saved_numbers()));
    const ProcessResult parallel =
        folder.run("parallel", load(pth("parallel.pth"), ", component = \"module\""));
    CHECK(parallel.status == 0);
    CHECK((numbers_after(folder, "parallel") == saved_numbers()));

    CHECK(problem_of(folder, load(pth("checkpoint.pth"))) ==
          "--set: error: pipeline.net.load: SOURCE/tests/golden/pth/checkpoint.pth: has no tensors "
          "of 'net'; it has them with component = \"state_dict\"\n");
    CHECK(problem_of(folder, load(pth("net.pth"), ", component = \"model\"")) ==
          "--set: error: pipeline.net.load: SOURCE/tests/golden/pth/net.pth: has no tensors of "
          "'model'; it has them with component = \"\"\n");
}

TEST_CASE("pretrained: a whole pipeline can come from PyTorch") {
    const ExperimentFolder folder;
    const ProcessResult result =
        folder.run("all", {"--set", "training.optimizer.lr=1e-60", "--set",
                           "training.terminal_conditions.epoch_limit=1", "--set",
                           "pipeline.load=\"" + pth("pipeline.pth") + "\""});
    CHECK(without_warnings(result.errors, kNoMove) == "");
    REQUIRE(result.status == 0);
    CHECK((numbers_after(folder, "all") == saved_numbers()));
}

TEST_CASE("pretrained: safetensors that others wrote need no component in front of their names") {
    const ExperimentFolder folder;
    const std::filesystem::path file = folder.path() / "net.safetensors";
    write_safetensors(file, "F32", sizeof(float), saved_numbers());
    const ProcessResult result = folder.run("plain", load(file.string(), ", component = \"\""));
    CHECK(without_warnings(result.errors, kNoMove) == "");
    REQUIRE(result.status == 0);
    CHECK((numbers_after(folder, "plain") == saved_numbers()));
    CHECK(problem_of(folder, load(file.string())) ==
          "--set: error: pipeline.net.load: FOLDER/net.safetensors: has no tensors of 'net'; it "
          "has them with component = \"\"\n");
}

TEST_CASE("pretrained: numbers of double precision become floats, which is said at the start") {
    const ExperimentFolder folder;
    const std::filesystem::path file = folder.path() / "net.safetensors";
    write_safetensors(file, "F64", sizeof(double), saved_numbers<double>());
    const ProcessResult result = folder.run("double", load(file.string(), ", component = \"\""));
    CHECK(without_warnings(result.errors, kNoMove) == "");
    REQUIRE(result.status == 0);
    CHECK((numbers_after(folder, "double") == saved_numbers()));
    CHECK(without_folder(result.output, folder.path())
              .find("\nnet: 4 of 4 tensors loaded from FOLDER/net.safetensors; 4 rounded from "
                    "float64 to float32\n") != std::string::npos);
    const std::string numbers = saved_numbers<double>();
    const double large = 1e39;  // the last of layers.3.bias
    write_safetensors(file, "F64", sizeof(double),
                      numbers.substr(0, numbers.size() - sizeof(large)) +
                          std::string(reinterpret_cast<const char*>(&large), sizeof(large)));
    CHECK(
        problem_of(folder, load(file.string(), ", component = \"\"")) ==
        "--set: error: pipeline.net.load: FOLDER/net.safetensors: the tensors of '' do not fit "
        "'net' (FeedForwardNetwork):\n"
        "    layers.3.bias: has 1e+39 in the file, which is beyond the range of float32 (strict = false leaves it out)\n");
}

TEST_CASE("pretrained: a layer that is excepted begins anew, the others must fit") {
    const ExperimentFolder folder;
    const ProcessResult result =
        folder.run("head", load(pth("net.pth"), ", except = [\"layers.3\"]"));
    CHECK(without_warnings(result.errors, kNoMove) == "");
    REQUIRE(result.status == 0);
    const std::size_t first_layer = (kCounts[0] + kCounts[1]) * sizeof(float);
    const std::string after = numbers_after(folder, "head");
    CHECK((after.substr(0, first_layer) == saved_numbers().substr(0, first_layer)));
    CHECK((after.substr(first_layer) != saved_numbers().substr(first_layer)));

    CHECK(problem_of(folder, load(pth("net.pth"), ", except = [\"layer.3\", \"layers.0.bias\"]")) ==
          "--set: error: pipeline.net.load: SOURCE/tests/golden/pth/net.pth: the tensors of 'net' "
          "do not fit 'net' (FeedForwardNetwork):\n"
          "    except: unknown name 'layer.3'; did you mean 'layers.3'?\n");
}

TEST_CASE("pretrained: layers that the component lacks are refused with what leaves them out") {
    const ExperimentFolder folder;
    folder.write();
    const auto first_layer = [&](const std::string& name, const std::string& more) {
        auto arguments = load(pth("net.pth"), more);
        arguments.insert(arguments.end(), {"--set", "pipeline.net.hidden_sizes=[]", "--set",
                                           "pipeline.net.globals.prediction_size=16"});
        return folder.run(name, arguments);
    };
    const std::string errors = without_excerpts(first_layer("all", "").errors);
    const std::string file = pth("net.pth");
    CHECK(errors.substr(errors.find("error: ")) ==
          "error: pipeline.net.load: " + file +
              ": the tensors of 'net' do not fit 'net' (FeedForwardNetwork):\n"
              "    layers.3.bias: 'net' (FeedForwardNetwork) has no such tensor, Float [10]\n"
              "    layers.3.weight: 'net' (FeedForwardNetwork) has no such tensor, Float [10, 16]\n"
              "    fix: load = { from = \"" +
              file + "\", except = [\"layers.3\"] } leaves out what the component does not have\n");
    CHECK(first_layer("fewer", ", except = [\"layers.3\"]").status == 0);
}

TEST_CASE("pretrained: a file that is not a state dictionary ends a run, with what to do") {
    const ExperimentFolder folder;
    CHECK(problem_of(folder, load(pth("model.pth"))) ==
          "--set: error: pipeline.net.load: SOURCE/tests/golden/pth/model.pth holds a whole model, "
          "whose code is not run: in Python, torch.save(model.state_dict(), \"weights.pth\") "
          "writes its weights alone\n");
}

TEST_CASE("pretrained: a file whose name says another hash than it has is loaded with a warning") {
    const ExperimentFolder folder;
    const std::filesystem::path file = folder.path() / "net-01234567.pth";
    std::filesystem::copy_file(pth("net.pth"), file);
    CHECK(folder.run("named", load(file.string())).status == 0);
    const std::string log = folder.read("named/run.log");
    CHECK(log.find(file.string() + ": its SHA-256 begins with ") != std::string::npos);
    CHECK(log.find(", not with the digits in its name; if it is from PyTorch's hub it is damaged "
                   "or not the original") != std::string::npos);
}

}  // namespace pretrained_test
