// Whole runs with two classes and one score: trained, predicted with names and probabilities.

#include "runs/grey_images.hpp"
#include "runs/predictions.hpp"

#include <doctest/doctest.h>

#include <string>

namespace yes_or_no_test {

namespace {

using namespace ptp::test;

// A network with one score for a sample.
std::string network(const std::string& layers = "") {
    return "[pipeline.net]\ntype = \"LayerStack\"\nlayers = [" + layers +
           "{ type = \"Linear\", out = 1 }]\nstreams = { outputs = \"predictions\" }\n"
           "[pipeline.loss]\ntype = \"BCEWithLogitsLoss\"\n[pipeline.quality]\ntype = "
           "\"MultiLabelStatistics\"\n";
}

// Trains on rows whose second class is that of the larger numbers.
std::string trained(const TempFolder& folder,
                    const std::string& rows = "1,poor\n2,poor\n8,rich\n9,rich\n",
                    const std::string& settings = "", const std::string& section = "") {
    folder.write("a.csv", "x,kind\n" + rows);
    train_run(folder, training(60) +
                          "type = \"Table\"\nbatch_size = 4\nfeatures = \"x\"\nlabel = \"kind\"\n"
                          "binary = true\nfile = \"" +
                          (folder.path() / "a.csv").string() + "\"\n" + settings + section +
                          network());
    return (folder.path() / "run").string();
}

}  // namespace

TEST_CASE("yes or no: a prediction has the name of one of two classes and its probability") {
    const TempFolder folder;
    const std::string run = trained(folder);
    const auto predict_table = [&](const std::string& text, const std::string& top = "1") {
        return predict({run, "--data", folder.write("new.csv", text).string(), "--top-k", top});
    };
    const ProcessResult plain = predict_table("x\n1\n9\n");
    REQUIRE(header_of(plain.output) == "index,predicted,score");
    CHECK(column(rows_of(plain.output), "predicted") == Cells{"poor", "rich"});
    for (const std::string& score : column(rows_of(plain.output), "score")) {
        CHECK(std::stod(score) > 0.5);
    }
    const auto both = rows_of(predict_table("x\n1\n", "2").output);
    CHECK(column(both, "predicted_2") == Cells{"rich"});
    CHECK(std::stod(both[0].at("score")) + std::stod(both[0].at("score_2")) == doctest::Approx(1));
    const ProcessResult scored = predict_table("kind,x\nrich,1\nrich,9\n");
    REQUIRE(header_of(scored.output) == "index,predicted,score,target,correct,loss");
    CHECK(column(rows_of(scored.output), "target") == Cells{"rich", "rich"});
    CHECK(column(rows_of(scored.output), "correct") == Cells{"false", "true"});
    CHECK(scored.errors.find("1 of 2 right") != std::string::npos);
}

TEST_CASE("yes or no: rows of a third class in new data are not scored as one of the two") {
    const TempFolder folder;
    const std::string run = trained(folder);
    const ProcessResult result =
        predict({run, "--data", folder.write("new.csv", "kind,x\nrich,1\nmiddle,9\n").string()});
    CHECK(header_of(result.output) == "index,predicted,score");
    CHECK(result.errors ==
          "these samples are not scored: loss and quality are skipped\n"
          "    line 3 has 'middle' as 'kind', which is not a class of the training (poor, rich); "
          "remove such rows to score the others\n2 predictions\n");
    CHECK(predict({run, "--data", (folder.path() / "new.csv").string(), "--top-k", "3"})
              .errors.find("--top-k 3: 'predictions' has the scores of 2 classes") !=
          std::string::npos);
}

TEST_CASE("yes or no: classes are drawn alike and divided by their shares, and then predicted") {
    const TempFolder folder;
    std::string rows;
    for (int i = 0; i < 12; ++i) {
        rows += std::to_string(i) + (i < 9 ? ",poor\n" : ",rich\n");
    }
    const std::string run =
        trained(folder, rows, "split = { shares = [0.67, 0.33], stratify = \"kind\" }\n",
                "[training.sampler]\ntype = \"ClassBalancedSampler\"\n");
    const ProcessResult result =
        predict({run, "--data", folder.write("new.csv", "x\n0\n11\n").string()});
    CHECK(column(rows_of(result.output), "predicted") == Cells{"poor", "rich"});
}

TEST_CASE("yes or no: images in folders of two classes are trained and predicted with names") {
    const TempFolder folder;
    for (const int i : {0, 1, 2, 3}) {
        write_grey(folder.path() / "images/dark" / (std::to_string(i) + ".png"), 10 + i);
        write_grey(folder.path() / "images/light" / (std::to_string(i) + ".png"), 240 + i);
    }
    train_run(folder, training(60) +
                          "type = \"ImageFolder\"\nbatch_size = 8\nimage_depth = 1\n"
                          "resize_image = [4, 4]\nbinary = true\ndata_folder = \"" +
                          (folder.path() / "images").string() + "\"\n" + network("\"Flatten\", "));
    write_grey(folder.path() / "new/a.png", 15);
    write_grey(folder.path() / "new/b.png", 235);
    const ProcessResult result =
        predict({(folder.path() / "run").string(), "--data", (folder.path() / "new").string()});
    CHECK(column(rows_of(result.output), "predicted") == Cells{"dark", "light"});

    const ProcessResult explained =
        ptprun({"explain-prediction", (folder.path() / "run").string(), "--data",
                (folder.path() / "new").string(), "--method", "saliency", "--against", "light",
                "--target", "dark", "-o", (folder.path() / "maps").string(), "--quiet"});
    CHECK(explained.errors == "");
    const std::string facts = folder.read("maps/explanations.json");
    CHECK(facts.find("\"predicted\": \"dark\"") < facts.find("\"predicted\": \"light\""));
    CHECK(facts.find("\"target\": \"dark\"") != std::string::npos);
}

}  // namespace yes_or_no_test
