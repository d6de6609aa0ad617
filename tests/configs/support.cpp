#include "support.hpp"

#include "plugins/image_files.hpp"
#include "plugins/pictures.hpp"
#include "support/paths.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
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

// Images with these numbers of labels before each.
void write_cifar(const fs::path& file, size_t label_count, size_t count) {
    ::test::Bytes bytes;
    for (size_t i = 0; i < count; ++i) {
        bytes.insert(bytes.end(), label_count, static_cast<uint8_t>(i % 10));
        bytes.insert(bytes.end(), size_t{3} * 32 * 32, static_cast<uint8_t>(12 * i));
    }
    ::test::write_file(file, bytes);
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

void write_picture(const fs::path& file, uint8_t value) {
    ::test::write_png(file, {20, 20, ::test::Bytes(400, value), {}});
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

// Twelve lines of the same words in each of the three files.
std::vector<std::string> write_wikitext(const fs::path& folder) {
    fs::create_directories(folder / "wikitext-2");
    for (const char* subset : {"train", "valid", "test"}) {
        std::ofstream text(folder / "wikitext-2" / ("wiki." + std::string(subset) + ".tokens"));
        for (int i = 0; i < 12; ++i) {
            text << " = The <unk> of the house = \n\n the cat is in the house . \n";
        }
    }
    return options(folder, {"vars.batch_size=4", "vars.sentence_length=5"});
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

}  // namespace

fs::path configs_dir() {
    return source_dir() / "configs";
}

std::vector<std::string> experiments() {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(configs_dir())) {
        if (entry.path().extension() == ".toml" && entry.path().filename() != "common.toml") {
            names.push_back(entry.path().lexically_relative(configs_dir()).string());
        }
    }
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
    if (experiment.starts_with("image_folder/")) {
        return write_image_folder(folder);
    }
    if (experiment.starts_with("wikitext/")) {
        return write_wikitext(folder);
    }
    if (experiment.starts_with("translation_pairs/")) {
        return write_translation_pairs(folder);
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
