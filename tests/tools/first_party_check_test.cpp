// `ptp-inspect --check` of the plugins that come with ptp, with data for those that need some.

#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace first_party_check_test {

namespace {

using ptp::test::build_dir;
using ptp::test::run_program;
using ptp::test::TempFolder;

constexpr std::size_t kSamples = 8;

// One grey pixel.
constexpr std::array<std::uint8_t, 67> kPng = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48,
    0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00,
    0x00, 0x3a, 0x7e, 0x9b, 0x55, 0x00, 0x00, 0x00, 0x0a, 0x49, 0x44, 0x41, 0x54, 0x78,
    0x9c, 0x63, 0x68, 0x00, 0x00, 0x00, 0x82, 0x00, 0x81, 0x77, 0xcd, 0x72, 0xb6, 0x00,
    0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

std::string png() {
    return {kPng.begin(), kPng.end()};
}

std::string big_endian(const std::vector<std::uint32_t>& numbers) {
    std::string bytes;
    for (const std::uint32_t number : numbers) {
        for (const int shift : {24, 16, 8, 0}) {
            bytes += static_cast<char>(number >> shift & 0xff);
        }
    }
    return bytes;
}

void write_idx(const TempFolder& temp) {
    constexpr std::size_t kPixels = std::size_t{28} * 28;
    temp.write("idx/train-images-idx3-ubyte",
               big_endian({0x803, kSamples, 28, 28}) + std::string(kSamples * kPixels, 'x'));
    temp.write("idx/train-labels-idx1-ubyte",
               big_endian({0x801, kSamples}) + std::string(kSamples, '\3'));
}

void write_cifar(const TempFolder& temp) {
    const std::string image(3072, 'x');
    for (const char* number : {"1", "2", "3", "4", "5"}) {
        temp.write(std::string("cifar/data_batch_") + number + ".bin", '\3' + image);
    }
    temp.write("cifar/train.bin", "\3\5" + image);
}

void write_pictures(const TempFolder& temp) {
    std::string table;
    for (const char* name : {"a", "b", "c", "d"}) {
        temp.write(std::string("pictures/first/") + name + ".png", png());
        temp.write(std::string("pictures/second/") + name + ".png", png());
        temp.write(std::string("molecules/ChemDATA_A_Dist/") + name + ".png", png());
        table += std::string("3\t") + name + "\n";
    }
    temp.write("molecules/ChemDATA_A_Dist_Labels_Set0.tsv", table);
}

// Four questions of each or more, without images.
void write_questions(const TempFolder& temp) {
    std::string clevr;
    std::string gqa;
    for (const char* number : {"1", "2", "3", "4"}) {
        const std::string comma = clevr.empty() ? "" : ",";
        clevr += comma +
                 R"({"image_filename": "a.png", "question_family_index": 72, "question": )" +
                 R"("How many?", "answer": ")" + number + "\"}";
        gqa += comma + "\"" + number +
               R"(": {"imageId": "7", "question": "Is it?", "answer": "no", "fullAnswer": "No."})";
    }
    temp.write("clevr/questions/CLEVR_train_questions.json", "{\"questions\": [" + clevr + "]}");
    temp.write("gqa/questions1.2/train_all_questions/train_all_questions_0.json", "{" + gqa + "}");
    for (const char* file : {"C1_Modality", "C2_Plane", "C3_Organ", "C4_Abnormality"}) {
        temp.write("vqa-med/ImageClef-2019-VQA-Med-Training/QAPairsByCategory/" +
                       std::string(file) + "_train.txt",
                   "a|what is it?|an image\na|is it so?|yes\n");
    }
}

// All components run; what else holds of them `plugin.NAME.conforms` tests.
constexpr const char* kAllRun =
    "  204  runs                      passed\n"
    "  accepted: 1 passed\n";

std::string file_of(const std::string& plugin) {
    return (build_dir() / "lib/ptp/plugins" / (plugin + ".so")).string();
}

}  // namespace

TEST_CASE("ptp-inspect --check: all components of our own plugins are tried, and pass") {
    std::vector<std::string> arguments = {"--check", "--only", "runs"};
    std::string expected;
    for (const char* plugin :
         {"augmentations", "exporters", "fusion_models", "general_models", "losses", "masking",
          "publishers", "statistics", "transforms", "viewers", "vision_models"}) {
        arguments.push_back(file_of(plugin));
        expected += file_of(plugin) + "\n" + kAllRun;
    }
    const auto result = run_program("ptp-inspect", arguments);
    CHECK(result.output == expected);
    CHECK(result.errors == "");
    CHECK(result.status == 0);
}

TEST_CASE("ptp-inspect --check --with: our own tasks are tried on data that are given") {
    const TempFolder temp;
    write_idx(temp);
    write_cifar(temp);
    write_pictures(temp);
    write_questions(temp);
    const auto with = temp.write("data.toml", R"([MNIST]
data_folder = "idx"

[FashionMNIST]
data_folder = "idx"

[CIFAR10]
data_folder = "cifar"

[CIFAR100]
data_folder = "cifar"

[CLEVR]
data_folder = "clevr"
stream_images = false

[GQA]
data_folder = "gqa"
stream_images = false

[[VQAMED2019]]
data_folder = "vqa-med"
stream_images = false

[[VQAMED2019]]
data_folder = "vqa-med"
stream_images = false
question_preprocessing = "all"
tokenize_questions = true
tokenize_answers = true
vocabulary = "training"

[SimpleMolecules]
data_folder = "molecules"
resize_image = [4, 4]

[[ImageFolder]]
data_folder = "pictures"

[[ImageFolder]]
data_folder = "pictures"
classes = ["second"]
image_depth = 1
)");
    const std::string file = file_of("vision_tasks");
    const auto result =
        run_program("ptp-inspect", {"--check", "--strict", file, "--with", with.string()});
    CHECK(result.output.starts_with(file + "\n"));
    CHECK(result.output.ends_with("  accepted: 25 passed, 5 skipped\n"));
    CHECK(result.output.find("skipped: ") == result.output.find("skipped: no component"));
    CHECK(result.errors == "");
    CHECK(result.status == 0);
}

TEST_CASE("ptp-inspect --check: tasks without their data are named, with what to give") {
    const TempFolder temp;  // as a home folder in which there is nothing
    const std::string file = file_of("vision_tasks");
    const auto result = run_program("ptp-inspect", {"--check", file, "--time-limit", "600"},
                                    {{"HOME", temp.path().string()}});
    CHECK(result.output.find(
              "         skipped: ImageFolder: nothing can be made up for 'data_folder' "
              "(make it, with a folder of JPEG and PNG files for each class)\n"
              "             fix: give 'data_folder' of [ImageFolder] in FILE.toml, and FILE.toml "
              "after --with\n") != std::string::npos);
    CHECK(result.output.find(
              "         skipped: MNIST: the task of [training] (MNIST): " + temp.path().string() +
              "/data/mnist/train-images-idx3-ubyte: no such file, nor") != std::string::npos);
    CHECK(result.output.find("             fix: give 'data_folder' of [MNIST] in FILE.toml, and "
                             "FILE.toml after --with\n") != std::string::npos);
    CHECK(result.status == 0);
}

}  // namespace first_party_check_test
