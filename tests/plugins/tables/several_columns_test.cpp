// Table: several columns of texts, images and lists of numbers, each a stream of its column's name.

#include "plugins/pictures.hpp"
#include "plugins/refusal.hpp"
#include "plugins/support.hpp"
#include "support/temp_folder.hpp"

#include <filesystem>
#include <numeric>

namespace several_columns_test {

namespace {

using ptp::test::TempFolder;
using test::Slots;
using Words = std::vector<std::string>;

constexpr const char* kPairs =
    "left,right,question,hint,place,spectrum\n"
    "a.png,b.png,which,look up,1 2,1;2;3\n"
    "b.png,a.png,why,\"no, wait\",\"[3, 4.5]\",4;5;6\n";

test::Component build(const std::filesystem::path& file, const std::string& settings) {
    return test::build("tables", "Table", "file = \"" + file.string() + "\"\n" + settings,
                       {.section = "training"});
}

Slots all_of(test::Component& task) {
    std::vector<int64_t> all(static_cast<size_t>(task.size()));
    std::iota(all.begin(), all.end(), 0);
    return task.fetch(all);
}

// Two gray images of one pixel, 51 and 255.
std::filesystem::path pairs_in(const TempFolder& folder) {
    test::write_png(folder.path() / "a.png", {.width = 1, .height = 1, .rows = {51}});
    test::write_png(folder.path() / "b.png", {.width = 1, .height = 1, .rows = {255}});
    return folder.write("pairs.csv", kPairs);
}

std::string refusal_of(const TempFolder& folder, const std::filesystem::path& file,
                       const std::string& settings) {
    return test::refusal(folder.path(), [&] { build(file, settings); });
}

}  // namespace

TEST_CASE("Table: further texts, images and lists are streams with the names of their columns") {
    const TempFolder folder;
    auto task = build(pairs_in(folder),
                      "text = \"question\"\nmore_texts = \"hint\"\nimage = \"left\"\n"
                      "more_images = [\"right\"]\nimage_depth = 1\nresize_image = [1, 1]\n"
                      "lists = [\"place\", \"spectrum\"]\nlist_sizes = [2, 3]\n");
    const Slots batch = all_of(task);
    CHECK(batch.at("texts").strings() == Words{"which", "why"});
    CHECK(batch.at("hint").strings() == Words{"look up", "no, wait"});
    CHECK(torch::equal(batch.at("images").tensor(), test::floats({0.2F, 1}, {2, 1, 1, 1})));
    CHECK(torch::equal(batch.at("right").tensor(), test::floats({1, 0.2F}, {2, 1, 1, 1})));
    CHECK(torch::equal(batch.at("place").tensor(), test::floats({1, 2, 3, 4.5}, {2, 2})));
    CHECK(torch::equal(batch.at("spectrum").tensor(), test::floats({1, 2, 3, 4, 5, 6}, {2, 3})));
}

TEST_CASE("Table: the columns may all be streams of their names, and their words one vocabulary") {
    const TempFolder folder;
    auto task = test::build(
        "tables", "Table",
        "file = \"" + pairs_in(folder).string() +
            "\"\nmore_texts = [\"hint\", \"question\"]\nvocabulary = true\n"
            "more_images = [\"right\", \"left\"]\nimage_depth = 1\nresize_image = [1, 1]\n",
        {.section = "training"});
    const Slots batch = all_of(task);
    CHECK(batch.at("question").strings() == Words{"which", "why"});
    CHECK(torch::equal(batch.at("left").tensor(), test::floats({0.2F, 1}, {2, 1, 1, 1})));
    CHECK(task.published().at("word_mappings") ==
          ptp::Data(ptp::Data::Table{
              {"look", 0}, {"up", 1}, {"no,", 2}, {"wait", 3}, {"which", 4}, {"why", 5}}));
}

TEST_CASE("Table: images of 16 bits keep them, as they are and resized") {
    const TempFolder folder;
    test::write_png(folder.path() / "a.png",
                    {.width = 2, .height = 1, .rows = {0x00, 0x01, 0x80, 0x03}}, {.bit_depth = 16});
    const auto file = folder.write("t.csv", "a\na.png\n");
    auto whole = build(file, "image = \"a\"\nimage_depth = 1\nresize_image = [1, 2]\n");
    CHECK(torch::equal(all_of(whole).at("images").tensor(),
                       test::floats({1 / 65535.0, 32771 / 65535.0}, {1, 1, 1, 2})));
    // The mean of both, normalized.
    auto small = build(file,
                       "image = \"a\"\nimage_depth = 1\nresize_image = [1, 1]\n"
                       "normalize = { mean = 0.25, std = 0.5 }\n");
    CHECK(torch::allclose(all_of(small).at("images").tensor(),
                          test::floats({2 * (16386 / 65535.0 - 0.25)}, {1, 1, 1, 1}), 0, 1e-7));
}

TEST_CASE("Table: a mask of 16 bits has classes above 255") {
    const TempFolder folder;
    test::write_png(folder.path() / "a.png", {.width = 2, .height = 1, .rows = {10, 20}});
    test::write_png(folder.path() / "m.png",
                    {.width = 2, .height = 1, .rows = {0x01, 0x2C, 0x00, 0x07}}, {.bit_depth = 16});
    test::write_png(folder.path() / "n.png", {.width = 2, .height = 1, .rows = {255, 3}});
    auto task = build(folder.write("t.csv", "a,m\na.png,m.png\na.png,n.png\n"),
                      "image = \"a\"\nmask = \"m\"\nimage_depth = 1\nresize_image = [1, 2]\n");
    CHECK(torch::equal(all_of(task).at("masks").tensor().flatten(),
                       test::integers({300, 7, 255, 3})));
}

TEST_CASE("Table: JSON lines have lists as arrays") {
    const TempFolder folder;
    auto task = build(folder.write("t.jsonl", "{\"v\": [1, 2.5, -3]}\n{\"v\": [4, 5, 6]}\n"),
                      "lists = \"v\"\nlist_sizes = 3\n");
    CHECK(torch::equal(all_of(task).at("v").tensor(), test::floats({1, 2.5, -3, 4, 5, 6}, {2, 3})));
}

TEST_CASE("Table: a wrong list, and a missing one, are named with their line and column") {
    const TempFolder folder;
    const auto file = folder.write("t.csv", "a,b\n1 2,1\n1,1\n,1\n1 x,1\n");
    CHECK(refusal_of(folder, file, "lists = \"a\"\nlist_sizes = 2") ==
          "t.csv:3: column 'a' = '1': has 1 number, not the 2 of list_sizes\n"
          "t.csv:4: column 'a' = '': has no value\n"
          "t.csv:5: column 'a' = '1 x': is not a list of numbers\n"
          "fix: write lists of one length, and set it in list_sizes");
    auto task = build(folder.write("u.csv", "a,b\n1 2,1\n,1\n"),
                      "lists = \"a\"\nlist_sizes = 2\nmissing = \"drop\"");
    CHECK(task.size() == 1);
}

TEST_CASE("Table: a column of lists, texts or images that the table lacks is refused") {
    const TempFolder folder;
    const auto file = pairs_in(folder);
    CHECK(refusal_of(folder, file, "lists = \"spectrums\"\nlist_sizes = 2") ==
          "setting 'lists': 'spectrums' is not a column of pairs.csv, which has 'left', 'right', "
          "'question', 'hint', 'place', 'spectrum'\nfix: write 'spectrum'");
    CHECK(refusal_of(folder, file, "more_images = \"right\"") ==
          "setting 'more_images': needs the size of the images\n"
          "fix: set resize_image = [64, 64], height and width");
    CHECK(refusal_of(folder, file, "features = [\"place\"]\nlists = \"place\"\nlist_sizes = 2") ==
          "setting 'features': 'place' is also named by `lists`\n"
          "fix: remove it from one of them");
}

TEST_CASE("Table: an image in rows of several parts is warned of") {
    const TempFolder folder;
    pairs_in(folder);
    const auto file = folder.write("t.csv",
                                   "photo,answer,part\na.png,x,training\nb.png,y,training\n"
                                   "a.png,y,test\nb.png,x,test\n");
    const auto said = [&](const std::string& split) {
        return build(file,
                     "image = \"photo\"\nimage_depth = 1\nresize_image = [1, 1]\nlabel = "
                     "\"answer\"\nclasses = [\"x\", \"y\"]\nsplit = { " +
                         split + " }\n")
            .log_lines();
    };
    const std::string end = ": what is measured there says little about new images\nfix: ";
    CHECK(said("column = \"part\"").front() ==
          "t.csv: 2 images are in rows of several parts, as 'a.png' in line 2, training, and in "
          "line 4, test" +
              end + "write one part for all rows of an image");
    CHECK(said("shares = [0.25, 0.75]").front() ==
          "t.csv: 1 image is in rows of several parts, as 'a.png' in line 2, validation, and in "
          "line 4, training" +
              end + "add group = \"photo\" to split in the task of each section");
    CHECK(said("shares = [0.5, 0.5], group = \"answer\"").front() ==
          "t.csv: 2 images are in rows of several parts, as 'a.png' in line 2, training, and in "
          "line 4, validation" +
              end +
              "name the part of each row in a column, one for all rows of an image, and set split "
              "= { column = \"NAME\" } in the task of each section");
    CHECK(said("shares = [0.5, 0.5], group = \"photo\"").front().starts_with("2 of 4 rows of "));
}

TEST_CASE("Table: a group of the task in rows of several parts is warned of") {
    const TempFolder folder;
    const auto file = folder.write(
        "t.csv", "a,patient,part\n1,p,training\n2,q,training\n3,p,test\n4,q,training\n");
    const auto said = [&](const std::string& split) {
        return build(file, "features = \"a\"\ngroup = \"patient\"\nsplit = { " + split + " }\n")
            .log_lines()
            .front();
    };
    const std::string end = ": what is measured there says little about new groups\nfix: ";
    CHECK(said("column = \"part\"") ==
          "t.csv: 1 group is in rows of several parts, as 'p' in line 2, training, and in line 4, "
          "test" +
              end + "write one part for all rows of a group");
    CHECK(said("shares = [0.25, 0.75]")
              .ends_with(end + "add group = \"patient\" to split in the task of each section"));
    CHECK(said("shares = [0.5, 0.5], group = \"patient\"").find("several parts") ==
          std::string::npos);
}

TEST_CASE("Table: images of two columns are kept together by a group only where it can do so") {
    const TempFolder folder;
    pairs_in(folder);
    const auto said = [&](const std::string& rows, const std::string& split) {
        return build(folder.write("t.csv", "left,right,part\n" + rows),
                     "more_images = [\"left\", \"right\"]\nimage_depth = 1\nresize_image = [1, 1]\n"
                     "split = { " +
                         split + " }\n")
            .log_lines()
            .front();
    };
    const std::string begin = "t.csv: 2 images are in rows of several parts, as ";
    const std::string end = ": what is measured there says little about new images\nfix: ";
    const std::string own =
        "name the part of each row in a column, one for all rows of an image, and set split = { "
        "column = \"NAME\" } in the task of each section";
    const std::string others = "; a row with images of two parts gets another name, as \"none\"";
    // Each row has an image in the column in which the other has the other.
    const std::string crossed = "a.png,b.png,training\nb.png,a.png,validation\n";
    const std::string first = "'a.png' in line 2, ";
    CHECK(said(crossed, "shares = [0.5, 0.5]") ==
          begin + first + "training, and in line 3, validation" + end + own + others);
    CHECK(said(crossed, "shares = [0.5, 0.5], group = \"left\"") ==
          begin + first + "training, and in line 3, validation" + end + own + others);
    CHECK(said(crossed, "column = \"part\"") ==
          begin + first + "training, and in line 3, validation" + end +
              "write one part for all rows of an image" + others);
    // The left image decides which is the right one.
    const std::string paired = "a.png,b.png,training\na.png,b.png,none\n";
    CHECK(said(paired, "shares = [0.5, 0.5]") ==
          begin + first + "training, and in line 3, validation" + end +
              "add group = \"left\" to split in the task of each section");
    CHECK(said(paired, "column = \"part\"").starts_with("1 of 2 rows of "));
}

}  // namespace several_columns_test
