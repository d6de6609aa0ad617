#include "png_files.hpp"
#include "support.hpp"
#include "support/temp_folder.hpp"

#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

namespace image_viewer_test {

namespace fs = std::filesystem;

namespace {

using ptp::test::TempFolder;

using Picture = test::PngPicture;

Picture read_picture(const fs::path& path) {
    return test::read_png(path);
}

const std::vector<int> kBlack{0, 0, 0};
const std::vector<int> kGreen{0, 128, 0};
const std::vector<int> kRed{192, 0, 0};

test::Component make(const TempFolder& run, const std::string& settings = "",
                     std::vector<std::string> optional = {},
                     std::map<std::string, ptp_element> elements = {}) {
    return test::build("viewers", "ImageViewer", settings,
                       {.elements = std::move(elements),
                        .optional_inputs = std::move(optional),
                        .name = "sheets",
                        .run_folder = run.path().string()});
}

ptp_step step(uint64_t episode) {
    ptp_step result = test::Component::first_step();
    result.episode = episode;
    result.batch_size = 2;
    return result;
}

test::Slots images(const at::Tensor& tensor) {
    test::Slots inputs;
    inputs["images"] = tensor;
    return inputs;
}

}  // namespace

TEST_CASE("ImageViewer: images lie on a sheet, enlarged, with white between them") {
    const TempFolder run;
    auto viewer = make(run);
    at::Tensor batch = torch::zeros({3, 3, 2, 3});
    batch[0].select(0, 0).fill_(1);  // red
    batch[1].select(0, 1).fill_(0.5);
    viewer.run(images(batch), step(0));
    const Picture sheet = read_picture(run.path() / "images/sheets/training_000000.png");
    // two columns of 3 * 32 and two rows of 2 * 32, with margins of 4
    CHECK(sheet.width == 4 + 2 * (96 + 4));
    CHECK(sheet.height == 4 + 2 * (64 + 4));
    CHECK(sheet.at(4, 4) == std::vector<int>{255, 0, 0});
    CHECK(sheet.at(67, 99) == std::vector<int>{255, 0, 0});
    CHECK(sheet.at(67, 100) == std::vector<int>{255, 255, 255});
    CHECK(sheet.at(4, 104) == std::vector<int>{0, 128, 0});
    CHECK(sheet.at(72, 4) == kBlack);
    CHECK(sheet.at(72, 104) == std::vector<int>{255, 255, 255});  // there is no fourth
}

TEST_CASE("ImageViewer: below stand number, label and prediction, which is green if it is right") {
    const TempFolder run;
    auto viewer = make(run, "", {"indices", "labels", "predictions"},
                       {{"labels", PTP_STRING}, {"predictions", PTP_STRING}});
    test::Slots inputs = images(torch::ones({2, 1, 96, 96}));
    inputs["indices"] = test::integers({17, 4});
    inputs["labels"] = std::vector<std::string>{"I", "I"};
    inputs["predictions"] = std::vector<std::string>{"I", "-"};
    viewer.run(std::move(inputs), step(0));
    const Picture sheet = read_picture(run.path() / "images/sheets/training_000000.png");
    CHECK(sheet.height == 4 + 96 + 3 * 10 + 4);
    CHECK(sheet.count(4, 102, kBlack) == 0);
    // Counted by hand: # has 20 pixels, 1 has 10, 7 has 11, 4 has 14; I has 11, - has 5
    CHECK(sheet.count(102, 112, kBlack) == 20 + 10 + 11 + 20 + 14);
    CHECK(sheet.count(112, 122, kBlack) == 11 + 11);
    CHECK(sheet.count(122, 134, kGreen) == 11);
    CHECK(sheet.count(122, 134, kRed) == 5);
    CHECK(sheet.at(102 + 2, 104 + 2) == std::vector<int>{0, 0, 0});  // in the # of the second
}

TEST_CASE("ImageViewer: of scores the largest counts, and classes are compared with it") {
    const TempFolder run;
    auto viewer = make(run, "", {"labels", "predictions"}, {{"labels", PTP_INTEGER}});
    test::Slots inputs = images(torch::ones({2, 1, 96, 96}));
    inputs["labels"] = test::integers({1, 1});
    inputs["predictions"] = test::floats({0.2, 0.8, 0.9, 0.1}, {2, 2});
    viewer.run(std::move(inputs), step(0));
    const Picture sheet = read_picture(run.path() / "images/sheets/training_000000.png");
    CHECK(sheet.count(112, 124, kGreen) == 10);  // 1
    CHECK(sheet.count(112, 124, kRed) == 19);    // 0
}

TEST_CASE("ImageViewer: with their names, predictions can be compared with labels that are names") {
    const TempFolder run;
    const auto greens = [&](std::map<std::string, ptp::Data> globals) {
        auto viewer = test::build("viewers", "ImageViewer", "",
                                  {.globals = std::move(globals),
                                   .elements = {{"labels", PTP_STRING}},
                                   .optional_inputs = {"labels", "predictions"},
                                   .name = "sheets",
                                   .run_folder = run.path().string()});
        test::Slots inputs = images(torch::ones({2, 1, 96, 96}));
        inputs["labels"] = std::vector<std::string>{"I", "I"};
        inputs["predictions"] = test::floats({0.2, 0.8, 0.9, 0.1}, {2, 2});
        viewer.run(std::move(inputs), step(0));
        const Picture sheet = read_picture(run.path() / "images/sheets/training_000000.png");
        return std::pair(sheet.count(112, 124, kGreen), sheet.count(112, 124, kRed));
    };
    CHECK(greens({{"word_mappings", ptp::Data::Table{{"-", 0}, {"I", 1}}}}) ==
          std::pair<int64_t, int64_t>(11, 5));
    CHECK(greens({{"label_word_mappings", ptp::Data::Table{{"-", 0}, {"I", 1}}}}) ==
          std::pair<int64_t, int64_t>(11, 5));  // those of the task
    CHECK(greens({{"label_word_mappings", ptp::Data::Table{{"-", 0}, {"I", 1}, {"X", 2}}}}) ==
          std::pair<int64_t, int64_t>(0, 0));  // of three classes, where scores are of two
    CHECK(greens({}) == std::pair<int64_t, int64_t>(0, 0));  // numbers are not names
}

TEST_CASE("ImageViewer: a text that is too long is cut off, with dots") {
    const TempFolder run;
    auto viewer = make(run, "images_on_sheet = 1", {"labels"}, {{"labels", PTP_STRING}});
    test::Slots inputs = images(torch::ones({2, 1, 96, 96}));
    inputs["labels"] = std::vector<std::string>{std::string(40, 'I') + "\xC3\xA9", ""};
    viewer.run(std::move(inputs), step(0));
    const Picture sheet = read_picture(run.path() / "images/sheets/training_000000.png");
    CHECK(sheet.width == 104);
    CHECK(sheet.count(102, 112, kBlack) == 14 * 11 + 2 * 4);  // 16 letters of 6 pixels fit
}

TEST_CASE("ImageViewer: one image every N episodes, and the first batch of other passes") {
    const TempFolder run;
    auto viewer = make(run, "interval = 2");
    for (uint64_t episode = 0; episode < 4; ++episode) {
        viewer.run(images(torch::ones({1, 1, 2, 2})), step(episode));
    }
    ptp_step validation = step(3);
    validation.is_training = 0;
    validation.section = "validation";
    for (uint64_t batch = 0; batch < 2; ++batch) {
        validation.batch_index = batch;
        viewer.run(images(torch::full({1, 1, 2, 2}, 1.0 - static_cast<double>(batch))), validation);
    }
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator(run.path() / "images/sheets")) {
        files.push_back(entry.path().filename().string());
    }
    std::sort(files.begin(), files.end());
    CHECK(files == std::vector<std::string>{"training_000000.png", "training_000002.png",
                                            "validation_000003.png"});
    CHECK(read_picture(run.path() / "images/sheets/validation_000003.png").at(4, 4) ==
          std::vector<int>{255, 255, 255});
}

