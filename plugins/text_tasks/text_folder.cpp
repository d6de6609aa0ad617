// TextFolder: a folder of texts for each class.

#include "labelled_texts.hpp"
#include "training_words.hpp"
#include "unlabeled_texts.hpp"

#include <binary_classes.hpp>
#include <class_folders_config.hpp>
#include <folders.hpp>
#include <ptp/component.hpp>
#include <text_file.hpp>
#include <words.hpp>
#include <wrong_lines.hpp>

#include <algorithm>
#include <array>

class TextFolder {
public:
    static constexpr ptp_kind kind = PTP_TASK;
    static constexpr const char* name = "TextFolder";
    static constexpr const char* sample_count =
        "if($classes or $lines, *, *)";  // known once they are read
    static constexpr const char* summary = "Texts of any data set with one folder for each class";
    static constexpr const char* description =
        "data_folder has a folder for each class, and each of these the texts of its class, in "
        "folders of their own or not: files in UTF-8 whose names end with .txt, in any case. Other "
        "files, a README or LICENSE, and those whose names begin with a dot, are left alone. A file is a sample, or "
        "with `lines` each of its lines is, but for blank ones. Classes are numbered in the order "
        "of their names, or as listed in `classes`; samples come in the order of classes, paths "
        "and lines, compared byte by byte.\n"
        "`files` reads texts without classes instead: files, and folders whose texts come in the "
        "order of their paths; `samples` are such texts themselves. There are no targets and labels then, and num_classes is the "
        "training's.\n"
        "All files are read when a training begins. With vocabulary word_mappings has the words of "
        "this section's texts; set it in the training's section alone, and all sections have it.";

    static constexpr std::array ports{
        ptp::output("inputs", PTP_STRING, "B", "Texts"),
        ptp::output("targets", PTP_INTEGER, "B", "Classes, from 0")
            .purpose(PTP_PURPOSE_TARGETS)
            .when("!binary & !files & !samples"),
        ptp::output("targets", PTP_FLOAT, "B, 1", ptp::support::kBinaryTargetText)
            .purpose(PTP_PURPOSE_TARGETS)
            .when("binary & !files & !samples"),
        ptp::output("labels", PTP_STRING, "B", "Names of the classes").when("!files & !samples"),
        ptp::output("files", PTP_STRING, "B",
                    "Paths of the files within data_folder, or within the folder that all of "
                    "`files` share; with `lines` followed by a colon and the number of the line")
            .purpose(PTP_PURPOSE_FILES)
            .when("!samples")};
    static constexpr std::array globals{
        ptp::publishes("num_classes", "Number of classes")
            .purpose(PTP_PURPOSE_CLASS_COUNT)
            .value("if(length($classes) > 0, length($classes))")
            .when("!files & !samples"),
        ptp::publishes("label_word_mappings", "Table from a class's name to its number")
            .purpose(PTP_PURPOSE_CLASS_NAMES)
            .when("!files & !samples"),
        kTrainingWords.when("vocabulary & !files & !samples")};
    static constexpr bool is_concurrent = true;

    static constexpr const char* kObtain = "make it, with a folder of .txt files for each class";

    struct Config : ptp::support::ClassFoldersConfig {
        bool binary = false;
        bool lines = false;
        bool vocabulary = false;
        std::optional<std::vector<std::string>> samples;

        static constexpr auto settings() {
            return std::tuple_cat(
                ClassFoldersConfig::settings(
                    {.obtain = kObtain,
                     .files = "Texts without classes, in place of data_folder: files, and folders "
                              "with .txt files in them",
                     .obtain_files = "name a text file, or a folder with .txt files"}),
                std::tuple{ptp::setting("binary", &Config::binary, ptp::support::kBinaryText),
                           ptp::setting("lines", &Config::lines,
                                        {.help = "Each line is a sample; false: each file is",
                                         .is_preparation = true}),
                           ptp::setting("vocabulary", &Config::vocabulary, kOwnVocabularyText),
                           ptp::setting("samples", &Config::samples, ptp::support::kSamplesText)});
        }
    };

