#include "image_files.hpp"
#include "pictures.hpp"
#include "refusal.hpp"
#include "support.hpp"
#include "support/temp_folder.hpp"

namespace simple_molecules_test {

namespace {

namespace fs = std::filesystem;
using ptp::test::TempFolder;

constexpr const char* kObtain =
    "the files of ChemDATA A are not published; ask the authors of PyTorchPipe, "
    "https://github.com/IBM/pytorchpipe, and set data_folder to where they are";

void write_drawing(const fs::path& file, uint8_t value, uint32_t side) {
    test::write_png(file, {side, side, test::Bytes(size_t{side} * side, value), {}});
}

test::Component build(const fs::path& folder, const std::string& more,
                      const std::string& section = "training") {
    return test::build("vision_tasks", "SimpleMolecules",
                       "data_folder = \"" + folder.string() + "\"\n" + more, {.section = section});
}

std::string refusal(const fs::path& folder, const std::string& more,
                    const std::string& section = "training") {
    return test::refusal(folder, [&] { build(folder, more, section); });
}

}  // namespace

TEST_CASE("SimpleMolecules: a table says the class of each drawing") {
    const TempFolder folder;
    folder.write("ChemDATA_A_Dist_Labels_Set0.tsv", "3\tmol_b\r\n0\tmol_a\n\n9\tmol_b\n");
    write_drawing(folder.path() / "ChemDATA_A_Dist/mol_a.png", 51, 20);
    write_drawing(folder.path() / "ChemDATA_A_Dist/mol_b.png", 102, 30);
    auto task = build(folder.path(), "resize_image = [8, 12]");
    REQUIRE(task.size() == 3);
    const test::Slots batch = task.fetch({0, 1, 2});
    CHECK(torch::equal(batch.at("targets").tensor(), test::integers({3, 0, 9})));
    CHECK(batch.at("labels").strings() == std::vector<std::string>{"Three", "Zero", "Nine"});
    const at::Tensor images = batch.at("images").tensor();
    REQUIRE(images.sizes() == at::IntArrayRef({3, 1, 8, 12}));
    CHECK(torch::allclose(images[0], torch::full({1, 8, 12}, 0.4)));
    CHECK(torch::allclose(images[1], torch::full({1, 8, 12}, 0.2)));
    CHECK(task.published().at("num_classes") == ptp::Data(10));
    CHECK(task.published().at("image_depth") == ptp::Data(1));
    CHECK(build(folder.path(), "resize_image = [8, 12]\nimage_depth = 3")
              .fetch({1})
              .at("images")
              .tensor()
              .sizes() == at::IntArrayRef({1, 3, 8, 12}));
}

TEST_CASE("SimpleMolecules: the section decides the split unless it is given") {
    const TempFolder folder;
    struct Case {
        const char* split;
        const char* table;
        const char* images;
    };
    const Case cases[] = {
        {"training", "ChemDATA_A_Dist_Labels_Set0.tsv", "ChemDATA_A_Dist"},
        {"validation", "ChemDATA_A_Dist_Labels_Set1.tsv", "ChemDATA_A_Dist"},
        {"test", "ChemDATA_A_Dist_Labels_Set2.tsv", "ChemDATA_A_Dist"},
        {"test_mirror_blur", "ChemDATA_A_Test1_Labels.tsv", "ChemDATA_A_Test1"},
        {"test_on_grid", "ChemDATA_A_Test2_Labels.tsv", "ChemDATA_A_Test2"},
        {"test_handwritten", "ChemDATA_A_Test3_Labels.tsv", "ChemDATA_A_Test3"},
    };
    int64_t label = 0;
    for (const Case& c : cases) {
        folder.write(c.table, std::to_string(label) + "\tx" + std::to_string(label) + "\n");
        const std::string image = "x" + std::to_string(label++) + ".png";
        write_drawing(folder.path() / c.images / image, 1, 4);
    }
    for (int64_t i = 0; i < 6; ++i) {
        const std::string split = cases[i].split;
        CAPTURE(split);
        const auto target = [&](test::Component task) {
            return task.fetch({0}).at("targets").tensor()[0].item<int64_t>();
        };
        CHECK(target(build(folder.path(), "resize_image = [4, 4]", split)) == i);
        CHECK(target(build(folder.path(), "resize_image = [4, 4]\nsplit = \"" + split + "\"")) ==
              i);
    }
    CHECK(refusal(folder.path(), "", "processing") ==
          "split: the section 'processing' is not one of training, validation, test, "
          "test_mirror_blur, test_on_grid and test_handwritten; set which images to use");
}

TEST_CASE("SimpleMolecules: without resize_image drawings have 875 x 875 pixels") {
    const TempFolder folder;
    folder.write("ChemDATA_A_Dist_Labels_Set0.tsv", "1\ta\n2\tb\n");
    write_drawing(folder.path() / "ChemDATA_A_Dist/a.png", 255, 875);
    write_drawing(folder.path() / "ChemDATA_A_Dist/b.png", 255, 874);
    CHECK(refusal(folder.path(), "") ==
          "ChemDATA_A_Dist/b.png: has 874 x 874 pixels, expected 875 x 875\n"
          "the images of ChemDATA_A_Dist_Labels_Set0.tsv must be there as PNG files, or "
          "resize_image must set their size");
    write_drawing(folder.path() / "ChemDATA_A_Dist/b.png", 255, 875);
    auto task = build(folder.path(), "");
    CHECK(task.published().at("image_height") == ptp::Data(875));
    CHECK(task.fetch({1}).at("images").tensor().sizes() == at::IntArrayRef({1, 1, 875, 875}));
}

TEST_CASE("SimpleMolecules: what is missing or wrong is named") {
    const TempFolder folder;
    CHECK(refusal(folder.path(), "") ==
          std::string("ChemDATA_A_Dist_Labels_Set0.tsv: no such file; ") + kObtain);
    folder.write("ChemDATA_A_Dist_Labels_Set0.tsv", "\n");
    CHECK(refusal(folder.path(), "") ==
          "ChemDATA_A_Dist_Labels_Set0.tsv: is empty, expected a line for each image");
    folder.write("ChemDATA_A_Dist_Labels_Set0.tsv",
                 "1\tok\nlabel\timage\n10\tx\n-1\tx\n1 x\n1\tx\ty\n2\t\n2\t../x\n2\t.x\n2x\ty\n");
    CHECK(refusal(folder.path(), "") ==
          "ChemDATA_A_Dist_Labels_Set0.tsv:2: the label is 'label', expected 0 to 9\n"
          "ChemDATA_A_Dist_Labels_Set0.tsv:3: the label is '10', expected 0 to 9\n"
          "ChemDATA_A_Dist_Labels_Set0.tsv:4: the label is '-1', expected 0 to 9\n"
          "ChemDATA_A_Dist_Labels_Set0.tsv:5: expected a label and the name of an image, with one "
          "tab between\n"
          "ChemDATA_A_Dist_Labels_Set0.tsv:6: expected a label and the name of an image, with one "
          "tab between\n"
          "ChemDATA_A_Dist_Labels_Set0.tsv:7: '' is not the name of an image\n"
          "ChemDATA_A_Dist_Labels_Set0.tsv:8: '../x' is not the name of an image\n"
          "ChemDATA_A_Dist_Labels_Set0.tsv:9: '.x' is not the name of an image\n"
          "ChemDATA_A_Dist_Labels_Set0.tsv:10: the label is '2x', expected 0 to 9");
    folder.write("ChemDATA_A_Dist_Labels_Set0.tsv", "1\ta\n2\tb\n");
    CHECK(refusal(folder.path(), "resize_image = [4, 4]") ==
          "ChemDATA_A_Dist/a.png: cannot be opened: No such file or directory\n"
          "ChemDATA_A_Dist/b.png: cannot be opened: No such file or directory\n"
          "the images of ChemDATA_A_Dist_Labels_Set0.tsv must be there as PNG files");
    CHECK(refusal(folder.path(), "image_depth = 2") == "image_depth = 2: must be 1 or 3");
}

TEST_CASE("SimpleMolecules: a table of nonsense is not repeated whole") {
    const TempFolder folder;
    std::string text;
    for (int i = 0; i < 15; ++i) {
        text += "x\n";
    }
    folder.write("ChemDATA_A_Dist_Labels_Set0.tsv", text);
    CHECK(refusal(folder.path(), "").ends_with("with one tab between\nand 5 lines more"));
}

}  // namespace simple_molecules_test
