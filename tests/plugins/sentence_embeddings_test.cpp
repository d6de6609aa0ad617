// The vectors that SentenceEmbeddings begins with; the rest is in tests/cases.

#include "refusal.hpp"
#include "support.hpp"
#include "support/temp_folder.hpp"

#include <ATen/ATen.h>
#include <zlib.h>

#include <string>
#include <vector>

namespace sentence_embeddings_test {

namespace {

using ptp::test::TempFolder;

// The vocabulary is cat, dog, fish and then "<PAD>".
test::Component build(const TempFolder& folder, const std::string& settings) {
    test::Wiring wiring;
    wiring.globals = {{"word_mappings", ptp::Data::Table{{"cat", 0}, {"dog", 1}, {"fish", 2}}}};
    return test::build("language_models", "SentenceEmbeddings",
                       "data_folder = \"" + folder.path().string() + "\"\n" + settings, wiring);
}

at::Tensor weight(test::Component& component) {
    return component.parameters().at("embeddings.weight").detach();
}

std::string refusal(const TempFolder& folder, const std::string& settings) {
    return test::refusal(folder.path(), [&] { build(folder, settings); });
}

constexpr const char* kFromFile = "embeddings_size = 2\npretrained_embeddings_file = \"glove.txt\"";

void check_rows(const at::Tensor& rows) {
    CHECK(torch::equal(rows[0], test::floats({1, 2}, {2})));
    CHECK(torch::equal(rows[2], test::floats({5, 6}, {2})));
    CHECK(torch::equal(rows[3], at::zeros({2})));
    CHECK(rows[1].abs().sum().item<double>() > 0);
}

}  // namespace

TEST_CASE("SentenceEmbeddings: words begin with the vectors of a file, the first word too") {
    const TempFolder folder;
    folder.write("glove.txt", "cat 1 2\nbird 3 4\nfish 5 6\nbird 7 8\n<PAD> 9 9\ncat 0 0\n");
    torch::manual_seed(3);
    test::Component component = build(folder, kFromFile);
    check_rows(weight(component));
    CHECK(component.log_lines() ==
          std::vector<std::string>{"2 of 3 words are in " + (folder.path() / "glove.txt").string() +
                                   " (6 words, vectors of size 2); not there, with random vectors: "
                                   "1; duplicates, not used: 1"});
    torch::manual_seed(3);
    test::Component again = build(folder, kFromFile);
    CHECK(torch::equal(weight(component), weight(again)));
    torch::manual_seed(4);
    test::Component other = build(folder, kFromFile);
    CHECK_FALSE(torch::equal(weight(component)[1], weight(other)[1]));
}

TEST_CASE("SentenceEmbeddings: fastText's files are read too, gzipped or not") {
    const TempFolder folder;
    constexpr const char* kText = "2 2\nfish 5 6 \ncat 1 2 \n";
    folder.write("glove.txt", kText);
    test::Component plain = build(folder, kFromFile);
    check_rows(weight(plain));
    CHECK(plain.log_lines() ==
          std::vector<std::string>{"2 of 3 words are in " + (folder.path() / "glove.txt").string() +
                                   " (2 words, vectors of size 2); not there, with random vectors: "
                                   "1; duplicates, not used: 0"});
    const gzFile file = gzopen((folder.path() / "glove.txt").c_str(), "wb");
    gzputs(file, kText);
    gzclose(file);
    test::Component zipped = build(folder, kFromFile);
    check_rows(weight(zipped));
}

TEST_CASE("SentenceEmbeddings: a file that lacks most words is warned of, with a few of them") {
    const TempFolder folder;
    folder.write("glove.txt", "fish 5 6\n");
    test::Component component = build(folder, kFromFile);
    CHECK(component.log_lines() ==
          std::vector<std::string>{"1 of 3 words are in " + (folder.path() / "glove.txt").string() +
                                   " (1 words, vectors of size 2); not there, with random vectors: "
                                   "2; duplicates, not used: 0\n    2 words are missing, such as "
                                   "'cat', 'dog': is the file of another language, or a part of "
                                   "one?"});
}

TEST_CASE("SentenceEmbeddings: missing words with capitals are those of a task's vocabulary") {
    const TempFolder folder;
    folder.write("glove.txt", "cat 5 6\n");
    test::Wiring wiring;
    wiring.globals = {{"word_mappings", ptp::Data::Table{{"Cat", 0}, {"Dog", 1}, {"Fish", 2}}}};
    test::Component component =
        test::build("language_models", "SentenceEmbeddings",
                    "data_folder = \"" + folder.path().string() + "\"\n" + kFromFile, wiring);
    const std::string lines = component.log_lines().at(0);
    CHECK(lines.substr(lines.find("\n")) ==
          "\n    3 words are missing, such as 'Cat', 'Dog', 'Fish'; in lower case, 1 of them is "
          "there\n    fix: let the SentenceTokenizer before make the vocabulary, vocabulary = "
          "true, with preprocessing = \"lowercase\" and split_at = \"word_boundaries\" where it "
          "lacks them, and take its published_word_mappings as word_mappings here");
    // A word with capitals that the file lacks in lower case, too, such as <UNK>, is no sign of it.
    folder.write("glove.txt", "bird 5 6\n");
    test::Component other =
        test::build("language_models", "SentenceEmbeddings",
                    "data_folder = \"" + folder.path().string() + "\"\n" + kFromFile, wiring);
    CHECK(other.log_lines().at(0).ends_with(
        "\n    3 words are missing, such as 'Cat', 'Dog', 'Fish': is the file of another "
        "language, or a part of one?"));
    // All count, also those that the vocabulary has in lower case, too.
    folder.write("glove.txt", "cat 5 6\ndog 1 2\ncat 5 6\n");
    wiring.globals = {{"word_mappings",
                       ptp::Data::Table{{"Cat", 0}, {"CAT", 1}, {"Dog", 2}, {"cat", 3}, {"I", 4}}}};
    const std::string both =
        test::build("language_models", "SentenceEmbeddings",
                    "data_folder = \"" + folder.path().string() + "\"\n" + kFromFile, wiring)
            .log_lines()
            .at(0);
    CHECK(both.find("\n    4 words are missing, such as 'Cat', 'CAT', 'Dog'; in lower case, 3 of "
                    "them are there\n    fix: ") != std::string::npos);
}

TEST_CASE("SentenceEmbeddings: random vectors have the deviation 1, beside a file's 0.6") {
    const TempFolder folder;
    folder.write(
        "glove.txt", "bird" + [] {
            std::string values;
            for (int i = 0; i < 20000; ++i) {
                values += " 1";
            }
            return values;
        }());
    test::Component alone = build(folder, "embeddings_size = 20000");
    CHECK(weight(alone).slice(0, 0, 3).std().item<double>() == doctest::Approx(1).epsilon(0.02));
    test::Component beside =
        build(folder, "embeddings_size = 20000\npretrained_embeddings_file = \"glove.txt\"");
    CHECK(weight(beside).slice(0, 0, 3).std().item<double>() == doctest::Approx(0.6).epsilon(0.02));
}

TEST_CASE("SentenceEmbeddings: a file that is not there, not right or of another size is refused") {
    const TempFolder folder;
    CHECK(refusal(folder, kFromFile) == "glove.txt: no such file");
    folder.write("glove.txt", "cat 1 2 3\n");
    CHECK(refusal(folder, kFromFile) ==
          "setting 'embeddings_size': is 2, the vectors of glove.txt have 3 values\n"
          "fix: set embeddings_size = 3");
    folder.write("glove.txt", "cat 1\n");
    CHECK(refusal(folder, kFromFile) ==
          "setting 'embeddings_size': is 2, the vectors of glove.txt have 1 value\n"
          "fix: set embeddings_size = 1");
    folder.write("glove.txt", "cat 1 2\ndog 1 x\n");
    CHECK(refusal(folder, kFromFile) == "glove.txt:2: value 2 is 'x', must be a finite number");
}

TEST_CASE("SentenceEmbeddings: another vocabulary than that of the checkpoint is refused") {
    const TempFolder folder;
    test::Component before = build(folder, "embeddings_size = 2");
    test::Component after =
        build(folder, "embeddings_size = 2\nadditional_tokens = [\"bird\", \"<PAD>\"]");
    CHECK_THROWS_WITH_AS(after.import_state(1, before.export_state()),
                         "the vocabulary had the size 4 and has the size 5; the first difference "
                         "is at index 3: '<PAD>' before, 'bird' now",
                         ptp::DataError);
}

}  // namespace sentence_embeddings_test
