#include "support.hpp"

#include "image_data.hpp"
#include "plugins/image_files.hpp"
#include "plugins/pictures.hpp"
#include "plugins/vqa_med_files.hpp"
#include "support/paths.hpp"
#include "support/temp_folder.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

namespace ptp::test {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> options(const fs::path& folder, std::vector<std::string> more = {}) {
    more.push_back("vars.data_folder=\"" + folder.string() + "\"");
    std::vector<std::string> arguments;
    for (std::string& setting : more) {
        arguments.emplace_back("--set");
        arguments.push_back(std::move(setting));
    }
    return arguments;
}

// A range of the training images for each of training and validation; all ten classes are in both.
std::vector<std::string> split_of_20() {
    return {"vars.training_images=[0, 10]", "vars.validation_images=[10, 20]"};
}

std::vector<std::string> write_mnist(const fs::path& folder, bool is_split) {
    ::test::write_training_set(folder, 21);
    ::test::write_file(folder / "t10k-images-idx3-ubyte", ::test::images(3));
    ::test::write_file(folder / "t10k-labels-idx1-ubyte", ::test::idx({3}, {9, 0, 5}));
    return options(folder, is_split ? split_of_20() : std::vector<std::string>{});
}

std::vector<std::string> write_cifar10(const fs::path& folder) {
    for (const char* number : {"1", "2", "3", "4", "5"}) {
        write_cifar(folder / (std::string("data_batch_") + number + ".bin"), 1, 4);
    }
    write_cifar(folder / "test_batch.bin", 1, 3);
    return options(folder, split_of_20());
}

std::vector<std::string> write_cifar100(const fs::path& folder) {
    write_cifar(folder / "train.bin", 2, 20);
    write_cifar(folder / "test.bin", 2, 3);
    return options(folder, split_of_20());
}

std::vector<std::string> write_molecules(const fs::path& folder, bool is_vgg) {
    for (const char* number : {"0", "1", "2"}) {
        std::ofstream table(folder / ("ChemDATA_A_Dist_Labels_Set" + std::string(number) + ".tsv"));
        for (int i = 0; i < 3; ++i) {
            const std::string name = "m" + std::string(number) + std::to_string(i);
            table << i << '\t' << name << '\n';
            write_picture(folder / "ChemDATA_A_Dist" / (name + ".png"),
                          static_cast<uint8_t>(80 * i));
        }
    }
    std::vector<std::string> more{"vars.batch_size=2"};
    if (is_vgg) {  // whose checkpoints would have gigabytes
        more.insert(more.end(),
                    {"pipeline.image_encoder.model_type=\"resnet18\"", "vars.size=[64, 64]"});
    }
    return options(folder, more);
}

std::vector<std::string> write_image_folder(const fs::path& folder) {
    for (const char* section : {"training", "validation", "test"}) {
        for (int i = 0; i < 3; ++i) {
            const fs::path root = folder / section;
            write_picture(root / "black" / (std::to_string(i) + ".png"), static_cast<uint8_t>(i));
            write_picture(root / "white" / (std::to_string(i) + ".png"),
                          static_cast<uint8_t>(250 + i));
        }
    }
    return options(folder, {"vars.batch_size=4"});
}

// Shards for the three sections: two for the training.
std::vector<std::string> write_shards(const fs::path& folder) {
    const fs::path shards = source_dir() / "plugins/vision_tasks/check/shards";
    fs::create_directories(folder);
    for (const char* name : {"train-0.tar", "validation-0.tar", "test-0.tar"}) {
        fs::copy_file(shards / "part-0.tar", folder / name);
    }
    fs::copy_file(shards / "part-1.tar", folder / "train-1.tar");
    return options(folder, {"vars.batch_size=4", "vars.num_classes=2"});
}

// Twelve lines of the same words in each of the three files.
std::vector<std::string> write_wikitext(const fs::path& folder, const char* size) {
    fs::create_directories(folder / "wikitext-2");
    for (const char* subset : {"train", "valid", "test"}) {
        std::ofstream text(folder / "wikitext-2" / ("wiki." + std::string(subset) + ".tokens"));
        for (int i = 0; i < 12; ++i) {
            text << " = The <unk> of the house = \n\n the cat is in the house . \n";
        }
    }
    return options(folder, {"vars.batch_size=4", "vars.sentence_length=5", size});
}

// Files of vectors, of a few words.
void write_word_vectors(const fs::path& folder) {
    struct File {
        const char* name;
        int size;
        const char* first_line;
    };
    constexpr std::array<File, 3> kFiles{{{"glove.6B.50d.txt", 50, ""},
                                          {"glove.6B.100d.txt", 100, ""},
                                          {"mimic.fastText.no_clean.300d.vec", 300, "3 300\n"}}};
    for (const File& file : kFiles) {
        std::ofstream lines(folder / file.name);
        lines << file.first_line;
        for (const char* word : {"what", "is", "image"}) {
            lines << word;
            for (int i = 0; i < file.size; ++i) {
                lines << " 0." << i % 9 + 1;
            }
            lines << '\n';
        }
    }
}

// Two questions about each of two images, for training and validation.
std::vector<std::string> write_clevr(const std::string& experiment, const fs::path& folder) {
    for (const std::string part : {"train", "val"}) {
        fs::create_directories(folder / "questions");
        std::ofstream questions(folder / "questions" / ("CLEVR_" + part + "_questions.json"));
        questions << R"({"questions": [
{"image_filename": "a.png", "question": "Are there big things?", "answer": "yes", "question_family_index": 2},
{"image_filename": "a.png", "question": "What size is it?", "answer": "small", "question_family_index": 89},
{"image_filename": "b.png", "question": "How many cubes?", "answer": "10", "question_family_index": 72},
{"image_filename": "b.png", "question": "Is it red?", "answer": "no", "question_family_index": 2}]})";
        for (const char* name : {"a.png", "b.png"}) {
            ::test::write_png(folder / "images" / part / name,
                              {480, 320, ::test::Bytes(std::size_t{480} * 320, 51), {}});
        }
    }
    write_word_vectors(folder);
    std::vector<std::string> more{"vars.batch_size=2"};
    if (experiment == "clevr/image_convnet.toml") {
        more.emplace_back("vars.hidden_size=8");
    } else if (experiment == "clevr/vgg16_lstm.toml") {
        more.insert(more.end(), {"vars.image_model=\"resnet18\"", "vars.image_size=[64, 64]"});
    }
    return options(folder, more);
}