TEST_CASE("ImageViewer: what it writes it shows, and it writes where nothing can be shown") {
    for (const bool takes_pictures : {true, false}) {
        CAPTURE(takes_pictures);
        const TempFolder run;
        auto viewer = test::build("viewers", "ImageViewer", "interval = 2",
                                  {.name = "sheets",
                                   .run_folder = run.path().string(),
                                   .takes_pictures = takes_pictures});
        for (uint64_t episode = 0; episode < 3; ++episode) {
            viewer.run(images(torch::rand({3, 3, 4, 5})), step(episode));
        }
        REQUIRE(viewer.pictures().size() == (takes_pictures ? 2 : 0));
        for (std::size_t i = 0; i < 2; ++i) {
            const Picture sheet = read_picture(run.path() / "images/sheets" /
                                               ("training_00000" + std::to_string(2 * i) + ".png"));
            if (takes_pictures) {
                const ptp::testing::ShownPicture& shown = viewer.pictures()[i];
                CHECK(shown.tag == "");
                CHECK(shown.height == sheet.height);
                CHECK(shown.width == sheet.width);
                CHECK(shown.channels == 3);
                CHECK(shown.pixels == sheet.bytes);
            }
        }
    }
}

TEST_CASE("ImageViewer: one sample that is named is shown alone, with its own texts") {
    const TempFolder run;
    auto viewer = make(run, "sample_number = 1", {"indices"});
    at::Tensor batch = torch::zeros({2, 3, 96, 96});
    batch[1].select(0, 0).fill_(1);  // red
    test::Slots inputs = images(batch);
    inputs["indices"] = test::integers({4, 17});
    viewer.run(std::move(inputs), step(0));
    const Picture sheet = read_picture(run.path() / "images/sheets/training_000000.png");
    CHECK(sheet.width == 4 + 96 + 4);
    CHECK(sheet.height == 4 + 96 + 10 + 4);
    CHECK(sheet.at(4, 4) == std::vector<int>{255, 0, 0});
    CHECK(sheet.count(102, 112, kBlack) == 20 + 10 + 11);  // #17
}

