// `ptprun explain-prediction --method attention`: its weights, and models without attention.

#include "runs/explained_squares.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstring>
#include <filesystem>

namespace explain_attention_test {

using nlohmann::json;
using namespace ptp::test;

namespace fs = std::filesystem;

namespace {

constexpr const char* kNoAttention =
    "ptprun: error: there is no attention to show: no model has computed a softmax over the words "
    "or the places of a stream that it reads\n";

}  // namespace

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
    CHECK(
        squares.errors_of({"-o", squares.file("maps"), "--method", "attention"}) ==
        std::string(kNoAttention) +
            "    fix: ptprun explain-prediction FOLDER/run --data FOLDER/new -o FOLDER/maps --method "
            "saliency\n");
    CHECK(!fs::exists(squares.file("maps")));
}

TEST_CASE(
    "explain-prediction: all methods are those that the model has, and attention by its name is not") {
    const Squares squares(
        kNet, 2,
        {"--set", "report.explanations.methods=[\"all\"]", "--set",
         "report.explanations.section=test", "--set", "report.explanations.samples=1", "--set",
         "report.explanations.steps=5", "--set", "report.explanations.check=false"});
    const auto report = [&](const std::vector<std::string>& methods) {
        std::vector<std::string> words = {"report",          squares.file("run"), "-o",
                                          squares.file("r"), "--explain-data",    "test",
                                          "--explain"};
        words.insert(words.end(), methods.begin(), methods.end());
        return without_folder(ptprun(words).errors, squares.path());
    };
    const std::string facts = "run/explanations/episode_0000000004/explanations.json";
    const json sample = json::parse(squares.read(facts)).at("samples").at(0);
    CHECK(sample.at("maps").size() == 9);
    CHECK(sample.at("attention") == json::array());
    const auto before = fs::last_write_time(squares.path() / facts);
    CHECK(report({"all"}) == "");
    CHECK(fs::last_write_time(squares.path() / facts) == before);
    CHECK(report({"all", "attention"}) ==
          std::string(kNoAttention) +
              "    fix: ptprun explain-prediction FOLDER/run --data test --samples 1 --steps 5 "
              "--without-check --method saliency\n"
              "ptprun: warning: FOLDER/run: predictions are not explained: ptprun "
              "explain-prediction has failed\n");
    CHECK(fs::last_write_time(squares.path() / facts) == before);
}

}  // namespace explain_attention_test