// Eight paragraphs in two languages for each of training and test.
std::vector<std::string> write_wily(const std::string& experiment, const fs::path& folder) {
    for (const std::string part : {"train", "test"}) {
        std::ofstream texts(folder / ("x_" + part + ".txt"));
        std::ofstream languages(folder / ("y_" + part + ".txt"));
        for (int i = 0; i < 4; ++i) {
            texts << "the cat is in the house\nle chat est dans la maison\n";
            languages << "eng\nfra\n";
        }
    }
    std::vector<std::string> more{"vars.batch_size=4"};
    if (experiment.ends_with("wily_bag_of_words.toml")) {
        more.insert(more.end(),
                    {"vars.training_paragraphs=[0, 6]", "vars.validation_paragraphs=[6, 8]"});
    }
    return options(folder, more);
}

// Six sentences in each of two languages for each of training and test.
std::vector<std::string> write_sentences(const fs::path& folder) {
    for (const char* part : {"training", "test"}) {
        for (const auto& [language, line] : {std::pair{"english", "the cat is in the house"},
                                             std::pair{"french", "le chat est là"}}) {
            fs::create_directories(folder / part / language);
            std::ofstream lines(folder / part / language / "lines.txt");
            for (int i = 0; i < 6; ++i) {
                lines << line << '\n';
            }
        }
    }
    return options(folder, {"vars.batch_size=4"});
}