TEST_CASE("ImageViewer: a sample that a batch does not have is reported, and no sheet is written") {
    const TempFolder run;
    auto viewer = make(run, "sample_number = 2");
    viewer.run(images(torch::zeros({2, 1, 2, 2})), step(7 * 100));
    CHECK(viewer.log_lines() ==
          std::vector<std::string>{"training, episode 700, sample 2 of 2: not in this batch"});
    CHECK_FALSE(fs::exists(run.path() / "images"));
}

TEST_CASE("ImageViewer: sample -1 is a random one, by the component's own generator") {
    const TempFolder run;
    auto viewer = make(run, "sample_number = -1\ninterval = 1");
    at::Tensor batch = torch::zeros({2, 1, 96, 96});
    batch[1].fill_(1);
    std::set<int> shown;
    for (uint64_t episode = 0; episode < 20; ++episode) {
        viewer.run(images(batch), step(episode));
        char name[32];
        std::snprintf(name, sizeof name, "training_%06d.png", static_cast<int>(episode));
        shown.insert(read_picture(run.path() / "images/sheets" / name).at(4, 4).at(0));
    }
    CHECK(shown == std::set<int>{0, 255});
}

TEST_CASE("ImageViewer: pixels beyond [0, 1] are stretched, and what is not a number counts as 0") {
    const TempFolder run;
    auto viewer = make(run);
    viewer.run(images(test::floats({-2, 0, 2, std::nan("")}, {1, 1, 2, 2})), step(0));
    const Picture sheet = read_picture(run.path() / "images/sheets/training_000000.png");
    CHECK(sheet.at(4, 4) == kBlack);
    CHECK(sheet.at(4, 99) == std::vector<int>{128, 128, 128});
    CHECK(sheet.at(99, 4) == std::vector<int>{255, 255, 255});
    CHECK(sheet.at(99, 99) == std::vector<int>{128, 128, 128});
}

TEST_CASE("ImageViewer: what cannot be shown or written is said") {
    const TempFolder run;
    auto viewer = make(run);
    CHECK_THROWS_WITH_AS(viewer.run(images(torch::ones({1, 2, 4, 4})), step(0)),
                         "'images' must have 1 or 3 channels, these have 2", ptp::ConfigError);
    CHECK_THROWS_WITH_AS(make(run, "", {"labels"}, {{"labels", PTP_TENSOR_LIST}}),
                         "'labels': the stream 'labels' has lists of tensors, which would not be "
                         "readable below an image",
                         ptp::ConfigError);
    run.write("images", "in the way");
    CHECK_THROWS_WITH(
        viewer.run(images(torch::ones({1, 1, 4, 4})), step(0)),
        ("cannot write " + (run.path() / "images").string() + ": Not a directory").c_str());
}

}  // namespace image_viewer_test