    TextFolder(const Config& config, const ptp::Setup& setup) {
        if (config.samples) {
            samples_.texts = ptp::support::given_texts(*config.samples);
            names_.resize(samples_.texts.size());
            return;
        }
        if (config.files) {
            const ptp::support::FoundFiles found =
                ptp::support::find_files(*config.files, kEndings);
            warn_of(found.left_out, setup);
            for (size_t i = 0; i < found.paths.size(); ++i) {
                read(config, {found.paths[i], found.names[i], std::nullopt});
                if (!config.lines && is_like_table(found.paths[i])) {
                    setup.log_warning(ptp::detail::join(
                        found.paths[i],
                        " is one sample, as each file is, and has the name of a table; texts that "
                        "are one in each line of a file, without a header: ptprun predict RUN "
                        "--data - < FILE"));
                }
            }
        } else {
            samples_.classes =
                ptp::support::find_classes({config.data_folder, config.classes, config.incomplete});
            const ptp::support::ClassFiles found = ptp::support::find_class_files(
                {config.data_folder, samples_.classes, config.incomplete, config.classes.empty()},
                kEndings);
            warn_of(found.left_out, setup);
            ptp::support::warn_of_alike_classes(config, samples_.classes, setup);
            for (size_t i = 0; i < found.paths.size(); ++i) {
                read(config, {found.paths[i], found.names[i], found.targets[i]});
            }
        }
        problems_.throw_if_any();
        if (!config.files) {
            ptp::support::check_classes(config.binary, samples_.classes);
            ptp::support::warn_of_absent_classes(config, samples_.classes, samples_.targets, setup);
            samples_.publish_classes(setup);
        }
        if (config.vocabulary && !config.files) {
            publish_words(samples_.texts, setup);
        }
    }

    int64_t size() const { return static_cast<int64_t>(samples_.texts.size()); }

    std::vector<int64_t> sample_classes() const {
        if (samples_.targets.empty()) {
            throw ptp::ConfigError("texts without classes have no classes to draw by");
        }
        return samples_.targets;
    }

    std::tuple<std::vector<std::string_view>, ptp::TensorData, ptp::TensorData,
               std::vector<std::string_view>, std::vector<std::string_view>>
    fetch(const ptp::Fetch& fetch) const {
        std::vector<std::string_view> names;
        for (const int64_t index : fetch.indices()) {
            names.push_back(names_[static_cast<size_t>(index)]);
        }
        return {samples_.texts.at(fetch.indices()), samples_.targets_of(fetch),
                binary_targets(samples_.targets, fetch), samples_.labels_of(fetch),
                std::move(names)};
    }

private:
    static constexpr std::array<std::string_view, 1> kEndings{".txt"};

    static bool is_like_table(const std::filesystem::path& file) {
        constexpr std::array kTables{".csv", ".tsv", ".jsonl", ".ndjson"};
        return std::ranges::find(kTables, file.extension().string()) != kTables.end();
    }

    struct File {
        const std::filesystem::path& path;
        const std::string& name;
        std::optional<int64_t> target;
    };

    static void warn_of(const std::string& left_out, const ptp::Setup& setup) {
        if (!left_out.empty()) {
            setup.log_warning(left_out);
        }
    }

    void read(const Config& config, const File& file) {
        const size_t before = samples_.texts.size();
        try {
            const std::string text = ptp::support::read_text(file.path);
            if (config.lines) {
                ptp::support::for_each_line(text, [&](std::string_view line, int64_t number) {
                    add(line, file, ptp::detail::join(file.name, ":", number));
                });
            } else {
                add(text, file, file.name);
            }
        } catch (const ptp::DataError& error) {
            problems_.add(error.what());
            return;
        }
        if (samples_.texts.size() == before) {
            problems_.add(file.path.string() + ": has no words; write some, or remove the file");
        }
    }

    // Ignores blank texts.
    void add(std::string_view text, const File& file, std::string sample_name) {
        if (!ptp::support::has_words(text)) {
            return;
        }
        samples_.texts.add(text);
        names_.push_back(std::move(sample_name));
        if (file.target) {
            samples_.targets.push_back(*file.target);
        }
    }

    LabelledTexts samples_;
    std::vector<std::string> names_;
    ptp::support::Problems problems_;  // found while reading the files
};

template const ptp_component_info& ptp::component<TextFolder>();