// Eighty short pairs of sentences, of a few words each.
std::vector<std::string> write_translation_pairs(const fs::path& folder) {
    std::ofstream text(folder / "fra.txt");
    const std::array<std::pair<const char*, const char*>, 4> pairs{{{"I see.", "Je vois."},
                                                                    {"Come in!", "Entrez !"},
                                                                    {"We see him.", "On le voit."},
                                                                    {"They go.", "Ils vont."}}};
    for (int i = 0; i < 80; ++i) {
        const auto& [source, target] = pairs[static_cast<std::size_t>(i) % pairs.size()];
        text << source << '\t' << target << '\n';
    }
    return options(folder, {"vars.size=8", "vars.steps=6", "vars.sentence_length=5"});
}

std::string text_of(const std::string& experiment) {
    std::ifstream file(source_dir() / "configs" / experiment);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    // With that of the experiment which it changes.
    constexpr std::string_view kInclude = "\ninclude = \"frozen";
    if (const std::size_t at = text.find(kInclude); at != std::string::npos) {
        const std::size_t begin = at + kInclude.size() - std::string_view("frozen").size();
        const std::string name = text.substr(begin, text.find('"', begin) - begin);
        text += text_of((fs::path(experiment).parent_path() / name).string());
    }
    return text;
}

// Small images, and a small network for them where there is one.
std::vector<std::string> write_vqa_med(const std::string& experiment, const fs::path& folder) {
    ::test::write_vqa_med(folder, 6);
    write_word_vectors(folder);
    std::vector<std::string> more{"vars.folds=2", "vars.batch_size=24", "vars.episodes=2",
                                  "vars.image_size=[64, 64]"};
    const std::string text = text_of(experiment);
    if (text.find("parts/image_vector") != std::string::npos ||
        text.find("parts/image_maps") != std::string::npos ||
        text.find("input_fusion") != std::string::npos) {
        more.emplace_back("vars.image_model=\"resnet18\"");
    }
    return options(folder, more);
}

// The runs that experiments with VQA-Med load, trained when the first one needs them: long enough
// to know the categories, so that something counts where these are masks.
class LoadedRuns {
public:
    // Its folder.
    fs::path of(const std::string& experiment) {
        const auto [found, is_new] = folders_.emplace(
            experiment, folder_.path() / ("run_" + std::to_string(folders_.size())));
        if (is_new) {
            std::vector<std::string> arguments{(configs_dir() / experiment).string(), "--run-dir",
                                               found->second.string()};
            for (std::string& option : write_vqa_med(experiment, folder_.path() / "data")) {
                arguments.push_back(std::move(option));
            }
            if (experiment.find("categorization") != std::string::npos) {
                arguments.insert(arguments.end(), {"--set", "vars.episodes=60", "--set",
                                                   "training.optimizer.lr=0.02"});
            }
            run_program("ptprun", arguments, {{"OMP_NUM_THREADS", "1"}});
        }
        return found->second;
    }

private:
    TempFolder folder_;
    std::map<std::string, fs::path> folders_;
};

// What the parts of an experiment load.
std::vector<std::string> loaded_runs(const std::string& experiment) {
    static LoadedRuns runs;
    const std::string folder = "vqa_med_2019/";
    const std::string text = text_of(experiment);
    std::vector<std::string> arguments;
    const auto load = [&](const char* variable, const std::string& loaded) {
        arguments.insert(arguments.end(),
                         {"--set", variable + ("=\"" + runs.of(folder + loaded).string() + "\"")});
    };
    if (text.find("parts/categorizer") != std::string::npos) {
        load("vars.categorizer", "question_categorization/question_categorization_rnn_ffn.toml");
    } else if (text.find("categorizer = ") != std::string::npos) {
        load("vars.categorizer", "question_categorization/question_categorization_rnn.toml");
    }
    if (text.find("parts/frozen_input_fusion") != std::string::npos) {
        load("vars.input_fusion", "evaluation/tom/glove_lstm_vgg16_att_is_cat_ffn_c123_loss.toml");
    }
    return arguments;
}

}  // namespace

