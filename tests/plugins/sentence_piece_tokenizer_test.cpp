// SentencePieceTokenizer: agrees with the Python package, by tests/golden/sentence_pieces.py.

#include "refusal.hpp"
#include "support.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace sentence_piece_tokenizer_test {

namespace {

using ptp::test::TempFolder;
using Strings = std::vector<std::string>;
using Lists = std::vector<Strings>;

// A unigram model of 72 pieces, and a BPE model that has bytes for what it does not know.
constexpr std::array kModels{"sentence_pieces", "byte_pieces"};

std::filesystem::path golden(const std::string& name) {
    return ptp::test::source_dir() / "tests/golden" / name;
}

std::filesystem::path model_file() {
    return golden("sentence_pieces.model");
}

// This program links libtorch, so that libsentencepiece would take the protobuf of that for its own
// and end the program; ptprun opens both with RTLD_LOCAL. Here the library is opened first, with
// its own symbols.
bool has_library() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    MESSAGE("skipped: sanitizers refuse RTLD_DEEPBIND; the test of whole runs has the component");
    return false;
#else
    REQUIRE(dlopen("libsentencepiece.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND) != nullptr);
    return true;
#endif
}

test::Component make(const std::filesystem::path& file, const std::string& settings = "") {
    return test::build("subwords", "SentencePieceTokenizer",
                       "model_file = \"" + file.string() + "\"\n" + settings);
}

test::Component build(const std::string& settings = "") {
    return make(model_file(), settings);
}

test::Slots transformed(test::Component& component, const test::Slots& inputs, size_t count) {
    return component.transform(inputs, std::vector<std::uint64_t>(count));
}

std::string refusal(const std::string& settings) {
    return test::refusal("/", [&] { build(settings); });
}

// A row of sentence_pieces.txt or byte_pieces.txt.
struct Golden {
    std::string sentence;
    Strings pieces;
    std::vector<int64_t> indices;
    std::string decoded;
};

std::vector<Golden> golden_rows(const std::string& model) {
    std::ifstream file(golden(model + ".txt"));
    std::vector<Golden> rows;
    for (std::string line; std::getline(file, line);) {
        std::istringstream cells(line);
        Golden row;
        std::string pieces;
        std::string indices;
        std::getline(cells, row.sentence, '\t');
        std::getline(cells, pieces, '\t');
        std::getline(cells, indices, '\t');
        std::getline(cells, row.decoded);
        std::istringstream words(pieces);
        for (std::string word; words >> word;) {
            row.pieces.push_back(word);
        }
        std::istringstream numbers(indices);
        for (int64_t index = 0; numbers >> index;) {
            row.indices.push_back(index);
        }
        rows.push_back(row);
    }
    REQUIRE(rows.size() == 9);
    return rows;
}

}  // namespace

TEST_CASE("SentencePieceTokenizer: sentences become the pieces and indices of the Python package") {
    if (!has_library()) {
        return;
    }
    for (const std::string model : kModels) {
        CAPTURE(model);
        const std::vector<Golden> rows = golden_rows(model);
        Strings sentences;
        Lists pieces;
        std::vector<int64_t> lengths;
        for (const Golden& row : rows) {
            sentences.push_back(row.sentence);
            pieces.push_back(row.pieces);
            lengths.push_back(static_cast<int64_t>(row.indices.size()));
        }
        at::Tensor indices = at::full({9, std::ranges::max(lengths)}, 3, at::kLong);  // padding
        for (size_t i = 0; i < rows.size(); ++i) {
            for (size_t j = 0; j < rows[i].indices.size(); ++j) {
                indices[static_cast<int64_t>(i)][static_cast<int64_t>(j)] = rows[i].indices[j];
            }
        }
        test::Component component = make(golden(model + ".model"), "output_indices = true");
        const test::Slots outputs = transformed(component, {{"inputs", sentences}}, rows.size());
        CHECK(outputs.at("outputs").tokens() == pieces);
        CHECK(torch::equal(outputs.at("piece_indices").tensor(), indices));
        CHECK(torch::equal(outputs.at("lengths").tensor(), test::integers(lengths)));
    }
}

TEST_CASE("SentencePieceTokenizer: pieces and indices become the sentences of the Python package") {
    if (!has_library()) {
        return;
    }
    for (const std::string model : kModels) {
        CAPTURE(model);
        const std::filesystem::path file = golden(model + ".model");
        test::Component from_pieces = make(file, "detokenize = true");
        test::Component from_indices = make(file, "detokenize = true\nfrom_indices = true");
        for (const Golden& row : golden_rows(model)) {
            CAPTURE(row.sentence);
            test::Slots outputs = transformed(
                from_indices, {{"inputs", test::integers(row.indices).unsqueeze(0)}}, 1);
            CHECK(outputs.at("outputs").strings() == Strings{row.decoded});
            if (row.decoded.find("\xE2\x81\x87") == std::string::npos) {  // else a piece is unknown
                outputs = transformed(from_pieces, {{"inputs", Lists{row.pieces}}}, 1);
                CHECK(outputs.at("outputs").strings() == Strings{row.decoded});
            }
        }
    }
}

TEST_CASE("SentencePieceTokenizer: sentences begin and end with pieces that leave nothing") {
    if (!has_library()) {
        return;
    }
    test::Component component =
        build("bos_token = true\neos_token = true\noutput_indices = true\npadding_index = 70");
    const test::Slots outputs = transformed(component, {{"inputs", Strings{"the cat", ""}}}, 2);
    CHECK(outputs.at("outputs").tokens() == Lists{{"<s>", "\xE2\x96\x81th", "e",
                                                   "\xE2\x96\x81"
                                                   "cat",
                                                   "</s>"},
                                                  {"<s>", "</s>"}});
    const at::Tensor indices = outputs.at("piece_indices").tensor();
    CHECK(torch::equal(indices, torch::tensor({{1, 6, 4, 14, 2}, {1, 2, 70, 70, 70}}, at::kLong)));
    CHECK(torch::equal(outputs.at("lengths").tensor(), test::integers({5, 2})));
    test::Component back = build("detokenize = true\nfrom_indices = true\npadding_index = 70");
    CHECK(transformed(back, {{"inputs", indices}}, 2).at("outputs").strings() ==
          Strings{"the cat", ""});
}

TEST_CASE("SentencePieceTokenizer: the vocabulary of the pieces is published") {
    if (!has_library()) {
        return;
    }
    const test::Component component = build("output_indices = true");
    CHECK(component.published().at("vocabulary_size") == ptp::Data(72));
    CHECK(component.published().at("pad_index") == ptp::Data(3));
    const ptp::Data& words = component.published().at("published_word_mappings");
    CHECK(words.as_table().size() == 72);
    CHECK(*words.find("<unk>") == ptp::Data(0));
    CHECK(*words.find("\xE2\x96\x81"
                      "cat") == ptp::Data(14));
}

TEST_CASE("SentencePieceTokenizer: an index that is not a piece's is refused with its place") {
    if (!has_library()) {
        return;
    }
    test::Component component = build("detokenize = true\nfrom_indices = true");
    for (const int64_t index : {int64_t{72}, int64_t{-1}}) {
        CHECK_THROWS_WITH_AS(
            transformed(component, {{"inputs", test::integers({4, 4, 4, index}).reshape({2, 2})}},
                        2),
            ("sample 1: the index " + std::to_string(index) +
             " at place 1 is not in [0, 72), the indices of the pieces")
                .c_str(),
            ptp::DataError);
    }
}

TEST_CASE("SentencePieceTokenizer: settings that do not go together are refused") {
    if (!has_library()) {
        return;
    }
    struct Case {
        const char* settings;
        const char* message;
    };
    const Case cases[] = {
        {"from_indices = true", "setting 'from_indices': needs detokenize = true"},
        {"detokenize = true\nbos_token = true",
         "setting 'bos_token': has no effect with detokenize = true"},
        {"detokenize = true\neos_token = true",
         "setting 'eos_token': has no effect with detokenize = true"},
        {"detokenize = true\noutput_indices = true",
         "setting 'output_indices': has no effect with detokenize = true"},
        {"padding_index = 3", "setting 'padding_index': needs output_indices or from_indices"}};
    for (const Case& c : cases) {
        CAPTURE(c.settings);
        CHECK(refusal(c.settings) == c.message);
    }
}

TEST_CASE("SentencePieceTokenizer: a file that is not a model is refused") {
    if (!has_library()) {
        return;
    }
    const TempFolder folder;
    const auto with = [&](const char* file) {
        return test::refusal(folder.path(), [&] { make(folder.path() / file); });
    };
    folder.write("text.model", "not a model\n");
    folder.write("empty.model", "");
    CHECK(with("text.model") == "text.model: is not a model of SentencePiece");
    CHECK(with("empty.model") == "empty.model: is not a model of SentencePiece");
    CHECK(with("none.model") == "none.model: cannot be opened: No such file or directory");
}

TEST_CASE("SentencePieceTokenizer: another model than that of the checkpoint is refused") {
    if (!has_library()) {
        return;
    }
    test::Component component = build();
    const ptp::Data state = component.export_state();
    component.import_state(1, state);
    CHECK_THROWS_WITH_AS(
        component.import_state(1, ptp::Data::Table{{"pieces", 80}, {"digest", 1}}),
        ("model_file " + model_file().string() +
         " is not the model of the checkpoint, which has 80 pieces; this one has 72")
            .c_str(),
        ptp::DataError);
}

}  // namespace sentence_piece_tokenizer_test