fs::path configs_dir() {
    return source_dir() / "configs";
}

std::vector<std::string> experiments(const std::string& begin) {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(configs_dir())) {
        if (entry.path().extension() == ".toml" && entry.path().filename() != "common.toml" &&
            entry.path().parent_path().filename() != "parts") {
            names.push_back(entry.path().lexically_relative(configs_dir()).string());
        }
    }
    std::erase_if(names, [&begin](const std::string& name) { return !name.starts_with(begin); });
    std::ranges::sort(names);
    return names;
}

std::vector<std::string> write_data_for(const std::string& experiment, const fs::path& folder) {
    fs::create_directories(folder);
    if (experiment.starts_with("mnist/")) {
        return write_mnist(folder, experiment != "mnist/kfold_softmax.toml");
    }
    if (experiment.starts_with("cifar100/")) {
        return write_cifar100(folder);
    }
    if (experiment.starts_with("cifar10/")) {
        return write_cifar10(folder);
    }
    if (experiment.starts_with("molecules/")) {
        return write_molecules(folder, experiment == "molecules/vgg16.toml");
    }
    if (experiment == "image_folder/several_classes.toml" ||
        experiment.starts_with("fashion_mnist/siamese")) {
        write_triplets(folder);
        return options(folder, {"vars.batch_size=2"});
    }
    if (experiment.starts_with("image_folder/")) {
        return write_image_folder(folder);
    }
    if (experiment.starts_with("segmentation_folder/")) {
        write_masked_images(folder);
        return options(folder, {"vars.batch_size=2", "vars.size=[16, 16]"});
    }
    if (experiment.starts_with("web_dataset/")) {
        return write_shards(folder);
    }
    if (experiment.starts_with("wikitext/")) {
        const bool is_model = text_of(experiment).find("parts/language_model") != std::string::npos;
        return write_wikitext(folder, is_model ? "vars.size=8" : "vars.hidden_size=8");
    }
    if (experiment.starts_with("clevr/")) {
        return write_clevr(experiment, folder);
    }
    if (experiment.starts_with("language_identification/wily_")) {
        return write_wily(experiment, folder);
    }
    if (experiment.starts_with("language_identification/sentences_")) {
        return write_sentences(folder);
    }
    if (experiment.starts_with("tables/") && experiment != "tables/houses.toml") {
        write_image_tables(folder);
        return options(folder, {"vars.batch_size=4"});
    }
    if (experiment.starts_with("translation_pairs/")) {
        return write_translation_pairs(folder);
    }
    if (experiment.starts_with("vqa_med_2019/")) {
        std::vector<std::string> arguments = write_vqa_med(experiment, folder);
        for (std::string& argument : loaded_runs(experiment)) {
            arguments.push_back(std::move(argument));
        }
        return arguments;
    }
    return {};
}

std::optional<ProcessResult> run_briefly(const std::string& experiment, const fs::path& folder,
                                         const std::vector<std::string>& options) {
    const auto data = write_data_for(experiment, folder / "data");
    std::vector<std::string> arguments{(configs_dir() / experiment).string(), "--run-dir",
                                       (folder / "run").string(), "--set",
                                       "training.terminal_conditions.epoch_limit=2"};
    if (data.empty()) {  // of its own, and many
        arguments.insert(arguments.end(), {"--overfit", "3"});
    }
    arguments.insert(arguments.end(), data.begin(), data.end());
    arguments.insert(arguments.end(), options.begin(), options.end());
    ProcessResult result = run_program("ptprun", arguments, {{"OMP_NUM_THREADS", "1"}});
    if (result.status == 4 && data.empty()) {
        return std::nullopt;
    }
    return result;
}

}  // namespace ptp::test
